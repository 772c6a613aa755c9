// Which program did or holds something, in words: a window never names itself as if it were somebody else. Pure.
import type { ProcessIdentity } from "../ledger/types.ts";

/** Begins a sentence's subject and ends before its verb: `stele, pid 7,`; raw. */
export function whoIs(other: Pick<ProcessIdentity, "pid" | "program"> | undefined): string {
  if (other === undefined) return "another program";
  return isThisProcess(other) ? "this window" : `${other.program}, pid ${other.pid},`;
}

export function isThisProcess({ pid }: Pick<ProcessIdentity, "pid">): boolean {
  return pid === process.pid;
}
