// Lists of what a path shows: windows of turns and of changed files, and turns found by words.
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { MessageId, Session } from "../../../src/ledger/types.ts";
import { changeFiles, edit, image } from "../../helpers/file-changes.ts";
import {
  MEMORY,
  newSession,
  openLedger,
  requestId,
  runTurn,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";

/** All windows of a size, one after the other. */
function allTurns(db: SessionDB, session: Session, limit: number) {
  const sizes: number[] = [];
  const turns = [];
  for (let from: MessageId | undefined, more = true; more; more = from !== undefined) {
    const window = db.turns(session.id, { limit, ...(from !== undefined && { from }) });
    sizes.push(window.turns.length);
    turns.push(...window.turns);
    from = window.next;
  }
  return { sizes, turns };
}

describe("the turns of a path", () => {
  it("come newest first, in windows that neither leave one out nor say one twice, at any size", () => {
    const db = openLedger();
    const session = newSession(db);
    expect(db.turns(session.id, { limit: 3 })).toEqual({ turns: [] });
    for (let turn = 1; turn <= 7; turn += 1) runTurn(db, session, `prompt ${turn}`);
    for (const limit of [1, 2, 3, 7, 8]) {
      const { sizes, turns } = allTurns(db, session, limit);
      expect(turns.map(({ turn, beginning }) => [turn, beginning])).toEqual(
        [7, 6, 5, 4, 3, 2, 1].map((turn) => [turn, `prompt ${turn}`]),
      );
      expect(Math.max(...sizes)).toBe(Math.min(limit, 7));
    }
  });

  it("say what became of each, and where it begins and ends", () => {
    const db = openLedger();
    const session = newSession(db);
    const answer = runTurn(db, session, "plain");
    changeFiles(db, session, [edit("/a", "1", "2"), edit("/b", "1", "2")]);
    const stopped = startTurn(db, session, "stopped");
    db.settle(stopped.turn, { outcome: "interrupted", at: Date.now() });
    db.releaseLease(stopped.lease);
    const running = startTurn(db, session, "running");
    const { turns } = db.turns(session.id, { limit: 10 });
    expect(turns.map(({ state, calls, files }) => ({ state, calls, files }))).toEqual([
      { state: "running", calls: 0, files: 0 },
      { state: "interrupted", calls: 0, files: 0 },
      { state: "interrupted", calls: 1, files: 2 },
      { state: "completed", calls: 0, files: 0 },
    ]);
    expect(turns.at(-1)).toMatchObject({ last: answer.id, first: answer.parent });
    expect(turns[0]).toMatchObject({ last: running.message.id, first: running.message.id });
  });

  it("are found by every word of the prompt or by the number, in any case, on this path alone", () => {
    const db = openLedger();
    const session = newSession(db);
    for (const text of ["Öffne die Tür", "öffne das Fenster", "close it"]) runTurn(db, session, text);
    const found = (words: string) => db.findTurns(session.id, { words, limit: 5 }).map(({ turn }) => turn);
    expect(found("ÖFFNE")).toEqual([2, 1]);
    expect(found("tür öffne")).toEqual([1]);
    expect(found("3")).toEqual([3]);
    expect(found("window")).toEqual([]);
    expect(db.findTurns(session.id, { words: "öffne", limit: 1 }).map(({ turn }) => turn)).toEqual([2]);
    db.undo(session.id, 2);
    expect(found("öffne")).toEqual([1]);
  });
});

describe("the changes on a path", () => {
  it("come newest first by whole turns, also beyond a long stretch without any", () => {
    const db = openLedger({ path: path.join(temporaryFolder(MEMORY), "state.db") });
    const session = newSession(db);
    changeFiles(db, session, [edit("/old", "1", "2"), edit("/older", "1", "2")]);
    for (let turn = 0; turn < 230; turn += 1) runTurn(db, session, "talk");
    changeFiles(db, session, [edit("/new", "1", "2")]);
    const paths = (limit: number) => db.pathChanges(session.id, { limit }).changes.map((change) => change.path);
    expect(paths(1)).toEqual(["/new"]);
    const whole = db.pathChanges(session.id, { limit: 2 });
    expect(whole.changes.map((change) => [change.path, change.turn])).toEqual([
      ["/new", 232],
      ["/older", 1],
      ["/old", 1],
    ]);
    expect(whole.next).toBeUndefined();
    const { next } = db.pathChanges(session.id, { limit: 1 });
    expect(next && db.pathChanges(session.id, { from: next, limit: 1 }).changes).toHaveLength(2);
  });

  it("name the newest revert of files alone that was done", () => {
    const db = openLedger();
    const session = newSession(db);
    const { changes } = changeFiles(db, session, [edit("/a", "1", "2")]);
    const id = changes[0]?.id;
    if (id === undefined) throw new Error("nothing was changed");
    const revert = () => db.pathChanges(session.id, { limit: 1 }).changes[0]?.revert;
    expect(revert()).toBeUndefined();
    for (const [direction, now, target] of [["undo", "2", "1"] as const, ["redo", "1", "2"] as const]) {
      const reverts = [{ change: id, direction, now: image(now), target: image(target) }];
      db.planReverts(session.id, { request: requestId(), reverts });
      const before = revert()?.direction;
      expect(before).not.toBe(direction);
      for (const planned of db.plannedReverts()) db.markRevert(planned.id, "done");
      expect(revert()).toMatchObject({ direction });
    }
  });
});
