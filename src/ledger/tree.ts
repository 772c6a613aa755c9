// Head moves: undo, redo, retry, branch. They move or add heads and never copy, rewrite or delete a message.
// `live` follows in the same transaction: walk up from a new head until the first live node, and from an
// old head until a node that some other head still shows. Cost: the nodes that changed hands, no more.

import { decodeProcess, encodeParts } from "./codec.ts";
import { ledgerError } from "./errors.ts";
import { type PlannedRevert, planReverts } from "./file-changes.ts";
import { isHeld, type Probe } from "./leases.ts";
import { insertNode, type MessageRow, type NewNode, toMessage } from "./messages.ts";
import type { SessionRow, WritingRow } from "./sessions-table.ts";
import type { Tx } from "./transaction.ts";
import type {
  ConversationId,
  FileRevert,
  HeadMoveId,
  HeadMoveKind,
  HolderId,
  Message,
  MessageId,
  Refusal,
  SessionId,
} from "./types.ts";

/** What every verb that must not race a turn asks for. */
export interface HeadOptions {
  /** The revision the person saw; another one is a conflict. */
  readonly expectedRevision?: number;
  /** My own lease does not stand in my way. */
  readonly holder?: HolderId;
}

export interface MoveOptions extends HeadOptions {
  /** Files that follow the head, planned in the same transaction and written after it. */
  readonly reverts?: readonly PlannedRevert[];
}

export interface UndoOptions extends MoveOptions {
  /** Turns are meant: a compaction that came after the last one does not count as what is taken back first. */
  readonly isOfTurns?: boolean;
}

export interface Moved {
  readonly kind: "moved";
  readonly session: SessionId;
  readonly move: HeadMoveId;
  readonly reverts: readonly FileRevert[];
  readonly from?: MessageId;
  readonly head?: MessageId;
  /** User turns taken back or brought back. */
  readonly turns: number;
  /** The user message of the oldest turn taken back: its text returns to the composer. */
  readonly prompt?: Message;
}

export function undo(
  tx: Tx,
  session: SessionRow,
  options: UndoOptions & { readonly turns: number; readonly probe?: Probe },
): Moved | Refusal {
  const refused = moveRefusalOf(tx, session, options);
  if (refused) return refused;
  const summary = options.turns === 1 && !options.isOfTurns ? summaryAtEnd(tx, session) : undefined;
  if (summary) return takeBackSummary(tx, session, summary);
  const begin = turnBegin(tx, session, options.turns);
  if (!begin) return { kind: "conflict", why: "There is nothing to undo." };
  const undone = (session.head_turn ?? 0) - begin.turn + 1;
  const move = moveHead(tx, session, { to: begin.parent_id, kind: "undo", redoable: true });
  const reverts = planReverts(tx, { move, conversation: session.conversation_id }, options.reverts ?? []);
  tx.q.sessions.countRewind.run(session.id);
  return moved(session, begin.parent_id, { move, reverts, turns: undone, prompt: toMessage(begin) });
}

/** A compaction that nothing came after but notes: it is the last thing that happened. */
export function summaryAtEnd({ q }: Pick<Tx, "q">, session: SessionRow): MessageRow | undefined {
  let node = session.head_id === null ? undefined : q.messages.get.get(session.head_id);
  while (node?.role === "note" && node.parent_id !== null) node = q.messages.get.get(node.parent_id);
  return node?.role === "summary" ? node : undefined;
}

/** The model gets everything again as it was; no turn is taken back. */
function takeBackSummary(tx: Tx, session: SessionRow, summary: MessageRow): Moved {
  const move = moveHead(tx, session, { to: summary.parent_id, kind: "undo", redoable: true });
  tx.q.sessions.countRewind.run(session.id);
  return moved(session, summary.parent_id, { move, reverts: [], turns: 0 });
}

export function redo(tx: Tx, session: SessionRow, options: MoveOptions & { probe?: Probe }): Moved | Refusal {
  const refused = moveRefusalOf(tx, session, options);
  if (refused) return refused;
  const move = tx.q.moves.newestRedoable.get(session.id);
  if (!move || move.from_id === null) return { kind: "conflict", why: "There is nothing to redo." };
  const target = tx.q.messages.get.get(move.from_id);
  if (!target) throw ledgerError("row_missing", `Message ${move.from_id} is not there.`);
  const redone = moveHead(tx, session, { to: move.from_id, kind: "redo", redoable: false });
  const owner = { move: redone, conversation: session.conversation_id };
  const reverts = planReverts(tx, owner, options.reverts ?? []);
  tx.q.moves.markRedone.run(tx.now, move.id);
  return moved(session, move.from_id, { move: redone, reverts, turns: target.turn - (session.head_turn ?? 0) });
}

function moved(
  session: SessionRow,
  head: MessageId | null,
  more: Pick<Moved, "move" | "reverts" | "turns" | "prompt">,
): Moved {
  return {
    kind: "moved",
    session: session.id,
    ...more,
    ...(session.head_id !== null && { from: session.head_id }),
    ...(head !== null && { head }),
  };
}

/** The first node of the n-th newest user turn, or of the oldest one; steers and notes begin none. */
export function turnBegin(tx: Pick<Tx, "q">, session: SessionRow, turns: number): MessageRow | undefined {
  if (!Number.isSafeInteger(turns) || turns < 1)
    throw ledgerError("bad_input", `A number of turns is a whole number above 0, not ${turns}.`);
  const newest = session.head_turn ?? 0;
  if (newest === 0 || session.head_id === null) return undefined;
  const wanted = Math.max(1, newest - turns + 1);
  let node = tx.q.messages.get.get(session.head_id);
  for (;;) {
    if (!node) throw ledgerError("row_missing", "The path of a head is broken.");
    const parent: MessageRow | undefined = node.parent_id === null ? undefined : tx.q.messages.get.get(node.parent_id);
    if (node.turn === wanted && (parent?.turn ?? 0) < wanted) return node;
    node = parent;
  }
}

/** The way back costs the nodes between them. */
export function isOnPath(tx: Pick<Tx, "q">, head: MessageId | null, wanted: MessageId): boolean {
  const depth = tx.q.messages.get.get(wanted)?.depth;
  if (depth === undefined) return false;
  let node = head === null ? undefined : tx.q.messages.get.get(head);
  while (node && node.depth > depth) node = node.parent_id === null ? undefined : tx.q.messages.get.get(node.parent_id);
  return node?.id === wanted;
}

/** Why a head may not move now, if so. Nothing was written. */
export function moveRefusalOf(
  tx: Tx,
  session: SessionRow,
  options: HeadOptions & { probe?: Probe },
): Refusal | undefined {
  return refusalOf(tx, session, options) ?? unfinishedUndo(tx, session.conversation_id);
}

/** A row that is still planned would be written over what the next move brings, wherever the file is as it expects. */
function unfinishedUndo(tx: Tx, conversation: ConversationId): Refusal | undefined {
  const count = tx.q.files.countPlanned.get(conversation) ?? 0;
  if (count === 0) return undefined;
  const files = count === 1 ? "1 file waits" : `${count} files wait`;
  return { kind: "busy", why: `An undo of files is not finished: ${files}.`, undecided: true };
}

/** Why nothing may be written beside a turn now, if so. Nothing was written. */
export function refusalOf(tx: Tx, session: SessionRow, options: HeadOptions & { probe?: Probe }): Refusal | undefined {
  if (session.end_reason === "compression")
    throw ledgerError("compression_closed", `Session ${session.id} continues in a newer one.`);
  if (options.expectedRevision !== undefined && options.expectedRevision !== session.revision)
    return { kind: "conflict", why: "The session changed meanwhile; look at it and try again." };
  const lease = tx.q.leases.get.get(session.conversation_id);
  if (lease && lease.holder !== options.holder && isHeld(lease, tx, options.probe)) {
    const holder = decodeProcess(lease.process);
    return {
      kind: "busy",
      why: `A turn is running in ${holder?.program ?? "another program"}, pid ${holder?.pid ?? "?"}.`,
      ...(holder && { holder }),
      ...(lease.acquired_at !== null && { since: lease.acquired_at }),
    };
  }
  return openTurn(tx, session.conversation_id);
}

function openTurn(tx: Tx, conversation: ConversationId): Refusal | undefined {
  const open = tx.q.admissions.openOf.all(conversation);
  if (open.some((row) => row.status === "started")) return { kind: "busy", why: "A turn is running." };
  if (open.some((row) => row.status === "unknown"))
    return { kind: "busy", why: "An interrupted turn waits for your decision.", undecided: true };
  return undefined;
}

/** The one place where a head changes by something other than an append. */
export function moveHead(
  tx: Tx,
  session: SessionRow,
  move: { to: MessageId | null; kind: HeadMoveKind; redoable: boolean },
): HeadMoveId {
  const { lastInsertRowid } = tx.q.moves.insert.run({
    session: session.id,
    kind: move.kind,
    from: session.head_id,
    to: move.to,
    request: null,
    at: tx.now,
    redoable: move.redoable ? 1 : 0,
  });
  tx.q.sessions.setHead.run(move.to, tx.now, session.id);
  if (move.to !== null) raiseLive(tx, move.to);
  if (session.head_id !== null) lowerLive(tx, session.head_id);
  return Number(lastInsertRowid) as HeadMoveId;
}

export function raiseLive(tx: Tx, from: MessageId): void {
  for (let node = tx.q.messages.get.get(from); node && node.live === 0; ) {
    tx.q.messages.setLive.run(1, node.id);
    node = node.parent_id === null ? undefined : tx.q.messages.get.get(node.parent_id);
  }
}

export function lowerLive(tx: Tx, from: MessageId): void {
  for (let node = tx.q.messages.get.get(from); node; ) {
    if (node.live === 0 || tx.q.sessions.isLiveHead.get(node.id) || tx.q.messages.hasLiveChild.get(node.id)) return;
    tx.q.messages.setLive.run(0, node.id);
    node = node.parent_id === null ? undefined : tx.q.messages.get.get(node.parent_id);
  }
}

/**
 * Appends under the head and moves the head to it; ends the redo chain unless it is a note. A note asked for
 * again right after itself is the same note.
 */
export function extendHead(
  tx: Tx,
  session: HeadOf,
  node: NewNode & { readonly parent?: MessageId | undefined },
): { row: MessageRow; isFresh: boolean } {
  if (session.end_reason === "compression")
    throw ledgerError("compression_closed", `Session ${session.id} continues in a newer one.`);
  const parent = "parent" in node ? node.parent : (session.head_id ?? undefined);
  const repeated = "parent" in node ? undefined : repeatedNote(tx, session, node);
  if (repeated) return { row: repeated, isFresh: false };
  const head = "head_hash" in session && parent === session.head_id ? session : undefined;
  const added = insertNode(tx, { session: session.id, parent, head }, node);
  if (!added.isFresh) return added;
  if ((session.head_id ?? undefined) !== parent)
    throw ledgerError("stale_head", `The conversation moved on: its head is ${session.head_id}, not ${parent}.`);
  tx.q.sessions.setHead.run(added.row.id, added.row.created_at, session.id);
  tx.newHead = added.row;
  const endsRedo = node.role === "user" || node.role === "assistant";
  if (endsRedo && !("redoable" in session && session.redoable === 0)) tx.q.moves.closeRedo.run(session.id);
  return added;
}

/** A session to be written in; with its head's columns, where they were read just before in this transaction. */
type HeadOf = Pick<WritingRow, "id" | "head_id" | "end_reason"> | WritingRow;

function repeatedNote(
  tx: Tx,
  session: HeadOf,
  node: Pick<NewNode, "role" | "parts" | "at" | "admission">,
): MessageRow | undefined {
  const head = node.role !== "note" || session.head_id === null ? undefined : tx.q.messages.get.get(session.head_id);
  if (head?.role !== "note" || head.admission_id !== (node.admission ?? null)) return undefined;
  const isSame = head.session_id === session.id && head.created_at === node.at;
  return isSame && head.parts === encodeParts(node.parts) ? head : undefined;
}

/**
 * Undefined when every call on the path to this node has its result on the path; else the nearest nodes
 * where that holds. Calls and results never cross the beginning of a turn, so the walk ends there.
 */
export function openCallsAt(tx: Tx, at: MessageId): { before?: MessageId; after?: MessageId } | undefined {
  const above = new Set<MessageId>();
  let oldest: MessageRow | undefined;
  for (let node = tx.q.messages.get.get(at); node; ) {
    above.add(node.id);
    const isOpen = tx.q.calls.ofMessage
      .all(node.id)
      .some(({ result_message_id: result }) => result === null || !above.has(result));
    if (isOpen) oldest = node;
    const parent: MessageRow | undefined = node.parent_id === null ? undefined : tx.q.messages.get.get(node.parent_id);
    if (node.turn > (parent?.turn ?? 0)) break;
    node = parent;
  }
  return oldest && nearestClosed(tx, oldest);
}

function nearestClosed(tx: Tx, asking: MessageRow): { before?: MessageId; after?: MessageId } {
  const results = tx.q.calls.ofMessage.all(asking.id).map((call) => call.result_message_id);
  const isClosed = results.length > 0 && results.every((result) => result !== null);
  const after = isClosed ? (Math.max(...results.map(Number)) as MessageId) : undefined;
  const isEnd = after !== undefined && openCallsAt(tx, after) === undefined;
  return {
    ...(asking.parent_id !== null && { before: asking.parent_id }),
    ...(isEnd && { after }),
  };
}
