// Going to another end of a conversation's own tree: an undone one, or another answer to the same prompt. The head goes
// back to where the two paths part and forward from there, both logged, in one transaction; nothing is written or lost.

import { ledgerError } from "./errors.ts";
import { planReverts } from "./file-changes.ts";
import type { Probe } from "./leases.ts";
import type { Database } from "./open.ts";
import { forkOf } from "./path-diff.ts";
import { isInTreeOf } from "./sessions.ts";
import type { SessionRow } from "./sessions-table.ts";
import type { Tx } from "./transaction.ts";
import { type MoveOptions, moveHead, moveRefusalOf, openCallsAt } from "./tree.ts";
import type { FileRevert, HeadMoveId, MessageId, Refusal, SessionId } from "./types.ts";

export interface Went {
  readonly kind: "went";
  readonly session: SessionId;
  readonly from?: MessageId;
  readonly head: MessageId;
  /** Turns that are no longer on the path, and those that are now. */
  readonly left: number;
  readonly brought: number;
  readonly reverts: readonly FileRevert[];
}

export function goToQueries(db: Database) {
  return {
    /** Whether a head of this conversation ever stood there and was moved away. */
    wasLeft: db
      .prepare<[number, string], number>(
        `select exists (select 1 from head_moves h join sessions s on s.id = h.session_id
         where h.from_id = ? and s.conversation_id = ?)`,
      )
      .pluck(),
  };
}

/** Ends the redo chain, unless the end is on the path: that is an undo as any other. */
export function goTo(
  tx: Tx,
  session: SessionRow,
  options: MoveOptions & { readonly to: MessageId; readonly probe?: Probe },
): Went | Refusal {
  const { to } = options;
  const end = tx.q.diff.link.get(to);
  if (!end) throw ledgerError("not_found", `There is no message ${to}.`);
  const isOurs = isInTreeOf(tx, session, to) || tx.q.goTo.wasLeft.get(to, session.conversation_id) === 1;
  if (!isOurs) throw ledgerError("not_found", `Message ${to} does not belong to session ${session.id}.`);
  const refused = moveRefusalOf(tx, session, options);
  if (refused) return refused;
  if (session.head_id === to) return { kind: "conflict", why: "The conversation is there already." };
  if (openCallsAt(tx, to))
    return {
      kind: "conflict",
      why: `At message ${to} a tool call has no result yet: a conversation cannot end there.`,
    };
  const fork = forkOf(tx.q, session.head_id ?? undefined, to);
  const back = fork?.id ?? null;
  const move = moveOver(tx, session, { back, to });
  const reverts = planReverts(tx, { move, conversation: session.conversation_id }, options.reverts ?? []);
  return {
    kind: "went",
    session: session.id,
    ...(session.head_id !== null && { from: session.head_id }),
    head: to,
    left: (session.head_turn ?? 0) - (fork?.turn ?? 0),
    brought: end.turn - (fork?.turn ?? 0),
    reverts,
  };
}

/** Both ways are logged; the last one is the one that files belong to. */
function moveOver(tx: Tx, session: SessionRow, { back, to }: { back: MessageId | null; to: MessageId }): HeadMoveId {
  const isBack = back !== session.head_id;
  const undone = isBack ? moveHead(tx, session, { to: back, kind: "undo", redoable: back === to }) : undefined;
  if (isBack) tx.q.sessions.countRewind.run(session.id);
  if (undone !== undefined && back === to) return undone;
  tx.q.moves.closeRedo.run(session.id);
  return moveHead(tx, { ...session, head_id: back }, { to, kind: "redo", redoable: false });
}
