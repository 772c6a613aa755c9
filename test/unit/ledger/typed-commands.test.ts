// Commands that a person ran: how they are stored, and what a model is told of them.
import { describe, expect, it } from "vitest";
import { projectForModel } from "../../../src/ledger/projection.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Message, Session, ToolOutcome } from "../../../src/ledger/types.ts";
import {
  newSession,
  openLedger,
  prompt,
  requestId,
  runTurn,
  startCommand,
  startTurn,
  typed,
} from "../../helpers/ledger.ts";

const ENDS = { ok: "succeeded", failed: "failed", cancelled: "cancelled", unknown: "unknown" } as const;

/** From the text that was typed to its settle. */
function ran(
  db: SessionDB,
  session: Session,
  text: string,
  outcome: ToolOutcome & { kind: keyof typeof ENDS },
): Message {
  const { turn, call, lease } = startCommand(db, session, text);
  db.startCall(turn, call.id);
  const { message } = db.finishCall(turn, { id: call.id, end: ENDS[outcome.kind], outcome, at: Date.now() });
  db.settle(turn, { outcome: "completed", at: Date.now() });
  db.releaseLease(lease);
  return message;
}

const projected = (db: SessionDB, session: Session) => projectForModel(db.path(session.id, { limit: 100 }).messages);
const told = (db: SessionDB, session: Session) => JSON.stringify(projected(db, session));

describe("a command of a person", () => {
  it("is stored with its call, which they allowed by typing it, in the transaction that starts the turn", () => {
    const db = openLedger();
    const session = newSession(db);
    const { message, call, admission } = startCommand(db, session, "!npm test");
    expect(message).toMatchObject({
      role: "user",
      turn: 1,
      parts: [{ text: "!npm test" }, { kind: "shell", told: true }],
    });
    expect(call).toMatchObject({ message: message.id, state: "approved", approval: "person", effect: "external" });
    expect(call).toMatchObject({ tool: "shell", input: { command: "npm test" } });
    expect(db.admission(admission)).toMatchObject({ kind: "shell", status: "started", userMessage: message.id });
    expect(db.session(session.id).title).toBeUndefined();
  });

  it("is a command by its payload, and nothing else is: the schema refuses a kind that differs from it", () => {
    const db = openLedger();
    const session = newSession(db);
    const request = { target: { kind: "session", asked: session.id }, session: session.id } as const;
    for (const [kind, payload] of [
      ["shell", prompt("!ls")],
      ["prompt", typed("!ls")],
    ] as const)
      expect(() => db.admit({ ...request, request: requestId(), kind, payload })).toThrow(/CHECK/);
    expect(db.openAdmissions(session.conversation)).toEqual([]);
  });

  it("has this one call: a model asks for none in its turn, and a person for none in a model's", () => {
    const db = openLedger();
    const { turn, message } = startCommand(db, newSession(db), "!ls");
    const asked = { call: "c", tool: "shell", input: {} } as const;
    const answer = { parent: message.id, role: "assistant", parts: [{ kind: "tool-call", ...asked }], at: 1 } as const;
    expect(() => db.append(turn, answer, [{ ...asked, effect: "external" }])).toThrow(/a model asks in its answer/);
    const other = startTurn(db, newSession(db));
    const note = { parent: other.message.id, role: "note", parts: [{ kind: "tool-call", ...asked }], at: 1 } as const;
    expect(() => db.append(other.turn, note, [{ ...asked, effect: "external" }])).toThrow(/a model asks in its answer/);
  });

  it("is not complete before its result is there", () => {
    const db = openLedger();
    const { turn, call } = startCommand(db, newSession(db), "!ls");
    db.startCall(turn, call.id);
    const settled = db.settle(turn, { outcome: "interrupted", at: 1 });
    expect(settled.messages).toMatchObject([{ role: "tool", parts: [{ outcome: { kind: "unknown" } }] }]);
  });

  it("is a command again by retry and in the queue, and plain words when it is edited into such", () => {
    const db = openLedger();
    const session = newSession(db);
    ran(db, session, "!!ls", { kind: "ok", exitCode: 0 });
    const again = db.retry(session.id, { request: requestId(), approval: "ask", cwd: "/work/app" });
    if (again.kind !== "retried") throw new Error(again.kind);
    expect(again.admission).toMatchObject({ kind: "shell", payload: { prompt: [{ text: "!!ls" }, { told: false }] } });
    const edited = db.edit(again.admission.id, { request: requestId(), payload: typed("!pwd") });
    expect(edited).toMatchObject({ kind: "shell", summary: "!pwd" });
    expect(db.edit(edited.id, { request: requestId(), payload: prompt("hello") })).toMatchObject({ kind: "prompt" });
  });

  it("comes back by undo and in the history as it was typed", () => {
    const db = openLedger();
    const session = newSession(db);
    const text = "! echo a\necho b ";
    ran(db, session, text, { kind: "ok", exitCode: 0 });
    const undone = db.undo(session.id, 1);
    expect(undone).toMatchObject({ kind: "moved", prompt: { parts: [{ kind: "text", text }, { kind: "shell" }] } });
    expect(db.promptHistory(5)).toEqual([text]);
  });
});

describe("what a model is told", () => {
  it("holds command and output as what the person did, before the words they said next", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "hello", "world");
    ran(db, session, "!npm test", { kind: "failed", exitCode: 3, output: "2 tests failed\n" });
    startTurn(db, session, "mend them");
    const messages = projected(db, session);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const [did, said] = messages.at(-1)?.parts ?? [];
    expect(did).toMatchObject({
      kind: "note",
      text: expect.stringMatching(/^The person ran .*exit code 3\.\n\$ npm test\n/),
    });
    expect(did).toMatchObject({ text: expect.stringContaining("\n2 tests failed\n") });
    expect(said).toEqual({ kind: "text", text: "mend them" });
    expect(told(db, session)).not.toContain("tool-");
  });

  it("never holds a command that it is not to know, nor its output, wherever that stands", () => {
    const db = openLedger();
    const session = newSession(db);
    const hidden = () => ran(db, session, "!!cat hidden", { kind: "ok", exitCode: 0, output: "hidden too" });
    hidden();
    runTurn(db, session, "hello", "world");
    hidden();
    ran(db, session, "!ls", { kind: "ok", exitCode: 0, output: "shown" });
    hidden();
    startTurn(db, session, "and now");
    expect(told(db, session)).not.toContain("hidden");
    expect(told(db, session)).toContain("shown");
    expect(projected(db, session).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it.each([
    [{ kind: "ok" }, /its end: none yet\.\n\$ ls\n\(no output\)$/],
    [{ kind: "failed", output: "x" }, /its end: it failed\./],
    [{ kind: "cancelled", output: "[stopped]" }, /its end: stopped by the person/],
    [{ kind: "unknown", output: "x" }, /not known/],
  ] as const)("says how it ended: %j", (outcome, words) => {
    const db = openLedger();
    const session = newSession(db);
    ran(db, session, "!ls", outcome);
    expect(projected(db, session)[0]?.parts[0]).toMatchObject({ text: expect.stringMatching(words) });
  });

  it("marks where output ends by what no output can know", () => {
    const db = openLedger();
    const session = newSession(db);
    const first = ran(db, session, "!ls", { kind: "ok", exitCode: 0, output: "x" });
    const second = ran(db, session, "!ls", { kind: "ok", exitCode: 0, output: "x" });
    for (const { hash } of [first, second]) expect(told(db, session)).toContain(`[output ${hash.slice(0, 12)} ends]`);
    expect(first.hash).not.toBe(second.hash);
  });

  it("keeps a model's own calls paired where both use the same id", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message, lease } = startTurn(db, session, "go");
    const asked = { call: "typed", tool: "shell", input: {} } as const;
    const parts = [{ kind: "tool-call", ...asked }] as const;
    const answer = { parent: message.id, role: "assistant", parts, at: Date.now() } as const;
    const [call] = db.append(turn, answer, [{ ...asked, effect: "external" }]).calls;
    if (!call) throw new Error("no call");
    db.approveCall(turn, call.id, "person");
    db.startCall(turn, call.id);
    db.finishCall(turn, {
      id: call.id,
      end: "succeeded",
      outcome: { kind: "ok", output: "of the model" },
      at: Date.now(),
    });
    db.settle(turn, { outcome: "failed", at: Date.now() });
    db.releaseLease(lease);
    ran(db, session, "!!ls", { kind: "ok", output: "of the person" });
    startTurn(db, session, "on");
    expect(projected(db, session).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(told(db, session)).toContain("of the model");
    expect(told(db, session)).not.toContain("of the person");
  });
});
