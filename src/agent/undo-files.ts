// Files that follow the head: what taking back some turns, or bringing them back, would do to the disk, and the rows
// that the ledger stores before anything is written. Who decides is elsewhere; a plan changes nothing.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { PlannedRevert } from "../ledger/file-changes.ts";
import type { FileChange, FileRevert, Message, MessageId, RevertDirection, Session } from "../ledger/types.ts";
import { type PlannedFile, planRedo, planUndo } from "./file-changes/undo-plan.ts";
import type { FileGate } from "./tools/files.ts";

interface Place {
  readonly db: AsyncSessionDB;
  readonly files: FileGate;
}

const WINDOW = 200;

/** The newest `turns` user turns of the path, oldest message first. */
export async function messagesOfTurns(
  db: AsyncSessionDB,
  session: Session,
  turns: number,
): Promise<readonly Message[]> {
  const first = Math.max(1, session.turns - turns + 1);
  const found: Message[] = [];
  for (let from: MessageId | undefined = session.head; from !== undefined; ) {
    const { messages } = await db.path(session.id, { from, limit: WINDOW });
    found.unshift(...messages.filter(({ turn }) => turn >= first));
    const oldest: Message | undefined = messages[0];
    from = oldest && oldest.turn >= first ? oldest.parent : undefined;
  }
  return found;
}

/** What the calls of these turns did to files, oldest first. */
export async function changesOfTurns(
  db: AsyncSessionDB,
  session: Session,
  turns: number,
): Promise<readonly FileChange[]> {
  const messages = await messagesOfTurns(db, session, turns);
  return db.changesOf(messages.map(({ id }) => id));
}

export function planFilesBack({ db, files }: Place, changes: readonly FileChange[]): Promise<readonly PlannedFile[]> {
  return planUndo(changes, { files, blob: (hash) => db.blob(hash) });
}

/**
 * From what one end left to what the other did: its own changes are taken out, the newest first, and those of the other
 * end then made. Both oldest first.
 */
export function planFilesOver(
  place: Place,
  { left, brought }: { readonly left: readonly FileChange[]; readonly brought: readonly FileChange[] },
): Promise<readonly PlannedFile[]> {
  const made = brought.toReversed().map(({ before, after, ...change }) => ({
    ...change,
    ...(after && { before: after }),
    ...(before && { after: before }),
  }));
  return planFilesBack(place, [...made, ...left]);
}

/** What the undo wrote that a redo would take back now. */
export async function planFilesForward({ db, files }: Place, session: Session): Promise<readonly PlannedFile[]> {
  const redoable = await db.redoableMove(session.id);
  return planForward({ db, files }, redoable ? await db.revertsOf({ move: redoable.move }) : []);
}

/** What an undo of files alone wrote, if nothing of the kind came after it. */
export async function planRequestForward({ db, files }: Place, session: Session): Promise<readonly PlannedFile[]> {
  const reverts = await db.requestedReverts(session.id);
  return planForward(
    { db, files },
    reverts.filter(({ direction }) => direction === "undo"),
  );
}

function planForward({ db, files }: Place, reverts: readonly FileRevert[]): Promise<readonly PlannedFile[]> {
  const done = reverts.filter(({ state }) => state === "done");
  return planRedo(
    done.map(({ path, cwd, change, expected, expectedMode, target }) => ({
      path,
      cwd,
      change,
      from: expected ?? "absent",
      to: target ?? "absent",
      ...(expectedMode !== undefined && { mode: expectedMode }),
    })),
    { files, blob: (hash) => db.blob(hash) },
  );
}

const DEFAULT_MODE = 0o644;

/** Rows of the files that can be written; the others are left alone. */
export function toReverts(planned: readonly PlannedFile[], direction: RevertDirection): readonly PlannedRevert[] {
  return planned.flatMap((file): readonly PlannedRevert[] => {
    if (file.state !== "ready" && file.state !== "merged") return [];
    const { now, target } = file;
    return [
      {
        change: file.change,
        direction,
        ...(now !== "absent" && { now: { bytes: now.bytes, mode: now.mode ?? DEFAULT_MODE } }),
        ...(target !== "absent" && { target: { bytes: target.bytes, mode: target.mode } }),
      },
    ];
  });
}
