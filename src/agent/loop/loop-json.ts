// A loop as programs read it: of the commands and of the events alike.
import type { Loop } from "../../ledger/types.ts";

export function loopJson({ id, state, why, plan, ticks, spentUsd, delayMs, nextDueAt }: Loop): object {
  const { text, everyMs, times, until, budgetUsd } = plan;
  return { id, state, why, prompt: text, everyMs, times, until, budgetUsd, ticks, spentUsd, delayMs, nextDueAt };
}
