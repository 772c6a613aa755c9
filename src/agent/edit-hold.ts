// A waiting prompt whose text somebody changes: held by the program that does, so that it never runs as it was. What a
// kill leaves of that says so.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { EDIT_LEFT, EDITED } from "../ledger/queue.ts";
import type { Admission, AdmissionId } from "../ledger/types.ts";

export function holdForEdit(db: Pick<AsyncSessionDB, "hold">, id: AdmissionId): Promise<void> {
  return db.hold(id, EDITED, { takes: true });
}

export function wasBeingEdited({ held }: Admission): boolean {
  return held === EDIT_LEFT;
}
