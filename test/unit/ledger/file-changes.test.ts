// What calls did to files, stored before it is done, and the reverts that are planned with a head move.
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { NewChange, PlannedRevert } from "../../../src/ledger/file-changes.ts";
import { sha256 } from "../../../src/ledger/ids.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { FileChangeId, FileRevertId, HeadMoveId, RequestId, Session } from "../../../src/ledger/types.ts";
import {
  changeFiles,
  edit,
  endTurn,
  hashOnly,
  image,
  onlyCall,
  side,
  startCalls,
  textOf,
} from "../../helpers/file-changes.ts";
import {
  acquire,
  forget,
  newSession,
  openLedger,
  ROUTE,
  requestId,
  runTurn,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";
import { rowCounts, rowsOf } from "../../helpers/ledger-rows.ts";

function changesOf(db: SessionDB, session: Session, changes: readonly NewChange[]) {
  return changeFiles(db, session, changes).changes;
}

/** Taken back: what the change left becomes what was before it. */
function backFrom(change: FileChangeId, now: string | undefined, target: string | undefined): PlannedRevert {
  return {
    change,
    direction: "undo",
    ...(now !== undefined && { now: image(now) }),
    ...(target !== undefined && { target: image(target) }),
  };
}

/** As if each file had been written. */
function finish(db: SessionDB, state: "done" | "conflict" = "done"): void {
  for (const { id } of db.plannedReverts()) db.markRevert(id, state);
}

function moved<T extends { readonly kind: string }>(result: T): Extract<T, { kind: "moved" }> {
  if (result.kind !== "moved") throw new Error(`the head is ${result.kind}`);
  return result as Extract<T, { kind: "moved" }>;
}

function only<T>(list: readonly T[]): T {
  const [first, ...others] = list;
  if (first === undefined || others.length > 0) throw new Error(`${list.length} instead of one`);
  return first;
}

describe("a planned change", () => {
  it("is stored with both contents while its call runs, and found by call and by message", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db, { cwd: "/somewhere" }));
    const id = onlyCall(started);
    const change = { path: "/f", before: side("old", 0o600), after: side("new", 0o755) };
    const stored = only(db.planChange(started.turn, id, change));
    expect(stored).toMatchObject({
      call: id,
      callState: "running",
      path: "/f",
      kind: "modified",
      origin: "recorded",
      restorable: true,
      before: { hash: sha256("old"), mode: 0o600 },
      after: { hash: sha256("new"), mode: 0o755 },
    });
    expect(textOf(db.blob(sha256("old"))) + textOf(db.blob(sha256("new")))).toBe("oldnew");
    endTurn(db, started);
    const ended = { ...stored, callState: "succeeded" };
    expect(db.changesOfCall(id)).toEqual([ended]);
    expect(db.changesOf([started.asking.id])).toEqual([ended]);
    expect(db.changesOf([started.message.id])).toEqual([]);
  });

  it("asked again after a lost acknowledgement is the same row, with the same referrers", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const started = startCalls(db, newSession(db));
    const first = db.planChange(started.turn, onlyCall(started), edit("/f", "old", "new"));
    expect(db.planChange(started.turn, onlyCall(started), edit("/f", "old", "new"))).toEqual(first);
    expect(rowCounts(path)).toMatchObject({ file_changes: 1, blobs: 2, blob_refs: 2 });
    endTurn(db, started);
  });

  it.each<[string, NewChange, object]>([
    ["a new file", { path: "/f", after: side("x") }, { kind: "created", restorable: true }],
    ["a new empty file", { path: "/f", after: side("") }, { kind: "created", restorable: true }],
    ["a file that is emptied", edit("/f", "x", ""), { kind: "modified", restorable: true }],
    ["a file that goes", { path: "/f", before: side("x") }, { kind: "deleted", restorable: true }],
    ["a mode alone", { path: "/f", before: side("x", 0o644), after: side("x", 0o755) }, { kind: "modified" }],
    ["a secret file", { path: "/f", before: hashOnly("x"), after: hashOnly("y") }, { restorable: false }],
    ["a file with one content kept", { path: "/f", before: side("x"), after: hashOnly("y") }, { restorable: false }],
    ["bytes that are no text", { path: "/f", after: side(randomBytes(999)) }, { restorable: true }],
  ])("of %s keeps exactly the contents that its reverts need", (_, change, wanted) => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const stored = only(changesOf(db, newSession(db), [change]));
    expect(stored).toMatchObject(wanted);
    for (const given of stored.restorable ? [change.before, change.after] : [])
      if (given) expect(Buffer.from(db.blob(given.hash))).toEqual(Buffer.from(given.bytes ?? []));
    if (!stored.restorable) expect(rowCounts(path)["blobs"]).toBeUndefined();
  });

  it.each<[string, NewChange]>([
    ["a hash that is of another content", { path: "/f", after: { ...side("x"), hash: sha256("y") } }],
    ["no file before and none after", { path: "/f" }],
  ])("with %s is refused, and the others of its batch are not stored either", (_, wrong) => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const started = startCalls(db, newSession(db));
    expect(() => db.suspectChanges(started.turn, onlyCall(started), [edit("/a", "1", "2"), wrong])).toThrow(
      expect.objectContaining({ code: "bad_input" }),
    );
    expect(rowCounts(path)).not.toHaveProperty("file_changes");
    expect(rowCounts(path)).not.toHaveProperty("blobs");
    endTurn(db, started);
  });

  it("is stored whole where it is big, packed or not", () => {
    const db = openLedger();
    const [random, empty] = [randomBytes(3_000_000), new Uint8Array(20_000_000)];
    changesOf(db, newSession(db), [{ path: "/big", before: side(random), after: side(empty) }]);
    expect(sha256(db.blob(sha256(random)))).toBe(sha256(random));
    expect(db.blob(sha256(empty)).length).toBe(empty.length);
    expect(db.stats().bytes + db.stats().walBytes).toBeLessThan(12_000_000);
  });

  it("that was only found by a scan says so, and shares its contents with the others", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const started = startCalls(db, newSession(db), { effect: "external" });
    const found = [edit("/a", "1", "2"), edit("/b", "1", "2")];
    const stored = db.suspectChanges(started.turn, onlyCall(started), found);
    expect(stored.map(({ path, origin }) => [path, origin])).toEqual([
      ["/a", "suspected"],
      ["/b", "suspected"],
    ]);
    expect(db.suspectChanges(started.turn, onlyCall(started), found)).toEqual(stored);
    expect(db.suspectChanges(started.turn, onlyCall(started), [])).toEqual([]);
    expect(rowCounts(path)).toMatchObject({ file_changes: 2, blobs: 2, blob_refs: 4 });
    endTurn(db, started);
  });

  it("belongs to the folder its turn was asked in", () => {
    const db = openLedger();
    const session = newSession(db, { cwd: "/of/the/session" });
    const stored = only(changesOf(db, session, [edit("/f", "1", "2")]));
    expect(stored.cwd).toBe("/work/app");
  });
});

describe("a revert", () => {
  it("is planned in the transaction of its undo, with what is on the disk now", () => {
    const db = openLedger();
    const session = newSession(db);
    const [made, changed] = changesOf(db, session, [
      { path: "/new", after: side("x", 0o755) },
      edit("/f", "old", "new"),
    ]);
    if (!made || !changed) throw new Error("no changes");
    const reverts = [backFrom(made.id, "x", undefined), backFrom(changed.id, "new and touched", "old")];
    const undone = moved(db.undo(session.id, 1, { reverts }));
    expect(undone.reverts).toEqual([
      expect.objectContaining({ change: made.id, path: "/new", state: "planned", expected: sha256("x") }),
      expect.objectContaining({
        change: changed.id,
        expected: sha256("new and touched"),
        target: sha256("old"),
      }),
    ]);
    expect(undone.reverts[0]).not.toHaveProperty("target");
    expect(undone.reverts[0]).not.toHaveProperty("mode");
    expect(db.revertsOf({ move: undone.move })).toEqual(undone.reverts);
    expect(db.plannedReverts()).toEqual(undone.reverts);
    expect(textOf(db.blob(sha256("new and touched")))).toBe("new and touched");
  });

  it("of a change that is not there takes its head move back", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session);
    const before = db.session(session.id);
    expect(() => db.undo(session.id, 1, { reverts: [backFrom(999 as FileChangeId, "a", "b")] })).toThrow(
      expect.objectContaining({ code: "row_missing" }),
    );
    expect(db.session(session.id)).toEqual(before);
    expect(db.redoableMove(session.id)).toBeUndefined();
  });

  it("is not planned by a move that is refused", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const { id } = only(changesOf(db, session, [edit("/f", "1", "2")]));
    const reverts = [backFrom(id, "2", "1")];
    expect(db.undo(session.id, 1, { reverts, expectedRevision: 0 })).toMatchObject({ kind: "conflict" });
    expect(db.redo(session.id, { reverts })).toMatchObject({ kind: "conflict" });
    const { turn } = startTurn(db, session);
    expect(db.undo(session.id, 1, { reverts })).toMatchObject({ kind: "busy" });
    expect(db.planReverts(session.id, { request: requestId(), reverts })).toMatchObject({ kind: "busy" });
    expect(rowCounts(path)).not.toHaveProperty("file_reverts");
    db.settle(turn, { outcome: "failed", at: 1 });
  });

  it("keeps the first word about it", () => {
    const db = openLedger();
    const session = newSession(db);
    const { id } = only(changesOf(db, session, [edit("/f", "1", "2")]));
    const [revert] = moved(db.undo(session.id, 1, { reverts: [backFrom(id, "2", "1")] })).reverts;
    if (!revert) throw new Error("nothing was planned");
    expect(db.markRevert(revert.id, "done")).toEqual({ ...revert, state: "done" });
    expect(db.markRevert(revert.id, "conflict")).toEqual({ ...revert, state: "done" });
    expect(db.plannedReverts()).toEqual([]);
    expect(() => db.markRevert(999 as FileRevertId, "done")).toThrow(expect.objectContaining({ code: "row_missing" }));
  });

  it("can be taken back and brought again by undo, redo and undo, with the mode of its side each time", () => {
    const db = openLedger();
    const session = newSession(db);
    const change = { path: "/f", before: side("old", 0o600), after: side("new", 0o755) };
    const { id } = only(changesOf(db, session, [change]));
    const head = db.session(session.id).head;
    const first = moved(db.undo(session.id, 1, { reverts: [backFrom(id, "new, touched", "old")] }));
    expect(db.redoableMove(session.id)).toEqual({ move: first.move, to: head });
    finish(db);
    const again = {
      change: id,
      direction: "redo",
      now: image("old", 0o600),
      target: image("new, touched", 0o755),
    } as const;
    const second = moved(db.redo(session.id, { reverts: [again] }));
    expect(db.redoableMove(session.id)).toBeUndefined();
    expect(only(second.reverts)).toMatchObject({ direction: "redo", mode: 0o755, target: sha256("new, touched") });
    finish(db, "conflict");
    const third = moved(db.undo(session.id, 1, { reverts: [backFrom(id, "mine", "old")] }));
    expect(only(third.reverts)).toMatchObject({ direction: "undo", mode: 0o644, expected: sha256("mine") });
    expect(db.plannedReverts()).toEqual(third.reverts);
    expect([first, second, third].map(({ move }) => db.revertsOf({ move }).map(({ state }) => state))).toEqual([
      ["done"],
      ["conflict"],
      ["planned"],
    ]);
    for (const text of ["old", "new", "new, touched", "mine"]) expect(textOf(db.blob(sha256(text)))).toBe(text);
  });

  it("is still planned when the program comes back after a crash", () => {
    const path = `${temporaryFolder()}/state.db`;
    const first = openLedger({ path });
    const session = newSession(first);
    const { id } = only(changesOf(first, session, [edit("/f", "1", "2")]));
    const { reverts } = moved(first.undo(session.id, 1, { reverts: [backFrom(id, "2", "1")] }));
    forget(first);
    first.close();
    const db = openLedger({ path });
    expect(db.plannedReverts()).toEqual(reverts);
    finish(db);
    expect(db.plannedReverts()).toEqual([]);
  });

  it.each([
    ["both", image("x", 0o755), image("y", 0o600)],
    ["both and nothing else", image("x", 0o755), image("x", 0o644)],
    ["none of a file that is not there, and the one to give", undefined, image("y", 0o4711)],
    ["the one it has, and none of a file that is to go", image("x", 0o400), undefined],
    ["modes of nothing allowed", image("x", 0), image("y", 0)],
  ])("keeps the modes as they were and as they shall be: %s", (_, now, target) => {
    const path = `${temporaryFolder()}/state.db`;
    const first = openLedger({ path });
    const session = newSession(first);
    const { id } = only(changesOf(first, session, [edit("/f", "1", "2")]));
    const revert = { change: id, direction: "undo", ...(now && { now }), ...(target && { target }) } as const;
    const { reverts } = moved(first.undo(session.id, 1, { reverts: [revert] }));
    forget(first);
    first.close();
    const db = openLedger({ path });
    const stored = only(db.plannedReverts());
    expect(stored).toEqual(only(reverts));
    expect([stored.expectedMode, stored.mode]).toEqual([now?.mode, target?.mode]);
    expect([stored.expected, stored.target]).toEqual([now && sha256(now.bytes), target && sha256(target.bytes)]);
  });

  it("belongs to the conversation whose head was moved, also where a branch shows a call of another one", () => {
    const db = openLedger();
    const session = newSession(db);
    const { id } = only(changesOf(db, session, [edit("/f", "1", "2")]));
    const branched = db.branch(session.id);
    if (branched.kind !== "branched") throw new Error(branched.why);
    const own = moved(db.undo(session.id, 1, { reverts: [backFrom(id, "2", "1")] }));
    const theirs = moved(db.undo(branched.session.id, 1, { reverts: [backFrom(id, "2", "1")] }));
    expect(only(own.reverts).conversation).toBe(session.conversation);
    expect(only(theirs.reverts).conversation).toBe(branched.session.conversation);
    finish(db);
    const request = requestId();
    const wanted = { request, reverts: [backFrom(id, "2", "1")] };
    db.planReverts(branched.session.id, wanted);
    expect(only(db.revertsOf({ request })).conversation).toBe(branched.session.conversation);
    expect(db.redo(session.id)).toMatchObject({ kind: "moved" });
    expect(db.redo(branched.session.id)).toMatchObject({ kind: "busy" });
  });
});

describe("reverts without a head move", () => {
  it("are planned once a request, whatever is asked again and whatever runs meanwhile", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const { id } = only(changesOf(db, session, [edit("/f", "1", "2")]));
    const request = requestId();
    const before = db.session(session.id);
    const planned = db.planReverts(session.id, { request, reverts: [backFrom(id, "2", "1")] });
    expect(planned).toEqual([expect.objectContaining({ change: id, state: "planned" })]);
    expect(db.session(session.id)).toEqual(before);
    const { turn } = startTurn(db, session);
    expect(db.planReverts(session.id, { request, reverts: [backFrom(id, "2", "1")] })).toEqual(planned);
    expect(db.planReverts(session.id, { request, reverts: [backFrom(id, "other", "1")] })).toEqual(planned);
    expect(db.revertsOf({ request })).toEqual(planned);
    expect(rowCounts(path)).toMatchObject({ file_reverts: 1 });
    db.settle(turn, { outcome: "failed", at: 1 });
  });

  it("name the revision that was seen, and nothing of theirs is stored otherwise", () => {
    const db = openLedger();
    const session = newSession(db);
    const { id } = only(changesOf(db, session, [edit("/f", "1", "2")]));
    const { revision } = db.session(session.id);
    const wanted = { request: requestId(), reverts: [backFrom(id, "2", "1")] };
    expect(db.planReverts(session.id, { ...wanted, expectedRevision: revision - 1 })).toMatchObject({
      kind: "conflict",
    });
    expect(db.revertsOf(wanted)).toEqual([]);
    expect(db.planReverts(session.id, { ...wanted, expectedRevision: revision })).toHaveLength(1);
    expect(db.planReverts(session.id, { ...wanted, request: requestId() })).toMatchObject({ kind: "busy" });
    expect(db.revertsOf({ request: "nobody" as RequestId })).toEqual([]);
    expect(db.revertsOf({ move: 999 as HeadMoveId })).toEqual([]);
  });
});

describe("an undo whose files are not finished", () => {
  /** Undone with two files, and killed before the first of them was written. */
  function cut() {
    const path = `${temporaryFolder()}/state.db`;
    const first = openLedger({ path });
    const session = newSession(first);
    runTurn(first, session);
    const changes = changesOf(first, session, [edit("/a", "1", "2"), edit("/b", "3", "4")]);
    const [a, b] = changes;
    if (!a || !b) throw new Error("no changes");
    moved(first.undo(session.id, 1, { reverts: [backFrom(a.id, "2", "1"), backFrom(b.id, "4", "3")] }));
    forget(first);
    first.close();
    const db = openLedger({ path });
    return { db, session, change: a.id };
  }
  const waits = (files: string) => ({
    kind: "busy",
    why: `An undo of files is not finished: ${files}.`,
    undecided: true,
  });

  it("lets no head of its conversation move until each file is decided", () => {
    const { db, session, change } = cut();
    const before = db.session(session.id);
    const reverts = [backFrom(change, "1", "2")];
    const verbs = [
      () => db.redo(session.id),
      () => db.redo(session.id, { reverts }),
      () => db.undo(session.id, 1, { reverts }),
      () => db.retry(session.id, { request: requestId(), approval: "ask", cwd: "/" }),
      () => db.deleteConversation(session.id),
      () => db.planReverts(session.id, { request: requestId(), reverts }),
    ];
    const planned = db.plannedReverts();
    for (const verb of verbs) expect(verb()).toEqual(waits("2 files wait"));
    expect([db.session(session.id), db.plannedReverts()]).toEqual([before, planned]);
    db.markRevert(planned[0]?.id as FileRevertId, "done");
    for (const verb of verbs) expect(verb()).toEqual(waits("1 file waits"));
    db.markRevert(planned[1]?.id as FileRevertId, "conflict");
    expect(moved(db.redo(session.id, { reverts })).reverts).toHaveLength(1);
  });

  it("is not in the way of its own holder alone: the lease is another question", () => {
    const { db, session } = cut();
    const { holder } = acquire(db, session);
    expect(db.redo(session.id, { holder })).toEqual(waits("2 files wait"));
    finish(db);
    expect(db.redo(session.id, { holder })).toMatchObject({ kind: "moved" });
  });

  it("stops neither a branch, nor a note, nor another model, nor the next turn, nor another conversation", () => {
    const { db, session } = cut();
    expect(db.branch(session.id)).toMatchObject({ kind: "branched" });
    expect(db.appendNote(session.id, { text: "a note", at: Date.now() })).toMatchObject({ role: "note" });
    expect(db.setModel(session.id, ROUTE, { text: "model", at: Date.now() })).toMatchObject({ id: session.id });
    const other = newSession(db);
    runTurn(db, other);
    expect(db.undo(other.id, 1)).toMatchObject({ kind: "moved" });
    expect(db.deleteConversation(other.id)).toMatchObject({ kind: "deleted" });
    runTurn(db, session);
  });

  it("does not hide a retry that was asked before and is asked again", () => {
    const db = openLedger();
    const session = newSession(db);
    const { id } = only(changesOf(db, session, [edit("/f", "1", "2")]));
    runTurn(db, session);
    const wanted = { request: requestId(), approval: "ask", cwd: "/" } as const;
    const first = db.retry(session.id, wanted);
    if (first.kind !== "retried") throw new Error(first.why);
    moved(db.undo(session.id, 1, { reverts: [backFrom(id, "2", "1")] }));
    expect(db.retry(session.id, wanted)).toEqual({ kind: "retried", admission: first.admission, isNew: false });
  });
});

describe("a call that runs again after a crash", () => {
  /** Its first attempt planned `changes`; the second one runs. */
  function again(...changes: readonly NewChange[]) {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const started = startCalls(db, session);
    const id = onlyCall(started);
    for (const change of changes) db.planChange(started.turn, id, change);
    db.markUnknown(started.turn);
    const proof = { id, kind: "not-started", evidence: "the file is as it was" } as const;
    db.reconcileCalls(started.lease, started.admission, { proofs: [proof], at: Date.now() });
    const resumed = db.resumeUnknown(started.lease, started.admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    const { turn } = resumed;
    expect(db.startCall(turn, id)).toMatchObject({ attempts: 2 });
    return { path, db, session, id, turn, end: () => endTurn(db, { ...started, turn }) };
  }
  const contents = (db: SessionDB, id: Parameters<SessionDB["changesOfCall"]>[0]) =>
    db.changesOfCall(id).map(({ before, after }) => [before?.hash, after?.hash]);
  const pair = (before: string, after: string) => [sha256(before), sha256(after)];

  it("forgets the edit that never happened, with the contents that nothing else names", () => {
    const { path, db, id, turn, end } = again(edit("/f", "old", "new"));
    const stored = only(db.planChange(turn, id, edit("/f", "touched meanwhile", "new, touched")));
    expect(db.changesOfCall(id)).toEqual([stored]);
    expect(stored).toMatchObject({ restorable: true, before: { hash: sha256("touched meanwhile") } });
    expect(rowCounts(path)).toMatchObject({ file_changes: 1, blobs: 2, blob_refs: 2 });
    expect(() => db.blob(sha256("old"))).toThrow(expect.objectContaining({ code: "row_missing" }));
    expect(db.planChange(turn, id, edit("/f", "touched meanwhile", "new, touched"))).toEqual([stored]);
    end();
  });

  it.each<[string, NewChange, string[]]>([
    ["its own new content", edit("/f", "touched", "new"), ["new", "touched"]],
    ["its own old content as the new one", edit("/f", "touched", "old"), ["old", "touched"]],
  ])("keeps what it still names: %s", (_, change, names) => {
    const { path, db, id, turn, end } = again(edit("/f", "old", "new"));
    db.planChange(turn, id, change);
    for (const name of names) expect(textOf(db.blob(sha256(name)))).toBe(name);
    expect(rowCounts(path)).toMatchObject({ file_changes: 1, blobs: 2, blob_refs: 2 });
    end();
  });

  it("keeps a content that another change names", () => {
    const { path, db, id, turn, end } = again(edit("/f", "old", "new"));
    changesOf(db, newSession(db), [edit("/g", "old", "x")]);
    db.planChange(turn, id, edit("/f", "touched", "new"));
    expect(textOf(db.blob(sha256("old")))).toBe("old");
    expect(rowCounts(path)).toMatchObject({ file_changes: 2, blobs: 4, blob_refs: 4 });
    end();
  });

  it("keeps the same edit as the same row, and those of other paths", () => {
    const { db, id, turn, end } = again(edit("/f", "old", "new"), edit("/g", "1", "2"));
    const before = db.changesOfCall(id);
    expect(db.planChange(turn, id, edit("/f", "old", "new"))).toEqual(before.slice(0, 1));
    expect(db.changesOfCall(id)).toEqual(before);
    end();
  });

  it("forgets a file it would have made, and one that it would have removed", () => {
    const { db, id, turn, end } = again({ path: "/f", after: side("new") }, { path: "/g", before: side("old") });
    db.planChange(turn, id, edit("/f", "made by another", "new, again"));
    db.planChange(turn, id, { path: "/g", before: side("old, touched") });
    expect(contents(db, id)).toEqual([pair("made by another", "new, again"), [sha256("old, touched"), undefined]]);
    end();
  });

  it("keeps an edit that is there: what it wrote is what the next one starts from", () => {
    const { db, id, turn, end } = again(edit("/f", "1", "2"));
    db.planChange(turn, id, edit("/f", "2", "3"));
    expect(contents(db, id)).toEqual([pair("1", "2"), pair("2", "3")]);
    end();
  });

  it("keeps an edit that a revert names", () => {
    const { db, id, turn, end } = again(edit("/f", "old", "new"));
    const [first] = db.changesOfCall(id);
    if (!first) throw new Error("no change");
    db.planReverts(newSession(db).id, { request: requestId(), reverts: [backFrom(first.id, "x", "old")] });
    db.planChange(turn, id, edit("/f", "touched", "new"));
    expect(contents(db, id)).toEqual([pair("old", "new"), pair("touched", "new")]);
    end();
  });

  it("keeps what a scan found: that was there", () => {
    const { db, id, turn, end } = again();
    db.suspectChanges(turn, id, [edit("/f", "1", "2")]);
    db.planChange(turn, id, edit("/f", "3", "4"));
    db.suspectChanges(turn, id, [edit("/f", "5", "6")]);
    expect(contents(db, id)).toEqual([pair("1", "2"), pair("3", "4"), pair("5", "6")]);
    end();
  });

  it("forgets nothing when what it plans is refused", () => {
    const { path, db, id, turn, end } = again(edit("/f", "old", "new"));
    const before = [db.changesOfCall(id), rowCounts(path)];
    const wrong = { path: "/f", before: side("touched"), after: { ...side("x"), hash: sha256("y") } };
    expect(() => db.planChange(turn, id, wrong)).toThrow(expect.objectContaining({ code: "bad_input" }));
    expect([db.changesOfCall(id), rowCounts(path)]).toEqual(before);
    end();
  });

  it("is told from one whose first attempt plans twice: both are kept", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db));
    const id = onlyCall(started);
    db.planChange(started.turn, id, edit("/f", "1", "2"));
    db.planChange(started.turn, id, edit("/f", "3", "4"));
    expect(contents(db, id)).toEqual([pair("1", "2"), pair("3", "4")]);
    endTurn(db, started);
  });
});

describe("deleting a conversation", () => {
  const purge = (db: SessionDB, session: Session) => {
    expect(db.deleteConversation(session.id)).toMatchObject({ kind: "deleted" });
    expect(db.verify({ full: true })).toEqual([]);
    while (!db.purgeStep());
  };

  it("takes changes, reverts of both kinds, drafts, deliveries and every content with it", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const changes = changesOf(db, session, [edit("/a", "1", "2"), edit("/b", "3", "4")]);
    const [a, b] = changes;
    if (!a || !b) throw new Error("no changes");
    const answer = runTurn(db, session);
    db.deliver(answer.id, "terminal");
    db.saveComposer(session.conversation, { window: "w", text: "unsent" });
    db.planReverts(session.id, { request: requestId(), reverts: [backFrom(b.id, "4 touched", "3")] });
    finish(db, "conflict");
    moved(db.undo(session.id, 2, { reverts: [backFrom(a.id, "2 touched", "1")] }));
    finish(db);
    moved(db.redo(session.id, { reverts: [{ change: a.id, direction: "redo", now: image("1"), target: image("2") }] }));
    finish(db);
    purge(db, session);
    expect(rowCounts(path)).toEqual({});
    expect(db.plannedReverts()).toEqual([]);
  });

  it("keeps changes and contents that a branch shows, and none of its own reverts", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const { id, call } = only(changesOf(db, session, [edit("/f", "1", "2")]));
    const branched = db.branch(session.id);
    if (branched.kind !== "branched") throw new Error(branched.why);
    db.planReverts(session.id, { request: requestId(), reverts: [backFrom(id, "asked", "1")] });
    finish(db);
    moved(db.undo(session.id, 1, { reverts: [backFrom(id, "moved", "1")] }));
    finish(db);
    db.planReverts(branched.session.id, { request: requestId(), reverts: [backFrom(id, "theirs, asked", "1")] });
    finish(db);
    const theirs = moved(db.undo(branched.session.id, 1, { reverts: [backFrom(id, "theirs", "1")] }));
    purge(db, session);
    expect(db.changesOfCall(call)).toMatchObject([{ id, cwd: "/work/app" }]);
    expect(db.plannedReverts()).toEqual(theirs.reverts);
    const hashes = rowsOf(path, "select hash from blobs order by hash") as { hash: string }[];
    const kept = ["1", "2", "theirs", "theirs, asked"].map((content) => sha256(content));
    expect(hashes.map(({ hash }) => hash)).toEqual(kept.sort());
    finish(db);
    purge(db, branched.session);
    expect(rowCounts(path)).toEqual({});
  });

  it("leaves the contents that another conversation still needs", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const [one, two] = [newSession(db), newSession(db)];
    changesOf(db, one, [edit("/f", "1", "2")]);
    changesOf(db, two, [edit("/g", "2", "3")]);
    purge(db, one);
    expect(rowCounts(path)).toMatchObject({ blobs: 2, blob_refs: 2 });
    expect(textOf(db.blob(sha256("2")))).toBe("2");
    purge(db, two);
    expect(rowCounts(path)).toEqual({});
  });

  it.each(["the asker", "the owner of the change"])("that is %s ends a revert that reaches across two", (first) => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const [owner, asker] = [newSession(db), newSession(db)];
    const { id } = only(changesOf(db, owner, [edit("/f", "1", "2")]));
    runTurn(db, asker);
    moved(db.undo(asker.id, 1, { reverts: [backFrom(id, "3", "1")] }));
    const order = first === "the asker" ? [asker, owner] : [owner, asker];
    if (first === "the asker") finish(db);
    for (const session of order) {
      purge(db, session);
      expect(db.plannedReverts()).toEqual([]);
      expect(db.verify({ full: true })).toEqual([]);
    }
    expect(rowCounts(path)).toEqual({});
  });

  it("takes a branch that went on after the fork, with its own changes, before or after its parent", () => {
    for (const parentFirst of [true, false]) {
      const path = `${temporaryFolder()}/state.db`;
      const db = openLedger({ path });
      const session = newSession(db);
      changesOf(db, session, [edit("/f", "1", "2")]);
      const branched = db.branch(session.id);
      if (branched.kind !== "branched") throw new Error(branched.why);
      const { id } = only(changesOf(db, branched.session, [edit("/f", "2", "3")]));
      moved(db.undo(branched.session.id, 2, { reverts: [backFrom(id, "3", "1")] }));
      finish(db);
      for (const each of parentFirst ? [session, branched.session] : [branched.session, session]) purge(db, each);
      expect(rowCounts(path)).toEqual({});
    }
  });
});
