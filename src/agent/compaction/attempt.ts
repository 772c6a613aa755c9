// One attempt to compact a conversation: what was wished for, what is to be folded, and the size of the request before.

import { estimateText } from "../tokens.ts";
import type { TurnContext, TurnState } from "../turn-context.ts";
import { requestSize } from "./context-size.ts";
import type { CompactionReason, FoldPlan } from "./fold-plan.ts";

export interface CompactionWish {
  readonly reason: CompactionReason;
  readonly focus?: string;
  /** The turn is for this alone, and ends with it. */
  readonly endsTurn?: boolean;
}

export interface Attempt {
  readonly context: TurnContext;
  readonly state: TurnState;
  readonly wish: CompactionWish;
  readonly plan: FoldPlan;
  readonly attempt: string;
  readonly before: number;
  readonly scale: number;
  readonly window: number | undefined;
}

export function sizeOf(context: TurnContext, state: Pick<TurnState, "path" | "model">) {
  const window = context.compaction.windowOf(state.model.route);
  return { window, ...requestSize(state.path, { window, fixed: fixedTokens(context) }) };
}

/** Our estimate of what every request begins with: system prompt and tools. */
export function fixedTokens({ system, tools }: Pick<TurnContext, "system" | "tools">): number {
  const told = tools.listTools().map(({ name, description, schema }) => [name, description, schema]);
  return estimateText(system) + estimateText(JSON.stringify(told));
}
