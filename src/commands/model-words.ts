// What is known of a model, in few characters.
import type { Prices } from "../agent/models/catalogue.ts";

/** `200k`, `1M`, `1.05M`; empty where it is not known. */
export function windowWords(window: number | undefined): string {
  if (window === undefined) return "";
  if (window < 1_000) return String(window);
  if (window < 999_500) return `${Math.round(window / 1_000)}k`;
  return `${Number((window / 1_000_000).toFixed(2))}M`;
}

/** In and out, for a million tokens: `$2 / $10`. */
export function priceWords(prices: Prices | undefined): string {
  if (prices === undefined) return "";
  if (prices.input === 0 && prices.output === 0) return "free";
  return `$${prices.input} / $${prices.output}`;
}
