// Corners of the queue, the tree and deletion that random steps reach seldom, each spelled out.
import { describe, expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type {
  Admission,
  AdmissionKind,
  Message,
  ProcessIdentity,
  Session,
  SessionId,
  TurnRef,
} from "../../../src/ledger/types.ts";
import { changeFiles, edit, image } from "../../helpers/file-changes.ts";
import {
  acquire,
  envelope,
  forget,
  newSession,
  openLedger,
  prompt,
  requestId,
  runTurn,
  startCommand,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";
import { LedgerProcess } from "../../helpers/ledger-process.ts";
import { rowCounts } from "../../helpers/ledger-rows.ts";

const SELF: ProcessIdentity = {
  pid: 10,
  start: "1",
  boot: "b",
  pidNamespace: "n",
  machine: "m",
  host: "h",
  program: "test",
};

function ask(db: SessionDB, session: Session, kind: Exclude<AdmissionKind, "retry"> = "prompt", text = kind as string) {
  const target = { kind: "session", asked: session.id } as const;
  return db.admit({ request: requestId(), kind, payload: prompt(text), target, session: session.id }).admission;
}

function answer(db: SessionDB, turn: TurnRef, parent: Message, calls: readonly string[] = []) {
  const asked = calls.map((call) => ({ call, tool: "t", input: null }) as const);
  const parts = [
    { kind: "text", text: "a" } as const,
    ...asked.map((each) => ({ kind: "tool-call", ...each }) as const),
  ];
  const proposed = asked.map((each) => ({ ...each, effect: "external" }) as const);
  return db.append(turn, { parent: parent.id, role: "assistant", parts, at: Date.now() }, proposed);
}

const deny = (db: SessionDB, turn: TurnRef, id: Parameters<SessionDB["call"]>[0]) =>
  db.finishCall(turn, { id, end: "denied", outcome: { kind: "denied" }, at: Date.now() }).message;

const states = (db: SessionDB, session: Session) =>
  db.openAdmissions(session.conversation).map(({ kind, status, held }) => [kind, status, held]);

describe("the same words again", () => {
  it("after an undo are another node under a clock that stands still, and end the redo", () => {
    const db = openLedger({ now: () => 1_800_000_000_000 });
    const session = newSession(db);
    const ids = new Set<number>();
    for (let round = 0; round < 4; round += 1) {
      ask(db, session, "prompt", "continue");
      const lease = acquire(db, session);
      const claimed = db.claim(lease, { at: 1_700_000_000_000, envelope: envelope(db) });
      if (claimed.kind !== "claimed" || !claimed.message) throw new Error(claimed.kind);
      ids.add(claimed.message.id);
      expect(db.session(session.id).head).toBe(claimed.message.id);
      db.settle(claimed.turn, { outcome: "failed", at: 1 });
      db.releaseLease(lease);
      expect(db.redo(session.id)).toMatchObject({ kind: "conflict" });
      db.undo(session.id, 1);
    }
    expect(ids.size).toBe(4);
  });

  it("in a note asked for again right away are the same note, and later another one", () => {
    const db = openLedger();
    const session = newSession(db);
    const note = { text: "look", at: 1_900_000_000_000 };
    const first = db.appendNote(session.id, note);
    expect(db.appendNote(session.id, note)).toEqual(first);
    expect(db.session(session.id).messages).toBe(1);
    expect(db.appendNote(session.id, { ...note, at: note.at + 1 })).not.toEqual(first);
    expect(db.session(session.id).messages).toBe(2);
  });

  it("of an answer whose acknowledgement was lost are the same node with the same calls", () => {
    const db = openLedger();
    const { turn, message } = startTurn(db, newSession(db));
    const wanted = {
      parent: message.id,
      role: "assistant",
      parts: [{ kind: "tool-call", call: "c", tool: "t", input: 1 }],
      at: 1,
    } as const;
    const calls = [{ call: "c", tool: "t", input: 1, effect: "none" }] as const;
    const first = db.append(turn, wanted, calls);
    expect(db.append(turn, wanted, calls)).toEqual(first);
    expect(db.callsOf(turn.admission)).toHaveLength(1);
    db.settle(turn, { outcome: "failed", at: 1 });
  });

  it("of a start count one attempt", () => {
    const db = openLedger();
    const { turn, message } = startTurn(db, newSession(db));
    const [call] = answer(db, turn, message, ["c"]).calls;
    if (!call) throw new Error("no call");
    db.approveCall(turn, call.id, "mode");
    const started = db.startCall(turn, call.id, "/spool");
    expect(db.startCall(turn, call.id, "/spool")).toEqual(started);
    expect(db.call(call.id).attempts).toBe(1);
    db.settle(turn, { outcome: "interrupted", at: 1 });
    expect(db.call(call.id)).toMatchObject({ state: "unknown", result: expect.any(Number) });
  });
});

describe("a closed session", () => {
  it("whose given title somebody else got meanwhile goes on with the text alone", () => {
    const db = openLedger();
    const [one, two, three] = [newSession(db, { title: "mine" }), newSession(db), newSession(db)];
    db.setFlags(one.id, { archived: true });
    expect(db.session(one.id)).toMatchObject({ archived: true, endReason: "closed" });
    db.setTitle(two.id, "mine", "person");
    ask(db, one);
    expect(db.session(one.id)).toMatchObject({ archived: false, title: "mine", titleSource: "derived" });
    db.setFlags(two.id, { archived: true });
    db.setTitle(three.id, "mine", "person");
    db.setFlags(two.id, { archived: false });
    expect(db.session(two.id)).toMatchObject({ archived: false, title: "mine", titleSource: "derived" });
    expect(db.session(two.id).endedAt).toBeUndefined();
  });

  it("is opened by a retry", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session);
    db.setFlags(session.id, { archived: true });
    expect(db.retry(session.id, { request: requestId(), approval: "auto", cwd: "/" })).toMatchObject({
      kind: "retried",
    });
    expect(db.session(session.id)).toMatchObject({ archived: false });
  });

  it("keeps its other flags and its end while one flag is set", () => {
    const db = openLedger();
    const session = newSession(db);
    db.setFlags(session.id, { archived: true });
    const { endedAt } = db.session(session.id);
    db.setFlags(session.id, { pinned: true });
    expect(db.session(session.id)).toMatchObject({ archived: true, pinned: true, hidden: false, endedAt });
  });
});

describe("the queue", () => {
  it("holds what was asked on a path that was taken back, says why, and takes it on a key", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session);
    const waiting = ask(db, session);
    db.undo(session.id, 1);
    const lease = acquire(db, session);
    expect(db.claim(lease, { at: 1, envelope: envelope(db) })).toEqual({ kind: "nothing" });
    expect(db.admission(waiting.id).held).toMatch(/rewound/);
    db.release(waiting.id);
    const claimed = db.claim(lease, { at: 1, envelope: envelope(db) });
    expect(claimed).toMatchObject({ kind: "claimed", admission: { id: waiting.id } });
    if (claimed.kind === "claimed") db.settle(claimed.turn, { outcome: "failed", at: 1 });
  });

  it("puts a retry before all that waits, and what waited behind the undone turn is held", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "try");
    const waiting = ask(db, session);
    const request = requestId();
    const retried = db.retry(session.id, { request, approval: "ask", cwd: "/" });
    if (retried.kind !== "retried") throw new Error(retried.kind);
    expect(db.openAdmissions(session.conversation).map((each) => each.id)).toEqual([retried.admission.id, waiting.id]);
    expect(retried.admission.payload).toMatchObject({ prompt: [{ kind: "text", text: "try" }], approval: "ask" });
    const lease = acquire(db, session);
    const claimed = db.claim(lease, { at: 1, envelope: envelope(db) });
    if (claimed.kind !== "claimed") throw new Error(claimed.kind);
    db.settle(claimed.turn, { outcome: "failed", at: 1 });
    expect(db.retry(session.id, { request, approval: "ask", cwd: "/" })).toMatchObject({
      isNew: false,
      admission: { outcome: "failed" },
    });
    expect(db.claim(lease, { at: 1, envelope: envelope(db) })).toEqual({ kind: "nothing" });
    expect(db.admission(waiting.id).held).toMatch(/rewound/);
  });

  it("holds the prompts of a dead program, cancels its loops, and leaves those of a living one", () => {
    const path = `${temporaryFolder()}/state.db`;
    const words = { dead: true };
    const theirs = openLedger({ path, process: { ...SELF, pid: 20 } });
    const ours = openLedger({
      path,
      process: SELF,
      probe: () => (words.dead ? { kind: "gone" } : { kind: "there", start: "1" }),
    });
    const session = newSession(theirs);
    ask(theirs, session, "loop");
    ask(theirs, session, "prompt");
    const mine = ask(ours, session);
    const lease = acquire(ours, session);
    const claimed = ours.claim(lease, { at: 1, envelope: envelope(ours) });
    expect(claimed).toMatchObject({ kind: "claimed", admission: { id: mine.id } });
    expect(states(ours, session)).toEqual([
      ["prompt", "queued", "the program that asked is gone"],
      ["prompt", "started", undefined],
    ]);
    if (claimed.kind === "claimed") ours.settle(claimed.turn, { outcome: "failed", at: 1 });
    words.dead = false;
    const theirsToo = ask(theirs, session);
    expect(ours.claim(lease, { at: 1, envelope: envelope(ours) })).toMatchObject({
      kind: "left",
      admission: { id: theirsToo.id },
    });
  });

  it("knows its own by more than pid and start", () => {
    const path = `${temporaryFolder()}/state.db`;
    const before = openLedger({ path, process: { ...SELF, boot: "earlier" } });
    const now = openLedger({ path, process: SELF });
    const session = newSession(before);
    const orphan = ask(before, session);
    expect(now.claim(acquire(now, session), { at: 1, envelope: envelope(now) })).toEqual({ kind: "nothing" });
    expect(now.admission(orphan.id).held).toBe("the program that asked is gone");
  });

  it("turns a steer that came too late into a prompt, in its place", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, lease } = startTurn(db, session);
    ask(db, session, "prompt", "second");
    const taken = ask(db, session, "steer", "taken");
    const late = ask(db, session, "steer", "late");
    ask(db, session, "prompt", "last");
    expect(db.takeSteer(turn, 1)).toMatchObject({
      admission: { id: taken.id, outcome: "steered", takenBy: turn.admission },
    });
    expect(db.session(session.id)).toMatchObject({ turns: 1, messages: 2 });
    db.settle(turn, { outcome: "interrupted", at: 1 });
    expect(db.admission(late.id)).toMatchObject({ kind: "prompt", status: "queued", position: late.position });
    expect(db.openAdmissions(session.conversation).map((each) => each.summary)).toEqual(["second", "late", "last"]);
    db.releaseLease(lease);
    expect(ask(db, session, "steer")).toMatchObject({ kind: "prompt" });
  });

  it("lets a waiting prompt steer, in one step, where a turn runs; a command stays one", () => {
    const db = openLedger();
    const session = newSession(db);
    const steers = (each: Admission, text: string) =>
      db.edit(each.id, { request: requestId(), payload: prompt(text), steers: true });
    const early = ask(db, session, "prompt", "too early");
    db.hold(early.id, "so that the next one runs");
    expect(steers(early, "still")).toMatchObject({ kind: "prompt", position: early.position });
    const [still] = db.openAdmissions(session.conversation);
    if (!still) throw new Error("it does not wait");
    db.hold(still.id, "so that the next one runs");
    const { turn } = startTurn(db, session);
    const steer = steers(still, "now");
    expect(steer).toMatchObject({ kind: "steer", summary: "now", position: early.position });
    expect(db.admission(still.id).outcome).toBe("cancelled");
    expect(db.takeSteer(turn, 1)?.admission.id).toBe(steer.id);
    expect(() => steers(steer, "too late")).toThrow(/only what waits/);
  });

  it("does the same when a person settles the turn, and leaves no request to a model open", async () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const { turn, lease, message } = startTurn(db, session);
    const late = ask(db, session, "steer");
    db.askModel(turn, { parent: message.id, digest: "0".repeat(64) as never });
    db.markUnknown(turn);
    db.settleUnknown(lease, { id: turn.admission, outcome: "interrupted", note: "over", at: 1 });
    expect(db.admission(late.id).kind).toBe("prompt");
    const [requests] = await new LedgerProcess().ask("sql", path, ["select state from model_requests"]);
    expect(requests?.rows).toEqual([{ state: "failed" }]);
  });

  it("completes a command in its result", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, call } = startCommand(db, session, "!ls");
    db.startCall(turn, call.id);
    db.finishCall(turn, { id: call.id, end: "failed", outcome: { kind: "failed", exitCode: 2 }, at: 1 });
    expect(db.settle(turn, { outcome: "completed", at: 1 }).admission).toMatchObject({ outcome: "completed" });
  });
});

describe("a branch point", () => {
  it("is no node at which a call is open, and the nearest two that are fit are named", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    const first = answer(db, turn, message, ["c", "d"]);
    const [c, d] = first.calls;
    if (!c || !d) throw new Error("no calls");
    const at = (id: number) => db.branch(session.id, { at: id as Message["id"] });
    expect(at(message.id)).toMatchObject({ kind: "branched" });
    expect(at(first.message.id)).toMatchObject({
      kind: "conflict",
      why: expect.stringContaining(`at ${message.id} instead`),
    });
    const one = deny(db, turn, d.id);
    const two = deny(db, turn, c.id);
    for (const id of [first.message.id, one.id])
      expect(at(id)).toMatchObject({ kind: "conflict", why: expect.stringContaining(`${message.id} or ${two.id}`) });
    expect(at(two.id)).toMatchObject({ kind: "branched" });
    // Providers number their calls anew in each answer: the id alone proves nothing.
    const second = answer(db, turn, two, ["c", "d"]);
    expect(at(second.message.id)).toMatchObject({ kind: "conflict", why: expect.stringContaining(String(two.id)) });
    expect(at(two.id)).toMatchObject({ kind: "branched" });
    db.settle(turn, { outcome: "interrupted", at: 1 });
    expect(db.branch(session.id)).toMatchObject({ kind: "branched" });
  });

  it("may be an end that was undone, and shows it again", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "one");
    const undone = runTurn(db, session, "two");
    db.undo(session.id, 1);
    expect(db.message(undone.id)?.live).toBe(false);
    expect(db.branch(session.id, { at: undone.id })).toMatchObject({
      kind: "branched",
      session: { head: undone.id, turns: 2 },
    });
    expect(db.message(undone.id)?.live).toBe(true);
    expect(db.session(session.id)).toMatchObject({ turns: 1 });
  });

  it("numbers its titles on", () => {
    const db = openLedger();
    const session = newSession(db, { title: "fix" });
    const titles = [1, 2, 3].map(() => {
      const result = db.branch(session.id);
      return result.kind === "branched" ? result.session.title : result.kind;
    });
    expect(titles).toEqual(["fix #2", "fix #3", "fix #4"]);
    const last = db.resolveSession("fix #4");
    if (last.kind !== "found") throw new Error(last.kind);
    expect(db.branch(last.session.id)).toMatchObject({ session: { title: "fix #5" } });
    expect(db.branch(newSession(db, { title: "x".repeat(100) }).id)).toMatchObject({
      session: { title: `${"x".repeat(90)} #2` },
    });
  });
});

describe("undo", () => {
  it("takes notes and steers with the turn they stand in, and gives them back", () => {
    const db = openLedger();
    const session = newSession(db);
    db.appendNote(session.id, { text: "before", at: 1 });
    runTurn(db, session, "one");
    db.appendNote(session.id, { text: "after one", at: 1 });
    const { turn, lease } = startTurn(db, session, "two");
    ask(db, session, "steer");
    db.takeSteer(turn, 1);
    db.settle(turn, { outcome: "interrupted", at: 1 });
    db.releaseLease(lease);
    const whole = db.session(session.id).head;
    expect(db.undo(session.id, 1)).toMatchObject({ turns: 1, prompt: { parts: [{ kind: "text", text: "two" }] } });
    expect(db.path(session.id, { limit: 9 }).messages.map((each) => each.role)).toEqual([
      "note",
      "user",
      "assistant",
      "note",
    ]);
    expect(db.undo(session.id, 1)).toMatchObject({ turns: 1 });
    expect(db.path(session.id, { limit: 9 }).messages.map((each) => each.role)).toEqual(["note"]);
    expect(db.undo(session.id, 1)).toMatchObject({ kind: "conflict" });
    db.redo(session.id);
    db.redo(session.id);
    expect(db.session(session.id).head).toBe(whole);
  });
});

describe("deleting", () => {
  it("in steps of a long conversation takes what its calls changed with the node that asked for them", () => {
    const path = `${temporaryFolder()}/state.db`;
    const first = openLedger({ path });
    const session = newSession(first);
    const all = Array.from({ length: 80 }, (_, n) => changeFiles(first, session, [edit("/f", `${n}`, `${n + 1}`)]));
    const reverts = all.flatMap(({ changes }) =>
      changes.map((change) => ({ change: change.id, direction: "undo", now: image(`now ${change.id}`) }) as const),
    );
    const asked = first.planReverts(session.id, { request: requestId(), reverts });
    for (const { id } of "kind" in asked ? [] : asked) first.markRevert(id, "done");
    expect(first.undo(session.id, 80, { reverts })).toMatchObject({ kind: "moved", turns: 80 });
    for (const { id } of first.plannedReverts()) first.markRevert(id, "conflict");
    expect(first.deleteConversation(session.id)).toMatchObject({ kind: "deleted" });
    expect(first.purgeStep()).toBe(false);
    expect(first.verify({ full: true })).toEqual([]);
    forget(first);
    first.close();
    const db = openLedger({ path });
    while (!db.purgeStep()) expect(db.verify()).toEqual([]);
    expect(rowCounts(path)).toEqual({});
  });

  it("goes on after a crash in the middle, in bounded steps, and keeps what a branch shows", () => {
    const path = `${temporaryFolder()}/state.db`;
    const first = openLedger({ path });
    const session = newSession(first);
    let shown: Message | undefined;
    for (let turn = 0; turn < 260; turn += 1) {
      const last = runTurn(first, session, `${turn}`);
      if (turn === 40) shown = last;
    }
    while (!first.indexStep());
    const branched = first.branch(session.id, shown ? { at: shown.id } : {});
    if (branched.kind !== "branched") throw new Error(branched.kind);
    first.deleteConversation(session.id);
    expect(first.purgeStep()).toBe(false);
    expect(first.verify({ full: true })).toEqual([]);
    forget(first);
    first.close();
    const db = openLedger({ path });
    let steps = 0;
    while (!db.purgeStep()) steps += 1;
    expect(steps).toBeGreaterThan(0);
    expect(db.path(branched.session.id, { limit: 1_000 }).messages).toHaveLength(82);
    expect(db.stats().counts.messages).toBe(82);
    db.deleteConversation(branched.session.id);
    while (!db.purgeStep());
    expect(db.stats().counts).toEqual({ sessions: 0, messages: 0, admissions: 0 });
  });

  it("keeps what a branch can still bring back by redo", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "one");
    runTurn(db, session, "two");
    const branched = db.branch(session.id);
    if (branched.kind !== "branched") throw new Error(branched.kind);
    db.undo(branched.session.id, 1);
    db.deleteConversation(session.id);
    while (!db.purgeStep());
    expect(db.redo(branched.session.id)).toMatchObject({ kind: "moved", turns: 1 });
    expect(db.path(branched.session.id, { limit: 9 }).messages).toHaveLength(4);
  });

  it("answers a request of the deleted conversation without doing it again", () => {
    const db = openLedger();
    const session = newSession(db);
    const request = requestId();
    const wanted = {
      request,
      kind: "prompt",
      payload: prompt("x"),
      target: { kind: "new" },
      session: session.id,
    } as const;
    db.admit(wanted);
    db.deleteConversation(session.id);
    const again = { ...wanted, session: newSession(db).id as SessionId };
    expect(() => db.admit(again)).toThrow(expect.objectContaining({ code: "admission_conflict" }));
    expect(db.openAdmissions()).toEqual([]);
  });
});
