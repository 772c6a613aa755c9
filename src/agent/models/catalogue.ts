// What is known of models without asking anybody: context windows in tokens, list prices in US dollars a million
// tokens: a guide, no bill. A config's `models` comes first, then the dated rows of catalogue-rows.ts. What is in neither
// is not known, and nothing is said of it; a price announced to end is not known after it.
import type { ModelRoute } from "../../ledger/types.ts";
import { CATALOGUE, type Row } from "./catalogue-rows.ts";
import { routeName } from "./route-name.ts";

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
  /** Tokens of one answer, thinking included. */
  readonly maxOutput?: number;
  readonly prices?: Prices;
  /** False: it is known to take none. */
  readonly images?: boolean;
}

/** Of the config, by `provider/model`. */
export interface ModelSettings {
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly inputPrice?: number;
  readonly outputPrice?: number;
  readonly cacheReadPrice?: number;
  readonly cacheWritePrice?: number;
  readonly images?: boolean;
}
export type ModelsConfig = Readonly<Record<string, ModelSettings>>;

/** A dated snapshot is its model; another suffix is another model. */
const SNAPSHOT = /^(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-preview)?$/;

export function modelFacts(route: ModelRoute, models: ModelsConfig = {}): ModelFacts {
  const { provider, model } = route;
  const row = factsOf(CATALOGUE[provider]?.find(([id]) => model.startsWith(id) && isSnapshot(model, id)));
  const known = provider === "guide" ? { ...row, images: false } : row;
  const own = models[routeName(route)];
  if (!own) return known;
  const window = own.contextWindow ?? known.window;
  const maxOutput = own.maxOutput ?? known.maxOutput;
  const prices = ownPrices(own) ?? known.prices;
  const images = own.images ?? known.images;
  return {
    ...(window !== undefined && { window }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(prices && { prices }),
    ...(images !== undefined && { images }),
  };
}

function isSnapshot(model: string, id: string): boolean {
  return SNAPSHOT.test(model.slice(id.length));
}

function factsOf(row: Row | undefined): ModelFacts {
  if (!row) return {};
  const [, window, maxOutput, prices] = row;
  return {
    ...(window !== undefined && { window }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(prices && { prices }),
  };
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
