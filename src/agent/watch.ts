// What other programs write into the open conversation is shown here within a second: a cheap question to
// SQLite (`data_version`) twice a second, and a look at the new nodes only when it changed.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { LedgerError } from "../ledger/errors.ts";
import { lookAtQueue } from "./queue-look.ts";
import type { Runner } from "./runner.ts";

const LOOK_MS = 500;

/**
 * Returns how to stop. Never throws: a ledger that cannot be read is told by the next write. `onWritten`: somebody else
 * wrote something, which what is known beside messages and queue may have to do with.
 */
export function watchConversation(db: AsyncSessionDB, runner: Runner, onWritten: () => void = () => {}): () => void {
  let version: number | undefined;
  let isLooking = false;
  let heldBy: number | undefined;
  /** Looks in a row that did not find the session: what this program deletes it leaves before the second. */
  let misses = 0;
  let isStopped = false;
  async function look(): Promise<void> {
    const now = await db.dataVersion();
    // A holder that was killed writes nothing about it, so one that was seen is looked at each time.
    if (heldBy !== undefined || now !== version) await lookAtHolder();
    // The first look compares too: somebody may have written between the load and it.
    if (now === version || runner.isRunning) return;
    version = now;
    await runner.catchUp();
    await lookAtQueue(db, runner);
    onWritten();
  }
  async function lookAtHolder(): Promise<void> {
    const { holder } = await db.sessionState(runner.session.id);
    const other = holder?.pid === process.pid ? undefined : holder;
    if (other?.pid === heldBy) return;
    heldBy = other?.pid;
    runner.emit({ type: "held-elsewhere", ...(other && { holder: other }) });
  }
  const unlisten = runner.listen(({ type }) => {
    if (type !== "session") return;
    // Nothing is known of what waits in it, nor of who holds it.
    version = undefined;
    heldBy = undefined;
    misses = 0;
  });
  const timer = setInterval(() => {
    if (isLooking || runner.isRunning) return;
    isLooking = true;
    const { id } = runner.session;
    look()
      .then(() => {
        misses = 0;
      })
      .catch((error: unknown) => {
        // Busy, or closing: the next look tries again.
        if ((error as LedgerError).code !== "not_found" || isStopped || runner.session.id !== id) return;
        misses += 1;
        if (misses === 2) runner.emit({ type: "conversation-gone" });
      })
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS);
  timer.unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
    unlisten();
  };
}
