// Reading a conversation for an export: first a plan, one snapshot of its sessions and heads, then pages of rows by id
// up to the newest id of the plan. What is written meanwhile neither repeats nor is missed, and a page costs what it has.
import type { AdmissionRow } from "./admissions-table.ts";
import { decodeJson, decodeParts } from "./codec.ts";
import type { ChangeRow } from "./file-changes-table.ts";
import type { HeadMoveRow } from "./head-moves.ts";
import { blobsOf, type MessageRow } from "./messages.ts";
import type { Database } from "./open.ts";
import { portableParts } from "./portable-parts.ts";
import { sessionRow } from "./sessions.ts";
import type { SessionRow } from "./sessions-table.ts";
import type { CallRow } from "./tool-calls-table.ts";
import type { Queries } from "./transaction.ts";
import type {
  CallRecord,
  ChangeRecord,
  MoveRecord,
  NodeRecord,
  SessionRecord,
  SideRecord,
  TurnRecord,
  UsageRecord,
} from "./transfer.ts";
import type { AdmissionId, Hash, MessageId, Payload, SessionId, TurnError, Usage } from "./types.ts";

export interface ExportPlan {
  /** Ancestors first, then the generations of the conversation. */
  readonly sessions: readonly SessionRecord[];
  /** Those of the conversation itself. */
  readonly own: readonly SessionId[];
  /** Nodes that others wrote and this conversation shows, parents first. */
  readonly outside: readonly MessageId[];
  readonly high: MessageId;
  /** All nodes, undone ends included. */
  readonly messages: number;
}

export interface NodePage {
  readonly nodes: readonly ExportedNode[];
  /** Where the next page begins; absent: that was the last one. */
  readonly next?: MessageId;
}
/** `by` is the row of its turn; who writes the file numbers them. */
export interface ExportedNode {
  readonly node: Omit<NodeRecord, "by">;
  readonly by?: AdmissionId;
  readonly blobs: readonly Hash[];
}
/** A node that a row points at; it may lie outside of what is exported. */
export interface NodeRef {
  readonly id: MessageId;
  readonly session: SessionId;
  readonly hash: Hash;
}
export interface ExportedTurn {
  readonly turn: Omit<TurnRecord, "n" | "user" | "last">;
  readonly seq: AdmissionId;
  readonly user?: NodeRef;
  readonly last?: NodeRef;
}
export interface ExportedCall {
  readonly call: Omit<CallRecord, "by" | "message" | "result">;
  readonly by: AdmissionId;
  readonly asking: NodeRef;
  readonly result?: NodeRef;
  readonly blobs: readonly Hash[];
}
export interface ExportedMove {
  readonly move: Omit<MoveRecord, "from" | "to">;
  readonly from?: NodeRef;
  readonly to?: NodeRef;
}

interface NodeRow extends MessageRow {
  readonly parent_hash: Hash | null;
  readonly turn_of: AdmissionId | null;
}
type Own = [{ readonly own: string }];
const OWN = "(select value from json_each(@own))";

export function exportQueries(db: Database) {
  const NODES = `select m.*, p.hash as parent_hash,
      (select a.seq from admissions a where a.seq = m.admission_id and a.kind <> 'steer') as turn_of
    from messages m left join messages p on p.id = m.parent_id`;
  return {
    high: db.prepare<[], MessageId>("select coalesce(max(id), 0) from messages").pluck(),
    counted: db.prepare<Own, number>(`select count(*) from messages where session_id in ${OWN}`).pluck(),
    ref: db.prepare<[number], NodeRef>("select id, session_id as session, hash from messages where id = ?"),
    ownNodes: db.prepare<[string, number, number], NodeRow>(
      `${NODES} where m.session_id = ? and m.id > ? and m.id <= ? order by m.id limit ${ROWS}`,
    ),
    node: db.prepare<[number], NodeRow>(`${NODES} where m.id = ?`),
    /** Where the conversation stands on nodes of others, and all of these up to the root. */
    outside: db
      .prepare<Own, MessageId>(
        `with recursive anchors (id) as (
           select head_id from sessions where id in ${OWN}
           union select fork_message_id from sessions where id in ${OWN}
           union select from_id from head_moves where session_id in ${OWN}
           union select to_id from head_moves where session_id in ${OWN}
           union select p.id from messages m join messages p on p.id = m.parent_id
             where m.session_id in ${OWN} and p.session_id <> m.session_id),
         outside (id, parent_id) as (
           select m.id, m.parent_id from anchors a join messages m on m.id = a.id where m.session_id not in ${OWN}
           union select m.id, m.parent_id from outside o join messages m on m.id = o.parent_id
             where m.session_id not in ${OWN})
         select id from outside order by id`,
      )
      .pluck(),
    moves: db.prepare<[string, number], HeadMoveRow & { readonly at: number }>(
      `select * from head_moves where session_id = ? and id > ? order by id limit ${ROWS}`,
    ),
    usage: db.prepare<[string], UsageRecord & { costUsd: number | null }>(
      `select 'usage' as type, session_id as session, provider, model, task, day, calls, input_tokens as inputTokens,
         output_tokens as outputTokens, cache_read_tokens as cacheReadTokens, cache_write_tokens as cacheWriteTokens,
         reasoning_tokens as reasoningTokens, cost_usd as costUsd
       from model_usage where session_id = ? order by day, provider, model, task`,
    ),
  };
}

/** Of a page; it is shorter where the rows are big. */
const ROWS = 200;
const CHARACTERS = 4_000_000;

export function exportPlan(q: Queries, id: SessionId): ExportPlan {
  const high = q.transfer.high.get() ?? (0 as MessageId);
  const { conversation_id } = sessionRow(q, id);
  const rows = q.sessions.ofConversation.all(conversation_id).filter((row) => row.deleted_at === null);
  const own = rows.map((row) => row.id);
  const list = JSON.stringify(own);
  const outside = q.transfer.outside.all({ own: list }).filter((node) => node <= high);
  const records = rows.map((row) => ({ ...sessionRecord(row), ...shownFields(q, row) }));
  const sessions = [...ancestors(q, rows), ...records];
  const messages = (q.transfer.counted.get({ own: list }) ?? 0) + outside.length;
  return { sessions, own, outside, high, messages };
}

/** Oldest first; only what nodes need to point at. */
function ancestors(q: Queries, own: readonly SessionRow[]): SessionRecord[] {
  const seen = new Set<string>(own.map((row) => row.id));
  const found: SessionRecord[] = [];
  for (let id = own[0]?.parent_id ?? null; id !== null && !seen.has(id); ) {
    seen.add(id);
    const row = q.sessions.get.get(id);
    if (!row) break;
    found.push({ ...sessionRecord(row), isWriter: true });
    id = row.parent_id;
  }
  return found.reverse();
}

function sessionRecord(row: SessionRow): SessionRecord {
  return {
    type: "session",
    id: row.id,
    conversation: row.conversation_id,
    generation: row.generation,
    ...(row.parent_id !== null && row.edge !== null && { parent: row.parent_id, edge: row.edge }),
    provider: row.provider,
    model: row.model,
    ...(row.model_options !== null && { options: decodeJson(row.model_options) }),
    cwd: row.cwd,
    source: row.source,
    startedAt: row.started_at,
    lastActivityAt: row.last_activity_at,
    rewinds: 0,
  };
}

function shownFields(q: Queries, row: SessionRow): Partial<SessionRecord> {
  const hashOf = (id: MessageId | null) => (id === null ? undefined : q.messages.parent.get(id)?.hash);
  const [head, fork] = [hashOf(row.head_id), hashOf(row.fork_message_id)];
  return {
    rewinds: row.rewind_count,
    ...(head !== undefined && { head }),
    ...(fork !== undefined && { fork }),
    ...(row.title !== null && row.title_source !== null && { title: row.title, titleSource: row.title_source }),
    ...(row.git_root !== null && { gitRoot: row.git_root }),
    ...(row.git_branch !== null && { gitBranch: row.git_branch }),
    ...(row.end_reason === "compression" && row.ended_at !== null && { endedAt: row.ended_at }),
  };
}

/** Of one session of the plan, by id. */
export function exportNodes(q: Queries, from: { session: SessionId; after: MessageId; high: MessageId }): NodePage {
  const { session, after, high } = from;
  return nodePage(q, q.transfer.ownNodes.iterate(session, after, high));
}

/** Some of the nodes that others wrote. */
export function exportOutside(q: Queries, ids: readonly MessageId[]): NodePage {
  return nodePage(
    q,
    ids.map((id) => q.transfer.node.get(id)).filter((row) => row !== undefined),
  );
}

function nodePage(q: Queries, rows: Iterable<NodeRow>): NodePage {
  const taken: NodeRow[] = [];
  let characters = 0;
  for (const row of rows) {
    taken.push(row);
    characters += row.parts.length;
    if (characters > CHARACTERS || taken.length === ROWS) break;
  }
  const last = taken.at(-1);
  const isFull = characters > CHARACTERS || taken.length === ROWS;
  return { nodes: taken.map((row) => exportedNode(q, row)), ...(isFull && last && { next: last.id }) };
}

function exportedNode(q: Queries, row: NodeRow): ExportedNode {
  const { hash, session_id: session, role, created_at: at, turn } = row;
  const node = {
    type: "message",
    hash,
    ...(row.parent_hash !== null && { parent: row.parent_hash }),
    session,
    role,
    at,
    turn,
    ...(row.provider !== null && { provider: row.provider }),
    ...(row.model !== null && { model: row.model }),
    ...(row.finish_reason !== null && { finishReason: row.finish_reason }),
    ...(row.usage !== null && { usage: decodeJson(row.usage) as unknown as Usage }),
    parts: portableParts(role, row.parts, (id) => q.messages.parent.get(id)?.hash),
  } as const;
  return { node, ...(row.turn_of !== null && { by: row.turn_of }), blobs: blobsOf(decodeParts(row.parts)) };
}

/** What is still running has no end in the file. */
export function exportTurns(q: Queries, seqs: readonly AdmissionId[]): ExportedTurn[] {
  return seqs.flatMap((seq) => {
    const row = q.admissions.get.get(seq);
    return row && row.kind !== "steer" ? [exportedTurn(q, row)] : [];
  });
}

function exportedTurn(q: Queries, row: AdmissionRow): ExportedTurn {
  const { outcome, kind } = row;
  const ended = outcome !== null && outcome !== "steered" ? { outcome } : {};
  return {
    seq: row.seq,
    turn: {
      type: "turn",
      request: row.request_id,
      session: row.session_id,
      kind: kind as TurnRecord["kind"],
      payload: decodeJson(row.payload) as unknown as Payload,
      summary: row.summary,
      ...ended,
      ...(row.error !== null && { error: decodeJson(row.error) as unknown as TurnError }),
      ...(row.usage !== null && { usage: decodeJson(row.usage) as unknown as Usage }),
      attempts: row.attempts,
      queuedAt: row.queued_at,
      ...(row.started_at !== null && { startedAt: row.started_at }),
      ...(row.settled_at !== null && { settledAt: row.settled_at }),
    },
    ...refs(q, { user: row.user_message_id, last: row.last_message_id }),
  };
}

function refs<K extends string>(q: Queries, ids: Record<K, MessageId | null>): Partial<Record<K, NodeRef>> {
  const found: Partial<Record<K, NodeRef>> = {};
  for (const key of Object.keys(ids) as K[]) {
    const id = ids[key];
    const ref = id === null ? undefined : q.transfer.ref.get(id);
    if (ref) found[key] = ref;
  }
  return found;
}

/** Of these turns, in their order. */
export function exportCalls(q: Queries, seqs: readonly AdmissionId[]): ExportedCall[] {
  return seqs.flatMap((seq) => q.calls.ofAdmission.all(seq)).flatMap((row) => exportedCall(q, row) ?? []);
}

function exportedCall(q: Queries, row: CallRow): ExportedCall | undefined {
  const asking = q.transfer.ref.get(row.message_id);
  if (!asking) return undefined;
  const changes = q.files.ofCall.all(row.id).map((change) => exportedChange(q, change));
  const sides = changes.flatMap(({ before, after }) => [before, after]);
  return {
    call: {
      type: "call",
      call: row.call_id,
      tool: row.tool,
      input: decodeJson(row.input),
      effect: row.effect,
      state: row.state,
      ...(row.approval !== null && { approval: row.approval }),
      attempts: row.attempts,
      ...(row.started_at !== null && { startedAt: row.started_at }),
      ...(row.finished_at !== null && { finishedAt: row.finished_at }),
      ...(row.evidence !== null && { evidence: row.evidence }),
      changes,
    },
    by: row.admission_id,
    asking,
    ...refs(q, { result: row.result_message_id }),
    blobs: sides.flatMap((side) => (side?.kept ? [side.hash] : [])),
  };
}

function exportedChange(q: Queries, row: ChangeRow): ChangeRecord {
  const kept = new Set(q.blobs.ofChange.all(row.id));
  const side = (hash: Hash | null, mode: number | null): SideRecord | undefined =>
    hash === null ? undefined : { hash, mode: mode ?? 0o644, kept: kept.has(hash) };
  const [before, after] = [side(row.hash_before, row.mode_before), side(row.hash_after, row.mode_after)];
  return {
    path: row.path,
    kind: row.kind,
    ...(before && { before }),
    ...(after && { after }),
    origin: row.origin,
    restorable: row.restorable === 1,
    at: row.created_at,
  };
}

export function exportMoves(
  q: Queries,
  from: { session: SessionId; after: number },
): { readonly moves: readonly ExportedMove[]; readonly next?: number } {
  const rows = q.transfer.moves.all(from.session, from.after);
  const moves = rows.map((row) => ({
    move: {
      type: "move",
      session: row.session_id,
      kind: row.kind,
      at: row.at,
      ...(row.redone_at !== null && { redoneAt: row.redone_at }),
      redoable: row.redoable === 1,
    } as const,
    ...refs(q, { from: row.from_id, to: row.to_id }),
  }));
  const last = rows.at(-1);
  return { moves, ...(rows.length === ROWS && last && { next: last.id }) };
}

export function exportUsage(q: Queries, session: SessionId): UsageRecord[] {
  return q.transfer.usage.all(session).map(({ costUsd, ...row }) => ({ ...row, ...(costUsd !== null && { costUsd }) }));
}
