// What is finished and is printed once: the pieces the transcript on the screen is made of. A live event and a
// restored message become the same blocks; how they look is transcript.ts's.
import { isNamedIn, shownImages } from "../agent/images/image-text.ts";
import type { RecoveryStep } from "../ledger/recovery.ts";
import type { Json, Message, Part, ToolCall, ToolOutcome, ToolResultPart } from "../ledger/types.ts";
import { type AnswerLine, endAnswer, openAnswer } from "./answer-stream.ts";
import { compactedWords } from "./compaction-words.ts";
import type { Sides } from "./side-lines.ts";
import type { Role } from "./theme.ts";

/** Texts are untrusted and raw, but for an answer's lines. */
export type Block =
  | {
      readonly kind: "prompt";
      readonly text: string;
      /** It is a command for the shell, and this stands before it. */
      readonly marks?: "!" | "!!";
      readonly elsewhere?: boolean;
    }
  | { readonly kind: "answer"; readonly lines: readonly AnswerLine[]; readonly elsewhere?: boolean }
  | { readonly kind: "tool"; readonly made: MadeCall; readonly outcome: ToolOutcome }
  /** A call whose result is not there: `state` says how far it came. */
  | { readonly kind: "open-call"; readonly made: MadeCall; readonly state: string }
  | { readonly kind: "note"; readonly text: string; readonly role: Role }
  | { readonly kind: "separator"; readonly text: string }
  | { readonly kind: "lines"; readonly lines: readonly string[]; readonly role?: Role }
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | ({ readonly kind: "sides" } & Sides)
  | { readonly kind: "step"; readonly step: RecoveryStep };

export interface MadeCall {
  readonly tool: string;
  readonly input: Json;
  /** How long it ran, where that is known. */
  readonly ms?: number;
}

/** Which call a result answers; providers use the same id again in later turns. */
export type FindCall = (part: ToolResultPart, message: Message) => MadeCall | undefined;

export function note(text: string, role: Role = "muted"): Block {
  return { kind: "note", text, role };
}

export function messageBlocks(message: Message, findCall: FindCall, elsewhere = false): readonly Block[] {
  const mark = elsewhere ? { elsewhere: true } : {};
  switch (message.role) {
    case "user":
      return [{ kind: "prompt", ...spoken(message.parts), ...mark }];
    case "assistant":
      return [
        ...thoughtBlocks(message.parts),
        ...answerBlocks(answerText(message.parts), mark),
        ...endingBlocks(message),
      ];
    case "tool":
      return resultBlocks(message, findCall);
    case "summary":
      return [{ kind: "separator", text: compactedWords(message) }, note("ctrl+o shows the summary")];
    case "note":
      return noteBlocks(message.parts);
  }
}

/** A part of a conversation as it was stored, oldest first. */
export function windowBlocks(messages: readonly Message[], calls: readonly ToolCall[]): readonly Block[] {
  const { parts, open } = windowParts(messages, calls);
  return [...parts.flatMap((blocks) => blocks()), ...open];
}

export interface WindowParts {
  /** Of each message, made when they are asked for: what is not shown is not read. */
  readonly parts: readonly (() => readonly Block[])[];
  /** Calls without a result. */
  readonly open: readonly Block[];
}

export function windowParts(messages: readonly Message[], calls: readonly ToolCall[]): WindowParts {
  const asked = new Map<string, MadeCall>();
  const byResult = new Map(calls.flatMap((call) => (call.result === undefined ? [] : [[call.result, call] as const])));
  const parts = messages.map((message) => {
    const answered = new Map<Part, MadeCall>();
    for (const part of message.parts) {
      if (part.kind !== "tool-result") continue;
      const stored = byResult.get(message.id);
      const known = stored ? madeCall(stored) : asked.get(part.call);
      asked.delete(part.call);
      if (known) answered.set(part, known);
    }
    for (const part of message.parts) {
      if (part.kind === "tool-call") asked.set(part.call, { tool: part.tool, input: part.input });
      if (part.kind !== "shell") continue;
      for (const call of calls) if (call.message === message.id) asked.set(call.call, madeCall(call));
    }
    return () => messageBlocks(message, (part) => answered.get(part));
  });
  const states = new Map(calls.map((call) => [call.call, call.state]));
  const open = [...asked].map(
    ([id, made]): Block => ({ kind: "open-call", made, state: states.get(id) ?? "no result" }),
  );
  return { parts, open };
}

export function madeCall({ tool, input, startedAt, finishedAt, evidence }: ToolCall): MadeCall {
  // Until a person decided about it is not how long it ran.
  const isMeasured = startedAt !== undefined && finishedAt !== undefined && !evidence?.startsWith("a person decided");
  const ms = isMeasured ? finishedAt - startedAt : undefined;
  return { tool, input, ...(ms !== undefined && { ms }) };
}

export function answerText(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

export function resultBlocks(message: Message, findCall: FindCall): readonly Block[] {
  return message.parts.flatMap((part): Block[] => {
    if (part.kind !== "tool-result") return [];
    const made = findCall(part, message) ?? { tool: "an earlier call", input: null };
    return [{ kind: "tool", made, outcome: part.outcome }];
  });
}

/** What has to be said about how an answer ended. */
export function endingBlocks({ finishReason }: Message): readonly Block[] {
  if (finishReason === "interrupted") return [note("interrupted: the answer ends here", "warning")];
  if (finishReason === "length") return [note("cut: the model reached its output limit", "warning")];
  return finishReason === "refusal" ? [note("the provider refused to go on", "warning")] : [];
}

export function thought(characters: number): Block {
  return note(`thought, ${characters} ${characters === 1 ? "character" : "characters"}`);
}

function thoughtBlocks(parts: readonly Part[]): readonly Block[] {
  const characters = parts.reduce((sum, part) => sum + (part.kind === "reasoning" ? part.text.length : 0), 0);
  return characters > 0 ? [thought(characters)] : [];
}

function answerBlocks(text: string, mark: { elsewhere?: boolean }): readonly Block[] {
  const { lines } = endAnswer(openAnswer, text);
  return lines.length === 0 ? [] : [{ kind: "answer", lines, ...mark }];
}

function spoken(parts: readonly Part[]): Pick<Extract<Block, { kind: "prompt" }>, "text" | "marks"> {
  const shell = parts.find((part) => part.kind === "shell");
  return shell ? { text: shell.command, marks: shell.told ? "!" : "!!" } : { text: promptText(parts) };
}

function promptText(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return shownImages(part.text);
      return part.kind === "file" && !isNamedIn(part, parts)
        ? `[${part.name ?? part.mediaType}, ${part.bytes} bytes]`
        : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

function noteBlocks(parts: readonly Part[]): readonly Block[] {
  return parts.flatMap((part) => {
    if (part.kind === "note" || part.kind === "text" || part.kind === "summary") return [note(part.text)];
    return [];
  });
}
