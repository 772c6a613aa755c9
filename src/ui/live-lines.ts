// The lines above the input while something is going on: the checklist of a start, the line of the answer that is
// being written, and calls that run with the end of their output. Pure; costs what is shown.
import { overprinted } from "../agent/spool/overprint.ts";
import { tailLines } from "./answer-stream.ts";
import { madeCall } from "./block.ts";
import { compactingWords } from "./compaction-words.ts";
import type { LiveCall, LiveTurn } from "./live-turn.ts";
import { answerLines, withoutLinks } from "./markdown-rows.ts";
import { countdownWords } from "./retry-words.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, span } from "./styled-line.ts";
import { callLine, elapsed, type Look } from "./tool-lines.ts";
import { stepLines } from "./transcript.ts";
import type { ViewState } from "./view-state.ts";

const maxTailRows = 8;
const maxOutputRows = 3;

/** Most important last: where rows are few, the first ones go. */
export function liveLines(state: ViewState, look: Look): readonly Line[] {
  const { turn } = state;
  return [
    ...state.steps.flatMap((step) => stepLines(step, look)),
    ...(turn ? turnLines(turn, state.now, look) : []),
    ...(state.notice === undefined ? [] : [oneLine(`${margin(look)}${state.notice}`, "warning", look)]),
  ];
}

function turnLines(turn: LiveTurn, now: number, look: Look): readonly Line[] {
  const calls = turn.calls.flatMap((call) => runningLines(call, now, look));
  const rows = tailLines(turn.answer).flatMap((line) => answerLines(line, look));
  const answer = withoutLinks(rows.slice(-maxTailRows));
  if (turn.isStopping) return [...answer, ...calls, oneLine(`${margin(look)}stopping…`, "warning", look)];
  if (answer.length + calls.length > 0) return [...answer, ...calls];
  if (turn.compaction && !turn.retry)
    return [oneLine(`${margin(look)}${compactingWords(turn.compaction)}`, "muted", look)];
  if (turn.retry) {
    const left = look.width - margin(look).length;
    return [oneLine(`${margin(look)}${countdownWords(turn.retry, now, left)}`, "warning", look)];
  }
  const words = turn.thought > 0 ? `thinking… ${turn.thought} characters` : "working…";
  return [oneLine(`${margin(look)}${words}`, "muted", look)];
}

/** A call that waits its turn is one line; what has ended is about to be printed. */
function runningLines({ call, output }: LiveCall, now: number, look: Look): readonly Line[] {
  const made = madeCall(call);
  if (call.state === "proposed" || call.state === "approved") {
    return [callLine(made, { detail: "waits", role: "muted" }, look)];
  }
  if (call.state !== "running") return [callLine(made, { detail: call.state, role: "muted" }, look)];
  const time = call.startedAt === undefined ? "" : ` ${elapsed(now - call.startedAt)}`;
  const text = sanitize(overprinted(output), { keepNewlines: true, tabs: 4 }).trimEnd();
  const rows = text === "" ? [] : text.split("\n").slice(-maxOutputRows);
  return [
    callLine(made, { detail: `running${time}`, role: "accent" }, look),
    ...(look.width < 12 ? [] : rows.map((row) => oneLine(`      ${row}`, "muted", look))),
  ];
}

/** `running in stele, pid 7` */
export function elsewhereWords({ elsewhere }: ViewState): string | undefined {
  return elsewhere && `running in ${sanitize(elsewhere.program)}, pid ${elsewhere.pid}`;
}

/** `held by stele, pid 7 since 14:02: your prompt waits` */
export function awaitedWords({ awaited }: ViewState): string | undefined {
  if (!awaited) return undefined;
  const { holder, since } = awaited;
  const who = holder ? `${sanitize(holder.program)}, pid ${holder.pid}` : "another program";
  return `held by ${who}${since === undefined ? "" : ` since ${clock(since)}`}: your prompt waits`;
}

function clock(at: number): string {
  const time = new Date(at);
  return `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`;
}

/** As notes in the transcript. */
function margin({ width }: Look): string {
  return width < 24 ? "" : "  ";
}

function oneLine(text: string, role: "muted" | "warning", { width, theme }: Look): Line {
  return fitLine([span(sanitize(text), role)], width, theme.glyphs.ellipsis);
}
