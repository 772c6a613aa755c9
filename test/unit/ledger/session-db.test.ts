import { describe, expect, it } from "vitest";
import { acquire, newSession, openLedger, ROUTE, requestId, runTurn, startTurn } from "../../helpers/ledger.ts";

describe("a turn", () => {
  it("is stored as a prompt and its answer under the session's head", () => {
    const db = openLedger();
    const session = newSession(db);
    const answer = runTurn(db, session, "hello", "world");
    const { messages } = db.path(session.id, { limit: 10 });
    expect(messages.map((each) => each.role)).toEqual(["user", "assistant"]);
    expect(db.session(session.id).head).toBe(answer.id);
    expect(db.session(session.id)).toMatchObject({ messages: 2, turns: 1, title: "hello", titleSource: "derived" });
    expect(db.session(session.id).usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });

  it("stores a call before it runs and its result with its end", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session, "run ls");
    const asked = db.append(
      turn,
      {
        parent: message.id,
        role: "assistant",
        parts: [{ kind: "tool-call", call: "c1", tool: "shell", input: { command: "ls" } }],
        at: Date.now(),
        provider: "guide",
        model: "guide",
      },
      [{ call: "c1", tool: "shell", input: { command: "ls" }, effect: "external" }],
    );
    const call = asked.calls[0];
    if (!call) throw new Error("no call");
    expect(call.state).toBe("proposed");
    expect(db.approveCall(turn, call.id, "person").state).toBe("approved");
    expect(db.startCall(turn, call.id).state).toBe("running");
    const end = db.finishCall(turn, {
      id: call.id,
      end: "succeeded",
      outcome: { kind: "ok", output: "n" },
      at: Date.now(),
    });
    expect(end.call).toMatchObject({ state: "succeeded", result: end.message.id });
    const settled = db.settle(turn, {
      outcome: "completed",
      at: Date.now(),
      last: { parent: end.message.id, role: "assistant", parts: [{ kind: "text", text: "done" }], at: Date.now() },
    });
    expect(settled.admission.outcome).toBe("completed");
    expect(db.settle(turn, { outcome: "failed", at: Date.now() }).admission.outcome).toBe("completed");
  });
});

describe("undo and redo", () => {
  it("move the head by whole turns and give the prompt back", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "one");
    const second = runTurn(db, session, "two");
    runTurn(db, session, "three");
    const undone = db.undo(session.id, 2);
    expect(undone).toMatchObject({ kind: "moved", turns: 2 });
    expect(db.session(session.id)).toMatchObject({ messages: 2, turns: 1, rewinds: 1 });
    expect(db.redo(session.id)).toMatchObject({ kind: "moved", turns: 2 });
    expect(db.redo(session.id)).toMatchObject({ kind: "conflict" });
    db.undo(session.id, 1);
    expect(db.session(session.id).head).toBe(second.id);
    db.undo(session.id, 99);
    expect(db.session(session.id).head).toBeUndefined();
    expect(db.undo(session.id, 1)).toMatchObject({ kind: "conflict" });
    db.redo(session.id);
    db.redo(session.id);
    expect(db.session(session.id).turns).toBe(3);
  });

  it("keeps the redo through a change of model and ends it with a new prompt", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "one");
    runTurn(db, session, "two");
    db.undo(session.id, 1);
    db.setModel(session.id, { provider: "guide", model: "other" }, { text: "model: guide/other", at: Date.now() });
    expect(db.redo(session.id)).toMatchObject({ kind: "moved" });
    db.undo(session.id, 1);
    runTurn(db, session, "other");
    expect(db.redo(session.id)).toMatchObject({ kind: "conflict" });
  });

  it("is refused while a turn runs, and nothing is written", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "one");
    const { turn } = startTurn(db, session, "two");
    const before = db.session(session.id);
    expect(db.undo(session.id, 1)).toMatchObject({ kind: "busy" });
    expect(db.session(session.id)).toEqual(before);
    db.settle(turn, { outcome: "interrupted", at: Date.now() });
  });
});

describe("a branch", () => {
  it("shares the path up to its fork and leaves the parent alone", () => {
    const db = openLedger();
    const session = newSession(db);
    const first = runTurn(db, session, "one");
    runTurn(db, session, "two");
    const result = db.branch(session.id, { at: first.id, title: "other way" });
    if (result.kind !== "branched") throw new Error(result.kind);
    runTurn(db, result.session, "three");
    expect(db.path(result.session.id, { limit: 10 }).messages).toHaveLength(4);
    expect(db.path(session.id, { limit: 10 }).messages).toHaveLength(4);
    db.undo(session.id, 2);
    expect(db.message(first.id)?.live).toBe(true);
  });

  it("outlives the deletion of its parent", () => {
    const db = openLedger();
    const session = newSession(db);
    const first = runTurn(db, session, "one");
    runTurn(db, session, "two");
    const result = db.branch(session.id, { at: first.id });
    if (result.kind !== "branched") throw new Error(result.kind);
    expect(db.deleteConversation(session.id)).toMatchObject({ kind: "deleted" });
    while (!db.purgeStep());
    expect(db.path(result.session.id, { limit: 10 }).messages).toHaveLength(2);
    expect(() => db.session(session.id)).toThrow(/no session/);
    db.deleteConversation(result.session.id);
    while (!db.purgeStep());
    expect(db.stats().counts).toEqual({ sessions: 0, messages: 0, admissions: 0 });
  });
});

describe("a request id", () => {
  it("admits once, whatever is asked again, and refuses another content", () => {
    const db = openLedger();
    const request = requestId();
    const ask = (text: string) =>
      db.admit({
        request,
        kind: "prompt",
        payload: { prompt: [{ kind: "text", text }], approval: "auto", cwd: "/work" },
        target: { kind: "new" },
        session: { cwd: "/work", route: ROUTE, source: "run" },
      });
    const first = ask("deploy");
    expect(first.isNew).toBe(true);
    expect(ask("deploy")).toEqual({ admission: first.admission, isNew: false });
    expect(() => ask("destroy")).toThrow(expect.objectContaining({ code: "admission_conflict" }));
    expect(db.stats().counts).toEqual({ sessions: 1, messages: 0, admissions: 1 });
  });
});

describe("a lease", () => {
  it("that changes hands leaves the former turn unknown and its writes refused", () => {
    let elsewhere = { kind: "there", start: "1" } as { kind: "there"; start: string } | { kind: "gone" };
    const db = openLedger({ probe: () => elsewhere });
    const session = newSession(db);
    const { turn, message, admission } = startTurn(db, session);
    elsewhere = { kind: "gone" };
    const lease = acquire(db, session);
    expect(lease.epoch).toBe(turn.epoch + 1);
    expect(db.admission(admission).status).toBe("unknown");
    const late = {
      parent: message.id,
      role: "assistant",
      parts: [{ kind: "text", text: "late" }],
      at: Date.now(),
    } as const;
    expect(() => db.append(turn, late)).toThrow(expect.objectContaining({ code: "lease_lost" }));
    const resumed = db.resumeUnknown(lease, admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.kind);
    db.settle(resumed.turn, { outcome: "completed", at: Date.now(), last: late });
  });
});
