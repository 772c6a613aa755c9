// Shows a message of the conversation that is open: in the pager, from there on; in lines, with what stands around it.
import type { Runner } from "../agent/runner.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { MessageId } from "../ledger/types.ts";
import type { Screen } from "./live-screen.ts";

export async function showAt(
  { screen, db, runner }: { screen: Screen; db: AsyncSessionDB; runner: Runner },
  at: { readonly message: MessageId; readonly lines: readonly string[] },
): Promise<void> {
  if (screen.isInLines) return screen.print({ kind: "lines", lines: ["", ...at.lines] });
  const { openPager } = await import("./pager.ts");
  const { session, known: head } = runner;
  openPager({ screen, stdout: process.stdout, db, session, head, at: at.message });
}
