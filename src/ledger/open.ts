// Opening a ledger file: the steps in their order, and which guarantees are confirmed.
// Promises: a refused file keeps every byte; a failed open leaves no descriptor behind.
// Hazard: after the first connection no descriptor of these files may be opened and closed by this process
// (POSIX drops SQLite's locks with it). The header is therefore read before, and only then.
import { accessSync, chmodSync, constants, mkdirSync, realpathSync, statfsSync } from "node:fs";
import path from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { createFile, removeBuildName } from "./create-file.ts";
import { loadDriver } from "./driver.ts";
import { type LedgerError, ledgerError, mapSqliteError, sqliteCode } from "./errors.ts";
import { checkHeader, newerLedger, statOf } from "./file-header.ts";
import { refuseLogOfOtherName, refuseWithoutLog } from "./lost-log.ts";
import { migrate } from "./migrations.ts";
import { patiently } from "./patience.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./schema.ts";
import { openSidecar, type Sidecar } from "./sidecar.ts";
import { sidecarPath } from "./sidecar-path.ts";

export type Database = BetterSqlite3.Database;

/** A log that grew beyond this is cut to it once all of it is in the file. */
export const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

export interface OpenedFile {
  readonly db: Database;
  /** Without links. */
  readonly path: string;
  /** As it was asked for. */
  readonly askedPath: string;
  /** Hard links beside this one. Each name has a log of its own, so what is written by two of them gets lost. */
  readonly otherNames: number;
  readonly sidecar: Sidecar | undefined;
  readonly ledgerId: string;
  readonly generation: number;
  readonly isNew: boolean;
  readonly journal: "wal" | "delete";
  /** Why there is no WAL. */
  readonly journalReason?: string;
  /** What differs from the last time this ledger was open; empty is good. */
  readonly findings: readonly string[];
}

export interface OpenOptions {
  readonly path: string;
  readonly readOnly?: boolean;
  /** A second connection of a process whose first one has checked the header and holds the sidecar. */
  readonly secondary?: boolean;
  readonly now?: () => number;
  /** Called before each step; a test throws here to see that nothing is left behind. */
  readonly onStep?: (step: OpenStep) => void;
}

export const OPEN_STEPS = [
  "folder",
  "header",
  "create",
  "mode",
  "connect",
  "pragmas",
  "version",
  "sidecar",
  "identity",
] as const;
export type OpenStep = (typeof OPEN_STEPS)[number];

/** How long racing openers are waited for (C 12.4). */
const OPEN_PATIENCE_MS = 20_000;
const BUSY_TIMEOUT_MS = 250;
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0x6a656a63, "virtiofs"],
]);

// One image of the addon, from one path, in every thread; not bundled.
export function openFile(options: OpenOptions): OpenedFile {
  const step = options.onStep ?? (() => {});
  const cleanups: (() => void)[] = [];
  try {
    return openSteps(options, step, cleanups);
  } catch (error) {
    for (const cleanup of cleanups.reverse()) cleanup();
    throw mapOpenError(error, options.path);
  }
}

function openSteps(options: OpenOptions, step: (name: OpenStep) => void, cleanups: (() => void)[]): OpenedFile {
  const { readOnly = false, secondary = false } = options;
  const file = withoutLinks(options.path);
  step("folder");
  if (!readOnly && !secondary) prepareFolder(path.dirname(file));
  step("header");
  const header = secondary || isOpenHere(file) ? { hasLog: false } : checkHeader(file);
  const isNew = header === undefined;
  if (isNew) requireNothingLeft(file);
  if (isNew && readOnly) throw ledgerError("not_found", `There is no ledger at ${file}.`);
  step("create");
  if (isNew) createFile(file, options.now ?? Date.now);
  step("mode");
  if (!readOnly && !secondary) tightenMode(file);
  if (!readOnly && !secondary && otherNamesOf(file) > 0) {
    removeBuildName(file);
    refuseLogOfOtherName(file);
  }
  if (!readOnly && header?.hasLog) refuseWithoutLog(file);
  step("connect");
  const db = connect(file, readOnly);
  cleanups.push(() => db.close());
  step("pragmas");
  const journal = patiently(() => configure(db, file, readOnly), OPEN_PATIENCE_MS);
  step("version");
  patiently(() => checkVersion(db, file), OPEN_PATIENCE_MS);
  if (!readOnly) migrate(db, file);
  step("sidecar");
  const generation = Number(patiently(() => meta(db, "ledger_generation"), OPEN_PATIENCE_MS));
  const ledgerId = meta(db, "ledger_id");
  const sidecar =
    readOnly || secondary ? undefined : openSidecar({ file, ledgerId, generation, high: highOf(db), now: options.now });
  if (sidecar) cleanups.push(() => sidecar.close());
  step("identity");
  const findings = sidecar?.findings ?? [];
  openHere.set(db, file);
  const otherNames = otherNamesOf(file);
  const names = { path: file, askedPath: options.path, otherNames };
  return { db, ...names, sidecar, ledgerId, generation, isNew, findings, ...journal };
}

/**
 * Closes the connection and leaves the log alone. Only the last one to close copies the log into the file and removes it:
 * here that is one which may only read, and can do neither.
 */
export function closeAsItIs({ db, path: file }: Pick<OpenedFile, "db" | "path">): void {
  let last: Database | undefined;
  try {
    last = connect(file, true);
    last.pragma("schema_version"); // holds the file from now on, also when it cannot be read
  } catch {
    // A log that was cut: that is why it is left alone.
  }
  db.close();
  last?.close();
}

/** Ledgers this thread has open: their descriptors must not be opened and closed once more. */
const openHere = new Map<Database, string>();

function isOpenHere(file: string): boolean {
  const mine = statOf(file);
  for (const [db, path] of openHere) {
    if (!db.open) openHere.delete(db);
    else if (mine && statOf(path)?.ino === mine.ino && statOf(path)?.dev === mine.dev) return true;
  }
  return false;
}

/** SQLite follows links too: log and guard belong beside the file itself, so that two names of it share them. */
function withoutLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // not there yet, or not to be reached: the steps tell
  }
}

function otherNamesOf(file: string): number {
  return (statOf(file)?.nlink ?? 1) - 1;
}

function prepareFolder(folder: string): void {
  const existing = statOf(folder);
  if (existing && !existing.isDirectory()) throw ledgerError("ledger_read_only", `${folder} is no folder.`);
  if (!existing) makeFolder(folder);
  accessSync(folder, constants.W_OK | constants.X_OK);
}

/** Step by step: `recursive: true` never comes back on some file systems that refuse every folder (/proc). */
function makeFolder(folder: string): void {
  const above = path.dirname(folder);
  if (above !== folder && !statOf(above)) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return; // somebody else was quicker
    if (code === "ENOENT")
      throw ledgerError("ledger_read_only", `${folder} cannot be made: ${message}`, { cause: error });
    throw error;
  }
}

/** A ledger that is gone must not look like one that never was. */
function requireNothingLeft(file: string): void {
  const left = [`${file}-wal`, sidecarPath(file)].find((each) => statOf(each));
  // Asked again: somebody else may have made it just now, with all that belongs to it.
  if (left === undefined || statOf(file)) return;
  throw ledgerError(
    "ledger_unreadable",
    `${file} is gone, but ${path.basename(left)}, which belongs to it, is there.`,
    {
      hint: "Put the file back. If it is lost, `stele doctor --fix` sets the rest aside and begins a new ledger.",
    },
  );
}

/** How far a ledger has come: the sum of the row numbers it ever gave. */
export function highOf(db: Database): number {
  return Number(db.prepare("select coalesce(sum(seq), 0) from sqlite_sequence").pluck().get());
}

/**
 * By path: opening a descriptor of a file in use would drop its locks. SQLite gives -wal and -shm the mode of the file:
 * made while that was read-only, they would stay so when it no longer is.
 */
function tightenMode(file: string): void {
  const isWritable = ((statOf(file)?.mode ?? 0) & 0o200) !== 0;
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    const stats = statOf(each);
    const isStuck =
      isWritable && stats !== undefined && stats.uid === process.getuid?.() && (stats.mode & 0o600) !== 0o600;
    if (stats && ((stats.mode & 0o077) !== 0 || isStuck)) chmodSync(each, 0o600);
  }
}

function connect(file: string, readOnly: boolean): Database {
  const Database = loadDriver();
  return new Database(file, { readonly: readOnly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

/** What holds for every connection; how the journal came to be is told. */
export function configure(
  db: Database,
  file: string,
  readOnly: boolean,
): Pick<OpenedFile, "journal" | "journalReason"> {
  db.pragma("foreign_keys = on");
  // Deleted for good is overwritten. Always: what a draft, a split page or the index gave up before lies there as well.
  db.pragma("secure_delete = on");
  const network = networkFileSystem(file);
  const wanted = network ? "delete" : "wal";
  if (!readOnly && db.pragma("journal_mode", { simple: true }) !== wanted) db.pragma(`journal_mode = ${wanted}`);
  // A reopened WAL file starts at NORMAL, in silence: set it, and believe only what is read back.
  db.pragma("synchronous = full");
  if (db.pragma("synchronous", { simple: true }) !== 2) throw ledgerError("ledger_internal", "synchronous is not FULL");
  if (process.platform === "darwin") {
    db.pragma("fullfsync = on");
    db.pragma("checkpoint_fullfsync = on");
  }
  db.pragma(`journal_size_limit = ${LOG_LIMIT_BYTES}`);
  const journal = db.pragma("journal_mode", { simple: true }) === "wal" ? "wal" : "delete";
  if (journal === "wal") return { journal };
  return { journal, journalReason: network ? `the file is on ${network}` : "this file system refuses shared memory" };
}

/** The pages in the WAL may be newer than the header that was read from the file. */
function checkVersion(db: Database, file: string): void {
  const application = db.pragma("application_id", { simple: true }) as number;
  if (application !== APPLICATION_ID)
    throw ledgerError("ledger_foreign", `${file} is an SQLite database of another program. It was not touched.`);
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version > SCHEMA_VERSION) throw newerLedger(file, version);
}

function meta(db: Database, key: string): string {
  const value = db.prepare("select value from state_meta where key = ?").pluck().get(key);
  if (typeof value !== "string") throw ledgerError("ledger_corrupt", `The ledger lost its ${key}.`);
  return value;
}

function networkFileSystem(file: string): string | undefined {
  try {
    return NETWORK_FILE_SYSTEMS.get(statfsSync(path.dirname(file)).type);
  } catch {
    return undefined; // no statfs on this platform: treated as local
  }
}

function mapOpenError(error: unknown, file: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return ledgerError("ledger_read_only", `${file} cannot be written: ${(error as Error).message}`, { cause: error });
  if (code === "ENOTDIR")
    return ledgerError("ledger_read_only", `The folder of ${file} is no folder.`, { cause: error });
  if (code === "ENOSPC" || code === "SQLITE_FULL")
    return ledgerError("ledger_disk_full", `No space left for ${file}.`, { cause: error });
  if (code === "ELOOP")
    return ledgerError("ledger_unreadable", `${file} is a link that leads back to itself.`, {
      hint: "Give the path of a file with --ledger, or a folder with --home.",
      cause: error,
    });
  if (sqliteCode(error) === "SQLITE_ERROR")
    return ledgerError("ledger_corrupt", `A part of ${file} is missing: ${(error as Error).message}.`, {
      cause: error,
    });
  // The shared memory beside a WAL needs a few blocks too: on a full disk SQLite calls that an I/O error.
  if (sqliteCode(error).startsWith("SQLITE_IOERR") && isDiskFull(file))
    return ledgerError("ledger_disk_full", `No space left for ${file}.`, { cause: error });
  if (!sqliteCode(error)) return isOfFileSystem(error) ? cannotBeOpened(error, file) : error;
  const known = mapSqliteError(error);
  return ledgerError(known.code, `${file}: ${known.message}`, { cause: error });
}

function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/** Whatever the file system says, the path is what a person can do something about. */
function cannotBeOpened(error: NodeJS.ErrnoException, file: string): LedgerError {
  return ledgerError("ledger_read_only", `${file} cannot be opened or made: ${error.message}`, {
    hint: "Mend what stands in the way, or choose another file with --ledger or another folder with --home.",
    cause: error,
  });
}

function isDiskFull(file: string): boolean {
  try {
    return statfsSync(path.dirname(file)).bavail === 0;
  } catch {
    return false; // no statfs on this platform: the error is told as it came
  }
}
