// The prompts that wait, under the input: each with why it waits. Pure; costs what is shown.
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, span } from "./styled-line.ts";
import type { Look } from "./tool-lines.ts";
import type { ViewState, Waiting } from "./view-state.ts";

const maxWaiting = 3;

export function queueLines(state: ViewState, { width, theme }: Look): readonly Line[] {
  const { prompt, ellipsis } = theme.glyphs;
  const next = state.queue.find(({ held, isSteer }) => held === undefined && isSteer !== true);
  // What is in the input, then what steers, then the others: the last ones may have to be counted only.
  const rank = ({ id, isSteer }: Waiting) => (id === state.editing ? 0 : isSteer === true ? 1 : 2);
  const queue = [...state.queue].sort((a, b) => rank(a) - rank(b));
  const lines = [
    ...queue.map((each) => `${sanitize(each.text)}  (${whyWaiting(each, state, each === next)})`),
    ...state.unsent.map(({ text }) => `${sanitize(firstLine(text))}  (${unsentWhy(state)})`),
  ];
  const hidden = lines.length - maxWaiting;
  const shown = hidden > 0 ? [...lines.slice(0, maxWaiting - 1), `+${hidden + 1} more wait  /queue`] : lines;
  return shown.map((line) => fitLine([span(sanitize(`${prompt} ${line}`), "muted")], width, ellipsis));
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

function unsentWhy({ phase }: ViewState): string {
  return phase === "starting" ? "sent when the ledger is open" : "being saved";
}

function whyWaiting({ id, held, isSteer }: Waiting, state: ViewState, isNext: boolean): string {
  if (state.editing === id) return "in the input · esc leaves it as it is";
  if (held !== undefined) return "waits · /queue run";
  if (state.blocked !== undefined) return "after your decision, /recover";
  if (isSteer) return "steers at the next step";
  if (state.awaited) return "waits for the conversation";
  if (!isNext) return "after that";
  return state.turn || state.elsewhere ? "next" : "starts";
}
