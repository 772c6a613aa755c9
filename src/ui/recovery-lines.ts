// How an interrupted turn looks: what was asked, the evidence of each call, the half answer that is no part of the
// conversation, and the choices. Where rows are few the choices stay, then the calls that wait for a decision.
import type { OpenTurn } from "../ledger/recovery.ts";
import type { Draft, ToolCall } from "../ledger/types.ts";
import { madeCall } from "./block.ts";
import { type DecideState, isOpenCall, manyAttempts } from "./recovery.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, lineText, span } from "./styled-line.ts";
import { cellWidth, truncate } from "./text-width.ts";
import type { Role } from "./theme.ts";
import { callLabel, callLine, elapsed, type Look, seconds } from "./tool-lines.ts";
import { textLines } from "./transcript.ts";

/** At most `rows` lines. */
export function decideLines(
  state: DecideState,
  look: Look,
  { rows, now }: { rows: number; now: number },
): readonly Line[] {
  const options = optionLines(state, look);
  if (options.length >= rows) {
    const first = Math.max(0, Math.min((state.selected ?? 0) - Math.floor(rows / 2), options.length - rows));
    return options.slice(first, first + rows);
  }
  const hint = textLines({ text: decideHint(state), role: "muted" }, look).slice(0, 1);
  const room = rows - options.length - hint.length;
  const about = state.call ? aboutCall(state.call, look) : aboutTurn(state.turn, look, { rows: room, now });
  return [...about.slice(0, room), ...options, ...hint];
}

function optionLines({ options, selected }: DecideState, { width, theme }: Look): readonly Line[] {
  const { pointer: sign, ellipsis } = theme.glyphs;
  return options.map(({ label }, index): Line => {
    const isSelected = index === selected;
    const pointer = width < 8 ? "" : isSelected ? `${sign} ` : "  ";
    return fitLine([span(`${pointer}${label}`, isSelected ? "selected" : "plain")], width, ellipsis);
  });
}

function decideHint(state: DecideState): string {
  const escape = state.call ? "esc goes back" : "esc: later";
  if (state.selected === undefined) return `press an arrow first, then enter · ${escape}`;
  return `arrows and enter choose · ${escape}`;
}

function aboutCall(call: ToolCall, look: Look): readonly Line[] {
  const text =
    call.state === "running"
      ? "It was started before the crash, and has not ended."
      : "What became of it? Look at the world first: only you can know.";
  return [...textLines({ text, role: "warning" }, look), ...callRows(call, look)];
}

function aboutTurn(turn: OpenTurn, look: Look, { rows, now }: { rows: number; now: number }): readonly Line[] {
  const head = textLines({ text: headWords(turn, now, look), role: "warning" }, look);
  const needed = turn.calls.filter(isOpenCall).flatMap((call) => callRows(call, look)).length;
  const left = rows - head.length - needed;
  const draft = turn.draft ? draftRows(turn.draft, look, left) : [];
  return [...head, ...callsInRows(turn.calls, look, rows - head.length - draft.length), ...draft];
}

/** The prompt gives way: some two rows in all. */
function headWords({ admission, session }: OpenTurn, now: number, { width, theme }: Look): string {
  const { startedAt, attempts } = admission;
  const summary = truncate(sanitize(admission.summary), Math.max(20, 2 * width - 60), theme.glyphs.ellipsis);
  const { title } = session;
  // A title that was made of these words says nothing more.
  const where = title === undefined || admission.summary.startsWith(title) ? "" : ` in "${truncate(title, 30)}"`;
  const ago = startedAt === undefined ? "" : `, ${agoWords(now - startedAt)}`;
  const tried = attempts < manyAttempts ? "" : `, tried ${attempts} times`;
  return `! A turn was interrupted: "${summary}"${sanitize(where)}${ago}${tried}`;
}

/** In their order; those that are proven make room, the oldest first. */
function callsInRows(calls: readonly ToolCall[], look: Look, rows: number): readonly Line[] {
  const near = calls.filter((call, index) => isOpenCall(call) || index >= calls.length - rows);
  const all = near.map((call) => ({ isOpen: isOpenCall(call), lines: callRows(call, look) }));
  const count = (some: typeof all): number => some.reduce((sum, { lines }) => sum + lines.length, 0);
  if (near.length === calls.length && count(all) <= rows) return all.flatMap(({ lines }) => lines);
  // One row is for the words about the others.
  let left = rows - 1 - count(all.filter(({ isOpen }) => isOpen));
  const kept = all.toReversed().filter(({ isOpen, lines }) => {
    if (!isOpen) left -= lines.length;
    return isOpen || left >= 0;
  });
  const hidden = calls.length - kept.length;
  const words = `  +${hidden} more ${hidden === 1 ? "call" : "calls"}`;
  return [
    ...(hidden === 0 ? [] : [fitLine([span(words, "muted")], look.width)]),
    ...kept.toReversed().flatMap(({ lines }) => lines),
  ];
}

/** On one row where both fit, else the evidence below. */
function callRows(call: ToolCall, look: Look): readonly Line[] {
  const { sign, role, words } = callEnd(call, look);
  const made = madeCall(call);
  const mark = span(look.width < 12 ? "" : `  ${sign} `, role);
  const oneRow = cellWidth(mark.text) + cellWidth(callLabel(made)) + cellWidth(words) + 2;
  if (oneRow <= look.width || look.width < 24) return [callLine(made, { detail: words, role, sign: mark }, look)];
  const below = textLines({ text: words, role, before: "      " }, look).slice(0, 2);
  return [callLine(made, { detail: "", role, sign: mark }, look), ...below];
}

function callEnd(call: ToolCall, { theme }: Look): { sign: string; role: Role; words: string } {
  const { state, result } = call;
  const { ok, running, ellipsis } = theme.glyphs;
  const evidence = sanitize(call.evidence ?? "");
  if (isOpenCall(call) && state === "running")
    return { sign: running, role: "accent", words: evidence || "still running" };
  if (isOpenCall(call)) return { sign: "?", role: "warning", words: `unknown: ${evidence || "no end recorded"}` };
  if (result === undefined && (state === "proposed" || state === "approved"))
    return { sign: ellipsis, role: "muted", words: evidence || "not started" };
  return { sign: ok, role: "muted", words: evidence || state };
}

const maxDraftRows = 3;

/** The end of it: that is where it was cut. */
function draftRows({ text }: Draft, look: Look, rows: number): readonly Line[] {
  if (rows < 2 || text.trim() === "") return [];
  const title = fitLine([span("  half answer: cut off, not part of the conversation", "muted")], look.width);
  // The last rows are made of the last characters.
  const end = text.trimEnd().slice(-maxDraftRows * Math.max(1, look.width) * 2);
  const lines = textLines({ text: end, role: "muted", before: "    " }, look).filter(
    (line) => lineText(line).trim() !== "",
  );
  const shown = lines.slice(-Math.min(maxDraftRows, rows - 1));
  return [title, ...shown];
}

/** All that is known of it, for the scrollback. */
export function turnDetails({ admission, session, calls, draft }: OpenTurn): readonly string[] {
  const prompt = admission.payload.prompt.flatMap((part) => {
    if (part.kind === "file") return [`[${part.mediaType}]`];
    return part.kind === "text" ? [part.text] : [];
  });
  return [
    `turn ${admission.id} of ${session.title ?? session.id}, in ${admission.payload.cwd}`,
    `prompt: ${prompt.join("\n")}`,
    ...(admission.attempts > 1 ? [`tried ${admission.attempts} times`] : []),
    ...calls.flatMap((call) => [
      `call ${call.id}: ${call.tool} (${call.effect}), ${call.state}, attempts ${call.attempts}`,
      `  input: ${JSON.stringify(call.input)}`,
      ...(call.startedAt === undefined ? [] : [`  started: ${new Date(call.startedAt).toISOString()}`]),
      ...(call.evidence === undefined ? [] : [`  evidence: ${call.evidence}`]),
    ]),
    ...(draft ? ["half answer, cut off, not part of the conversation:", draft.text] : []),
  ];
}

export interface Waited {
  /** What is waited for. */
  readonly title: string;
  readonly since: number;
  /** What it said last, raw. */
  readonly line: string;
}

/** A command that is waited for: escape ends the waiting, not the command. */
export function waitLines(wait: Waited, look: Look, { rows, now }: { rows: number; now: number }): readonly Line[] {
  const { width, theme } = look;
  const { running, ellipsis } = theme.glyphs;
  const time = elapsed(now - wait.since);
  const fits = (text: string): Line => fitLine([span(sanitize(text), "accent")], width, ellipsis);
  const last =
    rows >= 3 && wait.line.trim() !== ""
      ? [fitLine([span(`    ${sanitize(wait.line)}`, "muted")], width, ellipsis)]
      : [];
  const hint = rows >= 2 ? [fitLine([span("esc stops waiting, not the command", "muted")], width, ellipsis)] : [];
  return [fits(`${running} ${time} ${wait.title}`), ...last, ...hint];
}

export function agoWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return `${seconds(Math.max(0, ms)).replace(/\.\d/, "")} ago`;
  if (minutes < 120) return `${minutes} ${minutes === 1 ? "minute" : "minutes"} ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
}
