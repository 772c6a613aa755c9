// Statements of an import. They take the way that rows take when they are made here: a turn is queued, starts and ends, a
// call is proposed, allowed, started and ended, so that every check of the schema looks at what comes in.
import type { Database } from "./open.ts";
import type { AdmissionId, CallId, MessageId } from "./types.ts";

export function importQueries(db: Database) {
  return {
    marks: db.prepare<[], { key: string; value: string }>(
      "select key, value from state_meta where key >= 'import:' and key < 'import;' order by key",
    ),
    turnHere: db
      .prepare<[{ request: string; conversation: string }], AdmissionId>(
        `select seq from admissions where request_id = @request and (principal = 'import:' || @conversation
           or (principal = 'local' and conversation_id = @conversation))`,
      )
      .pluck(),
    /** Of a node that stayed when its conversation was deleted: the number of its turn, which no other got. */
    lostTurn: db
      .prepare<[string], AdmissionId>(
        `select admission_id from messages m where hash = ? and admission_id is not null
           and not exists (select 1 from admissions where seq = m.admission_id)`,
      )
      .pluck(),
    /** Numbers that no other turn gets: nodes name their turn before its row, which names its last node, is there. */
    newestTurn: db.prepare<[], number>("select seq from sqlite_sequence where name = 'admissions'").pluck(),
    firstTurns: db.prepare<[number]>("insert into sqlite_sequence (name, seq) values ('admissions', ?)"),
    reserveTurns: db.prepare<[number]>("update sqlite_sequence set seq = ? where name = 'admissions'"),
    dropTurns: db.prepare<[number, number]>(
      "delete from admissions where seq between ? and ? and principal like 'import:%'",
    ),
    dropTurnsOf: db.prepare<[string]>("delete from admissions where session_id = ? and principal like 'import:%'"),
    stageSession: db.prepare(
      `insert into sessions (id, conversation_id, generation, parent_id, edge, provider, model, model_options, cwd, source,
         started_at, last_activity_at, deleted_at)
       values (@id, @id, 0, @parent, @edge, @provider, @model, @options, @cwd, @source, @startedAt, @lastActivityAt, @now)`,
    ),
    nameWriter: db.prepare(
      `update or ignore sessions set conversation_id = @conversation, generation = @generation
       where id = @id and deleted_at is not null`,
    ),
    showSession: db.prepare(
      `update sessions set conversation_id = @conversation, generation = @generation, parent_id = @parent, edge = @edge,
         fork_message_id = @fork, head_id = @head, title = @title, title_source = @titleSource, provider = @provider,
         model = @model, model_options = @options, cwd = @cwd, git_root = @gitRoot, git_branch = @gitBranch,
         source = @source, started_at = @startedAt, last_activity_at = @lastActivityAt, ended_at = @endedAt,
         end_reason = @endReason, rewind_count = @rewinds, deleted_at = null, revision = revision + 1
       where id = @id and deleted_at is not null`,
    ),
    node: db.prepare(
      `insert into messages (hash, session_id, parent_id, depth, turn, admission_id, role, parts, text, provider, model,
         finish_reason, usage, created_at, live)
       values (@hash, @session, @parent, @depth, @turn, @by, @role, @parts, @text, @provider, @model, @finishReason,
         @usage, @at, @live)`,
    ),
    idOf: db.prepare<[string], MessageId>("select id from messages where hash = ?").pluck(),
    turn: db.prepare(
      `insert into admissions (seq, request_id, principal, conversation_id, session_id, kind, payload, digest, summary,
         position, status, submitter, ledger_generation, queued_at)
       values (@seq, @request, @principal, @conversation, @session, @kind, @payload, @digest, @summary, @seq, 'queued',
         @submitter, @generation, @queuedAt)`,
    ),
    startTurn: db.prepare(
      `update admissions set status = 'started', owner = 'import', epoch = 0, user_message_id = @user, attempts = @attempts,
         started_at = @startedAt where seq = @seq`,
    ),
    endTurn: db.prepare(
      `update admissions set status = 'terminal', outcome = @outcome, last_message_id = @last, error = @error,
         usage = @usage, attempts = @attempts, settled_at = @settledAt where seq = @seq`,
    ),
    /** Epochs of a conversation begin at its lease's. */
    lease: db.prepare<[string]>("insert or ignore into turn_leases (conversation_id, epoch) values (?, 0)"),
    hasCall: db
      .prepare<[number, string], number>(
        "select exists (select 1 from tool_calls where message_id = ? and call_id = ?)",
      )
      .pluck(),
    startCall: db.prepare<[string, CallId]>(
      "update tool_calls set state = 'running', process = ?, started_at = 0 where id = ?",
    ),
    endCall: db.prepare(
      `update tool_calls set state = @state, approval = @approval, attempts = @attempts, process = null,
         started_at = @startedAt, finished_at = @finishedAt, evidence = @evidence, result_message_id = @result
       where id = @id`,
    ),
    change: db.prepare(
      `insert into file_changes (tool_call_id, path, kind, hash_before, mode_before, hash_after, mode_after, origin,
         restorable, created_at)
       values (@call, @path, @kind, @before, @beforeMode, @after, @afterMode, @origin, @restorable, @at)`,
    ),
    hasMove: db
      .prepare<[object], number>(
        `select exists (select 1 from head_moves where session_id = @session and kind = @kind and at = @at
           and from_id is @from and to_id is @to)`,
      )
      .pluck(),
    move: db.prepare(
      `insert into head_moves (session_id, kind, from_id, to_id, at, redone_at, redoable)
       values (@session, @kind, @from, @to, @at, @redoneAt, @redoable)`,
    ),
    usage: db.prepare(
      `insert into model_usage (session_id, provider, model, task, day, calls, input_tokens, output_tokens,
         cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd)
       values (@session, @provider, @model, @task, @day, @calls, @inputTokens, @outputTokens, @cacheReadTokens,
         @cacheWriteTokens, @reasoningTokens, @costUsd)`,
    ),
    addTotals: db.prepare(
      `update sessions set input_tokens = input_tokens + @inputTokens, output_tokens = output_tokens + @outputTokens,
         cache_read_tokens = cache_read_tokens + @cacheReadTokens, cache_write_tokens = cache_write_tokens + @cacheWriteTokens,
         reasoning_tokens = reasoning_tokens + @reasoningTokens where id = @session`,
    ),
  };
}
