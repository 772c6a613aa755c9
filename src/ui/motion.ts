// How much may move by itself: everything, or as little as can be. Reduced, a clock goes on every ten seconds and
// between those nothing is drawn that only the time has changed.
import type { Motion } from "../config/config.ts";
import type { ViewState } from "./view-state.ts";

const secondMs = 1_000;
const calmMs = 10_000;

export function clockMs(motion: Motion): number {
  return motion === "full" ? secondMs : calmMs;
}

/** The time that is shown; what counts down is never shown as it was. */
export function shownNow({ turn, now: shown }: Pick<ViewState, "turn" | "now">, motion: Motion): number {
  const now = Date.now();
  return motion === "reduced" && turn && !turn.retry && now - shown < calmMs ? shown : now;
}
