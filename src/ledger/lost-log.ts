// Opening a ledger whose newest work lies in a log that is not the one beside it: refused, before anything is written.
import { readdirSync } from "node:fs";
import path from "node:path";
import { ledgerError } from "./errors.ts";
import { statOf } from "./file-header.ts";
import { waitFor } from "./patience.ts";
import { holdOf } from "./sidecar.ts";

/** Whoever opens or closes the ledger just now has it open with one of the two files only, for some ms. */
const PATIENCE_MS = 3_000;

/**
 * As long as anybody has the ledger open, its log and the log's index lie beside it. Who began new ones now would lose
 * what they hold to the process that closes the old ones.
 */
export function refuseWithoutLog(file: string): void {
  const missing = () => [`${file}-wal`, `${file}-shm`].find((each) => !statOf(each));
  const isFine = () => missing() === undefined || holdOf(file) === "none";
  if (waitFor(isFine, PATIENCE_MS) || holdOf(file) !== "shared") return;
  throw ledgerError("ledger_lost_wal", `${missing()} is gone, and another process has ${file} open.`, {
    hint: "Quit every other stele: as it ends it copies into the file what only it can see any more. Then start again.",
  });
}

/** Each name of a file has a log of its own: what is in one of them is not in the file yet, and unseen by another name. */
export function refuseLogOfOtherName(file: string): void {
  const mine = statOf(file);
  const folder = path.dirname(file);
  for (const name of readdirSync(folder)) {
    const other = path.join(folder, name);
    if (other === file || !statOf(`${other}-wal`)?.size) continue;
    const stats = statOf(other);
    if (stats?.ino !== mine?.ino || stats?.dev !== mine?.dev) continue;
    throw ledgerError("ledger_lost_wal", `${other} is the same file, and its newest work is in ${other}-wal.`, {
      hint: "Quit every stele that has it open, open it once by that name with --ledger, then remove one of the two names.",
    });
  }
}
