// Rows as they are on the disk, read through a second connection of this process that closes after the test.
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { afterEach } from "vitest";

const require = createRequire(import.meta.url);
const Database = require("better-sqlite3") as typeof BetterSqlite3;
const open = new Map<string, BetterSqlite3.Database>();

afterEach(() => {
  for (const db of open.values()) db.close();
  open.clear();
});

export function rowsOf(path: string, sql: string): unknown[] {
  const db = open.get(path) ?? new Database(path, { readonly: true });
  open.set(path, db);
  return db.prepare(sql).all();
}

/** Every table that holds what was said, done or changed, with its number of rows; empty ones are left out. */
export function rowCounts(path: string): { readonly [table: string]: number } {
  const counts = TABLES.map((table) => {
    const [row] = rowsOf(path, `select count(*) as n from ${table}`) as { n: number }[];
    return [table, row?.n ?? 0] as const;
  });
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

const TABLES = [
  "sessions",
  "messages",
  "admissions",
  "tool_calls",
  "file_changes",
  "file_reverts",
  "head_moves",
  "blobs",
  "blob_refs",
  "drafts",
  "deliveries",
  "model_requests",
] as const;
