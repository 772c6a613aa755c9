// Table `admissions`: what was asked, durably, and what became of it. Rows, statements, plain data.
import { decodeJson, decodeProcess } from "./codec.ts";
import type { Database } from "./open.ts";
import { CANONICAL_OF, WRITING_COLUMNS, type WritingRow } from "./sessions-table.ts";
import type {
  Admission,
  AdmissionId,
  AdmissionKind,
  AdmissionStatus,
  ConversationId,
  Hash,
  HolderId,
  MessageId,
  Outcome,
  Payload,
  ProcessIdentity,
  RequestId,
  SessionId,
  TurnError,
  Usage,
} from "./types.ts";

export interface AdmissionRow {
  readonly seq: AdmissionId;
  readonly request_id: RequestId;
  readonly conversation_id: ConversationId;
  readonly session_id: SessionId;
  readonly kind: AdmissionKind;
  readonly payload: string;
  readonly digest: Hash;
  readonly summary: string;
  readonly position: number;
  readonly held: string | null;
  readonly status: AdmissionStatus;
  readonly outcome: Outcome | null;
  readonly submitter: string;
  readonly owner: HolderId | null;
  readonly epoch: number | null;
  readonly base_head_id: MessageId | null;
  readonly envelope_hash: Hash | null;
  readonly user_message_id: MessageId | null;
  readonly last_message_id: MessageId | null;
  readonly taken_by: AdmissionId | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly usage: string | null;
  readonly queued_at: number;
  readonly started_at: number | null;
  readonly settled_at: number | null;
}

/** What a fence compares, and what a write needs next, in one read: admission, lease, session and head. */
export type FenceRow = Pick<AdmissionRow, "conversation_id" | "kind" | "status" | "owner" | "epoch"> &
  WritingRow & {
    readonly holder: HolderId | null;
    readonly lease_epoch: number | null;
    readonly expires_at: number | null;
    /** 1: a request to the model has no end yet. */
    readonly is_asking: number;
    /** 1: an answer had begun to stream; its draft goes when the answer is stored. */
    readonly has_draft: number;
  };

export function admissionQueries(db: Database) {
  return {
    get: db.prepare<[number], AdmissionRow>("select * from admissions where seq = ?"),
    fence: db.prepare<[number], FenceRow>(
      `select a.conversation_id, a.kind, a.status, a.owner, a.epoch, l.holder, l.epoch as lease_epoch, l.expires_at,
         exists (select 1 from model_requests r where r.admission_id = a.seq and r.state = 'asked') as is_asking,
         exists (select 1 from drafts d where d.conversation_id = a.conversation_id and d.kind = 'answer') as has_draft,
         ${WRITING_COLUMNS}
       from admissions a
       left join turn_leases l on l.conversation_id = a.conversation_id
       left join sessions s on s.id = ${CANONICAL_OF("a.conversation_id")}
       left join messages p on p.id = s.head_id
       where a.seq = ?`,
    ),
    byRequest: db.prepare<[string], AdmissionRow>(
      "select * from admissions where principal = 'local' and request_id = ?",
    ),
    tombstone: db.prepare<[string], { digest: Hash; outcome: Outcome | null }>(
      "select digest, outcome from request_tombstones where principal = 'local' and request_id = ?",
    ),
    openOf: db.prepare<[string], AdmissionRow>(
      "select * from admissions where conversation_id = ? and status <> 'terminal' order by position, seq",
    ),
    allOpen: db.prepare<[], AdmissionRow>(
      "select * from admissions where status <> 'terminal' order by conversation_id, position, seq",
    ),
    insert: db.prepare(
      `insert into admissions (request_id, conversation_id, session_id, kind, payload, digest, summary, position,
         status, submitter, ledger_generation, base_head_id, queued_at)
       values (@request_id, @conversation_id, @session_id, @kind, @payload, @digest, @summary, @position,
         'queued', @submitter, @ledger_generation, @base_head_id, @queued_at)`,
    ),
    start: db.prepare(
      `update admissions set status = 'started', owner = @owner, epoch = @epoch, envelope_hash = @envelope,
         session_id = @session_id, user_message_id = coalesce(user_message_id, @user_message), held = null,
         started_at = coalesce(started_at, @now), attempts = attempts + 1 where seq = @seq`,
    ),
    settle: db.prepare(
      `update admissions set status = 'terminal', outcome = @outcome, last_message_id = @last_message, error = @error,
         usage = @usage, settled_at = @now, held = null where seq = @seq`,
    ),
    steer: db.prepare(
      `update admissions set status = 'terminal', outcome = 'steered', taken_by = @taken_by,
         user_message_id = @user_message, last_message_id = @user_message, settled_at = @now where seq = @seq`,
    ),
    setUnknown: db.prepare<[number]>("update admissions set status = 'unknown' where seq = ?"),
    orphans: db.prepare<[string, number], AdmissionRow>(
      "select * from admissions where conversation_id = ? and status = 'started' and epoch < ?",
    ),
    steersToPrompts: db.prepare<[string]>(
      "update admissions set kind = 'prompt' where conversation_id = ? and kind = 'steer' and status = 'queued'",
    ),
    setHeld: db.prepare<[string | null, number]>("update admissions set held = ? where seq = ?"),
    adopt: db.prepare<[string, number | null, number]>(
      "update admissions set submitter = ?, base_head_id = ?, held = null where seq = ?",
    ),
    setPosition: db.prepare<[number, number]>("update admissions set position = ? where seq = ?"),
    lastOutcome: db
      .prepare<[string], Outcome>(
        `select outcome from admissions where conversation_id = ? and outcome not in ('cancelled', 'steered')
           and kind <> 'compact'
         order by seq desc limit 1`,
      )
      .pluck(),
    ofSession: db.prepare<[string], AdmissionRow>("select * from admissions where session_id = ? order by seq"),
    prompts: db
      .prepare<[number], string>(
        `select json_extract(payload, '$.prompt[0].text') from admissions
         where kind in ('prompt', 'steer', 'shell') and json_extract(payload, '$.prompt[0].text') is not null
         order by seq desc limit ?`,
      )
      .pluck(),
    lastEnvelope: db
      .prepare<[string], string>(
        `select e.json from admissions a join turn_envelopes e on e.hash = a.envelope_hash
         where a.conversation_id = ? order by a.seq desc limit 1`,
      )
      .pluck(),
    count: db.prepare<[], number>("select count(*) from admissions").pluck(),
  };
}

/** Stands for a submitter that cannot be read: never mine, never proven dead. */
const NOBODY: ProcessIdentity = { pid: 0, host: "", program: "unknown" };

export function toAdmission(row: AdmissionRow): Admission {
  return {
    id: row.seq,
    request: row.request_id,
    conversation: row.conversation_id,
    session: row.session_id,
    kind: row.kind,
    payload: decodeJson(row.payload) as unknown as Payload,
    digest: row.digest,
    summary: row.summary,
    position: row.position,
    status: row.status,
    submitter: decodeProcess(row.submitter) ?? NOBODY,
    attempts: row.attempts,
    queuedAt: row.queued_at,
    ...(row.held !== null && { held: row.held }),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(row.owner !== null && { owner: row.owner }),
    ...(row.epoch !== null && { epoch: row.epoch }),
    ...(row.base_head_id !== null && { baseHead: row.base_head_id }),
    ...(row.envelope_hash !== null && { envelope: row.envelope_hash }),
    ...(row.user_message_id !== null && { userMessage: row.user_message_id }),
    ...(row.last_message_id !== null && { lastMessage: row.last_message_id }),
    ...(row.taken_by !== null && { takenBy: row.taken_by }),
    ...(row.error !== null && { error: decodeJson(row.error) as unknown as TurnError }),
    ...(row.usage !== null && { usage: decodeJson(row.usage) as unknown as Usage }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.settled_at !== null && { settledAt: row.settled_at }),
  };
}
