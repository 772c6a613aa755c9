// What a file says it is, by its first bytes: a ledger that this program can open, or why not. Writes nothing.
// Hazard: only before the first connection to it in this process; closing a descriptor drops SQLite's locks (POSIX).
import { closeSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { ledgerError } from "./errors.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./schema.ts";

/** True when a ledger is there, false when nothing is; throws on everything else, without a write. */
export function checkHeader(file: string): boolean {
  const stats = statOf(file);
  if (!stats) return false;
  if (stats.isDirectory())
    throw ledgerError("ledger_unreadable", `${file} is a folder, not a ledger file.`, {
      hint: "Give the path of a file with --ledger, or a folder with --home.",
    });
  if (stats.size === 0) throw ledgerError("ledger_unreadable", `${file} is empty (0 bytes): its content was lost.`);
  const header = readHeader(file);
  if (header.subarray(0, 16).toString("latin1") !== "SQLite format 3\0")
    throw ledgerError("ledger_unreadable", `${file} is not a ledger: it does not begin as an SQLite file.`);
  const application = header.readInt32BE(68);
  if (application !== APPLICATION_ID) throw foreign(file, application, header);
  const version = header.readInt32BE(60);
  if (version > SCHEMA_VERSION) throw newerLedger(file, version);
  return true;
}

function readHeader(file: string): Buffer {
  const buffer = Buffer.alloc(65_536);
  const descriptor = openSync(file, "r");
  try {
    const bytes = readSync(descriptor, buffer, 0, buffer.length, 0);
    return buffer.subarray(0, Math.max(bytes, 100));
  } finally {
    closeSync(descriptor);
  }
}

function foreign(file: string, application: number, header: Buffer) {
  const isHermes = application === 0 && header.includes("session_turn_leases");
  const what = isHermes ? "the state.db of Hermes" : "an SQLite database of another program";
  return ledgerError("ledger_foreign", `${file} is ${what}, not a stele ledger. It was not touched.`);
}

export function newerLedger(file: string, version: number) {
  return ledgerError(
    "ledger_newer",
    `${file} was written by a newer stele: schema ${version}, this one knows ${SCHEMA_VERSION}. It was not touched.`,
  );
}

export function statOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}
