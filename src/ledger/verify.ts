// The invariants V1 to V15, each a query that must return nothing. Read-only; long on big files, so it runs
// in the reader or on demand. Rows of a purge or an import in progress are exempt where that explains them.

import { unpackBlob } from "./blobs.ts";
import { messageHash, sha256 } from "./ids.ts";
import type { Database } from "./open.ts";
import { portableParts } from "./portable-parts.ts";
import type { Hash, Role, SessionId } from "./types.ts";

export interface Violation {
  /** `V1` … `V15` */
  readonly invariant: string;
  readonly detail: string;
}

/** Also while an import is in progress, whose nodes no head shows yet. */
const PURGING = "exists (select 1 from state_meta p where p.key in ('purge:' || %, 'import:' || %))";
const purging = (session: string) => PURGING.replaceAll("%", session);
const REACHABLE = `reachable (id) as (
  select head_id from sessions where head_id is not null and end_reason is not 'compression'
  union select m.parent_id from reachable r join messages m on m.id = r.id where m.parent_id is not null)`;
/**
 * Calls and results never cross the beginning of a turn. So what is on the path of a head is looked at turn by turn,
 * each from its last node: that costs the nodes there are, however many heads stand on them.
 */
const TURN_ENDS = `shown (id) as (
  select head_id from sessions where head_id is not null
  union select m.parent_id from shown join messages m on m.id = shown.id where m.parent_id is not null),
 ends (id, conversation) as (
  select head_id, conversation_id from sessions where head_id is not null
  union select p.id, null from shown join messages m on m.id = shown.id join messages p on p.id = m.parent_id
    where p.turn < m.turn),
 in_turn (end_id, id) as (
  select id, id from ends
  union select t.end_id, p.id from in_turn t join messages m on m.id = t.id
    join messages p on p.id = m.parent_id and p.turn = m.turn)`;
/** What each summary keeps, and the way from the summary up to there. */
const KEPT = `kept (summary, from_id) as (
  select m.id, json_extract(part.value, '$.keptFrom') from messages m, json_each(m.parts) part
  where m.role = 'summary' and json_extract(part.value, '$.keptFrom') is not null),
 above (summary, from_id, id) as (
  select k.summary, k.from_id, m.parent_id from kept k join messages m on m.id = k.summary
  union all select a.summary, a.from_id, m.parent_id from above a join messages m on m.id = a.id where a.id > a.from_id)`;

/** Every query selects one column, the detail. */
const QUERIES: readonly (readonly [string, string])[] = [
  [
    "V1",
    `select 'message ' || m.id || ' does not follow its parent' from messages m left join messages p on p.id = m.parent_id
     where (m.parent_id is null and m.depth <> 1)
       or (m.parent_id is not null and (p.id is null or p.depth <> m.depth - 1 or p.id >= m.id or p.created_at >= m.created_at))`,
  ],
  [
    "V2",
    `select 'session ' || s.id || ' has a head that is not there' from sessions s
     where s.head_id is not null and not exists (select 1 from messages m where m.id = s.head_id)
       and not ${purging("s.id")}`,
  ],
  [
    "V3",
    `with recursive ${REACHABLE} select 'message ' || m.id || ' has live = ' || m.live from messages m
     where m.live <> (m.id in (select id from reachable)) and not ${purging("m.session_id")}`,
  ],
  [
    "V4",
    `select 'conversation ' || conversation_id || ' has ' || count(*) || ' open sessions' from sessions
     where ended_at is null and deleted_at is null group by conversation_id having count(*) > 1`,
  ],
  [
    "V4",
    `select 'conversation ' || conversation_id || ' has gaps in its generations' from sessions
     where deleted_at is null group by conversation_id having max(generation) - min(generation) + 1 <> count(*)`,
  ],
  [
    "V4",
    `select 'session ' || s.id || ' was compacted and does not go on in one child' from sessions s
     where s.end_reason = 'compression' and s.deleted_at is null and 1 <> (select count(*) from sessions c
       where c.parent_id = s.id and c.edge = 'compression' and c.conversation_id = s.conversation_id
         and c.generation = s.generation + 1)`,
  ],
  [
    "V4",
    `select 'session ' || c.id || ' does not begin with the summary of the one before it' from sessions c
     left join sessions s on s.id = c.parent_id
     where c.edge = 'compression' and c.deleted_at is null
       and (s.end_reason is not 'compression' or not exists (select 1 from messages m
         where m.id = (select min(id) from messages where session_id = c.id)
           and m.role = 'summary' and m.parent_id is s.head_id))`,
  ],
  [
    "V5",
    `select 'conversation ' || conversation_id || ' has ' || count(*) || ' started turns' from admissions
     where status = 'started' group by conversation_id having count(*) > 1`,
  ],
  [
    "V5",
    `select 'admission ' || seq || ' is started without owner or user message' from admissions
     where status = 'started' and kind in ('prompt', 'retry', 'loop', 'shell') and (owner is null or user_message_id is null)`,
  ],
  [
    "V6",
    "select 'admission ' || seq || ' has an outcome that does not fit' from admissions where (status = 'terminal') <> (outcome is not null)",
  ],
  [
    "V6",
    `select 'admission ' || a.seq || ' completed in a ' || coalesce(m.role, 'missing') || ' node' from admissions a
     left join messages m on m.id = a.last_message_id where a.outcome = 'completed'
       and m.role is not (case a.kind when 'shell' then 'tool' when 'compact' then 'summary' else 'assistant' end)`,
  ],
  [
    "V6",
    "select 'admission ' || seq || ' was steered by nobody' from admissions where outcome = 'steered' and taken_by is null",
  ],
  [
    "V6",
    `with recursive ${KEPT} select 'summary ' || k.summary || ' keeps from message ' || k.from_id || ', which is no prompt above it'
     from kept k left join messages m on m.id = k.from_id and m.role = 'user'
     left join above a on a.summary = k.summary and a.id = k.from_id where m.id is null or a.id is null`,
  ],
  [
    "V7",
    `with recursive ${TURN_ENDS}
     select 'call ' || c.id || ' has no result on the path to message ' || e.id
     from ends e join in_turn t on t.end_id = e.id join tool_calls c on c.message_id = t.id
     left join in_turn r on r.end_id = t.end_id and r.id = c.result_message_id
     where r.id is null and not exists (select 1 from admissions a
       where a.conversation_id = e.conversation and a.status <> 'terminal' and a.status in ('started', 'unknown'))`,
  ],
  [
    "V7",
    `select 'call ' || c.id || ' of a finished turn is open' from tool_calls c join admissions a on a.seq = c.admission_id
     where a.status = 'terminal' and c.result_message_id is null`,
  ],
  [
    "V8",
    `select 'message ' || m.id || ' has no session' from messages m
     where not exists (select 1 from sessions s where s.id = m.session_id) and not ${purging("m.session_id")}`,
  ],
  [
    "V8",
    "select 'usage of ' || session_id || ' has no session' from model_usage where session_id not in (select id from sessions)",
  ],
  ["V8", "select 'blob ' || hash || ' is needed by nothing' from blobs where hash not in (select hash from blob_refs)"],
  [
    "V8",
    "select 'blob ' || hash || ' is needed and not there' from blob_refs where hash not in (select hash from blobs)",
  ],
  [
    "V9",
    `select 'totals of session ' || s.id || ' differ from its rows' from sessions s left join (
       select session_id, sum(input_tokens) i, sum(output_tokens) o, sum(cache_read_tokens) r, sum(cache_write_tokens) w,
         sum(reasoning_tokens) t from model_usage group by session_id) u on u.session_id = s.id
     where s.input_tokens <> coalesce(i, 0) or s.output_tokens <> coalesce(o, 0) or s.cache_read_tokens <> coalesce(r, 0)
       or s.cache_write_tokens <> coalesce(w, 0) or s.reasoning_tokens <> coalesce(t, 0)`,
  ],
  [
    "V10",
    `select 'title “' || title || '” is given to ' || count(*) || ' conversations' from sessions
     where title_source = 'person' and ended_at is null and deleted_at is null group by title having count(*) > 1`,
  ],
  [
    "V12",
    `select 'admission ' || a.seq || ' has an epoch above its lease' from admissions a
     left join turn_leases l on l.conversation_id = a.conversation_id where a.epoch > coalesce(l.epoch, -1)`,
  ],
  [
    "V13",
    `select 'file change ' || c.id || ' names content that is not stored' from file_changes c where c.restorable = 1
       and ((c.hash_before is not null and c.hash_before not in (select hash from blobs))
         or (c.hash_after is not null and c.hash_after not in (select hash from blobs)))`,
  ],
  [
    "V14",
    "select 'loop ' || loop_id || ' fired slot ' || slot || ' twice' from loop_ticks group by loop_id, slot having count(*) > 1",
  ],
];

/** `full` adds V15: every hash is computed again. */
export function verifyLedger(db: Database, options: { full?: boolean } = {}): Violation[] {
  // One snapshot: between two queries another process may write, and both would be right.
  const found = db.transaction(() => [
    ...QUERIES.flatMap(([invariant, sql]) =>
      db
        .prepare<[], string>(sql)
        .pluck()
        .all()
        .map((detail) => ({ invariant, detail })),
    ),
    ...foreignKeys(db),
    ...(options.full ? hashes(db) : []),
  ]);
  return [...found.deferred(), ...searchIndex(db)];
}

function foreignKeys(db: Database): Violation[] {
  const rows = db.pragma("foreign_key_check") as { table: string; rowid: number; parent: string }[];
  return rows.map((row) => ({
    invariant: "V8",
    detail: `row ${row.rowid} of ${row.table} points at nothing in ${row.parent}`,
  }));
}

function searchIndex(db: Database): Violation[] {
  if (db.readonly) return [];
  try {
    db.prepare("insert into messages_fts (messages_fts, rank) values ('integrity-check', 1)").run();
    return [];
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("SQLITE_CORRUPT") !== true) throw error;
    return [{ invariant: "V11", detail: "the search index and its source differ" }];
  }
}

interface HashedRow {
  readonly id: number;
  readonly hash: Hash;
  readonly parent_hash: Hash | null;
  readonly session_id: SessionId;
  readonly role: Role;
  readonly created_at: number;
  readonly parts: string;
}

function* hashes(db: Database): Generator<Violation> {
  const messages = db.prepare<[], HashedRow>(
    `select m.id, m.hash, p.hash as parent_hash, m.session_id, m.role, m.created_at, m.parts
     from messages m left join messages p on p.id = m.parent_id`,
  );
  const hashOf = db.prepare<[number], Hash>("select hash from messages where id = ?").pluck();
  for (const row of messages.iterate()) {
    const parts = portableParts(row.role, row.parts, (id) => hashOf.get(id));
    const fields = { parentHash: row.parent_hash ?? undefined, session: row.session_id, role: row.role };
    if (messageHash({ ...fields, at: row.created_at, parts }) !== row.hash)
      yield { invariant: "V15", detail: `message ${row.id} does not have its content any more` };
  }
  const prompts = db.prepare<[], { hash: string; text: string }>("select hash, text from system_prompts");
  for (const row of prompts.iterate())
    if (sha256(row.text) !== row.hash)
      yield { invariant: "V15", detail: `system prompt ${row.hash} does not have its text any more` };
  const blobs = db.prepare<[], Parameters<typeof unpackBlob>[0] & { hash: Hash }>(
    "select hash, bytes, encoding, content from blobs",
  );
  for (const row of blobs.iterate()) {
    if (!isIntact(row)) yield { invariant: "V15", detail: `blob ${row.hash} does not have its content any more` };
  }
}

function isIntact(row: NonNullable<Parameters<typeof unpackBlob>[0]> & { hash: Hash }): boolean {
  try {
    unpackBlob(row, row.hash);
    return true;
  } catch {
    return false; // inflate or hash says no: that is the finding
  }
}
