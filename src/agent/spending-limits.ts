// What a person set as the most to be spent: by a turn, a session, a day. Looked at before each request: one that was
// reached stops the next call, and what was answered until then is kept. Counted from what the ledger has, so that a
// crash, another window or another session forgets nothing; what one answer costs is known only after it.
import type { ModelRoute, TurnRef } from "../ledger/types.ts";
import type { ModelUsage, SpentBy } from "../ledger/usage.ts";
import { type ModelsConfig, modelFacts } from "./models/catalogue.ts";
import { costOf, costWords } from "./models/cost.ts";
import type { ModelError } from "./models/model.ts";
import { routeName } from "./models/route-name.ts";
import type { TurnContext } from "./turn-context.ts";

/** US dollars, above 0; absent: no limit. */
export interface SpendingLimits {
  readonly turnUsd?: number;
  readonly sessionUsd?: number;
  readonly dayUsd?: number;
}

export interface Spending {
  readonly limits: SpendingLimits;
  /** What is known of prices, before the catalogue. */
  readonly models: ModelsConfig;
}

/** Who wants to ask a model: a turn, or something about one. */
export interface Asker extends Pick<TurnContext, "db" | "spending" | "now"> {
  readonly turn: Pick<TurnRef, "admission" | "session">;
}

interface Limit {
  readonly name: keyof SpendingLimits;
  readonly of: string;
  readonly goesOn: string;
  readonly by: (asker: Asker) => SpentBy;
}

/** What costs nothing of this is free. */
const MILLION = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

const LIMITS: readonly Limit[] = [
  {
    name: "turnUsd",
    of: "this turn",
    goesOn: "What it did is kept: another prompt goes on from there",
    by: ({ turn }) => ({ kind: "turn", admission: turn.admission }),
  },
  {
    name: "sessionUsd",
    of: "this conversation",
    goesOn: "/new begins another one",
    by: ({ turn }) => ({ kind: "session", session: turn.session }),
  },
  { name: "dayUsd", of: "today", goesOn: "It begins anew tomorrow", by: ({ now }) => ({ kind: "day", at: now() }) },
];

/** Undefined: the model may be asked. */
export async function overLimit(asker: Asker, route: ModelRoute): Promise<ModelError | undefined> {
  const { db, spending, now } = asker;
  const set = LIMITS.filter(({ name }) => spending?.limits[name] !== undefined);
  if (!spending || set.length === 0) return undefined;
  const dearest = costOf(MILLION, modelFacts(route, spending.models).prices, now());
  if (!dearest) return unpriced(route, set);
  if (dearest.usd === 0) return undefined;
  for (const limit of set) {
    const most = spending.limits[limit.name] ?? Number.POSITIVE_INFINITY;
    const usd = sumOf(await db.spent(limit.by(asker)), spending, now());
    if (usd >= most) return reached(limit, { most, usd });
  }
  return undefined;
}

/** What has no price was spent before there was a limit. */
function sumOf(spent: readonly ModelUsage[], { models }: Spending, at: number): number {
  const costs = spent.map(({ route, usage }) => costOf(usage, modelFacts(route, models).prices, at)?.usd ?? 0);
  return costs.reduce((sum, usd) => sum + usd, 0);
}

function reached({ name, of, goesOn }: Limit, { most, usd }: { most: number; usd: number }): ModelError {
  const words = (amount: number) => costWords({ usd: amount, isLeast: false });
  return {
    code: "spending_limit",
    message: `the limit of ${words(most)} for ${of} is reached (${words(usd)}), so the model was not asked`,
    hint: `${goesOn}. The limit stands in the config: limits, ${name}.`,
    retryable: false,
  };
}

function unpriced(route: ModelRoute, set: readonly Limit[]): ModelError {
  const id = routeName(route);
  return {
    code: "spending_limit",
    message: `there is a limit on what is spent, and what ${id} costs is not known, so it was not asked`,
    hint: `Say its prices in the config: models, "${id}", inputPrice and outputPrice, in dollars a million tokens (0 if it costs nothing); or take out limits, ${set.map(({ name }) => name).join(" and ")}.`,
    retryable: false,
  };
}
