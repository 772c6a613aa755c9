// Deleting a conversation. Step one takes heads, queue and every row that points at the nodes; later steps
// take the nodes, newest first, a bounded number each, so that a crash at any point just goes on from
// `state_meta` key `purge:ID`. A node that another head shows, or that another node stands on, stays.

import type { Probe } from "./leases.ts";
import type { Database } from "./open.ts";
import type { SessionRow } from "./sessions-table.ts";
import type { Tx } from "./transaction.ts";
import { type HeadOptions, lowerLive, moveRefusalOf } from "./tree.ts";
import type { MessageId, Refusal, SessionId } from "./types.ts";

export type DeleteResult = { readonly kind: "deleted"; readonly sessions: readonly SessionId[] } | Refusal;

const QUEUE_OF = "(select seq from admissions where conversation_id = ?)";
const REVERTS_OF = "(select id from file_reverts where conversation_id = ?)";
const CALLS_AT = "(select id from tool_calls where message_id = ? or result_message_id = ?)";
const CHANGES_AT = `(select id from file_changes where tool_call_id in ${CALLS_AT})`;

export function purgeQueries(db: Database) {
  const ofConversation = [
    "delete from drafts where conversation_id = ?",
    "delete from loop_ticks where loop_id in (select id from loops where conversation_id = ?)",
    "delete from loops where conversation_id = ?",
    `delete from model_requests where admission_id in ${QUEUE_OF}`,
    `delete from blob_refs where admission_id in ${QUEUE_OF}`,
    `delete from blob_refs where revert_id in ${REVERTS_OF}`,
    "delete from file_reverts where conversation_id = ?",
    `insert or ignore into request_tombstones (principal, request_id, digest, outcome)
       select principal, request_id, digest, outcome from admissions where conversation_id = ?`,
    "delete from admissions where conversation_id = ?",
    "delete from compression_locks where conversation_id = ?",
    "delete from model_usage where session_id in (select id from sessions where conversation_id = ?)",
  ].map((sql) => db.prepare<[string]>(sql));
  const ofCallsAt = [
    `delete from blob_refs where revert_id in (select id from file_reverts where file_change_id in ${CHANGES_AT})`,
    `delete from file_reverts where file_change_id in ${CHANGES_AT}`,
    `delete from blob_refs where change_id in ${CHANGES_AT}`,
    `delete from file_changes where tool_call_id in ${CALLS_AT}`,
    "delete from tool_calls where message_id = ? or result_message_id = ?",
  ].map((sql) => db.prepare<[number, number]>(sql));
  const ofNode = [
    "delete from deliveries where message_id = ?",
    "delete from drafts where parent_id = ?",
    "delete from blob_refs where message_id = ?",
  ].map((sql) => db.prepare<[number]>(sql));
  const emptySession = db.prepare<[{ id: string }]>(
    `delete from sessions where id = @id and deleted_at is not null
       and not exists (select 1 from messages where session_id = @id)
       and not exists (select 1 from sessions child where child.parent_id = @id)`,
  );
  return {
    ofConversation,
    ofCallsAt,
    ofNode,
    emptySession,
    blobsOfConversation: db
      .prepare<[string, string], string>(
        `select hash from blob_refs where admission_id in ${QUEUE_OF} or revert_id in ${REVERTS_OF}`,
      )
      .pluck(),
    blobsAt: db
      .prepare<[number, number, number], string>(
        `select hash from blob_refs where message_id = ? or change_id in ${CHANGES_AT}`,
      )
      .pluck(),
    revertBlobsAt: db
      .prepare<[number, number], string>(
        `select hash from blob_refs where revert_id in
           (select id from file_reverts where file_change_id in ${CHANGES_AT})`,
      )
      .pluck(),
    isReferenced: db
      .prepare<[{ id: number }], number>(
        `select exists (select 1 from sessions where head_id = @id)
           or exists (select 1 from sessions where fork_message_id = @id and deleted_at is null)
           or exists (select 1 from head_moves where from_id = @id or to_id = @id)
           or exists (select 1 from admissions where user_message_id = @id or last_message_id = @id)
           or exists (select 1 from model_requests where parent_id = @id)`,
      )
      .pluck(),
    /** One that no other deleted session stands on: branches and later generations go first. Ids begin with their time. */
    pending: db
      .prepare<[], SessionId>(
        `select s.id from state_meta p join sessions s on s.id = substr(p.key, 7)
         where p.key >= 'purge:' and p.key < 'purge;'
           and not exists (select 1 from sessions child join state_meta m on m.key = 'purge:' || child.id
             where child.parent_id = s.id)
         order by p.key desc limit 1`,
      )
      .pluck(),
    /** Deleted before, and kept only because something stood on it. */
    buriedAncestors: db
      .prepare<[string], SessionId>(
        `with recursive up (id) as (
           select parent_id from sessions where id = ?
           union select s.parent_id from up join sessions s on s.id = up.id)
         select up.id from up join sessions s on s.id = up.id where s.deleted_at is not null`,
      )
      .pluck(),
  };
}

export function deleteConversation(
  tx: Tx,
  session: SessionRow,
  options: HeadOptions & { probe?: Probe },
): DeleteResult {
  const chain = tx.q.sessions.ofConversation.all(session.conversation_id).filter((row) => row.deleted_at === null);
  const refused = moveRefusalOf(tx, chain.at(-1) ?? session, options);
  if (refused) return refused;
  const blobs = tx.q.purge.blobsOfConversation.all(session.conversation_id, session.conversation_id);
  for (const statement of tx.q.purge.ofConversation) statement.run(session.conversation_id);
  for (const row of chain) {
    tx.q.meta.put.run(`purge:${row.id}`, String(tx.now));
    tx.q.moves.dropOfSession.run(row.id);
    tx.q.sessions.bury.run(tx.now, row.id);
    tx.q.usage.clearTotals.run(row.id);
    if (row.head_id !== null) lowerLive(tx, row.head_id);
  }
  for (const id of tx.q.purge.buriedAncestors.all(session.id)) tx.q.meta.put.run(`purge:${id}`, String(tx.now));
  for (const hash of blobs) tx.q.blobs.sweepOf.run(hash);
  return { kind: "deleted", sessions: chain.map((row) => row.id) };
}

const PURGE_ROWS = 200;

/** Looks at up to 200 nodes, newest first; true when nothing deleted is left. */
export function purgeStep(tx: Tx): boolean {
  let left = PURGE_ROWS;
  while (left > 0) {
    const session = tx.q.purge.pending.get();
    if (session === undefined) return true;
    // A session without nodes costs as much as one node.
    left -= Math.max(1, purgeNodes(tx, session, left));
  }
  return tx.q.purge.pending.get() === undefined;
}

/** At most `limit` nodes of this session; the marks of one that is done go. Returns how many were looked at. */
function purgeNodes(tx: Tx, session: SessionId, limit: number): number {
  const mark = tx.q.meta.get.get(`purge-at:${session}`);
  const below = mark === undefined ? Number.MAX_SAFE_INTEGER : Number(mark);
  const rows = tx.q.messages.newestOfSession.all(session, below, limit);
  for (const { id } of rows) purgeNode(tx, id);
  const last = rows.at(-1);
  if (last && rows.length === limit) {
    tx.q.meta.put.run(`purge-at:${session}`, String(last.id));
    return rows.length;
  }
  tx.q.meta.drop.run(`purge-at:${session}`);
  tx.q.meta.drop.run(`purge:${session}`);
  tx.q.purge.emptySession.run({ id: session });
  return rows.length;
}

function purgeNode(tx: Tx, id: MessageId): void {
  if (!tx.q.messages.isLeaf.get(id) || tx.q.purge.isReferenced.get({ id })) return;
  const blobs = [...tx.q.purge.blobsAt.all(id, id, id), ...tx.q.purge.revertBlobsAt.all(id, id)];
  tx.q.sessions.dropFork.run(id);
  for (const statement of tx.q.purge.ofCallsAt) statement.run(id, id);
  for (const statement of tx.q.purge.ofNode) statement.run(id);
  tx.q.messages.delete.run(id);
  for (const hash of blobs) tx.q.blobs.sweepOf.run(hash);
}
