// The filters of the list: every combination gives what the same question asked of each session in turn would, and walks an
// index in its own order.
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { SessionListing } from "../../../src/ledger/find-sessions.ts";
import { SCHEMA } from "../../../src/ledger/schema.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import { listSql, type SessionFilter } from "../../../src/ledger/session-list.ts";
import { MEMORY, newSession, openLedger, runTurn, startTurn, temporaryFolder } from "../../helpers/ledger.ts";

const require = createRequire(import.meta.url);
const Database = require("better-sqlite3") as typeof BetterSqlite3;

/** Ahead of this clock, which is what a turn's messages have. */
const START = Date.now() + 60_000;
const STEP = 1_000;

/** Sessions with every flag, folder, model and state, a second apart: the turns that run hold their leases. */
function manySessions(): SessionDB {
  const clock = { now: START };
  const db = openLedger({ path: `${temporaryFolder(MEMORY)}/state.db`, now: () => clock.now });
  for (let at = 0; at < 48; at += 1) {
    clock.now = START + at * STEP;
    const session = newSession(db, { cwd: at % 3 === 0 ? "/a" : "/b" });
    if (at % 4 === 1) db.setModel(session.id, { provider: "p", model: "m" }, { text: "other", at: clock.now });
    if (at % 8 !== 7) runTurn(db, session, `prompt ${at} ${at % 5 === 0 ? "parser" : "clock"}`);
    const last = at % 8 < 3 ? startTurn(db, session, "once more") : undefined;
    if (last && at % 8 === 1) db.markUnknown(last.turn);
    if (last && at % 8 === 2) db.settle(last.turn, { outcome: "interrupted", at: clock.now });
    db.setFlags(session.id, { pinned: at % 6 === 2, archived: at % 7 === 3, hidden: at % 5 === 4 });
  }
  return db;
}

const FILTERS: readonly SessionFilter[] = [
  {},
  { folder: "/a" },
  { pinned: true },
  { archived: true },
  { hidden: true },
  { state: "idle" },
  { state: "running" },
  { state: "interrupted" },
  { state: "unknown" },
  { since: START + 20 * STEP },
  { until: START + 20 * STEP },
  { model: "m" },
  { model: "p/m" },
  { words: "parser" },
];

const EVERYTHING = { all: true, limit: 1000 };

function fits({ session, state, firstPrompt = "" }: SessionListing, filter: SessionFilter): boolean {
  const { folder, pinned, archived, hidden, since = 0, until = Number.POSITIVE_INFINITY, model, words = "" } = filter;
  const names = [session.route.model, `${session.route.provider}/${session.route.model}`];
  return [
    folder === undefined || session.cwd === folder,
    !pinned || session.pinned,
    archived ? session.archived : filter.all || !session.archived,
    hidden ? session.hidden : filter.all || !session.hidden,
    filter.state === undefined || state === filter.state,
    session.lastActivityAt >= since && session.lastActivityAt < until,
    model === undefined || names.includes(model),
    `${session.title} ${firstPrompt}`.includes(words),
    filter.all || session.messages > 0,
  ].every((each) => each === true || each === undefined);
}

describe("a list with", () => {
  it("any two filters holds what fits both: pinned ones first where nothing was put away, then the newest", () => {
    const db = manySessions();
    const all = db.listSessions(EVERYTHING);
    const newest = [...all].sort((a, b) => b.session.lastActivityAt - a.session.lastActivityAt);
    expect(new Set(all.map(({ state }) => state))).toEqual(new Set(["idle", "running", "interrupted", "unknown"]));
    for (const one of FILTERS)
      for (const other of FILTERS) {
        const filter = { ...one, ...other, ...(one.pinned && { all: true }), limit: 9 };
        const ordered = filter.archived || filter.hidden ? newest : all;
        const fitting = ordered.filter((each) => fits(each, filter)).map(({ session }) => session.title);
        const listed = db.listSessions(filter).map(({ session }) => session.title);
        expect([JSON.stringify(filter), listed]).toEqual([JSON.stringify(filter), fitting.slice(0, 9)]);
      }
    const byActivity = db.listSessions({ ...EVERYTHING, byActivity: true }).map(({ session }) => session.id);
    expect(byActivity).toEqual(newest.map(({ session }) => session.id));
    const order = all.map(({ session }) => [session.pinned ? 0 : 1, -session.lastActivityAt] as const);
    expect(order).toEqual([...order].sort(([a, b], [c, d]) => a - c || b - d));
  });

  it.each(FILTERS)("%j walks an index in its order, or the few that are open", (filter) => {
    const db = new Database(":memory:");
    db.exec(SCHEMA);
    const sql = listSql(filter);
    const names = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name = ""]) => [name, null]));
    const plan = db.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(names);
    db.close();
    const walks = plan.map(({ detail }) => detail).filter((detail) => /^(?:SCAN|SEARCH) s\b/.test(detail));
    const isOpen = filter.state === "running" || filter.state === "unknown";
    const index = isOpen ? /sqlite_autoindex_sessions_/ : /USING INDEX sessions_(?:pinned|archived|hidden|by_\w+)/;
    const others = walks.filter((detail) => !detail.endsWith("USING PRIMARY KEY (id=?)"));
    expect(others.length).toBeGreaterThan(0);
    for (const walk of others) expect(walk).toMatch(index);
  });
});
