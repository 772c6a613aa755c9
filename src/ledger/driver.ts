// SQLite, loaded when a file is opened and not with the modules that may open one.
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";

const require = createRequire(import.meta.url);

export function loadDriver(): typeof BetterSqlite3 {
  return require("better-sqlite3") as typeof BetterSqlite3;
}
