// The guard file beside the ledger: a small rollback-mode database in which every open holds a shared read
// transaction for its life. Who wants the ledger alone (migrate, repair, restore) takes it exclusively; the
// kernel frees it when a holder dies. It also remembers which file was open last, to notice a swapped one.
import { closeSync, openSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { ledgerError, sqliteCode } from "./errors.ts";
import { patiently } from "./patience.ts";
import { sidecarPath } from "./sidecar-path.ts";

export interface Sidecar {
  readonly findings: readonly string[];
  close(): void;
}

interface Seen {
  readonly ledger_id: string;
  readonly generation: number;
  readonly dev: string;
  readonly ino: string;
}

const require = createRequire(import.meta.url);

export function openSidecar(options: {
  file: string;
  ledgerId: string;
  generation: number;
  now: (() => number) | undefined;
}): Sidecar {
  const guard = sidecarPath(options.file);
  createPrivately(guard);
  const Database = require("better-sqlite3") as typeof BetterSqlite3;
  const db = new Database(guard, { timeout: 0 });
  try {
    const findings = record(db, options);
    patiently(() => holdShared(db), SHARED_PATIENCE_MS);
    return { findings, close: () => db.close() };
  } catch (error) {
    db.close();
    throw guardError(error, options.file);
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

/** Only the first opener can write here; for the others the first one's record stands. */
function record(db: BetterSqlite3.Database, options: Parameters<typeof openSidecar>[0]): string[] {
  const stats = statSync(options.file, { throwIfNoEntry: false });
  const seen: Seen = {
    ledger_id: options.ledgerId,
    generation: options.generation,
    dev: String(stats?.dev),
    ino: String(stats?.ino),
  };
  try {
    return db
      .transaction(() => {
        db.exec(
          "create table if not exists opened (one integer primary key check (one = 1), ledger_id text not null," +
            " generation integer not null, dev text not null, ino text not null, at integer not null) strict",
        );
        const before = db.prepare<[], Seen>("select ledger_id, generation, dev, ino from opened").get();
        db.prepare(
          "insert into opened (one, ledger_id, generation, dev, ino, at) values (1, ?, ?, ?, ?, ?)" +
            " on conflict (one) do update set ledger_id = excluded.ledger_id, generation = excluded.generation," +
            " dev = excluded.dev, ino = excluded.ino, at = excluded.at",
        ).run(seen.ledger_id, seen.generation, seen.dev, seen.ino, (options.now ?? Date.now)());
        return before ? differences(before, seen) : [];
      })
      .immediate();
  } catch (error) {
    if (!sqliteCode(error).startsWith("SQLITE_BUSY")) throw error;
    return [];
  }
}

function differences(before: Seen, now: Seen): string[] {
  if (before.ledger_id !== now.ledger_id) return ["another ledger lies here than at the last start"];
  const findings: string[] = [];
  if (before.generation > now.generation) findings.push("the file is an older generation than at the last start");
  if (before.ino !== now.ino || before.dev !== now.dev)
    findings.push("the file was replaced or copied since the last start");
  return findings;
}

function holdShared(db: BetterSqlite3.Database): void {
  if (!db.inTransaction) db.exec("begin");
  db.prepare("select count(*) from sqlite_schema").get();
}
