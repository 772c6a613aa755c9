// Path → what the model gets. Pure: the stored path is never changed, only what is made of it.
// Order of the repairs is C 4.18: neighbouring answers merged, results without a call and second results
// dropped, neighbouring plain user messages merged, calls without a result pruned.
import { tellCommands } from "./typed-commands.ts";
import type { Message, Part, Role, ToolCallPart, ToolResultPart } from "./types.ts";

/** Bumped when the same path gives another projection; part of a turn's envelope. */
export const PROJECTION_VERSION = 3;

export interface ProjectedMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
}

/** From the newest summary on; notes are for people only. */
export function projectForModel(path: readonly Message[]): ProjectedMessage[] {
  const merged = mergeNeighbours(sinceSummary(path).filter((each) => each.parts.length > 0));
  return mergeUsers(pairCalls(merged)).filter((each) => each.parts.length > 0);
}

function sinceSummary(path: readonly Message[]): ProjectedMessage[] {
  const at = path.findLastIndex((message) => message.role === "summary");
  const summary = path[at];
  const part = summary?.parts.find((each) => each.kind === "summary");
  if (!summary || part?.kind !== "summary") return tellCommands(path).flatMap(forModel);
  const keptFrom = part.keptFrom === undefined ? -1 : path.findIndex((message) => message.id === part.keptFrom);
  const kept = keptFrom < 0 ? [] : path.slice(keptFrom, at);
  const head: ProjectedMessage = { role: "user", parts: [{ kind: "text", text: marked(part.text, summary) }] };
  return [head, ...tellCommands([...kept, ...path.slice(at + 1)]).flatMap(forModel)];
}

/**
 * A prompt may follow it in the same message. Its mark is known to nobody who wrote it, so it cannot end itself and go on
 * as words of the person.
 */
function marked(text: string, { hash }: Message): string {
  const mark = hash.slice(0, 12);
  return `[summary ${mark} begins]\n${text}\n[summary ${mark} ends]`;
}

function forModel(message: Message | ProjectedMessage): ProjectedMessage[] {
  if (!("id" in message)) return [message];
  const role = modelRole(message.role);
  if (!role) return [];
  const parts = message.parts.filter((part) => part.kind !== "note" && !(part.kind === "text" && part.text === ""));
  return [{ role, parts }];
}

function modelRole(role: Role): ProjectedMessage["role"] | undefined {
  return role === "user" || role === "assistant" || role === "tool" ? role : undefined;
}

/** Answers in a row are one: what was asked for in several pieces is answered after all of them. */
function mergeNeighbours(messages: readonly ProjectedMessage[]): ProjectedMessage[] {
  const merged: ProjectedMessage[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    const isPair = before?.role === message.role && message.role !== "user";
    if (isPair && before) merged[merged.length - 1] = { role: before.role, parts: [...before.parts, ...message.parts] };
    else merged.push(message);
  }
  return merged;
}

function pairCalls(messages: readonly ProjectedMessage[]): ProjectedMessage[] {
  const paired: ProjectedMessage[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") continue;
    const calls = message.parts.filter((part): part is ToolCallPart => part.kind === "tool-call");
    if (calls.length === 0) {
      paired.push(message);
      continue;
    }
    const results = resultsAfter(messages, at);
    // Answers that were merged may have used an id twice: a result is that of the newest.
    const newest = new Map(calls.map((call) => [call.call, call]));
    const answered = calls.filter((call) => results.has(call.call) && newest.get(call.call) === call);
    const parts = message.parts.filter((part) => part.kind !== "tool-call" || answered.includes(part));
    paired.push({ role: message.role, parts });
    if (answered.length > 0)
      paired.push({ role: "tool", parts: answered.flatMap((call) => results.get(call.call) ?? []) });
  }
  return paired;
}

/** First result of each call, up to the next answer; a steer may stand among them. */
function resultsAfter(messages: readonly ProjectedMessage[], at: number): Map<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (const message of messages.slice(at + 1)) {
    if (message.role === "assistant") break;
    for (const part of message.parts)
      if (part.kind === "tool-result" && !results.has(part.call)) results.set(part.call, part);
  }
  return results;
}

/** Plain texts only: a message with a file keeps its own place. What a person did goes along with what they said. */
function mergeUsers(messages: readonly ProjectedMessage[]): ProjectedMessage[] {
  const merged: ProjectedMessage[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (before && message.role === "user" && isPlain(before) && isPlain(message) && before.role === "user")
      merged[merged.length - 1] = {
        role: "user",
        parts: [{ kind: "text", text: `${plainText(before)}\n\n${plainText(message)}` }],
      };
    else if (before && before.role === message.role && (message.role === "assistant" || hasNote(before, message)))
      merged[merged.length - 1] = { role: message.role, parts: [...before.parts, ...message.parts] };
    else merged.push(message);
  }
  return merged;
}

function hasNote(...messages: readonly ProjectedMessage[]): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.kind === "note"));
}

function isPlain(message: ProjectedMessage): boolean {
  return message.parts.every((part) => part.kind === "text");
}

function plainText(message: ProjectedMessage): string {
  return message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
}
