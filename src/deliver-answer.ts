// Without a screen an answer counts as delivered when stdout has taken it: what nobody could read is told at the next
// start as finished while nobody was looking.
import type { Admission } from "./ledger/types.ts";
import type { Program } from "./program.ts";
import type { FlushWatch } from "./ui/flush-watch.ts";

/** Its answer was just printed; `stdout` was watched from before that. */
export async function markDelivered(
  program: Pick<Program, "db">,
  { outcome, lastMessage }: Admission,
  stdout: FlushWatch,
): Promise<void> {
  if (outcome !== "completed" || lastMessage === undefined || !(await stdout.flushed())) return;
  await program.db.deliver(lastMessage, "stdout").catch(() => {
    // Busy or full: the next start tells the answer again.
  });
}
