// The front end without a screen: events and command results as text or as JSON lines. Text mode prints the
// answer alone on stdout and progress on stderr; everything that came from outside is sanitised, keys included.
import type { SessionEvent } from "../agent/events.ts";
import { shownImages } from "../agent/images/image-text.ts";
import { loopJson } from "../agent/loop/loop-json.ts";
import { routeName } from "../agent/models/route-name.ts";
import type { CommandResult, PreviewFile } from "../commands/command.ts";
import type { Message, Part, ToolCall } from "../ledger/types.ts";
import { sanitize } from "./sanitize.ts";
import { sideTexts } from "./side-lines.ts";
import { cellWidth, padCells } from "./text-width.ts";

export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** One event as interfaces.md gives it; undefined for those that are only for a screen. */
export function eventLine(event: SessionEvent): object | undefined {
  switch (event.type) {
    case "session": {
      const { session, resumed } = event;
      const { id, conversation, generation, route } = session;
      return { type: "session", session: id, conversation, generation, model: routeName(route), resumed };
    }
    case "prompt-admitted": {
      const { admission, request, state } = event;
      return { type: "prompt-admitted", admission, request, state };
    }
    case "lease-awaited": {
      const { pid, program } = event.holder ?? {};
      const holder = { pid, program, since: event.since };
      return { type: "lease-awaited", holder };
    }
    case "compacted": {
      const { id, generation } = event.session;
      return { type: "compacted", admission: event.admission, session: id, generation };
    }
    case "context-files":
    case "compaction-started":
    case "compaction-stage":
    case "compaction-left":
    case "retry-wait":
    case "fallback":
    case "turn-started":
    case "text-delta":
    case "reasoning-delta":
      return event;
    case "message-added":
      return { type: "message-added", message: messageLine(event.message) };
    case "call-changed":
      return { type: "call-changed", call: callLine(event.call) };
    case "turn-settled":
      return event;
    case "loop-changed":
      return { type: "loop-changed", ...(event.loop && { loop: loopJson(event.loop) }) };
    case "turn-blocked":
      return { type: "turn-blocked", admission: event.admission.id, state: event.admission.status };
    case "ledger-problem":
      return { type: "ledger-problem", error: event.error };
    case "prompt-steered":
    case "conversation-gone":
    case "lease-acquired":
    case "lease-given-up":
    case "held-elsewhere":
    case "stop-asked":
    case "queue-changed":
    case "prompts-kept":
    case "session-changed":
    case "call-output":
    case "head-moved":
    case "rule-kept":
      return undefined;
  }
}

function messageLine(message: Message, options: { raw?: boolean } = {}): object {
  const { id, parent, role, parts, at } = message;
  return {
    id,
    ...(parent !== undefined && { parent }),
    role,
    parts: options.raw ? parts : parts.map(withoutOpaque),
    at,
  };
}

function withoutOpaque(part: Part): Part {
  if (!("opaque" in part)) return part;
  const { opaque: _, ...rest } = part;
  return rest;
}

function callLine(call: ToolCall): object {
  const { id, message, call: callId, tool, effect, state } = call;
  return { id, message, call: callId, tool, effect, state };
}

/** Every string in it sanitised, keys too; line feeds stay, escaped as JSON does. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(clean(value));
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return sanitize(value, { keepNewlines: true });
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [sanitize(key), clean(field)]));
}

export function safeText(text: string): string {
  return sanitize(text, { keepNewlines: true });
}

/** The text of an answer, and nothing else of it. */
export function answerText(message: Message): string {
  return message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** What a command says when no screen is there. */
export function printResult(result: CommandResult, output: Output, json: boolean): void {
  if (json && "json" in result && result.json !== undefined) {
    const { json: value } = result;
    for (const each of Array.isArray(value) ? (value as readonly object[]) : [value]) output.out(`${jsonLine(each)}\n`);
    return;
  }
  // One line each, whatever it is made of: a file's name with a line feed begins no line of its own.
  for (const line of resultLines(result)) output.out(`${sanitize(line)}\n`);
}

/** In words, what it refuses included. */
export function resultText(result: CommandResult): string {
  if (result.kind === "usage") return result.message;
  if (result.kind === "refused") return result.why;
  return resultLines(result).join("\n");
}

function resultLines(result: CommandResult): readonly string[] {
  switch (result.kind) {
    case "lines":
      return result.lines;
    case "prefill":
      return result.text === ""
        ? result.lines
        : [...result.lines, ...`The prompt was: ${shownImages(result.text)}`.split("\n")];
    case "sides":
      return sideTexts(result);
    case "open-session":
      return [...result.lines, `session ${result.session.id}`];
    case "loop":
    case "mode":
    case "turn":
      return result.lines;
    case "rows":
      return result.rows.length === 0 ? [result.empty] : table(result.columns, result.rows);
    case "pick":
      return result.items.length === 0
        ? [result.empty]
        : table(
            ["", ""],
            result.items.map((item) => [item.label, item.detail]),
          );
    case "recovery":
      return recoveryLines(result);
    case "preview":
      return result.files.map(previewLine);
    case "confirm":
    case "usage":
    case "refused":
    case "submit":
    case "stop":
    case "quit":
      return [];
  }
}

function recoveryLines({ steps, open, undelivered }: Extract<CommandResult, { kind: "recovery" }>): readonly string[] {
  return [
    ...steps.map((step) => `${MARKS[step.status]} ${step.name.padEnd(10)} ${step.detail}`),
    ...open.flatMap(({ admission, session, calls, draft }) => [
      `! turn ${admission.id} of session ${session.id}: “${admission.summary}” is ${admission.status}`,
      ...calls.map(openCallLine),
      ...(draft ? [`    a half answer of ${draft.text.length} characters, not part of the conversation`] : []),
      ...nextSteps(admission.id, calls),
    ]),
    ...undelivered.map(
      ({ admission, session }) =>
        `! finished while nobody was looking: “${admission.summary}”, the end of session ${session.id}`,
    ),
  ];
}

/** What to type about it. */
function nextSteps(turn: number, calls: readonly ToolCall[]): readonly string[] {
  const open = calls.filter(({ result }) => result === undefined);
  const running = open.filter(({ state }) => state === "running");
  const unknown = open.filter(({ state }) => state === "unknown");
  return [
    ...running.map(({ id }) => `    next: stele recover call ${id} --wait, or --stop`),
    ...unknown.map(({ id }) => `    next: stele recover call ${id} --happened, --not-happened or --again`),
    ...(running.length + unknown.length === 0
      ? [`    next: stele recover resume ${turn}, with --yes if it may run its calls`]
      : []),
    `    or:   stele recover settle ${turn}`,
  ];
}

function openCallLine({ id, tool, state, evidence, result }: ToolCall): string {
  const isOpen = result === undefined && (state === "unknown" || state === "running");
  return `    ${isOpen ? "?" : "·"} call ${id} ${tool} ${state}${evidence === undefined ? "" : `: ${evidence}`}`;
}

/** What is left to `--yes`; `-` cannot be chosen. */
function previewLine(file: PreviewFile): string {
  const { path, action, added, removed, isChosen, isSuspected, isImported, isMerged, obstacle } = file;
  const box = obstacle === undefined ? (isChosen ? "[x]" : "[ ]") : " - ";
  const marks = [
    ...(action === "remove" ? ["is removed"] : []),
    ...(action === "create" ? ["comes back"] : []),
    ...(isSuspected ? ["changed by a command"] : []),
    ...(isImported ? ["came with an import"] : []),
    ...(isMerged ? ["merged with your change"] : []),
    ...(obstacle === undefined ? [] : [obstacle]),
  ];
  return `${box} ${sanitize(path)}  +${added} -${removed}${marks.length === 0 ? "" : `  ${marks.join(", ")}`}`;
}

const MARKS = { ok: "ok", warn: "! ", fail: "x " } as const;

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = columns.some((column) => column !== "") ? [columns, ...rows] : rows;
  const clean = all.map((row) => row.map((cell) => sanitize(cell)));
  const widths = columns.map((_, at) => Math.max(...clean.map((row) => cellWidth(row[at] ?? ""))));
  return clean.map((row) =>
    row
      .map((cell, at) => padCells(cell, widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
