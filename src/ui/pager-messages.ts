// Messages as the pager shows them: what the scrollback folds is whole here, thoughts and outputs as they are stored.
import type { Message, ToolCall } from "../ledger/types.ts";
import { type Block, type MadeCall, madeCall, messageBlocks } from "./block.ts";
import { compactedWords } from "./compaction-words.ts";
import { diffRole } from "./diff-line.ts";
import { cellRows } from "./pager-output.ts";
import { promptLines } from "./prompt-lines.ts";
import { sanitize } from "./sanitize.ts";
import { type Line, span } from "./styled-line.ts";
import { callLabel, callLine, describe, isEdit, type Look } from "./tool-lines.ts";
import { blockLines, textLines } from "./transcript.ts";

/** A message with what has to be known of other ones. */
export interface StoredMessage {
  readonly message: Message;
  /** Of each result in it. */
  readonly made: readonly MadeCall[];
  /** Calls made in it that have no result. */
  readonly open: readonly ToolCall[];
}

/** Calls may hang on it: a model's on its answer, a person's on what they typed. */
export function mayAsk({ role, parts }: Message): boolean {
  return role === "assistant" || (role === "user" && parts.some(({ kind }) => kind === "shell"));
}

/**
 * Pairs results with the calls they answer. `calls` are those of all these messages; the first `before` of them are
 * there to be known only.
 */
export function storedMessages(
  messages: readonly Message[],
  calls: readonly ToolCall[],
  before: number,
): readonly StoredMessage[] {
  const byResult = new Map(calls.flatMap((call) => (call.result === undefined ? [] : [[call.result, call] as const])));
  const asked = new Map<string, MadeCall>();
  const stored = messages.map((message): StoredMessage => {
    const known = byResult.get(message.id);
    const made: MadeCall[] = [];
    for (const part of message.parts) {
      if (part.kind === "tool-call") asked.set(part.call, { tool: part.tool, input: part.input });
      if (part.kind !== "tool-result") continue;
      made.push(known ? madeCall(known) : (asked.get(part.call) ?? { tool: "an earlier call", input: null }));
    }
    return { message, made, open: calls.filter((call) => call.message === message.id && call.result === undefined) };
  });
  return stored.slice(before);
}

export function messageLines({ message, made, open }: StoredMessage, look: Look): readonly Line[] {
  if (message.role === "tool") return resultLines(message, made, look);
  if (message.role === "summary") return summaryLines(message, look);
  const blocks: Block[] = [
    ...messageBlocks({ ...message, parts: message.parts.filter(({ kind }) => kind !== "reasoning") }, () => undefined),
    ...open.map((call): Block => ({ kind: "open-call", made: madeCall(call), state: call.state })),
  ];
  const lines = (block: Block): readonly Line[] =>
    block.kind === "prompt" ? [[], ...promptLines(block, look, { inPager: true })] : blockLines(block, look);
  return [...thoughtLines(message, look), ...blocks.flatMap(lines)];
}

/** Everything of it that a row may show, as it is stored. */
export function messageText({ message, made, open }: StoredMessage): string {
  const calls = [...made, ...open.map(madeCall)].map((call) => callLabel(call));
  const parts = message.parts.map((part) => {
    if (part.kind === "tool-result") return part.outcome.output ?? "";
    if (part.kind === "file") return part.name ?? part.mediaType;
    return part.kind === "tool-call" || part.kind === "shell" ? "" : part.text;
  });
  return [...calls, ...parts].join("\n");
}

function summaryLines(message: Message, look: Look): readonly Line[] {
  const text = message.parts.map((part) => (part.kind === "summary" ? part.text : "")).join("\n");
  const heading = blockLines({ kind: "separator", text: compactedWords(message) }, look);
  return [...heading, ...textLines({ text: text.trimEnd(), role: "muted", before: "  " }, look)];
}

function thoughtLines({ parts }: Message, look: Look): readonly Line[] {
  const text = parts.map((part) => (part.kind === "reasoning" ? part.text : "")).join("");
  if (text === "") return [];
  return textLines({ text: text.trimEnd(), role: "muted", before: "  " }, look);
}

function resultLines({ parts }: Message, made: readonly MadeCall[], look: Look): readonly Line[] {
  const outcomes = parts.flatMap((part) => (part.kind === "tool-result" ? [part.outcome] : []));
  return outcomes.flatMap((outcome, index) => {
    const call = made[index] ?? { tool: "an earlier call", input: null };
    const isDiff = outcome.kind === "ok" && isEdit(call.tool);
    const text = sanitize(outcome.output ?? "", { keepNewlines: true, tabs: 4 }).trimEnd();
    const indent = look.width < 24 ? "" : "      ";
    const rows = text === "" ? [] : text.split("\n");
    return [
      callLine(call, describe(call, outcome), look),
      ...rows.flatMap((row) =>
        cellRows(row, look.width - indent.length).map((cells) => [
          span(indent),
          span(cells, isDiff ? diffRole(row) : "muted"),
        ]),
      ),
    ];
  });
}
