// Table `tool_calls`: one row a call that a model asked for, from `proposed` to its one result.
import { decodeJson, decodeProcess } from "./codec.ts";
import type { Database } from "./open.ts";
import type { AdmissionId, CallId, CallState, Effect, MessageId, ToolCall } from "./types.ts";

export interface CallRow {
  readonly id: CallId;
  readonly message_id: MessageId;
  readonly admission_id: AdmissionId;
  readonly call_id: string;
  readonly tool: string;
  readonly input: string;
  readonly effect: Effect;
  readonly effect_key: string;
  readonly state: CallState;
  readonly approval: string | null;
  readonly attempts: number;
  readonly process: string | null;
  readonly spool: string | null;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly evidence: string | null;
  readonly result_message_id: MessageId | null;
}

export function callQueries(db: Database) {
  return {
    get: db.prepare<[number], CallRow>("select * from tool_calls where id = ?"),
    ofMessage: db.prepare<[number], CallRow>("select * from tool_calls where message_id = ? order by id"),
    ofAdmission: db.prepare<[number], CallRow>("select * from tool_calls where admission_id = ? order by id"),
    withoutResult: db.prepare<[number], CallRow>(
      "select * from tool_calls where admission_id = ? and result_message_id is null order by id",
    ),
    byKey: db.prepare<[string], CallRow>("select * from tool_calls where effect_key = ?"),
    insert: db.prepare(
      `insert into tool_calls (message_id, admission_id, call_id, tool, input, effect, effect_key, state)
       values (@message, @admission, @call, @tool, @input, @effect, @effect_key, 'proposed')`,
    ),
    approve: db.prepare<[string, number]>("update tool_calls set state = 'approved', approval = ? where id = ?"),
    approveChanged: db.prepare<[string, string, number]>(
      "update tool_calls set state = 'approved', approval = ?, input = ? where id = ?",
    ),
    start: db.prepare(
      `update tool_calls set state = 'running', process = @process, spool = @spool, attempts = attempts + 1,
         started_at = @now where id = @id`,
    ),
    setProcess: db.prepare<[string, number]>("update tool_calls set process = ? where id = ?"),
    finish: db.prepare(
      `update tool_calls set state = @state, result_message_id = @result, finished_at = @now,
         evidence = coalesce(@evidence, evidence) where id = @id`,
    ),
    setState: db.prepare<[string, string | null, number]>(
      "update tool_calls set state = ?, evidence = coalesce(?, evidence) where id = ?",
    ),
  };
}

export function toCall(row: CallRow): ToolCall {
  const process = decodeProcess(row.process);
  return {
    id: row.id,
    message: row.message_id,
    admission: row.admission_id,
    call: row.call_id,
    tool: row.tool,
    input: decodeJson(row.input),
    effect: row.effect,
    effectKey: row.effect_key,
    state: row.state,
    attempts: row.attempts,
    ...(row.approval !== null && { approval: row.approval }),
    ...(process && { process }),
    ...(row.spool !== null && { spool: row.spool }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.evidence !== null && { evidence: row.evidence }),
    ...(row.result_message_id !== null && { result: row.result_message_id }),
  };
}
