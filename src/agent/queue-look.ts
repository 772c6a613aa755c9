// What other programs did to the prompts of the open conversation: dropped them, ran them, or decided about the turn
// in their way. Tells what is there now, and goes on with a prompt of this program that nothing holds back any more.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Admission } from "../ledger/types.ts";
import type { Runner } from "./runner.ts";

export async function lookAtQueue(
  db: Pick<AsyncSessionDB, "openAdmissions">,
  runner: Pick<Runner, "session" | "emit" | "wake">,
): Promise<void> {
  const { conversation } = runner.session;
  const open = await db.openAdmissions(conversation);
  if (runner.session.conversation !== conversation) return;
  runner.emit({ type: "queue-changed", waiting: open });
  if (isOursToRun(open)) runner.wake();
}

/** Asking the ledger for a row that it would refuse writes, and what is written wakes the other windows. */
function isOursToRun(open: readonly Admission[]): boolean {
  if (open.some(({ status }) => status === "unknown")) return false;
  const first = open.find(({ status, held }) => status === "queued" && held === undefined);
  return first?.submitter.pid === process.pid;
}
