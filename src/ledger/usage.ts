// Table `model_usage` and the totals on the session: both are added to in the transaction of the answer.
import type { Database } from "./open.ts";
import type { Queries, Tx } from "./transaction.ts";
import type { AdmissionId, ModelRoute, SessionId, Usage } from "./types.ts";

export interface ModelUsageRow {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
}

/** What a conversation asked one model. */
export interface ModelUsage {
  readonly route: ModelRoute;
  readonly calls: number;
  readonly usage: Usage;
}

export const SUMS = `provider, model, sum(calls) as calls, sum(input_tokens) as input_tokens,
  sum(output_tokens) as output_tokens, sum(cache_read_tokens) as cache_read_tokens,
  sum(cache_write_tokens) as cache_write_tokens, sum(reasoning_tokens) as reasoning_tokens`;

const USAGE_SUMS = Object.entries({
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  cache_read_tokens: "cacheReadTokens",
  cache_write_tokens: "cacheWriteTokens",
  reasoning_tokens: "reasoningTokens",
})
  .map(([column, key]) => `total(json_extract(usage, '$.${key}')) as ${column}`)
  .join(", ");

/** The rows of a conversation, all its generations, and of everything that branched from it. */
const FAMILY = `(with recursive family (id) as (
    select id from sessions where conversation_id = (select conversation_id from sessions where id = @session)
    union select s.id from sessions s join family f on s.parent_id = f.id and s.edge <> 'import')
  select u.* from family f cross join model_usage u where u.session_id = f.id)`;

/** Its generations are one: by the id of the first. */
const CONVERSATION = "(select c.conversation_id from sessions c where c.id = session_id)";

/** What a row stands for besides its model. */
const KEYS = { model: "''", day: "day", session: CONVERSATION } as const;
export type UsageBy = keyof typeof KEYS;

type Parameters = [{ readonly session?: string }];
type GroupedRow = ModelUsageRow & { readonly key: string };

/** Rows of totals, never messages: their number is that of sessions, models and days. */
function grouped(db: Database, from: string) {
  const by = (key: string) =>
    db.prepare<Parameters, GroupedRow>(`select ${key} as key, ${SUMS} from ${from} group by 1, provider, model`);
  return { model: by(KEYS.model), day: by(KEYS.day), session: by(KEYS.session) };
}

export function usageQueries(db: Database) {
  return {
    add: db.prepare(
      `insert into model_usage (session_id, provider, model, task, day, calls, input_tokens, output_tokens,
         cache_read_tokens, cache_write_tokens, reasoning_tokens)
       values (@session, @provider, @model, @task, @day, 1, @input, @output, @cacheRead, @cacheWrite, @reasoning)
       on conflict (session_id, provider, model, task, day) do update set calls = calls + 1,
         input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
         cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
         cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
         reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens`,
    ),
    addToSession: db.prepare(
      `update sessions set input_tokens = input_tokens + @input, output_tokens = output_tokens + @output,
         cache_read_tokens = cache_read_tokens + @cacheRead, cache_write_tokens = cache_write_tokens + @cacheWrite,
         reasoning_tokens = reasoning_tokens + @reasoning where id = @session`,
    ),
    ofConversation: db.prepare<[string], ModelUsageRow>(
      `select ${SUMS} from (select u.* from sessions s join model_usage u on u.session_id = s.id
         where s.conversation_id = (select conversation_id from sessions where id = ?))
       group by provider, model order by sum(calls) desc, provider, model`,
    ),
    ofTurn: db.prepare<[number], ModelUsageRow>(
      `select provider, model, count(*) as calls, ${USAGE_SUMS} from messages
       where admission_id = ? and usage is not null and provider is not null group by provider, model`,
    ),
    ofDay: db.prepare<[string], ModelUsageRow>(
      `select ${SUMS} from model_usage where day = ? group by provider, model`,
    ),
    all: grouped(db, "model_usage"),
    ofFamily: grouped(db, FAMILY),
    turnTime: db.prepare<[string], { readonly turns: number; readonly ms: number | null }>(
      `select count(*) as turns, sum(settled_at - started_at) as ms from admissions
       where conversation_id = (select conversation_id from sessions where id = ?) and kind <> 'compact'
         and started_at is not null and settled_at is not null`,
    ),
    clearTotals: db.prepare<[string]>(
      `update sessions set input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0,
         reasoning_tokens = 0, cost_usd = null where id = ?`,
    ),
  };
}

export interface Spent {
  readonly session: SessionId;
  readonly route: ModelRoute;
  readonly usage: Usage;
  /** Default: a turn. */
  readonly task?: "compaction" | "loop" | "title";
  /** ms since the epoch. */
  readonly at: number;
}

export function addUsage(tx: Tx, { session, route, usage, at, task }: Spent): void {
  const row = {
    session,
    day: dayOf(at),
    provider: route.provider,
    model: route.model,
    task: task ?? "",
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens ?? 0,
    cacheWrite: usage.cacheWriteTokens ?? 0,
    reasoning: usage.reasoningTokens ?? 0,
  };
  tx.q.usage.add.run(row);
  tx.q.usage.addToSession.run(row);
}

/** Of the conversation of this session: compactions do not begin it anew. */
export function usageOfConversation(q: Queries, id: SessionId): ModelUsage[] {
  return q.usage.ofConversation.all(id).map(toModelUsage);
}

/** Of a turn its answers alone; the others have compactions and what loops ask too. */
export type SpentBy =
  | { readonly kind: "turn"; readonly admission: AdmissionId }
  | { readonly kind: "session"; readonly session: SessionId }
  /** The calendar day of `at`, in ms. */
  | { readonly kind: "day"; readonly at: number };

/** By model. Its cost grows with that turn, conversation or day, and with nothing else. */
export function spentBy(q: Queries, by: SpentBy): ModelUsage[] {
  if (by.kind === "turn") return q.usage.ofTurn.all(by.admission).map(toModelUsage);
  if (by.kind === "session") return usageOfConversation(q, by.session);
  return q.usage.ofDay.all(dayOf(by.at)).map(toModelUsage);
}

export function toModelUsage(row: ModelUsageRow): ModelUsage {
  return { route: { provider: row.provider, model: row.model }, calls: row.calls, usage: toUsage(row) };
}

/** As a calendar on the wall has it. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Of one model, and of one day or session where it was asked for by these. */
export interface UsageRow extends ModelUsage {
  /** A day, a session's id, or nothing. */
  readonly key: string;
}

export interface UsageWish {
  readonly by: UsageBy;
  /** Its conversation with its branches; absent: everything. */
  readonly session?: SessionId;
}

export function usageRows(q: Queries, { by, session }: UsageWish): UsageRow[] {
  const rows = session === undefined ? q.usage.all[by].all({}) : q.usage.ofFamily[by].all({ session });
  return rows.map((row) => ({ key: row.key, ...toModelUsage(row) }));
}

/** Turns of a session that have ended, and how long they took together. */
export function turnTime(q: Queries, id: SessionId): { turns: number; ms: number } {
  const { turns, ms } = q.usage.turnTime.get(id) ?? { turns: 0, ms: null };
  return { turns, ms: ms ?? 0 };
}

interface UsageColumns {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
}

export function toUsage(row: UsageColumns): Usage {
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    reasoningTokens: row.reasoning_tokens,
  };
}
