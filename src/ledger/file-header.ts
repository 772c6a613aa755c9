// What a file says it is, by its first bytes: a ledger that this program can open, or why not. Writes nothing.
// Hazard: only before the first connection to it in this process; closing a descriptor drops SQLite's locks (POSIX).
import { closeSync, lstatSync, openSync, readlinkSync, readSync, type Stats, statSync } from "node:fs";
import { ledgerError } from "./errors.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./schema.ts";

/** What the header says that a later step needs. */
export interface LedgerHeader {
  /** Whoever has it open has a log beside it. */
  readonly hasLog: boolean;
}

/** Undefined when nothing is there; throws on all that is no ledger this program can open, without a write. */
export function checkHeader(file: string): LedgerHeader | undefined {
  const stats = statOf(file);
  if (!stats) {
    refuseLooseLink(file);
    return undefined;
  }
  if (stats.isDirectory())
    throw ledgerError("ledger_unreadable", `${file} is a folder, not a ledger file.`, {
      hint: "Give the path of a file with --ledger, or a folder with --home.",
    });
  if (!stats.isFile())
    throw ledgerError("ledger_unreadable", `${file} is a device, a pipe or a socket, not a ledger file.`, {
      hint: "Give the path of a file with --ledger, or a folder with --home.",
    });
  if (stats.size === 0) throw ledgerError("ledger_unreadable", `${file} is empty (0 bytes): its content was lost.`);
  const header = readHeader(file);
  if (header.subarray(0, 16).toString("latin1") !== "SQLite format 3\0")
    throw ledgerError("ledger_unreadable", `${file} is not a ledger: it does not begin as an SQLite file.`);
  if (stats.size < HEADER_BYTES)
    throw ledgerError("ledger_unreadable", `${file} was cut to ${stats.size} bytes: its content was lost.`);
  const application = header.readInt32BE(68);
  if (application !== APPLICATION_ID) throw foreign(file, application, header);
  const version = header.readInt32BE(60);
  if (version > SCHEMA_VERSION) throw newerLedger(file, version);
  return { hasLog: header.readUInt8(18) === WAL_FORMAT };
}

/** Of every SQLite file, in bytes. */
const HEADER_BYTES = 100;
const WAL_FORMAT = 2;

/** A link that leads nowhere is no place for a new ledger: SQLite would follow it. */
function refuseLooseLink(file: string): void {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw ledgerError("ledger_unreadable", `${file} is a link to ${readlinkSync(file)}, and nothing is there.`, {
    hint: "Put the file back, or lead the link elsewhere; if it is lost, remove the link: then a new ledger begins here.",
  });
}

function readHeader(file: string): Buffer {
  const buffer = Buffer.alloc(65_536);
  const descriptor = openSync(file, "r");
  try {
    const bytes = readSync(descriptor, buffer, 0, buffer.length, 0);
    return buffer.subarray(0, Math.max(bytes, HEADER_BYTES));
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
