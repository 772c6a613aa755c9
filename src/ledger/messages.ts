// Table `messages`: immutable nodes of the tree. Inserting one under a head and reading a window of a path.
// `insertNode` is the only insert; who may call it is decided by the transaction it is given.
import { decodeJson, decodeParts, encodeParts, searchableText } from "./codec.ts";
import { ledgerError, sqliteCode } from "./errors.ts";
import { canonicalJson, messageHash } from "./ids.ts";
import type { Database } from "./open.ts";
import { portableParts } from "./portable-parts.ts";
import type { HeadColumns } from "./sessions-table.ts";
import type { Tx } from "./transaction.ts";
import type { AdmissionId, Hash, Message, MessageId, Part, Role, SessionId, Usage } from "./types.ts";
import { partedWords } from "./word-gaps.ts";

export interface MessageRow {
  readonly id: MessageId;
  readonly hash: Hash;
  readonly session_id: SessionId;
  readonly parent_id: MessageId | null;
  readonly depth: number;
  readonly turn: number;
  readonly admission_id: AdmissionId | null;
  readonly role: Role;
  readonly parts: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly finish_reason: string | null;
  readonly usage: string | null;
  readonly created_at: number;
  readonly live: number;
}

const COLUMNS =
  "id, hash, session_id, parent_id, depth, turn, admission_id, role, parts, provider, model, finish_reason, usage," +
  " created_at, live";

const ALL = COLUMNS.split(",")
  .map((column) => `m.${column.trim()}`)
  .join(", ");

/** In the order of their values: the driver looks up each name of an object, which an append would pay for. */
const INSERTED = [
  "hash",
  "session_id",
  "parent_id",
  "depth",
  "turn",
  "admission_id",
  "role",
  "parts",
  "text",
  "provider",
  "model",
  "finish_reason",
  "usage",
  "created_at",
] as const;
type InsertedRow = Omit<MessageRow, "id" | "live"> & { readonly text: string };

type ParentRow = Pick<MessageRow, "hash" | "depth" | "turn" | "created_at">;

export function messageQueries(db: Database) {
  return {
    get: db.prepare<[number], MessageRow>(`select ${COLUMNS} from messages where id = ?`),
    byHash: db.prepare<[string], MessageRow>(`select ${COLUMNS} from messages where hash = ?`),
    parent: db.prepare<[number], ParentRow>("select hash, depth, turn, created_at from messages where id = ?"),
    insert: db.prepare<[InsertedRow[keyof InsertedRow][]]>(
      `insert into messages (${INSERTED.join(", ")}) values (${INSERTED.map(() => "?").join(", ")})`,
    ),
    /** Newest first: a walk from a node towards the root that ends after a number of nodes. */
    walk: db.prepare<[number, number], MessageRow>(
      `with recursive path (id, n) as (
         select ?, 1
         union all
         select m.parent_id, path.n + 1 from path join messages m on m.id = path.id
         where m.parent_id is not null and path.n < ?)
       select ${ALL} from path join messages m on m.id = path.id order by path.n`,
    ),
    /** Newest first: from a node towards the root, up to the first summary or the root itself. */
    sinceSummary: db.prepare<[number], MessageRow>(
      `with recursive path (id, parent_id, role, n) as (
         select id, parent_id, role, 1 from messages where id = ?
         union all
         select m.id, m.parent_id, m.role, path.n + 1 from path join messages m on m.id = path.parent_id
         where path.role <> 'summary')
       select ${ALL} from path join messages m on m.id = path.id order by path.n`,
    ),
    /** Newest first: from one node towards the root, up to and with another; none when that is not on the way. */
    upTo: db.prepare<[{ from: number; last: number }], MessageRow>(
      `with recursive path (id, parent_id, n) as (
         select id, parent_id, 1 from messages where id = @from
         union all
         select m.id, m.parent_id, path.n + 1 from path join messages m on m.id = path.parent_id
         where path.id > @last)
       select ${ALL} from path join messages m on m.id = path.id where path.id >= @last order by path.n`,
    ),
    /** The node of this depth on the path that ends at a node. */
    ancestor: db
      .prepare<[{ from: number; depth: number }], MessageId>(
        `with recursive path (id, parent_id, depth) as (
           select id, parent_id, depth from messages where id = @from
           union all
           select m.id, m.parent_id, m.depth from path join messages m on m.id = path.parent_id
           where path.depth > @depth)
         select id from path where depth = @depth`,
      )
      .pluck(),
    isLeaf: db.prepare<[number], number>("select not exists (select 1 from messages where parent_id = ?)").pluck(),
    hasLiveChild: db
      .prepare<[number], number>("select exists (select 1 from messages where parent_id = ? and live = 1)")
      .pluck(),
    setLive: db.prepare<[number, number]>("update messages set live = ? where id = ?"),
    newestOfSession: db.prepare<[string, number, number], { id: MessageId }>(
      "select id from messages where session_id = ? and id < ? order by id desc limit ?",
    ),
    delete: db.prepare<[number]>("delete from messages where id = ?"),
  };
}

export interface NewNode {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Minted by the caller, so that the same node asked for again is the same node. */
  readonly at: number;
  readonly admission?: AdmissionId;
  readonly beginsTurn?: boolean;
  readonly provider?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

/**
 * Inserts the node, or returns the one that this admission stored already under this parent with this hash.
 * Does not move a head. Throws `row_missing` when the parent is not there.
 */
export function insertNode(
  tx: Tx,
  place: { session: SessionId; parent: MessageId | undefined; head: HeadColumns | undefined },
  node: NewNode,
): { row: MessageRow; isFresh: boolean } {
  if (!Number.isSafeInteger(node.at)) throw ledgerError("bad_input", `${node.at} is no time in whole milliseconds.`);
  const { session, parent: parentId } = place;
  const parent = place.head ? parentOf(place.head) : parentId ? tx.q.messages.parent.get(parentId) : undefined;
  if (parentId !== undefined && !parent) throw ledgerError("row_missing", `Message ${parentId} is not there.`);
  const parts = encodeParts(node.parts);
  const hashed = portableParts(node.role, parts, (id) => tx.q.messages.parent.get(id)?.hash);
  let at = Math.max(node.at, (parent?.created_at ?? 0) + 1);
  let hash = messageHash({ parentHash: parent?.hash, session, role: node.role, parts: hashed, at });
  const columns = {
    hash,
    session_id: session,
    parent_id: parentId ?? null,
    depth: (parent?.depth ?? 0) + 1,
    turn: (parent?.turn ?? 0) + (node.beginsTurn ? 1 : 0),
    admission_id: node.admission ?? null,
    role: node.role,
    parts,
    text: partedWords(searchableText(node.parts)),
    provider: node.provider ?? null,
    model: node.model ?? null,
    finish_reason: node.finishReason ?? null,
    usage: node.usage ? canonicalJson(node.usage) : null,
    created_at: at,
  };
  let id = tryInsert(tx, columns);
  while (id === undefined) {
    const stored = tx.q.messages.byHash.get(hash);
    if (!stored) throw ledgerError("ledger_internal", `Message ${hash} is neither stored nor new.`);
    if (node.admission !== undefined && stored.admission_id === node.admission) return { row: stored, isFresh: false };
    at += 1; // the same words of another, undone turn, under a clock that stepped back: another node
    hash = messageHash({ parentHash: parent?.hash, session, role: node.role, parts: hashed, at });
    id = tryInsert(tx, Object.assign(columns, { hash, created_at: at }));
  }
  for (const blob of blobsOf(node.parts)) tx.q.blobs.refMessage.run(blob, id);
  return { row: Object.assign(columns, { id, live: 1 }), isFresh: true };
}

/** Undefined when a node with this hash is stored; nearly never, so asking before would be paid by every append. */
function tryInsert(tx: Tx, row: InsertedRow): MessageId | undefined {
  try {
    return Number(tx.q.messages.insert.run(INSERTED.map((name) => row[name])).lastInsertRowid) as MessageId;
  } catch (error) {
    if (sqliteCode(error) === "SQLITE_CONSTRAINT_UNIQUE") return undefined;
    throw error;
  }
}

/** The columns that the caller has read with the session; undefined without a head. */
function parentOf(head: HeadColumns): ParentRow | undefined {
  const { head_hash: hash, head_depth: depth, head_turn: turn, head_at: created_at } = head;
  if (hash === null || depth === null || turn === null || created_at === null) return undefined;
  return { hash, depth, turn, created_at };
}

export function blobsOf(parts: readonly Part[]): Hash[] {
  return parts.flatMap((part) => {
    if (part.kind === "file") return [part.blob];
    if (part.kind === "tool-result" && part.outcome.blob) return [part.outcome.blob];
    return [];
  });
}

export function toMessage(row: MessageRow): Message {
  return messageOf(row, decodeParts(row.parts));
}

/** With the parts that were just encoded into this row, which saves reading them back. */
export function messageOf(row: MessageRow, parts: readonly Part[]): Message {
  return {
    id: row.id,
    hash: row.hash,
    session: row.session_id,
    depth: row.depth,
    turn: row.turn,
    role: row.role,
    parts,
    at: row.created_at,
    live: row.live === 1,
    ...(row.parent_id !== null && { parent: row.parent_id }),
    ...(row.admission_id !== null && { admission: row.admission_id }),
    ...(row.provider !== null && { provider: row.provider }),
    ...(row.model !== null && { model: row.model }),
    ...(row.finish_reason !== null && { finishReason: row.finish_reason }),
    ...(row.usage !== null && { usage: decodeJson(row.usage) as unknown as Usage }),
  };
}
