// Unsent text and half answers: kept until they are a part of the conversation or nobody's any more. And which
// answers somebody has seen.
import { describe, expect, it } from "vitest";
import { currentProcess, probePid } from "../../../src/ledger/identity.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { ConversationId, Message, MessageId, Session, TurnRef } from "../../../src/ledger/types.ts";
import { endTurn, onlyCall, startCalls } from "../../helpers/file-changes.ts";
import { acquire, newSession, openLedger, runTurn, startTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { rowCounts, rowsOf } from "../../helpers/ledger-rows.ts";

const AT = 1_900_000_000_000;
const code = (name: string): unknown => expect.objectContaining({ code: name });
const textsOf = (db: SessionDB, { conversation }: Pick<Session, "conversation">) =>
  db.drafts(conversation).map(({ kind, window, text }) => [kind, window, text]);

function startOf(pid: number): string {
  const probe = probePid(pid);
  if (probe.kind !== "there" || probe.start === undefined) throw new Error(`${pid} cannot be looked at`);
  return probe.start;
}

function answer(parent: MessageId, text = "the answer", call?: string) {
  const asked = call === undefined ? [] : [{ kind: "tool-call", call, tool: "t", input: null } as const];
  return { parent, role: "assistant", parts: [{ kind: "text", text }, ...asked], at: AT } as const;
}

/** A turn that began to answer and was left: unknown, with its lease in other hands. */
function leftTurn(db: SessionDB, session: Session, text = "half an ans") {
  const started = startTurn(db, session);
  db.saveAnswer(started.turn, { text, parent: started.message.id });
  db.markUnknown(started.turn);
  db.releaseLease(started.lease);
  return { ...started, lease: acquire(db, session) };
}

describe("unsent text", () => {
  it("is kept a window, the newest words of each, and goes when the composer is empty", () => {
    let now = AT;
    const db = openLedger({ now: () => now });
    const session = newSession(db);
    const save = (window: string, text: string) => {
      now += 1;
      db.saveComposer(session.conversation, { window, text });
    };
    save("tty1", "fir");
    save("tty2", "other");
    save("tty1", "first\nline \u{1f642} '\"");
    expect(textsOf(db, session)).toEqual([
      ["composer", "tty1", "first\nline \u{1f642} '\""],
      ["composer", "tty2", "other"],
    ]);
    expect(db.drafts(session.conversation)[0]).toEqual(expect.objectContaining({ at: now }));
    save("tty1", "");
    save("tty1", "");
    expect(textsOf(db, session)).toEqual([["composer", "tty2", "other"]]);
    expect(db.session(session.id).revision).toBe(session.revision);
  });

  it("stays while turns run, settle and are taken back", () => {
    const db = openLedger();
    const session = newSession(db);
    db.saveComposer(session.conversation, { window: "w", text: "next" });
    runTurn(db, session);
    db.undo(session.id, 1);
    db.redo(session.id);
    expect(textsOf(db, session)).toEqual([["composer", "w", "next"]]);
    expect(db.drafts(newSession(db).conversation)).toEqual([]);
  });

  it("is stored for no conversation that is not there or was deleted, and goes with the one it belongs to", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    db.saveComposer(session.conversation, { window: "w", text: "secret" });
    db.deleteConversation(session.id);
    while (!db.purgeStep());
    for (const gone of [session.conversation, "20000101-000000-000000" as ConversationId])
      expect(() => db.saveComposer(gone, { window: "w", text: "secret" })).toThrow(code("not_found"));
    expect(rowCounts(path)).toEqual({});
  });

  it("tells whether its window is there, is kept apart from another program's, and is taken over in one write", () => {
    const path = `${temporaryFolder()}/state.db`;
    const mine = openLedger({ path });
    const session = newSession(mine);
    const self = currentProcess("stele");
    const programs = [
      ["mine", self],
      ["gone", { ...self, start: "1" }],
      ["elsewhere", { ...self, host: "another", machine: "another" }],
      ["theirs", { ...self, pid: process.ppid, start: startOf(process.ppid) }],
    ] as const;
    for (const [text, program] of programs)
      openLedger({ path, process: program }).saveComposer(session.conversation, { window: "tty1", text });
    const found = mine.drafts(session.conversation);
    expect(Object.fromEntries(found.map(({ text, holder }) => [text, holder]))).toEqual({
      ...{ mine: "self", gone: "dead", elsewhere: "unproven", theirs: "alive" },
    });
    expect(new Set(found.map(({ window }) => window))).toEqual(new Set(["tty1"]));
    const from = found.find(({ text }) => text === "gone")?.key ?? "";
    mine.saveComposer(session.conversation, { window: "tty1", text: "gone", from });
    const after = mine.drafts(session.conversation).map(({ text, holder }) => `${text} ${holder}`);
    expect(after.toSorted()).toEqual(["elsewhere unproven", "gone self", "theirs alive"]);
  });

  it("of programs that are gone is listed newest first, never what was sent, is held, or lies in an archive", () => {
    const path = `${temporaryFolder()}/state.db`;
    let now = AT;
    const mine = openLedger({ path, now: () => now });
    const gone = openLedger({ path, now: () => now, process: { ...currentProcess("stele"), start: "1" } });
    const saved = (db: SessionDB, text: string): Session => {
      const session = newSession(mine);
      now += 1;
      db.saveComposer(session.conversation, { window: "tty1", text });
      return session;
    };
    const [older, newer] = [saved(gone, "older"), saved(gone, "newer".repeat(100))];
    saved(mine, "being written");
    const sent = saved(gone, "sent");
    runTurn(mine, sent, "sent");
    mine.setFlags(saved(gone, "archived").id, { archived: true });
    expect(mine.unsentTexts()).toEqual([
      { session: newer.id, conversation: newer.conversation, beginning: "newer".repeat(40), at: AT + 2 },
      { session: older.id, conversation: older.conversation, beginning: "older", at: AT + 1 },
    ]);
    const listed = mine.listSessions({ empty: false }).map(({ session, unsent }) => [session.id, unsent]);
    expect(listed).toContainEqual([older.id, "older"]);
    expect(listed).toContainEqual([sent.id, undefined]);
  });

  it("keeps a session that is empty otherwise", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    db.saveComposer(session.conversation, { window: "w", text: "not sent" });
    expect(db.discardEmpty(session.id)).toBe(false);
    expect(textsOf(db, session)).toEqual([["composer", "w", "not sent"]]);
    db.saveComposer(session.conversation, { window: "w", text: "" });
    expect(db.discardEmpty(session.id)).toBe(true);
    expect(rowCounts(path)).toEqual({});
  });
});

describe("a half answer", () => {
  it("is one a conversation, as far as it had streamed last, under the node it answers", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    db.saveAnswer(turn, { text: "ha", parent: message.id });
    db.saveAnswer(turn, { text: "half", parent: message.id });
    expect(db.drafts(session.conversation)).toEqual([
      {
        kind: "answer",
        window: "",
        text: "half",
        admission: turn.admission,
        parent: message.id,
        at: expect.any(Number),
      },
    ]);
    expect(db.session(session.id)).toMatchObject({ head: message.id, messages: 1 });
    db.settle(turn, { outcome: "failed", at: AT });
    expect(db.drafts(session.conversation)).toEqual([]);
  });

  it("goes with the answer that is stored, also where the append before it proved the turn", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    let parent = message.id;
    for (const text of ["one", "two", "three"]) {
      parent = db.append(turn, answer(parent, text)).message.id;
      db.saveAnswer(turn, { text: `${text} and`, parent });
      expect(textsOf(db, session)).toEqual([["answer", "", `${text} and`]]);
    }
    parent = db.append(turn, answer(parent, "four")).message.id;
    expect(db.drafts(session.conversation)).toEqual([]);
    parent = db.append(turn, answer(parent, "five")).message.id;
    db.settle(turn, { outcome: "completed", last: answer(parent, "six"), at: AT });
  });

  it("to the next question stays when the answer before it is asked for again", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    const first = db.append(turn, answer(message.id));
    db.saveAnswer(turn, { text: "and", parent: first.message.id });
    expect(db.append(turn, answer(message.id))).toEqual(first);
    expect(textsOf(db, session)).toEqual([["answer", "", "and"]]);
    db.settle(turn, { outcome: "interrupted", at: AT });
  });

  it("leaves unsent text alone when it goes", () => {
    const db = openLedger();
    const session = newSession(db);
    db.saveComposer(session.conversation, { window: "", text: "next" });
    const { turn, message } = startTurn(db, session);
    db.saveAnswer(turn, { text: "half", parent: message.id });
    db.settle(turn, { outcome: "failed", at: AT });
    expect(textsOf(db, session)).toEqual([["composer", "", "next"]]);
  });

  it.each<[string, (db: SessionDB, session: Session, turn: TurnRef) => void]>([
    ["is settled", (db, _, turn) => void db.settle(turn, { outcome: "failed", at: AT })],
    ["is unknown", (db, _, turn) => db.markUnknown(turn)],
    [
      "was taken over",
      (db, session, turn) => {
        db.releaseLease(turn);
        acquire(db, session);
      },
    ],
  ])("of a turn that %s is not written any more", (_, end) => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    end(db, session, turn);
    expect(() => db.saveAnswer(turn, { text: "late", parent: message.id })).toThrow(code("lease_lost"));
    expect(db.drafts(session.conversation)).toEqual([]);
  });

  it("of a stale turn does not touch that of the turn that was resumed", () => {
    const db = openLedger();
    const session = newSession(db);
    const left = leftTurn(db, session);
    const resumed = db.resumeUnknown(left.lease, left.admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    db.saveAnswer(resumed.turn, { text: "mine", parent: left.message.id });
    expect(() => db.saveAnswer(left.turn, { text: "late", parent: left.message.id })).toThrow(code("lease_lost"));
    expect(() => db.append(left.turn, answer(left.message.id, "late"))).toThrow(code("lease_lost"));
    expect(textsOf(db, session)).toEqual([["answer", "", "mine"]]);
    db.settle(resumed.turn, { outcome: "failed", at: AT });
  });

  it("survives the loss of its owner, and goes when the turn is resumed", () => {
    const db = openLedger();
    const session = newSession(db);
    const left = leftTurn(db, session);
    expect(db.drafts(session.conversation)).toMatchObject([{ text: "half an ans", admission: left.admission }]);
    const resumed = db.resumeUnknown(left.lease, left.admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    expect(db.drafts(session.conversation)).toEqual([]);
    db.settle(resumed.turn, { outcome: "failed", at: AT });
  });

  it("of the parent is not that of a branch", () => {
    const db = openLedger();
    const session = newSession(db);
    const left = leftTurn(db, session);
    const branched = db.branch(session.id);
    if (branched.kind !== "branched") throw new Error(branched.why);
    expect(db.drafts(branched.session.conversation)).toEqual([]);
    runTurn(db, branched.session);
    expect(textsOf(db, session)).toEqual([["answer", "", "half an ans"]]);
    db.settleUnknown(left.lease, { id: left.admission, outcome: "failed", note: "over", at: AT });
  });
});

describe("settling an interrupted turn", () => {
  const settle = (db: SessionDB, { lease, admission }: ReturnType<typeof leftTurn>, keepDraft?: boolean) =>
    db.settleUnknown(lease, {
      id: admission,
      outcome: "interrupted",
      note: "over",
      at: AT,
      ...(keepDraft !== undefined && { keepDraft }),
    });
  const rolesOf = (messages: readonly Message[]) => messages.map(({ role }) => role);

  it("drops the half answer unless a person keeps it", () => {
    const db = openLedger();
    const session = newSession(db);
    const settled = settle(db, leftTurn(db, session));
    expect(rolesOf(settled.messages)).toEqual(["note"]);
    expect(db.drafts(session.conversation)).toEqual([]);
  });

  it("makes it a part of the conversation on a person's word, once", () => {
    const db = openLedger();
    const session = newSession(db);
    const left = leftTurn(db, session);
    const settled = settle(db, left, true);
    expect(settled.messages).toMatchObject([
      {
        role: "assistant",
        parts: [{ kind: "text", text: "half an ans" }],
        finishReason: "interrupted",
        provider: "guide",
      },
      { role: "note" },
    ]);
    expect(settled.admission).toMatchObject({ outcome: "interrupted", lastMessage: settled.messages[1]?.id });
    expect(rolesOf(db.path(session.id, { limit: 9 }).messages)).toEqual(["user", "assistant", "note"]);
    expect(settle(db, left, true)).toEqual({ admission: settled.admission, messages: [] });
    expect(db.session(session.id)).toMatchObject({ messages: 3, turns: 1 });
    expect(db.drafts(session.conversation)).toEqual([]);
    db.releaseLease(left.lease);
    runTurn(db, session, "go on");
  });

  it("keeps none that answered what is not the end any more", () => {
    const db = openLedger();
    const session = newSession(db);
    const started = startCalls(db, session, { effect: "external" });
    db.saveAnswer(started.turn, { text: "to the prompt", parent: started.message.id });
    db.markUnknown(started.turn);
    const settled = settle(db, started, true);
    expect(rolesOf(settled.messages)).toEqual(["tool", "note"]);
    expect(db.drafts(session.conversation)).toEqual([]);
  });

  it("keeps none where a proof gave the call before it a result", () => {
    const db = openLedger();
    const session = newSession(db);
    const started = startCalls(db, session);
    db.saveAnswer(started.turn, { text: "too early", parent: started.asking.id });
    db.markUnknown(started.turn);
    const outcome = { kind: "ok", output: "found" } as const;
    const proof = { id: onlyCall(started), kind: "ended", end: "succeeded", outcome, evidence: "read back" } as const;
    db.reconcileCalls(started.lease, started.admission, { proofs: [proof], at: AT });
    expect(rolesOf(settle(db, started, true).messages)).toEqual(["note"]);
  });

  it("makes no message of nothing", () => {
    const db = openLedger();
    const session = newSession(db);
    expect(rolesOf(settle(db, leftTurn(db, session, ""), true).messages)).toEqual(["note"]);
    expect(db.drafts(session.conversation)).toEqual([]);
  });
});

describe("an answer that was completed", () => {
  it("is undelivered until some terminal or stream has got it", () => {
    let now = AT;
    const db = openLedger({ now: () => now });
    const [one, two] = [newSession(db), newSession(db)];
    const answers = [one, two, one].map((session) => {
      now += 10;
      return runTurn(db, session);
    });
    const waiting = (since = 0) => db.undelivered(since).map(({ lastMessage }) => lastMessage);
    expect(waiting()).toEqual(answers.map(({ id }) => id));
    expect(waiting(AT + 10)).toEqual(answers.slice(1).map(({ id }) => id));
    expect(waiting(now)).toEqual([]);
    db.deliver(answers[1]?.id as MessageId, "tty1");
    expect(waiting()).toEqual([answers[0]?.id, answers[2]?.id]);
    db.deliver(answers[0]?.id as MessageId, "stdout");
    db.deliver(answers[2]?.id as MessageId, "tty1");
    expect(waiting()).toEqual([]);
  });

  it("was delivered when it was delivered first, a channel", () => {
    let now = AT;
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path, now: () => now });
    const { id } = runTurn(db, newSession(db));
    for (const channel of ["tty1", "tty1", "tty2"]) {
      now += 10;
      db.deliver(id, channel);
    }
    expect(rowsOf(path, "select channel, delivered_at from deliveries order by channel")).toEqual([
      { channel: "tty1", delivered_at: AT + 10 },
      { channel: "tty2", delivered_at: AT + 30 },
    ]);
  });

  it("is the only kind that waits to be seen", () => {
    const db = openLedger();
    const session = newSession(db);
    endTurn(db, startCalls(db, session));
    const { turn, message } = startTurn(db, session);
    expect(db.undelivered(0)).toEqual([]);
    const last = answer(message.id);
    db.settle(turn, { outcome: "failed", last, at: AT });
    expect(db.undelivered(0)).toEqual([]);
  });

  it("is delivered nowhere once it is deleted, and not waited for", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const { id } = runTurn(db, session);
    db.deliver(id, "tty1");
    runTurn(db, session);
    db.deleteConversation(session.id);
    expect(db.undelivered(0)).toEqual([]);
    while (!db.purgeStep());
    expect(() => db.deliver(id, "tty1")).toThrow(code("not_found"));
    expect(rowCounts(path)).toEqual({});
  });

  it("that a branch still shows after its conversation went may be delivered there", () => {
    const db = openLedger();
    const session = newSession(db);
    const { id } = runTurn(db, session);
    db.branch(session.id);
    db.deleteConversation(session.id);
    while (!db.purgeStep());
    db.deliver(id, "tty1");
    db.deliver(id, "tty1");
    expect(db.undelivered(0)).toEqual([]);
  });
});
