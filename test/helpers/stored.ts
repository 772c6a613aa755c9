// The ledger of a workplace, read by this process once the program has ended: what a command of the program would tell
// of it, without the start of one.
import path from "node:path";
import { SessionDB } from "../../src/ledger/session-db.ts";
import type { Workplace } from "./stele.ts";

export function inLedger<T>({ home }: Workplace, read: (db: SessionDB) => T): T {
  const db = new SessionDB({ path: path.join(home, "state.db"), readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Of every invariant that doctor knows. */
export function violations(place: Workplace): readonly unknown[] {
  return inLedger(place, (db) => db.verify({ full: true }));
}
