// Requests to a model: stored before they go out, and after a crash the same bytes again, or a person's word.
import { describe, expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Hash, MessageId, Session, TurnRef } from "../../../src/ledger/types.ts";
import { endTurn, startCalls } from "../../helpers/file-changes.ts";
import { newSession, openLedger, type StartedTurn, startTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { rowsOf } from "../../helpers/ledger-rows.ts";

const AT = 1_900_000_000_000;
const digest = (letter: string) => letter.repeat(64) as Hash;
const differs = expect.objectContaining({ code: "request_differs", hint: expect.stringMatching(/\S/) }) as unknown;

interface CutTurn extends StartedTurn {
  readonly db: SessionDB;
  readonly path: string;
  readonly session: Session;
}

/** A turn that asked with digest `a` about its prompt, and was cut off by a crash. */
function cut(): CutTurn {
  const path = `${temporaryFolder()}/state.db`;
  const db = openLedger({ path });
  const session = newSession(db);
  const started = startTurn(db, session);
  db.askModel(started.turn, { parent: started.message.id, digest: digest("a") });
  db.markUnknown(started.turn);
  return { ...started, db, path, session };
}

function resume({ db, lease, admission }: CutTurn, options: { mayDiffer?: boolean } = {}): TurnRef {
  const resumed = db.resumeUnknown(lease, admission, options);
  if (resumed.kind !== "resumed") throw new Error(resumed.why);
  return resumed.turn;
}

const requests = (path: string) => rowsOf(path, "select n, digest, state from model_requests order by n");
const row = (n: number, letter: string, state: string) => ({ n, digest: digest(letter), state });

function answered(db: SessionDB, turn: TurnRef, parent: MessageId): void {
  const parts = [{ kind: "text", text: "hi" }] as const;
  const last = { parent, role: "assistant", parts, at: AT, provider: "guide", model: "guide" } as const;
  db.settle(turn, { outcome: "completed", last, at: AT });
}

describe("a request that a crash cut off", () => {
  it("is not asked as another one: that throws, and nothing is written", () => {
    const left = cut();
    const { db, path, message } = left;
    const turn = resume(left);
    const before = [requests(path), db.callsOf(turn.admission), db.admission(turn.admission)];
    for (const letter of ["b", "c"])
      expect(() => db.askModel(turn, { parent: message.id, digest: digest(letter) })).toThrow(differs);
    expect([requests(path), db.callsOf(turn.admission), db.admission(turn.admission)]).toEqual(before);
    expect(requests(path)).toEqual([row(1, "a", "asked")]);
    db.settle(turn, { outcome: "failed", at: AT });
    expect(requests(path)).toEqual([row(1, "a", "failed")]);
  });

  it("goes out again as the same bytes, as a request of its own", () => {
    const left = cut();
    const { db, path, message } = left;
    const turn = resume(left);
    db.askModel(turn, { parent: message.id, digest: digest("a") });
    expect(requests(path)).toEqual([row(1, "a", "asked"), row(2, "a", "asked")]);
    expect(() => db.askModel(turn, { parent: message.id, digest: digest("b") })).toThrow(differs);
    answered(db, turn, message.id);
    expect(requests(path)).toEqual([row(1, "a", "answered"), row(2, "a", "answered")]);
  });

  it("may be another one where a person allowed it, this once", () => {
    const left = cut();
    const { db, path, message } = left;
    const turn = resume(left, { mayDiffer: true });
    expect(requests(path)).toEqual([row(1, "a", "failed")]);
    db.askModel(turn, { parent: message.id, digest: digest("b") });
    db.markUnknown(turn);
    const again = resume(left);
    expect(() => db.askModel(again, { parent: message.id, digest: digest("c") })).toThrow(differs);
    db.askModel(again, { parent: message.id, digest: digest("b") });
    answered(db, again, message.id);
    expect(requests(path).slice(0, 1)).toEqual([row(1, "a", "failed")]);
  });

  it("needs no such word where it was allowed and is the same after all", () => {
    const left = cut();
    const turn = resume(left, { mayDiffer: true });
    left.db.askModel(turn, { parent: left.message.id, digest: digest("a") });
    expect(requests(left.path)).toEqual([row(1, "a", "failed"), row(2, "a", "asked")]);
    answered(left.db, turn, left.message.id);
  });

  it("does not bind a request about another node", () => {
    const left = cut();
    const { db, message } = left;
    const turn = resume(left);
    const steered = { kind: "session", asked: left.session.id } as const;
    const payload = { prompt: [{ kind: "text", text: "also" }], approval: "auto", cwd: "/" } as const;
    db.admit({ request: "steer" as never, kind: "steer", payload, target: steered, session: left.session.id });
    const steer = db.takeSteer(turn, AT);
    if (!steer) throw new Error("no steer was taken");
    expect(steer.message.parent).toBe(message.id);
    db.askModel(turn, { parent: steer.message.id, digest: digest("b") });
    db.settle(turn, { outcome: "failed", at: AT + 5 });
  });

  it("stays closed to others when a word was given and the resume was refused", () => {
    const { db, path, lease, admission, turn, calls, ...started } = callingCut();
    expect(db.resumeUnknown(lease, admission, { mayDiffer: true })).toMatchObject({ kind: "conflict" });
    expect(requests(path)).toEqual([row(1, "a", "asked")]);
    const proofs = calls.map(({ id }) => ({ id, kind: "not-started", evidence: "x" }) as const);
    db.reconcileCalls(lease, admission, { proofs, at: AT });
    const resumed = db.resumeUnknown(lease, admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    for (const { id } of calls) db.startCall(resumed.turn, id);
    endTurn(db, { ...started, lease, admission, calls, turn: resumed.turn });
    expect(turn.epoch).toBe(resumed.turn.epoch);
  });
});

/** Cut while a call ran, with a request that nothing closed. */
function callingCut() {
  const path = `${temporaryFolder()}/state.db`;
  const db = openLedger({ path });
  const started = startCalls(db, newSession(db), { effect: "external" });
  db.askModel(started.turn, { parent: started.asking.id, digest: digest("a") });
  db.markUnknown(started.turn);
  return { ...started, db, path };
}

describe("a request that failed", () => {
  it("leaves nothing of what had streamed of its answer, unless its turn is not running any more", () => {
    const db = openLedger({ path: `${temporaryFolder()}/state.db` });
    const { turn, message, lease } = startTurn(db, newSession(db));
    const draft = { text: "half", parent: message.id };
    db.askModel(turn, { parent: message.id, digest: digest("a") });
    db.saveAnswer(turn, draft);
    db.failRequest(turn);
    expect(db.drafts(turn.conversation)).toEqual([]);
    db.saveAnswer(turn, draft);
    db.markUnknown(turn);
    db.failRequest(turn);
    expect(db.drafts(turn.conversation)).toMatchObject([draft]);
    db.settleUnknown(lease, { id: turn.admission, outcome: "interrupted", note: "n", at: AT });
  });

  it("may be asked again as another one, in its turn and after a crash", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const started = startTurn(db, newSession(db));
    const { turn, message, lease, admission } = started;
    db.askModel(turn, { parent: message.id, digest: digest("a") });
    db.failRequest(turn);
    db.askModel(turn, { parent: message.id, digest: digest("b") });
    db.failRequest(turn);
    db.markUnknown(turn);
    const resumed = db.resumeUnknown(lease, admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    db.askModel(resumed.turn, { parent: message.id, digest: digest("c") });
    answered(db, resumed.turn, message.id);
    expect(requests(path)).toEqual([row(1, "a", "failed"), row(2, "b", "failed"), row(3, "c", "answered")]);
  });
});
