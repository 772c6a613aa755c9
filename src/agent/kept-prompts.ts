// Nobody else is asked in place of a model that cannot be: what was typed waits for a key or for another choice.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Admission, AdmissionId, Session } from "../ledger/types.ts";
import type { ModelRegistry } from "./models/registry.ts";

export interface Kept {
  readonly admissions: readonly AdmissionId[];
  /** What is missing, and what to do about it. */
  readonly why: string;
}

/** Kinds of turns that a model answers. */
const ASKS: ReadonlySet<Admission["kind"]> = new Set(["prompt", "retry", "loop", "steer"]);

/** Holds those of `isOwn` whose model cannot be opened now; undefined where there is none. */
export async function keepUnanswerable(
  { db, models, session }: { readonly db: AsyncSessionDB; readonly models: ModelRegistry; readonly session: Session },
  isOwn: (admission: Admission) => boolean,
): Promise<Kept | undefined> {
  const admissions: AdmissionId[] = [];
  let why = "";
  for (const each of await db.openAdmissions(session.conversation)) {
    if (!isOwn(each) || !ASKS.has(each.kind)) continue;
    const opened = models.open(each.payload.route ?? session.route);
    if (opened.ok) continue;
    await db.hold(each.id, opened.problem);
    admissions.push(each.id);
    why = `${opened.problem}. ${opened.hint}`;
  }
  return admissions.length === 0 ? undefined : { admissions, why };
}
