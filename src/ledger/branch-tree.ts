// The tree that a conversation grew in: its branches, their branches, and in each the ends that were undone. Read a
// window at a time from the root down, a child by an index seek, so that the first window costs the same in a ledger of
// ten thousand sessions. Where a window ends is a path of the tree: what is added meanwhile shifts nothing.

import { BEGINNING } from "./branch-tree-table.ts";
import { type SessionListing, sessionState, type Vantage } from "./find-sessions.ts";
import { sessionRow } from "./sessions.ts";
import { type SessionRow, toSession } from "./sessions-table.ts";
import type { Queries } from "./transaction.ts";
import type { ConversationId, MessageId, Session, SessionId } from "./types.ts";

/** A row of the drawn tree. `lasts`: from the root's children down to this row, whether each is its parent's last one. */
interface Placed {
  readonly lasts: readonly boolean[];
}

export interface TreeFork {
  readonly message: MessageId;
  readonly turn: number;
  /** The beginning of the prompt of that turn. */
  readonly prompt: string;
}

/** A conversation: its newest session. */
export interface TreeSession extends Placed, SessionListing {
  readonly kind: "session";
  /** Of its oldest session. */
  readonly parent?: SessionId;
  readonly fork?: TreeFork;
  /** Compactions, and the turn after which the last one was made. */
  readonly compactions: number;
  readonly compactedAfter?: number;
  /** The closed sessions before it, oldest first; only where they are asked for. */
  readonly closed?: readonly Session[];
}

/** A node that nothing shows any more, nor anything under it. */
export interface TreeEnd extends Placed {
  readonly kind: "undone";
  readonly session: SessionId;
  readonly conversation: ConversationId;
  readonly head: MessageId;
  /** What is still shown above it; absent: nothing is. */
  readonly fork?: MessageId;
  readonly forkTurn: number;
  /** Turns that are gone with it, and the beginning of the first one's prompt. */
  readonly turns: number;
  readonly prompt: string;
  /** The same was asked again in its place. */
  readonly isRetried: boolean;
  /** So many redos would bring it back. */
  readonly redos?: number;
  readonly undoneAt: number;
}

export type TreeRow = TreeSession | TreeEnd;

export interface TreeWish {
  readonly limit: number;
  /** Where the window before ended; absent: from the root on. */
  readonly from?: TreePlace;
  /** With the closed sessions of compacted conversations. */
  readonly withClosed?: boolean;
}

export interface TreeWindow {
  readonly rows: readonly TreeRow[];
  /** Absent: that was all. */
  readonly next?: TreePlace;
}

type Child =
  | { readonly kind: "undone"; readonly head: MessageId; readonly move: number }
  | {
      readonly kind: "branch";
      readonly conversation: ConversationId;
      readonly startedAt: number;
      readonly first: SessionId;
    };

/** A conversation on the way to the next row, and what of its children was read. */
interface Frame {
  readonly conversation: ConversationId;
  readonly lasts: readonly boolean[];
  readonly stage: "undone" | "branch" | "over";
  /** Children of the generations below this one come later. */
  readonly generation: number;
  /** Of this generation, those that come after this child. */
  readonly session?: SessionId;
  readonly before?: Child;
  /** Read already, and not yet told. */
  readonly child?: Child;
}

export type TreePlace = readonly Frame[];

const NEWEST = Number.MAX_SAFE_INTEGER;

export function branchTree(q: Queries, id: SessionId, wish: TreeWish & Vantage): TreeWindow {
  const rows: TreeRow[] = [];
  let place = [...(wish.from ?? [])];
  const show = (conversation: ConversationId, lasts: readonly boolean[]): void => {
    rows.push(sessionOf(q, conversation, { ...wish, lasts }));
    place.push(withChild(q, { conversation, lasts, stage: "undone", generation: NEWEST }));
  };
  if (!wish.from) show(rootOf(q, id), []);
  while (place.length > 0 && rows.length < wish.limit) {
    const frame = place.pop();
    if (!frame?.child) continue;
    const { child, ...rest } = frame;
    const after = withChild(q, rest);
    const lasts = [...frame.lasts, after.child === undefined];
    if (after.child) place.push(after);
    if (child.kind === "branch") show(child.conversation, lasts);
    else rows.push(...endOf(q, child, { conversation: frame.conversation, lasts }));
  }
  place = place.filter(({ child }) => child !== undefined);
  return { rows, ...(place.length > 0 && { next: place }) };
}

/** The conversation that all of this one's ancestors grew out of; what stands under a deleted one is a root of its own. */
function rootOf(q: Queries, id: SessionId): ConversationId {
  let { conversation_id: conversation } = sessionRow(q, id);
  for (;;) {
    const parent = q.branches.parentOf.get(q.branches.oldest.get(conversation) ?? id);
    if (parent === undefined) return conversation;
    ({ conversation_id: conversation } = sessionRow(q, parent));
  }
}

/** The same with the next child read: first the undone ends, then the branches, both the newest first. */
function withChild({ branches: q }: Queries, frame: Omit<Frame, "child">): Frame {
  let at: Frame = frame;
  while (at.stage !== "over") {
    const { session, before } = at;
    if (session !== undefined) {
      const child = at.stage === "undone" ? nextEnd(q, session, before) : nextBranch(q, session, before);
      if (child) return { ...at, before: child, child };
    }
    const { conversation, lasts, stage } = at;
    const older = q.generationBelow.get(conversation, at.generation);
    if (older) at = { conversation, lasts, stage, generation: older.generation, session: older.id };
    else at = { conversation, lasts, stage: stage === "undone" ? "branch" : "over", generation: NEWEST };
  }
  return at;
}

function nextEnd(q: Queries["branches"], session: SessionId, before: Frame["before"]): Child | undefined {
  const at = before?.kind === "undone" ? before.move : NEWEST;
  for (let end = q.endBefore.get(session, at); end; end = q.endBefore.get(session, end.move))
    if (q.lost.get(end.head)?.said === 1) return { kind: "undone", ...end };
  return undefined;
}

function nextBranch(q: Queries["branches"], session: SessionId, before: Frame["before"]): Child | undefined {
  const at = before?.kind === "branch" ? { at: before.startedAt, id: before.first } : { at: NEWEST, id: "" };
  const row = q.branchBefore.get({ parent: session, ...at });
  return row && { kind: "branch", conversation: row.conversation_id, startedAt: row.started_at, first: row.id };
}

function sessionOf(
  q: Queries,
  conversation: ConversationId,
  wish: Vantage & Placed & Pick<TreeWish, "withClosed">,
): TreeSession {
  const row = q.sessions.canonical.get(conversation);
  const first = q.sessions.get.get(q.branches.oldest.get(conversation) ?? "");
  if (!row || !first) throw new Error(`conversation ${conversation} has no session`);
  const compactions = row.generation - first.generation;
  const compactedAfter =
    compactions === 0 || row.parent_id === null ? undefined : q.branches.turnOfHead.get(row.parent_id);
  const closed = wish.withClosed
    ? q.sessions.ofConversation.all(conversation).filter((each) => each.id !== row.id && each.deleted_at === null)
    : [];
  return {
    kind: "session",
    lasts: wish.lasts,
    session: toSession(row),
    ...sessionState(q, row, wish),
    ...(first.parent_id !== null && { parent: first.parent_id }),
    ...forkWords(q, first),
    compactions,
    ...(compactedAfter !== undefined && { compactedAfter }),
    ...(wish.withClosed && { closed: closed.map(toSession) }),
  };
}

function forkWords(q: Queries, { fork_message_id: message }: SessionRow): { fork?: TreeFork } {
  const node = message === null ? undefined : q.diff.link.get(message);
  if (message === null || !node) return {};
  return { fork: { message, turn: node.turn, prompt: q.branches.promptOf.get(message) ?? "" } };
}

function endOf(
  { branches: q, diff, sessions }: Queries,
  { head, move }: Extract<Child, { kind: "undone" }>,
  { conversation, lasts }: Placed & { readonly conversation: ConversationId },
): TreeEnd[] {
  const lost = q.lost.get(head);
  const undo = q.move.get(move);
  const session = sessions.canonical.get(conversation)?.id;
  // Gone, or brought back, between two windows.
  if (!lost || !undo || session === undefined || diff.link.get(head) === undefined) return [];
  const { fork, first, turn } = lost;
  const forkTurn = lost.fork_turn ?? 0;
  const redos = undo.redoable === 1 && undo.session === session ? q.redosTo.get(session, move) : undefined;
  const isRetried = first !== null && (q.isAskedBeside.get(first) === 1 || q.isAskedAtRoot.get(first) === 1);
  const prompt = first === null ? q.promptOf.get(head) : diff.beginning.get(first)?.slice(0, BEGINNING);
  return [
    {
      kind: "undone",
      ...{ lasts, session, conversation, head, forkTurn, isRetried },
      ...(fork !== null && { fork }),
      turns: turn - forkTurn,
      prompt: prompt ?? "",
      ...(redos !== undefined && { redos }),
      undoneAt: undo.at,
    },
  ];
}
