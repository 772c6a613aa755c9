// What -c goes on with: this terminal's own conversation where it is of the folder, else the folder's newest, and never one
// from before the folder's newest /new.
import { describe, expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { MEMORY, openLedger, ROUTE, runTurn, temporaryFolder } from "../../helpers/ledger.ts";

const DAY = 86_400_000;

interface Scene {
  readonly db: SessionDB;
  /** Days from the beginning, ahead of this clock. */
  readonly day: (days: number) => void;
  /** With a turn in it. */
  readonly used: (cwd?: string) => Session;
  readonly opened: (cwd?: string) => Session;
  /** The id, and that of the newest where another one was taken. */
  readonly next: (terminal?: string, folder?: string) => readonly (string | undefined)[];
}

function scene(): Scene {
  const start = Date.now() + DAY;
  const clock = { now: start };
  const db = openLedger({ path: `${temporaryFolder(MEMORY)}/state.db`, now: () => clock.now });
  const create = (cwd: string, openedByNew: boolean) =>
    db.createSession({ cwd, route: ROUTE, source: "test", openedByNew });
  return {
    db,
    day: (days) => {
      clock.now = start + days * DAY;
    },
    used: (cwd = "/a") => {
      const session = create(cwd, false);
      runTurn(db, session);
      return session;
    },
    opened: (cwd = "/a") => create(cwd, true),
    next: (terminal, folder = "/a") => {
      const found = db.continued(folder, terminal);
      return found ? [found.session.id, ...(found.insteadOf ? [found.insteadOf.id] : [])] : [];
    },
  };
}

describe("-c goes on with", () => {
  it("the newest of the folder in a terminal that is not known, and never an empty one", () => {
    const { db, day, used, next } = scene();
    used();
    day(1);
    const newest = used();
    used("/b");
    db.createSession({ cwd: "/a", route: ROUTE, source: "test" });
    expect(next()).toEqual([newest.id]);
    expect(next("other")).toEqual([newest.id]);
    expect(next("other", "/c")).toEqual([]);
  });

  it("this terminal's own, in its folder, and names the newest where that is another one", () => {
    const { db, day, used, next } = scene();
    const own = used();
    db.rememberTerminal("one", own.conversation);
    expect(next("one")).toEqual([own.id]);
    day(1);
    const newest = used();
    const there = used("/b");
    expect(next("one")).toEqual([own.id, newest.id]);
    expect(next("one", "/b")).toEqual([there.id]);
    db.rememberTerminal("one", newest.conversation);
    expect(next("one")).toEqual([newest.id]);
  });

  it("its own for 30 days, and remembers no terminal for longer", () => {
    const { db, day, used, next } = scene();
    const own = used();
    db.rememberTerminal("one", own.conversation);
    day(1);
    const newest = used();
    day(29.9);
    expect(next("one")).toEqual([own.id, newest.id]);
    day(30);
    expect(next("one")).toEqual([newest.id]);
    db.rememberTerminal("two", newest.conversation);
    day(10); // a clock that was set back finds nothing that was dropped
    expect(next("one")).toEqual([newest.id]);
  });

  it.each([
    ["deleted", (db: SessionDB, { id }: Session) => db.deleteConversation(id)],
    ["archived", (db: SessionDB, { id }: Session) => db.setFlags(id, { archived: true })],
    ["hidden", (db: SessionDB, { id }: Session) => db.setFlags(id, { hidden: true })],
  ])("another one than this terminal's, once that was %s", (_, change) => {
    const { db, day, used, next } = scene();
    const own = used();
    db.rememberTerminal("one", own.conversation);
    day(1);
    const newest = used();
    change(db, own);
    expect(next("one")).toEqual([newest.id]);
  });

  it("what /new opened, also while it is empty, and with nothing from before it when that was put away", () => {
    const { db, day, used, opened, next } = scene();
    used();
    day(1);
    const fresh = opened();
    db.rememberTerminal("one", fresh.conversation);
    expect([next(), next("one")]).toEqual([[fresh.id], [fresh.id]]);
    db.setFlags(fresh.id, { archived: true });
    expect([next(), next("one")]).toEqual([[], []]);
    day(2);
    const later = used();
    expect([next(), next("one")]).toEqual([[later.id], [later.id]]);
  });
});
