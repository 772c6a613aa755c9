// The ledger as the program sees it: every verb a promise, what goes in and comes out copied, errors as they come out of a
// thread. The thread itself is left to its own tests and to those of the program; a start of it for each test would take
// as long as the test. Everything is verified, closed and removed after each test.
import path from "node:path";
import { afterEach, expect } from "vitest";
import { type AsyncSessionDB, type Verb } from "../../src/ledger/async-session-db.ts";
import { plainError, reviveError } from "../../src/ledger/errors.ts";
import { SessionDB } from "../../src/ledger/session-db.ts";
import { temporaryFolder } from "./ledger.ts";

const open = new Set<AsyncSessionDB>();

afterEach(async () => {
  const ledgers = [...open];
  open.clear();
  for (const db of ledgers) {
    const violations = await db.verify({ full: true });
    await db.close();
    expect(violations).toEqual([]);
  }
});

/** Verified in full and closed after the test. Without a file: a new ledger of its own. */
export function openAsyncLedger(file = path.join(temporaryFolder(), "state.db")): Promise<AsyncSessionDB> {
  const db = inThisThread(new SessionDB({ path: file, program: "stele test" }));
  open.add(db);
  return Promise.resolve(db);
}

/** Answers in the order of the questions, none of them at once. */
function inThisThread(db: SessionDB): AsyncSessionDB {
  const info = Promise.resolve(structuredClone(db.info()));
  const ask = async (verb: Verb, args: readonly unknown[]): Promise<unknown> => {
    const sent = structuredClone(args);
    await nextTurn();
    const method = db[verb] as (...args: readonly unknown[]) => unknown;
    try {
      return structuredClone(method.apply(db, [...sent]));
    } catch (error) {
      throw reviveError(structuredClone(plainError(error)));
    }
  };
  return new Proxy({} as AsyncSessionDB, {
    get: (_, name) => {
      if (name === "opened") return info;
      return name in db ? (...args: readonly unknown[]) => ask(name as Verb, args) : undefined;
    },
  });
}

/** Also where a test sets the clock. */
const immediately = setImmediate;
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    immediately(resolve);
  });
}
