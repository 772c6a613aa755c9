// A file at the ledger's place that is no ledger goes aside with what lies beside it, whole and by name, so that a
// new ledger can begin. Only on a person's word, and only for files that no connection was ever made to.
import { renameSync, statSync } from "node:fs";

/** Returns the new name. */
export function setAside(file: string, at: number): string {
  const main = statSync(file, { throwIfNoEntry: false });
  const suffix = main === undefined ? "lost" : main.size === 0 ? "zeroed" : "not-a-ledger";
  const aside = `${file}.${suffix}-${at}`;
  for (const extra of ["", "-wal", "-shm", "-journal", ".guard"])
    if (statSync(file + extra, { throwIfNoEntry: false })) renameSync(file + extra, aside + extra);
  return aside;
}
