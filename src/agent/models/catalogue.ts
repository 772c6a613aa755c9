// What is known of models without asking anybody: context windows in tokens, list prices in US dollars a million tokens,
// gathered by the date below from the providers' pages and from what quotes them: a guide, no bill. A config's `models`
// comes first. What is not here is not known, and nothing is said of it; a price announced to end is not known after it.
import type { ModelRoute } from "../../ledger/types.ts";

export const CATALOGUE_DATE = "2026-11-30";

export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Of input that a provider's cache had; absent: as other input. */
  readonly cacheRead?: number;
  /** Of input that was put there. */
  readonly cacheWrite?: number;
  /** Requests with more input than this cost more: then these are the least. */
  readonly longFrom?: number;
  /** First day on which they hold no more. */
  readonly until?: string;
}

export interface ModelFacts {
  readonly window?: number;
  readonly prices?: Prices;
}

/** Of the config, by `provider/model`. */
export interface ModelSettings {
  readonly contextWindow?: number;
  readonly inputPrice?: number;
  readonly outputPrice?: number;
  readonly cacheReadPrice?: number;
  readonly cacheWritePrice?: number;
}
export type ModelsConfig = Readonly<Record<string, ModelSettings>>;

type Row = readonly [id: string, window: number | undefined, prices: Prices | undefined];

const MILLION = 1_000_000;
const GEMINI = 1_048_576;

function usd(input: number, output: number, cacheRead: number): Prices {
  return { input, output, cacheRead };
}

const ANTHROPIC: readonly Row[] = [
  ["claude-fable-5-1", MILLION, { ...usd(10, 50, 0.25), cacheWrite: 12.5 }],
  ["claude-fable-5", MILLION, { ...usd(10, 50, 1), cacheWrite: 12.5 }],
  ["claude-opus-5-5", MILLION, { ...usd(4, 20, 0.2), cacheWrite: 5 }],
  ["claude-opus-5", MILLION, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-8", undefined, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-7", undefined, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-6", undefined, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-opus-4-5", 200_000, { ...usd(5, 25, 0.5), cacheWrite: 6.25 }],
  ["claude-sonnet-5-5", MILLION, { ...usd(2, 10, 0.1), cacheWrite: 2.5 }],
  ["claude-sonnet-5", MILLION, { ...usd(2, 10, 0.2), cacheWrite: 2.5 }],
  ["claude-sonnet-4-6", undefined, { ...usd(3, 15, 0.3), cacheWrite: 3.75 }],
  ["claude-sonnet-4-5", 200_000, { ...usd(3, 15, 0.3), cacheWrite: 3.75 }],
  ["claude-haiku-5-5", MILLION, { ...usd(0.1, 0.5, 0.01), cacheWrite: 0.125, longFrom: 100_000 }],
  ["claude-haiku-4-5", 200_000, { ...usd(1, 5, 0.1), cacheWrite: 1.25 }],
];

const OPENAI: readonly Row[] = [
  ["gpt-6.2-sol", 1_050_000, { ...usd(2, 10, 0.1), cacheWrite: 2.5, longFrom: 272_000 }],
  ["gpt-5.6-sol", 1_050_000, undefined],
  ["gpt-5.6", 1_050_000, undefined],
  ["gpt-5.4", undefined, { ...usd(2.5, 15, 0.25), longFrom: 272_000 }],
  ["gpt-5.4-mini", 400_000, usd(0.75, 4.5, 0.075)],
  ["gpt-5.2", 400_000, usd(1.75, 14, 0.175)],
  ["gpt-5.1", 400_000, usd(1.25, 10, 0.125)],
  ["gpt-5", 400_000, usd(1.25, 10, 0.125)],
  ["gpt-5-mini", 400_000, usd(0.25, 2, 0.025)],
  ["gpt-4.1", 1_047_576, usd(2, 8, 0.5)],
  ["gpt-4.1-mini", 1_047_576, usd(0.4, 1.6, 0.1)],
];

const GOOGLE: readonly Row[] = [
  ["gemini-3.8-flash", GEMINI, { ...usd(0.75, 3.75, 0.075), until: "2027-01-01" }],
  ["gemini-3.1-pro", GEMINI, { ...usd(2, 12, 0.2), longFrom: 200_000 }],
  ["gemini-2.5-pro", GEMINI, { ...usd(1.25, 10, 0.125), longFrom: 200_000 }],
  ["gemini-2.5-flash", GEMINI, usd(0.3, 2.5, 0.03)],
  ["gemini-2.5-flash-lite", GEMINI, usd(0.1, 0.4, 0.01)],
];

const CATALOGUE: Readonly<Record<string, readonly Row[]>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  google: GOOGLE,
  // Embedded, and free.
  guide: [["guide", undefined, { input: 0, output: 0 }]],
};

/** A dated snapshot is its model; another suffix is another model. */
const SNAPSHOT = /^(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-preview)?$/;

export function modelFacts({ provider, model }: ModelRoute, models: ModelsConfig = {}): ModelFacts {
  const known = factsOf(CATALOGUE[provider]?.find(([id]) => model.startsWith(id) && isSnapshot(model, id)));
  const own = models[`${provider}/${model}`];
  if (!own) return known;
  const window = own.contextWindow ?? known.window;
  const prices = ownPrices(own) ?? known.prices;
  return { ...(window !== undefined && { window }), ...(prices && { prices }) };
}

function isSnapshot(model: string, id: string): boolean {
  return SNAPSHOT.test(model.slice(id.length));
}

function factsOf(row: Row | undefined): ModelFacts {
  if (!row) return {};
  const [, window, prices] = row;
  return { ...(window !== undefined && { window }), ...(prices && { prices }) };
}

function ownPrices(own: ModelSettings): Prices | undefined {
  const { inputPrice: input, outputPrice: output, cacheReadPrice: cacheRead, cacheWritePrice: cacheWrite } = own;
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}
