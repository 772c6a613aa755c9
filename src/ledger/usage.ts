// Table `model_usage` and the totals on the session: both are added to in the transaction of the answer.
import type { Database } from "./open.ts";
import type { Queries, Tx } from "./transaction.ts";
import type { ModelRoute, SessionId, Usage } from "./types.ts";

interface ModelUsageRow {
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

export function usageQueries(db: Database) {
  return {
    add: db.prepare(
      `insert into model_usage (session_id, provider, model, task, calls, input_tokens, output_tokens,
         cache_read_tokens, cache_write_tokens, reasoning_tokens)
       values (@session, @provider, @model, @task, 1, @input, @output, @cacheRead, @cacheWrite, @reasoning)
       on conflict (session_id, provider, model, task) do update set calls = calls + 1,
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
      `select u.provider, u.model, sum(u.calls) as calls, sum(u.input_tokens) as input_tokens,
         sum(u.output_tokens) as output_tokens, sum(u.cache_read_tokens) as cache_read_tokens,
         sum(u.cache_write_tokens) as cache_write_tokens, sum(u.reasoning_tokens) as reasoning_tokens
       from sessions s join model_usage u on u.session_id = s.id
       where s.conversation_id = (select conversation_id from sessions where id = ?)
       group by u.provider, u.model order by sum(u.calls) desc, u.provider, u.model`,
    ),
    clearTotals: db.prepare<[string]>(
      `update sessions set input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0,
         reasoning_tokens = 0, cost_usd = null where id = ?`,
    ),
  };
}

export function addUsage(tx: Tx, spent: { session: SessionId; route: ModelRoute; usage: Usage; task?: string }): void {
  const { session, route, usage, task = "" } = spent;
  const row = {
    session,
    provider: route.provider,
    model: route.model,
    task,
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
  return q.usage.ofConversation.all(id).map((row) => ({
    route: { provider: row.provider, model: row.model },
    calls: row.calls,
    usage: toUsage(row),
  }));
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
