// The guard file beside the ledger: a small rollback-mode database in which every open holds a shared read
// transaction for its life. Who wants the ledger alone (migrate, repair, restore) takes it exclusively; the
// kernel frees it when a holder dies. It also remembers which file was open last, to notice a swapped one.
import { closeSync, openSync, statSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";
import { loadDriver } from "./driver.ts";
import { ledgerError, sqliteCode } from "./errors.ts";
import { patiently } from "./patience.ts";
import { sidecarPath } from "./sidecar-path.ts";

export interface Sidecar {
  readonly findings: readonly string[];
  /** After the findings were acted upon: only now are they forgotten, so that a crash before it finds them again. */
  acknowledge(generation: number): void;
  /** `high`: how far the ledger has come; a file that has come less far at the next start is an older one. */
  close(high?: number): void;
}

interface Seen {
  readonly ledger_id: string;
  readonly generation: number;
  readonly dev: string;
  readonly ino: string;
  /** Sum of the row numbers ever given: it only grows. */
  readonly high: number;
}

interface SidecarOptions {
  readonly file: string;
  readonly ledgerId: string;
  readonly generation: number;
  readonly high: number;
  readonly now: (() => number) | undefined;
}

export function openSidecar(options: SidecarOptions): Sidecar {
  createPrivately(sidecarPath(options.file));
  const db = connect(options.file);
  try {
    const findings = compare(db, options);
    if (findings.length === 0) record(db, options);
    patiently(() => holdShared(db), SHARED_PATIENCE_MS);
    let current = options;
    return {
      findings,
      acknowledge: (generation) => {
        current = { ...current, generation };
        acknowledge(db, current);
      },
      close: (high) => {
        if (high !== undefined) recordAtClose(db, { ...current, high });
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw guardError(error, options.file);
  }
}

/** How the ledger is held now, by anybody: as every open does, or alone. A guard that is missing or damaged holds nobody. */
export function holdOf(file: string): "none" | "shared" | "exclusive" {
  if (!statSync(sidecarPath(file), { throwIfNoEntry: false })?.isFile()) return "none";
  const db = connect(file);
  let hold: "exclusive" | "shared" = "exclusive";
  try {
    db.prepare("select count(*) from sqlite_schema").get();
    hold = "shared";
    db.exec("begin exclusive");
    return "none";
  } catch (error) {
    return sqliteCode(error).startsWith("SQLITE_BUSY") ? hold : "none";
  } finally {
    db.close();
  }
}

function connect(file: string): BetterSqlite3.Database {
  const Database = loadDriver();
  try {
    return new Database(sidecarPath(file), { timeout: 0 });
  } catch (error) {
    throw guardError(error, file);
  }
}

/** Other openers write their record here for some ms; only repair and restore hold it longer. */
const SHARED_PATIENCE_MS = 3_000;

function guardError(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code.startsWith("SQLITE_BUSY"))
    return ledgerError("ledger_busy", `Another process repairs, restores or migrates ${file} right now.`, {
      cause: error,
    });
  if (code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY"))
    return ledgerError("ledger_read_only", `${sidecarPath(file)}, which guards the ledger, cannot be written.`, {
      hint: "It must be a file that is yours and writable, or not there: it holds nothing that cannot be made again.",
      cause: error,
    });
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT"))
    return ledgerError("ledger_unreadable", `${sidecarPath(file)} is damaged. The ledger itself was not touched.`, {
      hint: "Quit every stele that has it open and remove that one file: it holds nothing that cannot be made again.",
      cause: error,
    });
  return error;
}

function createPrivately(guard: string): void {
  try {
    closeSync(openSync(guard, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function seenNow(options: SidecarOptions): Seen {
  const stats = statSync(options.file, { throwIfNoEntry: false });
  return {
    ledger_id: options.ledgerId,
    generation: options.generation,
    dev: String(stats?.dev),
    ino: String(stats?.ino),
    high: options.high,
  };
}

function compare(db: BetterSqlite3.Database, options: SidecarOptions): string[] {
  return patiently(() => {
    if (db.prepare("select 1 from sqlite_schema where name = 'last_seen'").get() === undefined) return [];
    const before = db.prepare<[], Seen>("select ledger_id, generation, dev, ino, high from last_seen").get();
    return before ? differences(before, seenNow(options)) : [];
  }, SHARED_PATIENCE_MS);
}

/** Only the first opener can write here; for the others, and on a full disk, the former record stands. */
function record(db: BetterSqlite3.Database, options: SidecarOptions): void {
  const { ledger_id: id, generation, dev, ino, high } = seenNow(options);
  try {
    db.transaction(() => {
      db.exec(
        "create table if not exists last_seen (one integer primary key check (one = 1), ledger_id text not null," +
          " generation integer not null, dev text not null, ino text not null, high integer not null," +
          " at integer not null) strict",
      );
      db.prepare(
        "insert into last_seen (one, ledger_id, generation, dev, ino, high, at) values (1, ?, ?, ?, ?, ?, ?)" +
          " on conflict (one) do update set ledger_id = excluded.ledger_id, generation = excluded.generation," +
          " dev = excluded.dev, ino = excluded.ino, high = excluded.high, at = excluded.at",
      ).run(id, generation, dev, ino, high, (options.now ?? Date.now)());
    }).immediate();
  } catch (error) {
    const code = sqliteCode(error);
    if (!code.startsWith("SQLITE_BUSY") && code !== "SQLITE_FULL") throw error;
  }
}

/** While others have the ledger open the last of them records; a process that is killed records nothing. */
function recordAtClose(db: BetterSqlite3.Database, options: SidecarOptions): void {
  db.exec("rollback");
  try {
    if (compare(db, options).length === 0) record(db, options);
  } catch (error) {
    // Somebody repairs right now, or the disk fails: the record of the open stands.
    if (!sqliteCode(error)) throw error;
  }
}

function acknowledge(db: BetterSqlite3.Database, options: SidecarOptions): void {
  db.exec("rollback"); // the shared hold, for a moment: its own lock would stand in the way of the record
  record(db, options);
  patiently(() => holdShared(db), SHARED_PATIENCE_MS);
}

function differences(before: Seen, now: Seen): string[] {
  if (before.ledger_id !== now.ledger_id) return ["another ledger lies here than at the last start"];
  const findings: string[] = [];
  if (before.high > now.high) findings.push("the file is older than at the last start: later work is not in it");
  if (before.generation > now.generation) findings.push("the file is an older generation than at the last start");
  if (before.ino !== now.ino || before.dev !== now.dev)
    findings.push("the file was replaced or copied since the last start");
  return findings;
}

function holdShared(db: BetterSqlite3.Database): void {
  if (!db.inTransaction) db.exec("begin");
  db.prepare("select count(*) from sqlite_schema").get();
}
