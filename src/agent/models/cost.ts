// What tokens cost, where the prices are known. Pure.
import type { Usage } from "../../ledger/types.ts";
import type { ModelUsage } from "../../ledger/usage.ts";
import { type ModelsConfig, modelFacts, type Prices } from "./catalogue.ts";

export interface Cost {
  readonly usd: number;
  /** Some requests may have cost more: totals do not say how long each was. */
  readonly isLeast: boolean;
}

/** Undefined where the price is not known at `at` (ms). */
export function costOf(usage: Usage, prices: Prices | undefined, at: number): Cost | undefined {
  if (!prices || (prices.until !== undefined && at >= Date.parse(prices.until))) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const { input, output, cacheRead = input, cacheWrite = input, longFrom } = prices;
  const total = plain * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output;
  return { usd: total / 1_000_000, isLeast: longFrom !== undefined && inputTokens > longFrom };
}

/** Of a session. Undefined when nothing was spent, or when a price is not known: a part is not the sum. */
export function costOfAll(spent: readonly ModelUsage[], models: ModelsConfig, at: number): Cost | undefined {
  const paid = spent.filter(({ usage }) => usage.inputTokens + usage.outputTokens > 0);
  const costs = paid.map(({ route, usage }) => costOf(usage, modelFacts(route, models).prices, at));
  const known = costs.filter((cost) => cost !== undefined);
  if (costs.length === 0 || known.length < costs.length) return undefined;
  return { usd: known.reduce((sum, { usd }) => sum + usd, 0), isLeast: known.some(({ isLeast }) => isLeast) };
}

/** `$0.12`, `over $0.12`, `$0.0041`: small amounts with what tells them from nothing. */
export function costWords({ usd, isLeast }: Cost): string {
  const amount = usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toFixed(4);
  return `${isLeast ? "over " : ""}$${amount}`;
}
