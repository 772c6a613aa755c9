// The one line at the bottom. It begins with the truth about saving; what does not fit is left out from the right,
// never that. Pure.
import { modelFacts } from "../agent/models/catalogue.ts";
import { costWords } from "../agent/models/cost.ts";
import { effortOf } from "../agent/models/effort.ts";
import { tokensOf } from "../agent/tokens.ts";
import type { ModelRoute } from "../ledger/types.ts";
import type { Front } from "./front.ts";
import { awaitedWords, elsewhereWords } from "./live-lines.ts";
import { loopStatus } from "./loop-words.ts";
import { sanitize } from "./sanitize.ts";
import { savingOf } from "./saving.ts";
import { fitLine, type Line, lineWidth, type Span, span } from "./styled-line.ts";
import { truncate } from "./text-width.ts";
import { elapsed, type Look } from "./tool-lines.ts";
import type { ViewState } from "./view-state.ts";

/** The longest that fits. */
const hints = ["/ commands · ? keys", "? keys"];
const plainHints = ["/ commands  ? keys", "? keys"];
const maxTitle = 40;
/** As the rules: see there. */
const rightMargin = 6;

const bare: Front = { escapeStops: true };

export function statusLine(state: ViewState, look: Look, front: Front = bare): Line {
  const { width, theme } = look;
  const isPlain = theme.glyphs.ellipsis !== "…";
  const separator = span(isPlain ? "  " : " · ", "muted");
  const margin = width < 30 ? "" : "  ";
  const start = [span(margin), savingSpan(state, isPlain)];
  const joined = (parts: readonly Span[]): Line => [...start, ...parts.flatMap((part) => [separator, part])];
  const asks = front.asks?.find((words) => lineWidth(joined([span(words)])) <= width);
  const partsOf = (saysWhose: boolean) => [
    ...(asks === undefined ? [] : [span(asks, "warning")]),
    ...statusParts(state, look, { ...front, saysWhose }),
  ];
  // Whose model it is gives way before anything else does.
  const whole = partsOf(true);
  const parts = lineWidth(joined(whole)) <= width ? whole : partsOf(false);
  let fitting = parts.length;
  while (fitting > 0 && lineWidth(joined(parts.slice(0, fitting))) > width) fitting -= 1;
  const line = joined(parts.slice(0, fitting));
  const gapOf = (hint: string) => width - lineWidth(line) - hint.length - rightMargin;
  const right = (isPlain ? plainHints : hints).find((hint) => gapOf(hint) >= 2);
  if (right === undefined) return fitLine(line, width, theme.glyphs.ellipsis);
  return [...line, span(" ".repeat(gapOf(right))), span(right, "muted")];
}

function savingSpan(state: ViewState, isPlain: boolean): Span {
  const saving = savingOf(state);
  switch (saving.kind) {
    case "not-saved":
      // Of a path that it begins with only the end has room: what happened matters.
      return span(`NOT SAVED: ${sanitize(saving.why).replace(/^\/\S*\//, "")}`, "error");
    case "gone":
      return span("deleted in another window", "error");
    case "saved":
      return span("saved", "ok");
    case "saving":
      return span(isPlain ? "saving..." : "saving…", "warning");
    case "starting":
      return span(isPlain ? "opening the ledger..." : "opening the ledger…", "muted");
  }
}

function statusParts(
  state: ViewState,
  { width, theme }: Look,
  { escapeStops, saysWhose }: Pick<Front, "escapeStops"> & { readonly saysWhose: boolean },
): readonly Span[] {
  const { session, mode, queue, unsent, turn } = state;
  // Who waits for the conversation is told of its holder already.
  const awaited = awaitedWords(state) ?? elsewhereWords(state);
  const shortTitle = (title: string) =>
    truncate(sanitize(title), Math.min(maxTitle, Math.floor(width / 3)), theme.glyphs.ellipsis);
  const waiting = queue.length + unsent.length;
  return [
    ...(turn ? [span(`running ${elapsed(state.now - turn.since)}`, "accent")] : []),
    ...(turn && escapeStops ? [span("esc stops", "muted")] : []),
    ...(awaited === undefined ? [] : [span(awaited, "warning")]),
    ...(state.phase === "closing" ? [span("closing", "warning")] : []),
    ...(state.loop
      ? [
          span(
            loopStatus(state.loop, theme.glyphs.ellipsis !== "…"),
            state.loop.state === "paused" ? "warning" : "accent",
          ),
        ]
      : []),
    ...(mode === "ask" ? [] : [span(modeWords(mode), mode === "plan" ? "accent" : "warning")]),
    ...(waiting === 0 ? [] : [span(`${waiting} waiting`)]),
    ...(session?.title === undefined ? [] : [span(shortTitle(session.title))]),
    ...(session ? [span(modelWords(session.route, saysWhose && state.sharedModel), "muted")] : []),
    ...contextPart(state),
    ...(state.cost && state.cost.usd > 0 ? [span(costWords(state.cost), "muted")] : []),
  ];
}

/** An effort that was set is said, without one the provider has its own; and whose it is where others have its name. */
function modelWords(route: ModelRoute, shared: string | false | undefined): string {
  const { provider, model } = route;
  const effort = effortOf(route);
  const name = shared === model ? `${provider}/${model}` : model;
  return sanitize(effort === undefined ? name : `${name} ${effort}`);
}

/** From here on it is said aloud: what follows may not fit. */
const fullPercent = 80;

/** Where the model's window is known, and a provider counted. */
function contextPart({ session, size, models }: ViewState): readonly Span[] {
  const { window } = session ? modelFacts(session.route, models) : {};
  if (window === undefined || !size) return [];
  const percent = Math.ceil((100 * tokensOf(size)) / window);
  return [span(`${percent} % context`, percent >= fullPercent ? "warning" : "muted")];
}

function modeWords(mode: Exclude<ViewState["mode"], "ask">): string {
  return { plan: "plan: only reading", edits: "edits go through", auto: "AUTO: nothing is asked" }[mode];
}
