// The tree that a conversation grew in: its branches, their branches, and in each the ends that were undone. Read a
// window at a time from the root down, a child by an index seek, so that the first window costs the same in a ledger of
// ten thousand sessions. Where a window ends is a path of the tree: what is added meanwhile shifts nothing.

import { type SessionListing, sessionState, type Vantage } from "./find-sessions.ts";
import type { Database } from "./open.ts";
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

interface BranchRow {
  readonly id: SessionId;
  readonly conversation_id: ConversationId;
  readonly started_at: number;
}

interface EndRow {
  readonly head: MessageId;
  readonly move: number;
}

interface LostRow {
  readonly fork: MessageId | null;
  readonly fork_turn: number | null;
  readonly first: MessageId | null;
  readonly turn: number;
  readonly said: number;
}

const BEGINNING = 200;
const NEWEST = Number.MAX_SAFE_INTEGER;

export function branchTreeQueries(db: Database) {
  return {
    oldest: db
      .prepare<[string], SessionId>(
        "select id from sessions where conversation_id = ? and deleted_at is null order by generation limit 1",
      )
      .pluck(),
    generationBelow: db.prepare<[string, number], { id: SessionId; generation: number }>(
      `select id, generation from sessions where conversation_id = ? and generation < ? and deleted_at is null
       order by generation desc limit 1`,
    ),
    branchBefore: db.prepare<[{ parent: SessionId; at: number; id: string }], BranchRow>(
      `select id, conversation_id, started_at from sessions
       where parent_id = @parent and (started_at, id) < (@at, @id) and edge <> 'compression' and deleted_at is null
       order by started_at desc, id desc limit 1`,
    ),
    /** Ends that no head shows, each by the newest undo that left it. */
    endBefore: db.prepare<[string, number], EndRow>(
      `select h.from_id as head, h.id as move from head_moves h join messages m on m.id = h.from_id
       where h.session_id = ? and h.id < ? and h.kind = 'undo' and m.live = 0
         and not exists (select 1 from messages c where c.parent_id = m.id)
         and not exists (select 1 from head_moves n where n.from_id = h.from_id and n.kind = 'undo' and n.id > h.id)
       order by h.id desc limit 1`,
    ),
    /** Up to what is shown. A turn is lost with its prompt; notes alone are nothing that anybody said. */
    lost: db.prepare<[number], LostRow>(
      `with recursive up (id, parent_id, live, turn, role) as (
         select id, parent_id, live, turn, role from messages where id = ?
         union all
         select m.id, m.parent_id, m.live, m.turn, m.role from up join messages m on m.id = up.parent_id
         where up.live = 0),
       fork (id, turn) as (select id, turn from up where live = 1)
       select (select id from fork) as fork, (select turn from fork) as fork_turn, max(turn) as turn,
         (select min(id) from up where live = 0 and role = 'user'
          and turn > coalesce((select turn from fork), 0)) as first,
         max(live = 0 and role <> 'note') as said from up`,
    ),
    move: db.prepare<[number], { session: SessionId; at: number; redoable: number }>(
      "select session_id as session, at, redoable from head_moves where id = ?",
    ),
    redosTo: db
      .prepare<[string, number], number>(
        "select count(*) from head_moves where session_id = ? and redoable = 1 and id >= ?",
      )
      .pluck(),
    isAskedBeside: db
      .prepare<[number], number>(
        `select exists (select 1 from messages o where o.parent_id = m.parent_id and o.id <> m.id and o.role = 'user'
           and o.text = m.text) from messages m where m.id = ?`,
      )
      .pluck(),
    isAskedAtRoot: db
      .prepare<[number], number>(
        `select exists (select 1 from messages o where o.session_id = m.session_id and o.parent_id is null
           and o.id <> m.id and o.role = 'user' and o.text = m.text) from messages m where m.id = ?`,
      )
      .pluck(),
    /** Of the turn that this node stands in. */
    promptOf: db
      .prepare<[number], string>(
        `with recursive up (id, parent_id, turn) as (
           select id, parent_id, turn from messages where id = ?
           union all
           select m.id, m.parent_id, m.turn from up join messages m on m.id = up.parent_id and m.turn = up.turn)
         select substr(text, 1, ${BEGINNING}) from messages where id = (select min(id) from up)`,
      )
      .pluck(),
    /** Absent in one that is deleted. */
    parentOf: db
      .prepare<[string], SessionId>(
        `select p.id from sessions s join sessions p on p.id = s.parent_id where s.id = ? and p.deleted_at is null`,
      )
      .pluck(),
    turnOfHead: db
      .prepare<[string], number>("select m.turn from sessions s join messages m on m.id = s.head_id where s.id = ?")
      .pluck(),
  };
}

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
