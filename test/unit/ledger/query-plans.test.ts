// Flat cost: no statement of a turn reads a table that grows with history from end to end. SQLite says so itself.
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../../src/ledger/schema.ts";
import { prepareQueries } from "../../../src/ledger/transaction.ts";

const require = createRequire(import.meta.url);
const Database = require("better-sqlite3") as typeof BetterSqlite3;

/** Tables with a row for every message, prompt, call or request there ever was. */
const GROWING = [
  "messages",
  "admissions",
  "tool_calls",
  "model_requests",
  "blobs",
  "blob_refs",
  "head_moves",
  "file_changes",
  "file_reverts",
  "sessions",
  "turn_leases",
  "deliveries",
  "model_usage",
];

/** What may read a whole table, and why: each stands outside of a turn. */
const ALLOWED: { readonly [statement: string]: string } = {
  "admissions.count": "counts, for doctor and the first screen: the smallest index is counted",
  "sessions.count": "counts, for doctor and the first screen",
  "sessions.names": "suggestions for a name that was not found: at most 500, by index",
  "leases.held": "one row a conversation: recovery and doctor",
  "admissions.prompts": "what was typed before, for the composer: backwards by key, ends at its limit",
  "drafts.undelivered": "once a start: the newest 200 turns, backwards by key, ends at its limit",
  "drafts.unsent": "once a start: unsent texts, one a window that left one, never messages; ends at its limit",
  "usage.all.model": "asked for by a person: totals, one row a session, model and day, never messages",
  "usage.all.day": "the same",
  "usage.all.session": "the same",
  "admissions.allOpen": "open ones only, from the index that holds nothing else",
};

interface Found {
  readonly name: string;
  readonly sql: string;
  readonly scans: readonly string[];
}

function plans(): Found[] {
  const db = new Database(":memory:");
  db.exec(SCHEMA);
  const found: Found[] = [];
  const visit = (value: unknown, name: string): void => {
    const source = (value as { source?: unknown } | null)?.source;
    if (typeof source === "string") found.push({ name, sql: source, scans: scansOf(db, source) });
    else if (value !== null && typeof value === "object")
      for (const [key, each] of Object.entries(value)) visit(each, name === "" ? key : `${name}.${key}`);
  };
  visit(prepareQueries(db), "");
  db.close();
  return found;
}

/** Growing tables that the plan goes through without a key. A scan of a CTE or of a subquery is none. */
function scansOf(db: BetterSqlite3.Database, sql: string): string[] {
  // Unbound parameters are null in a plan, which changes nothing about the way it takes.
  const lines = db.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...placeholders(sql));
  const aliases = aliasesOf(sql);
  return lines.flatMap(({ detail }) => {
    const [, name = ""] = /^SCAN (\w+)/.exec(detail) ?? [];
    const table = aliases.get(name) ?? name;
    return GROWING.includes(table) ? [detail] : [];
  });
}

function aliasesOf(sql: string): Map<string, string> {
  const named = [...sql.matchAll(/\b(?:from|join)\s+(\w+)\s+(?!where|join|left|on|order|set|limit|group)(\w+)/g)];
  return new Map(named.map(([, table = "", alias = ""]) => [alias, table]));
}

function placeholders(sql: string): unknown[] {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name = ""]) => name);
  if (names.length > 0) return [Object.fromEntries(names.map((name) => [name, null]))];
  return Array.from({ length: sql.split("?").length - 1 }, () => null);
}

describe("the plan of", () => {
  const found = plans();

  it("every statement is looked at", () => {
    expect(found.length).toBeGreaterThan(80);
    expect(found.map((each) => each.name)).toEqual(
      expect.arrayContaining(["messages.walk", "admissions.openOf", "purge.ofCallsAt.0"]),
    );
  });

  it("no statement of a turn, a resume or a head move scans what grows", () => {
    const scanning = found.filter((each) => each.scans.length > 0 && !(each.name in ALLOWED));
    expect(scanning.map(({ name, scans }) => ({ name, scans }))).toEqual([]);
  });

  it("every exception is still one", () => {
    const scanning = new Set(found.filter((each) => each.scans.length > 0).map((each) => each.name));
    expect(Object.keys(ALLOWED).filter((name) => !scanning.has(name))).toEqual([]);
  });
});
