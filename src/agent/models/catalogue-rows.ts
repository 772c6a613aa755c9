// What providers say of their models: window and longest answer in tokens, list prices in US dollars a million tokens.
// As of the date below. Windows, answers and prices of Anthropic and the newest of OpenAI are from their own pages, those
// of Google and of older models from public price lists that quote the provider's page, two at least that agree. What
// could not be found so is left out: no guess. Prices are the standard ones for short requests, without batch or priority.
import type { Prices } from "./catalogue.ts";

export const CATALOGUE_DATE = "2026-11-30";

export type Row = readonly [
  id: string,
  window: number | undefined,
  maxOutput: number | undefined,
  prices: Prices | undefined,
];

const MILLION = 1_000_000;
const K128 = 128_000;
const K64 = 64_000;

function usd(input: number, output: number, cacheRead: number): Prices {
  return { input, output, cacheRead };
}

const ANTHROPIC: readonly Row[] = [
  ["claude-fable-5-2", MILLION, K128, undefined],
  ["claude-fable-5-1", MILLION, K128, { ...usd(10, 50, 0.25), cacheWrite: 12.5 }],
  ["claude-fable-5", MILLION, K128, { ...usd(10, 50, 1), cacheWrite: 12.5 }],
  ["claude-opus-5-5", MILLION, K128, { ...usd(4, 20, 0.2), cacheWrite: 5 }],
  ["claude-opus-5", MILLION, K128, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-8", MILLION, K128, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-7", MILLION, K128, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-6", MILLION, K128, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-5", 200_000, K64, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-sonnet-5-5", MILLION, K128, { ...usd(2, 10, 0.1), cacheWrite: 2.5 }],
  ["claude-sonnet-5", MILLION, K128, { ...usd(2, 10, 0.2), cacheWrite: 2.5 }],
  ["claude-sonnet-4-6", MILLION, K128, { ...usd(3, 15, 0.3), cacheWrite: 3.75 }],
  ["claude-sonnet-4-5", 200_000, K64, { ...usd(3, 15, 0.3), cacheWrite: 3.75 }],
  ["claude-haiku-5-5", MILLION, K128, { ...usd(0.1, 0.5, 0.01), cacheWrite: 0.125, longFrom: 100_000 }],
  ["claude-haiku-4-5", 200_000, K64, { ...usd(1, 5, 0.1), cacheWrite: 1.25 }],
];

const GPT = 1_050_000;
const GPT_LONG = 272_000;

const OPENAI: readonly Row[] = [
  ["gpt-6.2-astra", GPT, K128, { ...usd(8, 40, 0.4), cacheWrite: 10, longFrom: GPT_LONG }],
  ["gpt-6.2-sol", GPT, K128, { ...usd(2, 10, 0.1), cacheWrite: 2.5, longFrom: GPT_LONG }],
  ["gpt-6.1-sol", GPT, K128, { ...usd(2, 10, 0.1), cacheWrite: 2.5, longFrom: GPT_LONG }],
  ["gpt-6.1-terra", GPT, K128, { ...usd(1, 5, 0.05), cacheWrite: 1.25, longFrom: GPT_LONG }],
  ["gpt-6-sol", GPT, K128, { ...usd(2, 10, 0.2), cacheWrite: 2.5, longFrom: GPT_LONG }],
  ["gpt-6-luna", GPT, K128, { ...usd(0.1, 0.5, 0.01), cacheWrite: 0.125, longFrom: GPT_LONG }],
  ["gpt-5.6-sol", GPT, undefined, undefined],
  ["gpt-5.6", GPT, undefined, undefined],
  ["gpt-5.4", GPT, K128, { ...usd(2.5, 15, 0.25), longFrom: GPT_LONG }],
  ["gpt-5.4-mini", 400_000, undefined, usd(0.75, 4.5, 0.075)],
  ["gpt-5.2", 400_000, undefined, usd(1.75, 14, 0.175)],
  ["gpt-5.1", 400_000, undefined, usd(1.25, 10, 0.125)],
  ["gpt-5", 400_000, undefined, usd(1.25, 10, 0.125)],
  ["gpt-5-mini", 400_000, undefined, usd(0.25, 2, 0.025)],
  ["gpt-4.1", 1_047_576, undefined, usd(2, 8, 0.5)],
  ["gpt-4.1-mini", 1_047_576, undefined, usd(0.4, 1.6, 0.1)],
];

const GEMINI = 1_048_576;
const GEMINI_OUT = 65_536;

const GOOGLE: readonly Row[] = [
  // As from December 2026; a day before it is half.
  ["gemini-4-carbon", GEMINI, GEMINI_OUT, usd(4, 20, 0.2)],
  ["gemini-4-argon", GEMINI, GEMINI_OUT, usd(4, 20, 0.2)],
  ["gemini-4-neon", GEMINI, GEMINI_OUT, usd(3, 15, 0.15)],
  ["gemini-4-hydrogen", GEMINI, undefined, usd(1.5, 7.5, 0.075)],
  ["gemini-3.8-flash", GEMINI, GEMINI_OUT, { ...usd(0.75, 3.75, 0.075), until: "2027-01-01" }],
  ["gemini-3.1-pro", GEMINI, undefined, { ...usd(2, 12, 0.2), longFrom: 200_000 }],
  ["gemini-2.5-pro", GEMINI, undefined, { ...usd(1.25, 10, 0.125), longFrom: 200_000 }],
  ["gemini-2.5-flash", GEMINI, undefined, usd(0.3, 2.5, 0.03)],
  ["gemini-2.5-flash-lite", GEMINI, undefined, usd(0.1, 0.4, 0.01)],
];

export const CATALOGUE: Readonly<Record<string, readonly Row[]>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  google: GOOGLE,
  // Embedded, and free.
  guide: [["guide", undefined, undefined, { input: 0, output: 0 }]],
};
