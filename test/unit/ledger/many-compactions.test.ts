// A conversation that was compacted again and again: whatever name it is asked for by, it is one conversation, nothing
// of it is lost or shown twice, and no step of opening it costs more than after the first compaction.
import path from "node:path";
import { expect, it } from "vitest";
import { projectForModel } from "../../../src/ledger/projection.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { MessageId, Session, SessionId } from "../../../src/ledger/types.ts";
import { compactNow } from "../../helpers/compaction.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { MEMORY, newSession, openLedger, runTurn, temporaryFolder } from "../../helpers/ledger.ts";

/** A fifth of them shows the same. */
const COMPACTIONS = fullNumber(1_000, 200);
const TITLE = "the long one";
const ALL = { limit: 1_000_000 };

interface Long {
  readonly db: SessionDB;
  readonly session: Session;
  /** Of every generation, oldest first. */
  readonly ids: readonly SessionId[];
  /** Everything that was stored, in its order. */
  readonly written: readonly MessageId[];
}

/** A turn, a compaction that keeps it, and so on; now and then one that folds everything, or is taken back. */
function longConversation(): Long {
  const db = openLedger({ path: path.join(temporaryFolder(MEMORY), "state.db") });
  const session = newSession(db, { title: TITLE });
  const ids = [session.id];
  const written: MessageId[] = [];
  for (let n = 0; n < COMPACTIONS; n += 1) {
    const { parent, id } = runTurn(db, session, `ask ${n}`, `answer ${n}`);
    if (parent === undefined) throw new Error("an answer without its prompt");
    const text = `what was said before ${n}`;
    const { session: child, message } = compactNow(db, session, { text, ...(n % 3 > 0 && { keptFrom: parent }) });
    ids.push(child.id);
    written.push(parent, id);
    if (n % 7 === 3) expect(db.undo(session.id, 1)).toMatchObject({ kind: "moved", turns: 0 });
    else written.push(message.id);
  }
  return { db, session, ids, written };
}

it("is one conversation after many compactions, under every name it ever had", { timeout: 300_000 }, () => {
  const { db, session, ids, written } = longConversation();
  const now = db.canonical(session.conversation);
  expect(now).toMatchObject({ id: ids.at(-1), generation: COMPACTIONS, title: TITLE, turns: COMPACTIONS });
  for (const name of [...ids, TITLE]) expect(db.resolveSession(name)).toMatchObject({ session: { id: now.id } });
  expect(db.continued("/work/app")?.session.id).toBe(now.id);
  expect(db.listSessions({ all: true }).map((each) => each.session.id)).toEqual([now.id]);

  const shown = db.path(now.id, ALL).messages;
  expect(
    shown.map(({ id }) => id),
    "each message once, in its order",
  ).toEqual(written);
  expect(shown.every(({ live }) => live)).toBe(true);
  for (const id of written) expect(db.message(id)?.id, "also what was folded is there to read").toBe(id);
  expect(db.path(now.id, { limit: 10, from: written[10] as MessageId }).messages.map(({ id }) => id)).toEqual(
    written.slice(1, 11),
  );

  const sent = db.contextPath(session.conversation);
  expect(sent.length).toBeLessThan(12);
  expect(projectForModel(sent)[0]).toMatchObject({ role: "user" });
  expect(db.verify({ full: true })).toEqual([]);

  const branched = db.branch(ids[1] as SessionId, { at: written[2] as MessageId });
  if (branched.kind !== "branched") throw new Error(branched.why);
  const deleted = db.deleteConversation(ids[0] as SessionId);
  expect(deleted).toMatchObject({ kind: "deleted", sessions: ids });
  let steps = 1;
  while (!db.purgeStep()) steps += 1;
  expect(steps, "many small sessions are taken in one step").toBeLessThan(2 + written.length / 100);
  expect(db.path(branched.session.id, ALL).messages.map(({ id }) => id)).toEqual(written.slice(0, 3));
  expect(db.resolveSession(ids[1] as SessionId)).toMatchObject({ kind: "none" });
  expect(db.deleteConversation(branched.session.id)).toMatchObject({ kind: "deleted" });
  while (!db.purgeStep());
  expect(db.stats().counts).toMatchObject({ sessions: 0, messages: 0, admissions: 0 });
});
