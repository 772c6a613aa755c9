// What was spent, by model, day or session: from totals, priced row by row, because a sum has a cost only where all of it
// has a price.
import { type ModelsConfig, modelFacts } from "../agent/models/catalogue.ts";
import { type Cost, costOf, costWords } from "../agent/models/cost.ts";
import type { SessionId } from "../ledger/types.ts";
import type { UsageBy, UsageRow } from "../ledger/usage.ts";
import type { CommandResult, FreeContext } from "./command.ts";
import { modelOf, nameOf } from "./results.ts";
import { barOf, numberWords } from "./usage-words.ts";

interface Total {
  readonly key: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** Absent: a price is not known. */
  readonly cost?: Cost;
}

const SHOWN = 30;
const BAR = 16;

export async function totalsBy(
  context: FreeContext,
  { by, session }: { readonly by: UsageBy; readonly session?: SessionId },
): Promise<CommandResult> {
  const { db, settings, now } = context;
  const rows = await db.usageRows({ by, ...(session && { session }) });
  const totals = sorted(by, totalsOf(rows, { by, models: settings.models(), at: now() }));
  const shown = by === "day" ? totals.slice(-SHOWN) : totals.slice(0, SHOWN);
  const share = shareOf(shown);
  const names = by === "session" ? await sessionNames(context, shown) : new Map<string, string>();
  const left = totals.length - shown.length;
  return {
    kind: "rows",
    columns: [by, "answers", "in", "out", "cost", ""],
    rows: [
      ...shown.map((total) => [...cells(total, names), barOf(share(total), BAR)]),
      ...(left > 0 ? [[`${left} more: --json lists all`, "", "", "", "", ""]] : []),
    ],
    empty: "Nothing was counted yet.",
    json: totals.map((total) => toJson(by, total)),
  };
}

/** The last days as bars, oldest first: of what they cost where that is known, else of their tokens. */
export function dayChart(
  rows: readonly UsageRow[],
  models: ModelsConfig,
): { readonly lines: readonly string[]; readonly json: readonly object[] } {
  const totals = sorted("day", totalsOf(rows, { by: "day", models, at: 0 }));
  const shown = totals.slice(-14);
  const share = shareOf(shown);
  const lines = shown.map((total) => {
    const bar = barOf(share(total), BAR).padEnd(BAR);
    return `  ${total.key || "before"}  ${bar}  ${[costCell(total), tokensCell(total)].filter(Boolean).join(" · ")}`;
  });
  return { lines, json: totals.map((total) => toJson("day", total)) };
}

interface Pricing {
  readonly by: UsageBy;
  readonly models: ModelsConfig;
  /** ms: which prices hold; of a day its own. */
  readonly at: number;
}

function totalsOf(rows: readonly UsageRow[], { by, models, at }: Pricing): readonly Total[] {
  const totals = new Map<string, Total>();
  for (const { key: own, route, calls, usage } of rows) {
    const key = by === "model" ? modelOf({ route }) : own;
    const before = totals.get(key);
    const day = by === "day" ? Date.parse(own) : at;
    const isNothing = usage.inputTokens + usage.outputTokens === 0;
    const cost = isNothing ? FREE : costOf(usage, modelFacts(route, models).prices, day);
    const { cost: sum, ...rest } = before ?? { key, ...NOTHING };
    const whole = sum && cost && { usd: sum.usd + cost.usd, isLeast: sum.isLeast || cost.isLeast };
    totals.set(key, {
      ...rest,
      calls: rest.calls + calls,
      inputTokens: rest.inputTokens + usage.inputTokens,
      outputTokens: rest.outputTokens + usage.outputTokens,
      cacheReadTokens: rest.cacheReadTokens + (usage.cacheReadTokens ?? 0),
      ...(whole && { cost: whole }),
    });
  }
  return [...totals.values()];
}

const FREE: Cost = { usd: 0, isLeast: false };
const NOTHING = { calls: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cost: FREE };

/** Days in their order, else what was most first. */
function sorted(by: UsageBy, totals: readonly Total[]): readonly Total[] {
  const weight = (total: Total) => total.cost?.usd ?? 0;
  return [...totals].sort((a, b) =>
    by === "day" ? (a.key < b.key ? -1 : 1) : weight(b) - weight(a) || tokensOf(b) - tokensOf(a),
  );
}

function shareOf(totals: readonly Total[]): (total: Total) => number {
  const isPriced = totals.every(({ cost }) => cost !== undefined) && totals.some(({ cost }) => (cost?.usd ?? 0) > 0);
  const size = (total: Total) => (isPriced ? (total.cost?.usd ?? 0) : tokensOf(total));
  const most = Math.max(0, ...totals.map(size));
  return (total) => (most === 0 ? 0 : size(total) / most);
}

function tokensOf({ inputTokens, outputTokens }: Total): number {
  return inputTokens + outputTokens;
}

function cells(total: Total, names: ReadonlyMap<string, string>): readonly string[] {
  const { key, calls, inputTokens, outputTokens } = total;
  const name = names.get(key) ?? (key || "before");
  return [
    name,
    numberWords(calls),
    numberWords(inputTokens),
    numberWords(outputTokens),
    costCell(total) || "not known",
  ];
}

function costCell({ cost }: Total): string {
  return cost === undefined ? "" : costWords(cost);
}

function tokensCell(total: Total): string {
  return `${numberWords(tokensOf(total))} tokens`;
}

function toJson(by: UsageBy, { cost, ...total }: Total): object {
  return { by, ...total, ...(cost && { cost: cost.usd }) };
}

async function sessionNames({ db }: FreeContext, totals: readonly Total[]): Promise<ReadonlyMap<string, string>> {
  const named = totals.map(async ({ key }) => [key, nameOf(await db.session(key as SessionId))] as const);
  return new Map(await Promise.all(named));
}
