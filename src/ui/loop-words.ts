// What is said of a loop: in the status line, and when it begins, waits or ends. Pure.
import { durationText } from "../config/durations.ts";
import type { Loop } from "../ledger/types.ts";

export function isOpenLoop({ state }: Loop): boolean {
  return state === "active" || state === "paused";
}

/** How often it comes, not when: the line need not be drawn again for it. */
export function loopStatus(loop: Loop, isPlain: boolean): string {
  const mark = isPlain ? "loop" : "↻ loop";
  return loop.state === "paused" ? `${mark} paused` : `${mark} ${durationText(loop.delayMs)}`;
}

/** Of a state that it was not in before; undefined where the command that did it says so itself. */
export function loopChangeWords(loop: Loop, before: Loop | undefined): string | undefined {
  const why = loop.why ?? "";
  if (loop.state === "done") return `The loop is done: ${why}.`;
  if (loop.state !== "paused") return undefined;
  if (before?.id === loop.id) return `The loop is paused: ${why}. /loop resume goes on`;
  return `A loop waits here, paused: “${loop.plan.text}” (${why}). /loop resume goes on, /loop stop ends it`;
}
