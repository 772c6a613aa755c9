// How a tool call looks, running or done: one line of what it was and what came of it, then a few lines of its
// output or its diff. Long output is cut to head and tail with the number of lines that are not shown.
import type { Json, ToolOutcome } from "../ledger/types.ts";
import type { MadeCall } from "./block.ts";
import { diffBody } from "./diff-body.ts";
import { reveal, sanitize } from "./sanitize.ts";
import { fitLine, type Line, type Span, span } from "./styled-line.ts";
import { cellWidth, truncate } from "./text-width.ts";
import type { Role, Theme } from "./theme.ts";

export interface Look {
  readonly width: number;
  readonly theme: Theme;
}

const outputLines = { head: 3, tail: 4 };
const diffLines = { head: 16, tail: 8 };
/** Results stand under each other here where the window is wide enough. */
const detailColumn = 62;

export function toolLines(made: MadeCall, outcome: ToolOutcome, look: Look): readonly Line[] {
  const { detail, role } = describe(made, outcome);
  const isCut = outcome.kind === "ok" && isReading(made.tool) && outcome.truncated === true;
  const end = { detail: isCut ? `${detail}${opens(look)}` : detail, role };
  return [callLine(made, end, look), ...bodyLines(made, outcome, look)];
}

export interface CallEnd {
  readonly detail: string;
  readonly role: Role;
  /** Before it, instead of the sign of a call. */
  readonly sign?: Span;
}

export function callLine(made: MadeCall, end: CallEnd, { width, theme }: Look): Line {
  const { glyphs } = theme;
  const sign = end.sign ?? span(width < 12 ? "" : `  ${glyphs.elbow} `, "muted");
  const label = callLabel(made);
  const detail = sanitize(end.detail);
  if (detail === "") return fitLine([sign, ...named(label)], width, glyphs.ellipsis);
  const room = width - cellWidth(sign.text) - cellWidth(detail) - 2;
  // Too narrow for both: how it ended is what matters.
  if (room < 8) return fitLine([sign, span(detail, end.role), span(` ${label}`)], width, glyphs.ellipsis);
  const shown = truncate(label, room, glyphs.ellipsis);
  const column = Math.min(detailColumn, width - cellWidth(detail));
  const gap = Math.max(2, column - cellWidth(sign.text) - cellWidth(shown));
  return [sign, ...named(shown), span(" ".repeat(gap)), span(detail, end.role)];
}

/** `shell npm test` */
export function callLabel(made: MadeCall): string {
  return `${sanitize(made.tool)} ${callSummary(made)}`.trimEnd();
}

function named(label: string): Line {
  const at = label.indexOf(" ");
  return at === -1 ? [span(label, "strong")] : [span(label.slice(0, at), "strong"), span(label.slice(at))];
}

/** What a call is about, on one line: its command, path or words. */
function callSummary({ input }: MadeCall): string {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return onOneLine(plain(input));
  const fields = input as { readonly [key: string]: Json };
  for (const name of ["command", "path", "pattern", "query", "url", "call", "text"]) {
    const value = fields[name];
    if (typeof value === "string") return onOneLine(value.slice(0, maxSummary));
  }
  return Object.keys(fields).length === 0 ? "" : onOneLine(plain(input));
}

/** What an approval spelled out is spelled out here too. */
function onOneLine(text: string): string {
  return reveal(text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "").replace(/\r?\n/g, " "));
}

const maxSummary = 500;

function plain(input: Json): string {
  return input === null ? "" : typeof input === "string" ? input : JSON.stringify(input).slice(0, maxSummary);
}

/** `exit 1 · 3.1 s` */
export function describe(
  { tool, ms }: MadeCall,
  outcome: ToolOutcome,
): { readonly detail: string; readonly role: Role } {
  const time = ms === undefined || ms < 100 ? "" : ` · ${seconds(ms)}`;
  const exit = outcome.exitCode === undefined ? undefined : `exit ${outcome.exitCode}`;
  switch (outcome.kind) {
    case "ok":
      return { detail: `${exit ?? okWords(tool, outcome)}${time}`, role: "muted" };
    case "failed":
      return { detail: `${exit ?? "failed"}${time}`, role: "error" };
    case "cancelled":
      return { detail: "cancelled", role: "warning" };
    case "denied":
      return { detail: "denied", role: "warning" };
    case "unknown":
      return { detail: "? unknown", role: "warning" };
  }
}

export function seconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** For a row that counts: whole seconds. */
export function elapsed(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1_000));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function okWords(tool: string, { output = "", truncated }: ToolOutcome): string {
  const change = isEdit(tool) ? /\+(\d+) -(\d+)$/m.exec(output.slice(0, 2_000)) : null;
  if (change) return `+${change[1]} -${change[2]}`;
  if (isReading(tool) && truncated === true) return "cut short";
  if (isReading(tool)) return counted(output === "" ? 0 : output.trimEnd().split("\n").length);
  return "ok";
}

function counted(lines: number): string {
  return `${lines} ${lines === 1 ? "line" : "lines"}`;
}

export function isEdit(tool: string): boolean {
  return tool === "edit_file" || tool === "write_file";
}

export function isReading(tool: string): boolean {
  return (
    tool === "read_file" || tool === "list_dir" || tool === "glob" || tool === "grep" || tool === "search_sessions"
  );
}

/** Where only a part of the output stands on the screen; with a blank before it. */
export function opens({ theme: { pageKey = "ctrl+o" } }: Look): string {
  return pageKey === "" ? "" : ` (${pageKey} opens)`;
}

/** Its output is not all in the transcript: only head and tail of it, or nothing. */
export function isFolded(made: MadeCall, outcome: ToolOutcome): boolean {
  if (outcome.output === undefined || outcome.output.trim() === "") return false;
  if (outcome.truncated === true || (outcome.kind === "ok" && isReading(made.tool))) return true;
  const { all, isDiff } = bodyText(made, outcome);
  return headAndTail(all, isDiff ? diffLines : outputLines).hidden > 0;
}

function bodyText(
  { tool }: MadeCall,
  outcome: ToolOutcome,
): { readonly all: readonly string[]; readonly isDiff: boolean } {
  const { output = "" } = outcome;
  const isDiff = outcome.kind === "ok" && isEdit(tool);
  // Raw: what the lines of a diff hide is shown.
  const seen = isDiff ? output : sanitize(output, { keepNewlines: true, tabs: 4 });
  const text = seen.replace(/^\n+|\s+$/g, "");
  // The first line of a diff names the file, as the line above does.
  const all = text === "" ? [] : text.split("\n").slice(isDiff ? 1 : 0);
  return { all, isDiff };
}

function bodyLines(made: MadeCall, outcome: ToolOutcome, { width, theme }: Look): readonly Line[] {
  if (width < 12 || (outcome.kind === "ok" && isReading(made.tool))) return [];
  const { all, isDiff } = bodyText(made, outcome);
  const { ellipsis } = theme.glyphs;
  const lines = isDiff ? diffBody(all, { width: width - bodyIndent.length, ellipsis }) : all.map(muted);
  const { shown, hidden } = headAndTail(lines, isDiff ? diffLines : outputLines);
  // What was cut before it came here is not counted by anybody.
  const gap = `${ellipsis} ${outcome.truncated === true ? "more" : `+${hidden}`} lines${opens({ width, theme })}`;
  const capped = hidden === 0 ? shown.head : [...shown.head, muted(gap), ...shown.tail];
  return capped.map((line) => fitLine([span(bodyIndent), ...line], width, ellipsis));
}

const bodyIndent = "      ";

function muted(text: string): Line {
  return [span(text, "muted")];
}

function headAndTail<T>(
  lines: readonly T[],
  { head, tail }: { head: number; tail: number },
): { readonly shown: { head: readonly T[]; tail: readonly T[] }; readonly hidden: number } {
  const hidden = lines.length - head - tail;
  if (hidden <= 1) return { shown: { head: lines, tail: [] }, hidden: 0 };
  return { shown: { head: lines.slice(0, head), tail: tail > 0 ? lines.slice(-tail) : [] }, hidden };
}
