// What recovery may say about calls that were left without an end, and who runs a command.
import { describe, expect, it } from "vitest";
import type { CallProof } from "../../../src/ledger/tool-calls.ts";
import type { CallId, CallState, Effect, ProcessIdentity } from "../../../src/ledger/types.ts";
import { bytesOf, type CallingTurn, endTurn, onlyCall, startCalls, textOf } from "../../helpers/file-changes.ts";
import { acquire, newSession, openLedger, startTurn } from "../../helpers/ledger.ts";

const AT = 1_900_000_000_000;
const code = (name: string): unknown => expect.objectContaining({ code: name });
const SUPERVISOR: ProcessIdentity = { pid: 4711, start: "9", host: "h", program: "supervisor" };

type Kind = CallProof["kind"];
const PROOFS: { readonly [K in Kind]: (id: CallId) => CallProof } = {
  ended: (id) => ({
    id,
    kind: "ended",
    end: "failed",
    outcome: { kind: "failed", exitCode: 3 },
    evidence: "exit record",
  }),
  "not-started": (id) => ({ id, kind: "not-started", evidence: "never started" }),
  running: (id) => ({ id, kind: "running", evidence: "its group is alive" }),
  unknown: (id) => ({ id, kind: "unknown", evidence: "no exit record" }),
};

describe("the supervisor of a call", () => {
  it("takes the place of the program that started it, and the last one counts", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db), { effect: "external" });
    const id = onlyCall(started);
    expect(db.call(id).process?.pid).toBe(process.pid);
    expect(db.setSupervisor(started.turn, id, SUPERVISOR)).toMatchObject({
      state: "running",
      process: SUPERVISOR,
      spool: `/spool/${id}`,
      attempts: 1,
    });
    expect(db.setSupervisor(started.turn, id, SUPERVISOR)).toEqual(db.call(id));
    db.setSupervisor(started.turn, id, { ...SUPERVISOR, pid: 4712 });
    expect(db.call(id).process?.pid).toBe(4712);
    endTurn(db, started);
    expect(db.call(id)).toMatchObject({ state: "succeeded", process: { pid: 4712 } });
    expect(() => db.setSupervisor(started.turn, id, SUPERVISOR)).toThrow(code("lease_lost"));
  });

  it("stays known when the turn changes hands, and is another one when the call runs again", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, lease, ...started } = startCalls(db, session, { effect: "external" });
    const id = onlyCall(started);
    db.setSupervisor(turn, id, SUPERVISOR);
    db.releaseLease(lease);
    const next = acquire(db, session);
    expect(() => db.setSupervisor(turn, id, SUPERVISOR)).toThrow(code("lease_lost"));
    db.reconcileCalls(next, turn.admission, { proofs: [PROOFS["not-started"](id)], at: AT });
    const resumed = db.resumeUnknown(next, turn.admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    expect(db.startCall(resumed.turn, id, "/spool/again")).toMatchObject({
      attempts: 2,
      process: { pid: process.pid },
    });
    endTurn(db, { ...started, turn: resumed.turn, lease: next });
  });
});

describe("a call whose own tool cannot say how it ended", () => {
  it.each(["running", "unknown"] as const)("is over and unknown, from %s, and leaves nothing open", (from) => {
    const db = openLedger();
    const session = newSession(db);
    const started = startCalls(db, session, { effect: "external" });
    const { turn, admission, lease } = started;
    const id = onlyCall(started);
    if (from === "unknown") db.markCallUnknown(turn, id, "its supervisor is gone");
    const outcome = { kind: "unknown", output: "It was started, and its end was not seen." } as const;
    const finished = { id, end: "unknown", outcome, wholeOutput: bytesOf("all that came"), at: AT } as const;
    const end = db.finishCall(turn, finished);
    expect(end.call).toMatchObject({ state: "unknown", result: end.message.id, finishedAt: expect.any(Number) });
    expect(end.message).toMatchObject({ role: "tool", parent: started.asking.id });
    const [part] = end.message.parts;
    expect(part).toMatchObject({ kind: "tool-result", call: "c", outcome: { ...outcome, truncated: true } });
    const blob = part?.kind === "tool-result" ? part.outcome.blob : undefined;
    expect(blob && textOf(db.blob(blob))).toBe("all that came");
    expect(db.session(session.id).head).toBe(end.message.id);
    expect(db.finishCall(turn, finished)).toEqual(end);
    expect(db.finishCall(turn, { ...finished, end: "succeeded" })).toEqual(end);
    expect(() => db.markCallUnknown(turn, id, "again")).not.toThrow();
    expect(db.verify({ full: true })).toEqual([]);

    const parts = [{ kind: "text", text: "I do not know whether it happened." }] as const;
    const last = { parent: end.message.id, role: "assistant", parts, at: AT + 5 } as const;
    expect(db.settle(turn, { outcome: "completed", last, at: AT + 5 }).messages).toHaveLength(1);
    db.releaseLease(lease);
    expect(db.openAdmissions(session.conversation)).toEqual([]);
    expect(db.callsOf(admission)).toMatchObject([{ state: "unknown", result: end.message.id }]);
    expect(db.branch(session.id)).toMatchObject({ kind: "branched" });
    expect(db.undo(session.id, 1)).toMatchObject({ kind: "moved" });
  });

  it("asks nobody after a crash: its turn goes on at once, and no proof changes its end", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db), { effect: "external" });
    const { turn, lease, admission } = started;
    const id = onlyCall(started);
    const { call } = db.finishCall(turn, { id, end: "unknown", outcome: { kind: "unknown" }, at: AT });
    db.markUnknown(turn);
    expect(db.reconcileCalls(lease, admission, { proofs: [PROOFS.ended(id)], at: AT })).toEqual([call]);
    expect(() => db.resolveCall(lease, { id, verdict: "happened", at: AT })).toThrow(code("illegal_edge"));
    const resumed = db.resumeUnknown(lease, admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    db.settle(resumed.turn, { outcome: "interrupted", at: AT + 5 });
  });
});

describe("a call that a person changed", () => {
  const approval = { changedTo: { command: "make clean" } } as const;
  const note = /^\[The person changed this call. Its input was: \{"command":"make clean"\}\]/;

  it("holds what runs before it runs, and is changed only once", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db), { effect: "external", approval });
    const id = onlyCall(started);
    const changed = { input: { command: "make clean" }, approval: "person, changed", state: "running" };
    expect(db.call(id)).toMatchObject(changed);
    expect(started.asking.parts).toMatchObject([{ kind: "tool-call", input: { call: "c" } }]);
    db.approveCall(started.turn, id, { changedTo: { command: "rm -r ." } });
    expect(db.call(id)).toMatchObject(changed);
    endTurn(db, started);
  });

  it.each([
    ["proof", PROOFS.ended],
    ["person", undefined],
    ["settle", undefined],
  ] as const)("tells the model what ran, also when it was ended by a %s after a crash", (by, proof) => {
    const db = openLedger();
    const started = startCalls(db, newSession(db), { effect: "external", approval });
    const { turn, lease, admission } = started;
    const id = onlyCall(started);
    db.markUnknown(turn);
    db.reconcileCalls(lease, admission, { proofs: proof ? [proof(id)] : [], at: AT });
    if (by === "person") db.resolveCall(lease, { id, verdict: "happened", at: AT });
    db.settleUnknown(lease, { id: admission, outcome: "interrupted", note: "settled", at: AT });
    const { result } = db.call(id);
    const [part] = (result === undefined ? undefined : db.message(result))?.parts ?? [];
    expect(part?.kind === "tool-result" && part.outcome.output).toMatch(note);
  });
});

describe("a call that was to be run again", () => {
  it("is as unknown as before when its turn ends before that: nothing says that it did not run", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db), { effect: "external" });
    const { turn, lease, admission } = started;
    const id = onlyCall(started);
    db.markUnknown(turn);
    db.reconcileCalls(lease, admission);
    expect(db.resolveCall(lease, { id, verdict: "again", at: AT })).toMatchObject({ state: "approved", attempts: 1 });
    const { messages } = db.settleUnknown(lease, { id: admission, outcome: "interrupted", note: "settled", at: AT });
    expect(db.call(id)).toMatchObject({ state: "unknown", attempts: 1 });
    expect(messages[0]?.parts[0]).toMatchObject({ outcome: { kind: "unknown" } });
  });
});

describe("the key of a call", () => {
  it("finds it in every state, and no other one", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db), { names: ["a", "b"], effect: "external" });
    const [a, b] = started.calls;
    if (!a || !b) throw new Error("no calls");
    expect(a.effectKey).not.toBe(b.effectKey);
    expect(db.callByKey(a.effectKey)).toEqual(db.call(a.id));
    expect(db.callByKey(b.effectKey)).toEqual(db.call(b.id));
    endTurn(db, started);
    expect(db.callByKey(a.effectKey)).toMatchObject({ id: a.id, state: "succeeded" });
    for (const key of ["", "nobody", a.effectKey.slice(0, -1), a.effectKey.toUpperCase(), `${a.effectKey} `])
      expect(db.callByKey(key)).toBeUndefined();
  });

  it("stays the same when the call runs again, and goes with its conversation", () => {
    const db = openLedger();
    const session = newSession(db);
    const started = startCalls(db, session, { effect: "external" });
    const [{ id, effectKey }] = started.calls as [CallingTurn["calls"][number]];
    db.markUnknown(started.turn);
    db.reconcileCalls(started.lease, started.admission, { proofs: [PROOFS["not-started"](id)], at: AT });
    const resumed = db.resumeUnknown(started.lease, started.admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    expect(db.startCall(resumed.turn, id, "/spool/again").effectKey).toBe(effectKey);
    expect(db.callByKey(effectKey)).toMatchObject({ id, attempts: 2, spool: "/spool/again" });
    endTurn(db, { ...started, turn: resumed.turn });
    db.deleteConversation(session.id);
    while (!db.purgeStep());
    expect(db.callByKey(effectKey)).toBeUndefined();
  });
});

describe("reading calls back", () => {
  const left = (effect: Effect, state: "running" | "unknown" = "running", names = ["c"]) => {
    const db = openLedger();
    const session = newSession(db);
    const started = startCalls(db, session, { names, effect });
    if (state === "unknown") for (const { id } of started.calls) db.markCallUnknown(started.turn, id, "x");
    db.markUnknown(started.turn);
    return { db, session, ...started };
  };
  const settle = ({
    db,
    lease,
    admission,
  }: Pick<CallingTurn, "lease" | "admission"> & Pick<ReturnType<typeof left>, "db">) =>
    db.settleUnknown(lease, { id: admission, outcome: "interrupted", note: "over", at: AT });

  it.each<[Effect, "running" | "unknown", Kind | undefined, CallState]>([
    ["none", "running", undefined, "approved"],
    ["idempotent", "running", undefined, "approved"],
    ["reversible", "running", undefined, "unknown"],
    ["external", "running", undefined, "unknown"],
    ["none", "unknown", undefined, "unknown"],
    ["external", "unknown", undefined, "unknown"],
    ["external", "running", "ended", "failed"],
    ["external", "unknown", "ended", "failed"],
    ["none", "running", "ended", "failed"],
    ["external", "running", "not-started", "approved"],
    ["external", "unknown", "not-started", "approved"],
    ["external", "running", "running", "running"],
    ["external", "unknown", "running", "unknown"],
    ["external", "running", "unknown", "unknown"],
    ["external", "unknown", "unknown", "unknown"],
    ["none", "running", "unknown", "unknown"],
  ])("an effect %s, %s, with the proof %s: it is %s", (effect, state, kind, wanted) => {
    const turn = left(effect, state);
    const id = onlyCall(turn);
    const found = kind === undefined ? {} : { proofs: [PROOFS[kind](id)], at: AT };
    const [call] = turn.db.reconcileCalls(turn.lease, turn.admission, found);
    expect(call).toMatchObject({ state: wanted, attempts: 1 });
    if (kind !== undefined) expect(call?.evidence).toBe(PROOFS[kind](id).evidence);
    expect(call?.result !== undefined).toBe(kind === "ended");
    expect(turn.db.reconcileCalls(turn.lease, turn.admission, found)).toEqual([call]);
    const isDecided = wanted === "approved" || wanted === "failed";
    const resumed = turn.db.resumeUnknown(turn.lease, turn.admission);
    expect(resumed.kind).toBe(isDecided ? "resumed" : "conflict");
    if (resumed.kind === "resumed") turn.db.settle(resumed.turn, { outcome: "interrupted", at: AT });
    else settle(turn);
  });

  it("stores the results that are proven in the order of their calls, once, and the rest is left to a person", () => {
    const turn = left("external", "running", ["a", "b", "c"]);
    const { db, lease, admission, calls, session } = turn;
    const [a, b, c] = calls.map(({ id }) => id);
    if (a === undefined || b === undefined || c === undefined) throw new Error("no calls");
    const whole = { wholeOutput: bytesOf("all of it") };
    const proofs = [PROOFS.ended(c), { ...PROOFS.ended(a), ...whole }, PROOFS.running(b)];
    const found = db.reconcileCalls(lease, admission, { proofs, at: AT });
    expect(found.map(({ state }) => state)).toEqual(["failed", "running", "failed"]);
    const results = () => db.path(session.id, { limit: 9 }).messages.filter(({ role }) => role === "tool");
    expect(results().map(({ parts }) => parts)).toMatchObject([
      [{ kind: "tool-result", call: "a", outcome: { kind: "failed", exitCode: 3, truncated: true } }],
      [{ kind: "tool-result", call: "c" }],
    ]);
    const [part] = results()[0]?.parts ?? [];
    const blob = part?.kind === "tool-result" ? part.outcome.blob : undefined;
    expect(blob && textOf(db.blob(blob))).toBe("all of it");
    expect(db.reconcileCalls(lease, admission, { proofs, at: AT + 5 })).toEqual(found);
    expect(results()).toHaveLength(2);
    db.reconcileCalls(lease, admission, { proofs: [PROOFS.ended(b)], at: AT + 9 });
    expect(results()).toHaveLength(3);
    const resumed = db.resumeUnknown(lease, admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    db.settle(resumed.turn, { outcome: "interrupted", at: AT + 20 });
  });

  it("believes no proof about a call of another turn, or about one that never ran", () => {
    const db = openLedger();
    const session = newSession(db);
    const other = startCalls(db, newSession(db), { effect: "external" });
    const { turn, lease, message } = startTurn(db, session);
    const parts = [{ kind: "tool-call", call: "c", tool: "t", input: 1 }] as const;
    const asked = { parent: message.id, role: "assistant", parts, at: AT } as const;
    const [mine] = db.append(turn, asked, [{ call: "c", tool: "t", input: 1, effect: "external" }]).calls;
    if (!mine) throw new Error("no call");
    db.markUnknown(turn);
    const proofs = [PROOFS.ended(onlyCall(other)), PROOFS.ended(mine.id)];
    expect(db.reconcileCalls(lease, turn.admission, { proofs, at: AT })).toEqual([mine]);
    expect(db.call(onlyCall(other)).state).toBe("running");
    db.settleUnknown(lease, { id: turn.admission, outcome: "failed", note: "over", at: AT });
    endTurn(db, other);
  });

  it("changes nothing of a turn that runs, or that is over", () => {
    const db = openLedger();
    const session = newSession(db);
    const started = startCalls(db, session, { effect: "external" });
    const proofs = [PROOFS.ended(onlyCall(started))];
    const before = db.callsOf(started.admission);
    expect(db.reconcileCalls(started.lease, started.admission, { proofs, at: AT })).toEqual(before);
    db.settle(started.turn, { outcome: "interrupted", at: AT });
    const head = db.session(session.id).head;
    const after = db.callsOf(started.admission);
    expect(after).toMatchObject([{ state: "unknown", result: head }]);
    expect(db.reconcileCalls(started.lease, started.admission, { proofs, at: AT })).toEqual(after);
    expect(db.session(session.id).head).toBe(head);
  });

  it("keeps what a change of a call that ended said, with the state of its call", () => {
    const db = openLedger();
    const started = startCalls(db, newSession(db));
    const id = onlyCall(started);
    const after = { hash: "0".repeat(64) as never, mode: 0o600 };
    db.planChange(started.turn, id, { path: "/f", after });
    db.markUnknown(started.turn);
    expect(db.changesOfCall(id)).toMatchObject([{ callState: "running" }]);
    db.reconcileCalls(started.lease, started.admission, { proofs: [PROOFS.unknown(id)], at: AT });
    expect(db.changesOfCall(id)).toMatchObject([{ callState: "unknown" }]);
    db.resolveCall(started.lease, { id, verdict: "not-happened", at: AT });
    expect(db.changesOfCall(id)).toMatchObject([{ callState: "cancelled" }]);
    db.settleUnknown(started.lease, { id: started.admission, outcome: "failed", note: "over", at: AT });
  });
});
