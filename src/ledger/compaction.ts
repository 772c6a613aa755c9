// Compaction (ledger.md §2): a summary takes the place of the older part of what a model is sent. The session ends, a
// child of the same conversation goes on from a summary node under the old head, in one transaction; no message is
// copied, changed or deleted. Who may do so is compaction-locks.ts's.
import { holdsLock, releaseLock } from "./compaction-locks.ts";
import { requireStarted } from "./leases.ts";
import { toMessage } from "./messages.ts";
import { canonicalRow, freshId, sessionRow } from "./sessions.ts";
import { type SessionRow, toSession } from "./sessions-table.ts";
import type { Queries, TurnTx } from "./transaction.ts";
import { extendHead, isOnPath, openCallsAt } from "./tree.ts";
import { type Settled, settle } from "./turns.ts";
import type { ConversationId, Message, MessageId, ModelRoute, Refusal, Session, SessionId, Usage } from "./types.ts";
import { addUsage } from "./usage.ts";

export interface CompactionFailure {
  readonly error: string;
  /** None is made unasked for so long. */
  readonly cooldownMs: number;
  /** The summary was no smaller than what it stood for. */
  readonly isIneffective?: boolean;
  readonly spent?: readonly Spent[];
}

/** What summaries cost, whatever came of them. */
export interface Spent {
  readonly route: ModelRoute;
  readonly usage: Usage;
}

/** A late attempt does not touch what another one has found out. */
export function failCompaction(tx: TurnTx, attempt: string, failure: CompactionFailure): void {
  const { conversation } = tx.turn;
  const { id } = canonicalRow(tx.q, conversation);
  addSpent(tx, failure, { session: id, at: tx.now });
  if (!releaseLock(tx, { conversation, attempt })) return;
  tx.q.sessions.coolDown.run(tx.now + failure.cooldownMs, failure.error, id);
  if (failure.isIneffective) tx.q.sessions.countIneffective.run(id);
}

function addSpent(tx: TurnTx, { spent = [] }: { spent?: readonly Spent[] }, where: { session: SessionId; at: number }) {
  for (const each of spent) addUsage(tx, { ...where, task: "compaction", ...each });
}

export interface NewSummary {
  readonly attempt: string;
  readonly text: string;
  /** The newest node that the summary or what is kept covers. */
  readonly readUpTo: MessageId;
  /** A user node; absent: all up to `readUpTo` is folded. */
  readonly keptFrom?: MessageId;
  readonly folded: number;
  /** Of the whole request, in tokens; `after` is smaller. */
  readonly before: number;
  readonly after: number;
  /** It freed enough; else it counts as one of those that did not. */
  readonly isEffective: boolean;
  readonly at: number;
  readonly route: ModelRoute;
  readonly spent?: readonly Spent[];
  /** Of the turn, where it ends with this. */
  readonly usage?: Usage;
  /** The turn was for this alone: it ends with it. */
  readonly endsTurn: boolean;
}

export interface Compacted {
  readonly kind: "compacted";
  /** The child, where the conversation goes on. */
  readonly session: Session;
  readonly message: Message;
  readonly settled?: Settled;
}

export function commitCompaction(tx: TurnTx, summary: NewSummary): Compacted | Refusal {
  const own = { conversation: tx.turn.conversation, attempt: summary.attempt };
  const parent = canonicalRow(tx.q, own.conversation);
  const stored = committed(tx, parent, summary);
  if (stored) return stored;
  requireStarted(tx);
  if (!holdsLock(tx, own)) return { kind: "conflict", why: "This compaction was given up meanwhile." };
  const obstacle = obstacleTo(tx, parent, summary);
  if (obstacle !== undefined) return { kind: "conflict", why: obstacle };
  const child = rotate(tx, parent, summary);
  const { row } = extendHead(tx, child, { ...summaryNode(summary), admission: tx.turn.admission });
  tx.q.moves.insert.run({
    session: child.id,
    kind: "compact",
    from: parent.head_id,
    to: row.id,
    request: summary.attempt,
    at: tx.now,
    redoable: 0,
  });
  addSpent(tx, summary, { session: child.id, at: summary.at });
  releaseLock(tx, own);
  return compacted(tx, toMessage(row), summary);
}

function compacted(tx: TurnTx, message: Message, { endsTurn, at, usage }: NewSummary): Compacted {
  const settled = endsTurn ? settle(tx, { outcome: "completed", at, ...(usage && { usage }) }) : undefined;
  const session = toSession(canonicalRow(tx.q, tx.turn.conversation));
  return { kind: "compacted", session, message, ...(settled && { settled }) };
}

/** Asked again after its answer was lost. */
function committed(tx: TurnTx, session: SessionRow, summary: NewSummary): Compacted | undefined {
  const id = tx.q.moves.compactedBy.get(session.id, summary.attempt);
  const row = id === undefined ? undefined : tx.q.messages.get.get(id);
  return row && compacted(tx, toMessage(row), summary);
}

/** Why the summary does not fit the conversation as it is now. */
function obstacleTo(tx: TurnTx, session: SessionRow, summary: NewSummary): string | undefined {
  const { readUpTo, keptFrom, before, after, text, folded } = summary;
  const moved = "The conversation changed while it was summed up.";
  if (text.trim() === "") return "The summary is empty.";
  if (folded < 1) return "There is nothing to sum up.";
  if (after >= before) return `The summary is no smaller: ${before} tokens before, ${after} after.`;
  if (session.head_id === null || !isOnPath(tx, session.head_id, readUpTo)) return moved;
  if (openCallsAt(tx, session.head_id)) return "A tool call has no result yet.";
  if (keptFrom === undefined) return session.head_id === readUpTo ? undefined : moved;
  const kept = tx.q.messages.get.get(keptFrom);
  const read = tx.q.messages.get.get(readUpTo);
  if (!kept || !read || kept.depth > read.depth + 1 || !isOnPath(tx, session.head_id, keptFrom)) return moved;
  if (kept.role !== "user") return `Message ${keptFrom} is no message of a person: a model cannot begin there.`;
  return kept.parent_id !== null && openCallsAt(tx, kept.parent_id)
    ? `Message ${keptFrom} stands between a tool call and its result.`
    : undefined;
}

/** The old generation ends, the next one begins at its head. */
function rotate(tx: TurnTx, parent: SessionRow, { isEffective }: NewSummary): SessionRow {
  const id = freshId(tx);
  tx.q.sessions.endCompressed.run(tx.now, parent.id);
  tx.q.sessions.insert.run({
    ...parent,
    id,
    generation: parent.generation + 1,
    parent_id: parent.id,
    edge: "compression",
    fork_message_id: null,
    title: null,
    title_source: null,
    started_at: tx.now,
  });
  tx.q.sessions.carryOver.run({
    ...parent,
    id,
    revision: parent.revision + 2, // of the end of the old one, and of this
    compaction_ineffective_count: isEffective ? 0 : parent.compaction_ineffective_count + 1,
  });
  return sessionRow(tx.q, id);
}

function summaryNode({ text, keptFrom, folded, before, after, at, route }: NewSummary) {
  const part = { kind: "summary", text, folded, before, after, ...(keptFrom !== undefined && { keptFrom }) } as const;
  return { role: "summary", parts: [part], at, provider: route.provider, model: route.model } as const;
}

/** What a model gets is made of these: from the head to the newest summary, and what that one kept. Oldest first. */
export function contextPath(q: Queries, conversation: ConversationId): Message[] {
  const { head_id: head } = canonicalRow(q, conversation);
  if (head === null) return [];
  const since = q.messages.sinceSummary.all(head).map(toMessage).reverse();
  const [oldest] = since;
  const part = oldest?.role === "summary" ? oldest.parts.find((each) => each.kind === "summary") : undefined;
  if (part?.kind !== "summary" || part.keptFrom === undefined || oldest?.parent === undefined) return since;
  const kept = q.messages.upTo.all({ from: oldest.parent, last: part.keptFrom }).map(toMessage).reverse();
  return [...kept, ...since];
}
