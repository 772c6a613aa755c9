// What comes after a tick (C 10.4, 10.7), in this order: the model says that it is over, the condition is met, the ticks
// that were asked for are done, a limit is reached, or the next one is due. Pure.

import type { TickEnd } from "../../ledger/loops.ts";
import type { Loop, Outcome, TurnError } from "../../ledger/types.ts";

export type Judgement =
  | { readonly kind: "done" | "blocked"; readonly why: string }
  /** Not yet, or nobody could tell. */
  | { readonly kind: "open" };

export interface EndedTick {
  /** As it was when the tick was fired, this tick counted. */
  readonly loop: Loop;
  readonly outcome: Outcome;
  /** Why its turn failed. */
  readonly error?: Pick<TurnError, "code" | "message">;
  readonly answer: string;
  /** Of the answer; absent where there is none. */
  readonly digest?: string;
  readonly judged: Judgement;
  /** Of this tick; absent: not known. */
  readonly usd?: number;
}

/** Alone on a line. */
const COMPLETE = /^[ \t]*LOOP_COMPLETE[.!]?[ \t]*$/m;

/** In a row: what fails so often is not mended by asking again. */
const FAILURES = 3;

export function tickVerdict(tick: EndedTick): TickEnd["next"] {
  const { loop, outcome, error, answer, judged, usd = 0 } = tick;
  const spent = loop.spentUsd + usd;
  const { times, maxTicks, budgetUsd } = loop.plan;
  if (outcome === "interrupted") return { state: "paused", why: "its turn was stopped" };
  if (error?.code === "spending_limit") return { state: "paused", why: error.message };
  if (outcome === "failed" && loop.failures + 1 >= FAILURES)
    return { state: "paused", why: `${FAILURES} ticks in a row failed${error ? `: ${error.message}` : ""}` };
  if (outcome === "completed" && COMPLETE.test(answer)) return { state: "done", why: "the model says LOOP_COMPLETE" };
  if (judged.kind === "done") return { state: "done", why: judged.why };
  if (judged.kind === "blocked") return { state: "paused", why: judged.why };
  if (times !== undefined && loop.ticks >= times)
    return { state: "done", why: times === 1 ? "it ran once" : `it ran ${times} times` };
  if (maxTicks > 0 && loop.ticksOfRun >= maxTicks) return { state: "paused", why: `${maxTicks} ticks in a row` };
  if (budgetUsd !== undefined && spent >= budgetUsd)
    return { state: "paused", why: `$${spent.toFixed(2)} of $${budgetUsd} are spent` };
  return { state: "active", delayMs: nextDelay(tick) };
}

/** Self-paced: nothing new doubles the wait, up to the ceiling; anything new begins again at the floor. */
function nextDelay({ loop, digest }: EndedTick): number {
  const { everyMs, floorMs, ceilingMs } = loop.plan;
  if (everyMs !== undefined) return everyMs;
  const isNew = digest !== undefined && digest !== loop.digest;
  return isNew ? floorMs : Math.min(ceilingMs, Math.max(floorMs, loop.delayMs * 2));
}
