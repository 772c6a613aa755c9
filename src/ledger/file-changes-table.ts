// Tables `file_changes` and `file_reverts`: what calls did to files, and what is to be taken back or was.
import { cameByImport } from "./import-marks.ts";
import type { Database } from "./open.ts";
import type {
  CallId,
  CallState,
  ChangeOrigin,
  ConversationId,
  FileChange,
  FileChangeId,
  FileRevert,
  FileRevertId,
  Hash,
  RequestId,
  RevertDirection,
} from "./types.ts";

export interface ChangeRow {
  readonly id: FileChangeId;
  readonly tool_call_id: CallId;
  readonly call_state: CallState;
  readonly path: string;
  readonly cwd: string;
  readonly kind: FileChange["kind"];
  readonly hash_before: Hash | null;
  readonly mode_before: number | null;
  readonly hash_after: Hash | null;
  readonly mode_after: number | null;
  readonly origin: ChangeOrigin;
  readonly restorable: number;
  readonly created_at: number;
  readonly imported: number;
}

export interface RevertRow {
  readonly id: FileRevertId;
  readonly file_change_id: FileChangeId;
  readonly conversation_id: ConversationId;
  readonly path: string;
  readonly cwd: string;
  readonly direction: RevertDirection;
  readonly hash_expected: Hash | null;
  readonly mode_expected: number | null;
  readonly hash_to_write: Hash | null;
  readonly mode_to_write: number | null;
  readonly state: FileRevert["state"];
}

// The folder of the turn; of the session where the turn's row is gone with a deleted conversation.
const CWD = "coalesce(a.payload ->> 'cwd', s.cwd) as cwd";
const OWNER = `join tool_calls c on c.id = f.tool_call_id join messages m on m.id = c.message_id
  join sessions s on s.id = m.session_id left join admissions a on a.seq = c.admission_id`;
const IMPORTED = `${cameByImport("c.admission_id")} as imported`;
const CHANGES = `select f.*, c.state as call_state, ${CWD}, ${IMPORTED} from file_changes f ${OWNER}`;
const REVERTS = `select r.id, r.file_change_id, r.conversation_id, f.path, ${CWD}, r.direction, r.hash_expected,
    r.mode_expected, r.hash_to_write, r.mode_to_write, r.state
  from file_reverts r join file_changes f on f.id = r.file_change_id ${OWNER}`;

/** Of the calls on a path, newest first: those that happened, or may have, each with what was last made of it. */
export function changesOfPath(path: string): string {
  return `${path}
    select f.*, c.state as call_state, ${CWD}, ${IMPORTED}, path.turn, r.direction, r.hash_to_write as target
    from path cross join tool_calls c on c.message_id = path.id cross join file_changes f on f.tool_call_id = c.id
      join messages m on m.id = path.id join sessions s on s.id = m.session_id
      left join admissions a on a.seq = c.admission_id
      left join file_reverts r on r.id = (select max(id) from file_reverts
        where file_change_id = f.id and state = 'done' and request_id is not null)
    where path.turn > @above and (f.origin = 'suspected' or c.state in ('succeeded', 'unknown', 'running'))
    order by f.id desc`;
}

export function fileChangeQueries(db: Database) {
  return {
    same: db
      .prepare<[{ call: number; path: string; before: string | null; after: string | null }], FileChangeId>(
        `select id from file_changes where tool_call_id = @call and path = @path
           and hash_before is @before and hash_after is @after`,
      )
      .pluck(),
    /** Recorded by an earlier attempt of the call. One that wrote what this one starts from did happen, and stays. */
    superseded: db
      .prepare<[{ call: number; path: string; before: string | null; after: string | null }], FileChangeId>(
        `select f.id from file_changes f where f.tool_call_id = @call and f.path = @path and f.origin = 'recorded'
           and (f.hash_before is not @before or f.hash_after is not @after) and f.hash_after is not @before
           and not exists (select 1 from file_reverts r where r.file_change_id = f.id)`,
      )
      .pluck(),
    drop: db.prepare<[number]>("delete from file_changes where id = ?"),
    insert: db.prepare(
      `insert into file_changes (tool_call_id, path, kind, hash_before, mode_before, hash_after, mode_after, origin,
         restorable, created_at)
       values (@call, @path, @kind, @hash_before, @mode_before, @hash_after, @mode_after, @origin, @restorable, @now)`,
    ),
    ofCall: db.prepare<[number], ChangeRow>(`${CHANGES} where f.tool_call_id = ? order by f.id`),
    ofMessage: db.prepare<[number], ChangeRow>(`${CHANGES} where c.message_id = ? order by f.id`),
    get: db.prepare<[number], ChangeRow>(`${CHANGES} where f.id = ?`),
    insertRevert: db.prepare(
      `insert into file_reverts (conversation_id, head_move_id, request_id, file_change_id, direction, hash_expected,
         mode_expected, hash_to_write, mode_to_write, state)
       values (@conversation, @move, @request, @change, @direction, @expected, @mode_expected, @target, @mode,
         'planned')`,
    ),
    revert: db.prepare<[number], RevertRow>(`${REVERTS} where r.id = ?`),
    revertsOfMove: db.prepare<[number], RevertRow>(`${REVERTS} where r.head_move_id = ? order by r.id`),
    revertsOfRequest: db.prepare<[string], RevertRow>(`${REVERTS} where r.request_id = ? order by r.id`),
    newestRequest: db
      .prepare<[string], RequestId>(
        `select request_id from file_reverts where conversation_id = ? and request_id is not null
         order by id desc limit 1`,
      )
      .pluck(),
    planned: db.prepare<[], RevertRow>(`${REVERTS} where r.state = 'planned' order by r.id`),
    countPlanned: db
      .prepare<[string], number>("select count(*) from file_reverts where conversation_id = ? and state = 'planned'")
      .pluck(),
    mark: db.prepare<[string, number]>("update file_reverts set state = ? where id = ? and state = 'planned'"),
  };
}

export function toChange(row: ChangeRow): FileChange {
  return {
    id: row.id,
    call: row.tool_call_id,
    callState: row.call_state,
    path: row.path,
    cwd: row.cwd,
    kind: row.kind,
    origin: row.origin,
    restorable: row.restorable === 1,
    ...(row.imported === 1 && { isImported: true }),
    at: row.created_at,
    ...(row.hash_before !== null && { before: { hash: row.hash_before, mode: row.mode_before ?? 0o644 } }),
    ...(row.hash_after !== null && { after: { hash: row.hash_after, mode: row.mode_after ?? 0o644 } }),
  };
}

export function toRevert(row: RevertRow): FileRevert {
  return {
    id: row.id,
    change: row.file_change_id,
    conversation: row.conversation_id,
    path: row.path,
    cwd: row.cwd,
    direction: row.direction,
    state: row.state,
    ...(row.hash_expected !== null && { expected: row.hash_expected }),
    ...(row.hash_to_write !== null && { target: row.hash_to_write }),
    ...(row.mode_expected !== null && { expectedMode: row.mode_expected }),
    ...(row.mode_to_write !== null && { mode: row.mode_to_write }),
  };
}
