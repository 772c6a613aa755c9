// Makes a ledger file. Promise: it is either absent or complete, already in WAL mode. It is built under another name and
// linked into place, so that a crash or a full disk never makes a stub and racing creators never fight.
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { loadDriver } from "./driver.ts";
import { statOf } from "./file-header.ts";
import { newSessionId, sha256 } from "./ids.ts";
import { APPLICATION_ID, FTS_STORAGE_VERSION, SCHEMA, SCHEMA_VERSION } from "./schema.ts";

export function createFile(file: string, now: () => number): void {
  removeAbandoned(file, Date.now()); // compared with the file system's own times, whatever `now` says
  const temporary = `${file}.new-${process.pid}-${sha256(newSessionId(now())).slice(0, 8)}`;
  closeSync(openSync(temporary, "wx", 0o600));
  try {
    buildFile(temporary, now());
    linkSync(temporary, file); // refuses to replace: who links first wins, the other opens that one
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    for (const end of BUILD_ENDS) rmSync(`${temporary}${end}`, { force: true });
  }
  syncFolder(path.dirname(file));
}

function buildFile(temporary: string, at: number): void {
  const Database = loadDriver();
  const db = new Database(temporary);
  try {
    // Nobody opens a file that is not whole, so there is nothing to roll back; and a log would first be copied into it at
    // the close, which says nothing of a disk that is full.
    db.pragma("journal_mode = memory");
    db.pragma("synchronous = full");
    db.transaction(() => {
      db.exec(SCHEMA);
      const put = db.prepare("insert into state_meta (key, value) values (?, ?)");
      put.run("ledger_id", sha256(`${temporary}\n${at}\n${newSessionId(at)}`).slice(0, 32));
      put.run("ledger_generation", "0");
      put.run("fts_storage_version", String(FTS_STORAGE_VERSION));
      put.run("fts_watermark", "0");
      put.run("created_at", String(at));
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    })();
    db.pragma("journal_mode = wal");
  } finally {
    db.close();
  }
}

/** Files of creations that were killed: an hour old and still not linked. */
function removeAbandoned(file: string, at: number): void {
  for (const each of unfinished(file))
    if (at - (statOf(each)?.mtimeMs ?? at) > 3_600_000) rmSync(each, { force: true });
}

/** A creation that was killed after its link: the name it was built under is one more of the ledger itself. */
export function removeBuildName(file: string): void {
  const ledger = statOf(file);
  for (const each of unfinished(file)) {
    const built = statOf(each);
    if (built && built.ino === ledger?.ino && built.dev === ledger.dev) rmSync(each, { force: true });
  }
}

/** Of the file that is built, and of those that SQLite lays beside it. */
const BUILD_ENDS = ["", "-journal", "-wal", "-shm"] as const;

/** What creations here are built under: a person may well call a copy `state.db.new-good`. */
const BUILD_NAME = new RegExp(`^\\.new-\\d+-[0-9a-f]{8}(?:${BUILD_ENDS.join("|")})$`);

function unfinished(file: string): string[] {
  const [folder, base] = [path.dirname(file), path.basename(file)];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(base) && BUILD_NAME.test(entry.name.slice(base.length)))
    .map((entry) => path.join(folder, entry.name));
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
