// What is exported and imported elsewhere is the same conversation: exported again it is the same file.
import { describe, expect, it } from "vitest";
import { onlyCall, startCalls } from "../../helpers/file-changes.ts";
import { newSession, openLedger, runTurn, startTurn } from "../../helpers/ledger.ts";
import { richConversation } from "../../helpers/rich-conversation.ts";
import { exported, imported } from "../../helpers/transfer.ts";

describe("export and import", () => {
  it.each(["jsonl", "json"] as const)("bring an equal conversation to another ledger as %s", async (form) => {
    const [from, to] = [openLedger(), openLedger()];
    const { session } = richConversation(from);
    const file = await exported(from, session, form);
    expect(await imported(to, file)).toMatchObject({
      kind: "done",
      files: [{ kind: "imported", session: session.id }],
    });
    expect(await exported(to, session, form)).toBe(file);
    expect(to.session(session.id)).toMatchObject({
      title: "one of everything",
      titleSource: "person",
      turns: session.turns,
    });
    expect(to.redo(session.id).kind).toBe("moved");
    runTurn(to, to.session(session.id), "it goes on", "here");
  });

  it("change nothing where the conversation is already", async () => {
    const db = openLedger();
    const { session } = richConversation(db);
    const file = await exported(db, session);
    const before = db.stats().counts;
    expect(await imported(db, file)).toMatchObject({ files: [{ kind: "here", messages: 0 }] });
    expect(db.stats().counts).toEqual(before);
    expect(await exported(db, session)).toBe(file);
  });

  it("bring a branch without its parent, and the parent after it", async () => {
    const [from, to] = [openLedger(), openLedger()];
    const { session, branch } = richConversation(from);
    const [branchFile, parentFile] = [await exported(from, branch), await exported(from, session)];
    await imported(to, branchFile);
    expect(to.listSessions({ all: true }).map((each) => each.session.id)).toEqual([branch.id]);
    expect(await exported(to, branch)).toBe(branchFile);
    await imported(to, parentFile);
    expect(await exported(to, session)).toBe(parentFile);
    expect(await exported(to, branch)).toBe(branchFile);
    expect(to.deleteConversation(session.id).kind).toBe("deleted");
    while (!to.purgeStep());
    // Turns of the deleted conversation are gone, its messages are not.
    const [third, left] = [openLedger(), await exported(to, branch)];
    await imported(third, left);
    expect(await exported(third, branch)).toBe(left);
  });

  it("bring a parent, and then what a branch of it has more", async () => {
    const [from, to] = [openLedger(), openLedger()];
    const { session, branch } = richConversation(from);
    const [branchFile, parentFile] = [await exported(from, branch), await exported(from, session)];
    await imported(to, parentFile);
    await imported(to, branchFile);
    expect(await exported(to, branch)).toBe(branchFile);
    expect(await exported(to, session)).toBe(parentFile);
  });

  it("bring back what was deleted", async () => {
    const db = openLedger();
    const { session, branch } = richConversation(db);
    const file = await exported(db, session);
    db.deleteConversation(session.id);
    while (!db.purgeStep());
    expect(await imported(db, file)).toMatchObject({ files: [{ kind: "imported" }] });
    expect(await exported(db, session)).toBe(file);
    expect(db.session(branch.id).turns).toBeGreaterThan(0);
  });

  it("add what came later as a branch, and leave the conversation that is here alone", async () => {
    const [from, to] = [openLedger(), openLedger()];
    const session = newSession(from);
    runTurn(from, session, "one", "first");
    await imported(to, await exported(from, session));
    runTurn(from, session, "two elsewhere", "second elsewhere");
    runTurn(to, session, "two here", "second here");
    const running = startTurn(to, session, "goes on");
    const result = await imported(to, await exported(from, session));
    expect(result).toMatchObject({ files: [{ kind: "added", messages: 2 }] });
    const [branch] = result.kind === "done" ? (result.files[0]?.branches ?? []) : [];
    if (!branch) throw new Error("no branch was made");
    expect(to.path(branch, { limit: 10 }).messages.map(({ parts }) => parts[0])).toMatchObject(
      ["one", "first", "two elsewhere", "second elsewhere"].map((text) => ({ text })),
    );
    expect(to.session(branch)).toMatchObject({ parent: session.id, edge: "import" });
    expect(to.session(session.id)).toMatchObject({ turns: 3, head: running.message.id });
    to.settle(running.turn, { outcome: "interrupted", at: Date.now() });
    expect(await imported(to, await exported(from, session))).toMatchObject({ files: [{ kind: "here" }] });
  });

  it("end what was open: a call that ran is unknown, one that did not is skipped, the turn is interrupted", async () => {
    const [from, to] = [openLedger(), openLedger()];
    const session = newSession(from);
    const started = startCalls(from, session, { names: ["a"] });
    const asked = { call: "b", tool: "shell", input: {}, effect: "external" } as const;
    const parts = [{ kind: "tool-call", call: "b", tool: "shell", input: {} }] as const;
    const outcome = { kind: "ok" } as const;
    const { message } = from.finishCall(started.turn, {
      id: onlyCall(started),
      end: "succeeded",
      outcome,
      at: Date.now(),
    });
    const more = {
      parent: message.id,
      role: "assistant",
      parts: [...parts, { ...parts[0], call: "c" }],
      at: Date.now(),
    } as const;
    const { calls } = from.append(started.turn, more, [asked, { ...asked, call: "c" }]);
    from.approveCall(started.turn, onlyCall({ calls }), "person");
    from.startCall(started.turn, onlyCall({ calls }));
    expect(await imported(to, await exported(from, session))).toMatchObject({ files: [{ closedCalls: 2 }] });
    const [admission] = to.admissionsOf(session.id);
    expect(admission).toMatchObject({ status: "terminal", outcome: "interrupted" });
    expect(to.callsOf(admission?.id as never).map(({ state }) => state)).toEqual(["succeeded", "unknown", "skipped"]);
    expect(to.openAdmissions()).toEqual([]);
    expect(to.undelivered(0)).toEqual([]);
    runTurn(to, to.session(session.id), "it goes on", "here");
  });
});
