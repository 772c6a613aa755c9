// The ledger as the program uses it, with its worker threads, made of the sources as they are; everything is
// verified, closed and removed after each test.
import path from "node:path";
import { afterEach, expect, inject } from "vitest";
import { AsyncSessionDB } from "../../src/ledger/async-session-db.ts";
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
export async function openAsyncLedger(file = path.join(temporaryFolder(), "state.db")): Promise<AsyncSessionDB> {
  const db = new AsyncSessionDB({ path: file, program: "stele test", workerFile: inject("ledgerThread") });
  await db.opened;
  open.add(db);
  return db;
}
