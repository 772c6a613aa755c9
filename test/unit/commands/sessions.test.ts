import { describe, expect, it } from "vitest";
import { pickSession } from "../../../src/commands/session-rows.ts";
import { jsonLines, jsonOf, openDesk, words } from "./command-harness.ts";

describe("/sessions", () => {
  it("lists conversations with their state, and each line of JSON has the fields scripts rely on", async () => {
    const desk = await openDesk({ surface: "argv" });
    await desk.say("say hello");
    const result = await desk.type("/sessions");
    expect(words(result)).toMatch(/^1 {2}idle {2}\d{8}-\d{6}-[0-9a-f]{6} {2}say hello {2}just now {2}2 {2}\S+$/);
    const [line] = jsonLines(result);
    expect(line).toEqual({
      id: desk.runner.session.id,
      conversation: desk.runner.session.conversation,
      generation: 0,
      title: "say hello",
      titleSource: "derived",
      model: "guide/guide",
      cwd: desk.folder,
      messages: 2,
      turns: 1,
      state: "idle",
      startedAt: expect.any(Number),
      lastActivityAt: expect.any(Number),
      archived: false,
      pinned: false,
      hidden: false,
    });
  });

  it("filters by words, by folder and by number, and shows empty ones only when asked", async () => {
    const desk = await openDesk({ surface: "argv" });
    await desk.say("say apples");
    await desk.type("/new pears");
    await desk.newSession({ title: "elsewhere", cwd: "/nowhere" });
    const ids = async (text: string) => jsonLines(await desk.type(text)).map(({ title }) => title);
    expect(await ids("/sessions")).toEqual(["pears", "say apples"]);
    expect(await ids("/sessions APPLES")).toEqual(["say apples"]);
    expect(await ids("/sessions --query pear")).toEqual(["pears"]);
    expect(await ids("/sessions --limit 1")).toEqual(["pears"]);
    expect(await ids("/sessions --all --folder /nowhere")).toEqual(["elsewhere"]);
    expect(await ids("/sessions nothing like it")).toEqual([]);
    expect(await desk.type("/sessions --limit 0")).toMatchObject({ kind: "usage" });
  });
});

describe("/sessions show", () => {
  it("gives messages, calls and admissions of one session as one object", async () => {
    const desk = await openDesk();
    await desk.say("run echo hi");
    const shown = jsonOf(await desk.type(`/sessions show ${desk.runner.session.id}`));
    expect(Object.keys(shown)).toEqual(["session", "messages", "calls", "admissions"]);
    expect(shown["session"]).toMatchObject({ id: desk.runner.session.id, state: "idle" });
    expect(shown["calls"]).toMatchObject([{ tool: "shell", state: "succeeded" }]);
    expect(shown["admissions"]).toMatchObject([{ outcome: "completed" }]);
  });

  it("shows a window that begins at a message, and refuses one that is not on the path", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say two");
    const { id } = desk.runner.session;
    const idsOf = async (flags: string) => {
      const { messages } = jsonOf(await desk.type(`/sessions show ${id} ${flags}`));
      return (messages as { id: number }[]).map((message) => message.id);
    };
    const all = await idsOf("");
    expect(all).toHaveLength(4);
    expect(await idsOf("--limit 1")).toEqual(all.slice(3));
    expect(await idsOf(`--from ${all[1]} --limit 2`)).toEqual(all.slice(1, 3));
    expect(await desk.type(`/sessions show ${id} --from 999`)).toMatchObject({ kind: "usage" });
    await desk.type("/undo");
    expect(words(await desk.type(`/sessions show ${id} --from ${all[3]}`))).toContain("is not on the path");
  });

  it("shows what the model would be sent", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const shown = jsonOf(await desk.type(`/sessions show ${desk.runner.session.id} --for model`));
    expect(shown["system"]).toContain("You are stele");
    expect(shown["messages"]).toMatchObject([{ role: "user" }, { role: "assistant" }]);
    expect(await desk.type("/sessions show latest --for cat")).toMatchObject({ kind: "usage" });
  });
});

describe("/sessions tree", () => {
  it("gives every branch of the root with its fork and head", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const root = desk.runner.session;
    await desk.type("/branch side");
    const side = desk.runner.session;
    await desk.say("say two");
    const tree = jsonLines(await desk.type(`/sessions tree ${side.id}`));
    expect(tree).toEqual([
      { session: root.id, head: root.head, live: true },
      { session: side.id, parent: root.id, forkMessage: root.head, head: desk.runner.session.head, live: true },
    ]);
  });
});

describe("/sessions rename, pin, hide, archive, delete", () => {
  it("change the session that is named", async () => {
    const desk = await openDesk();
    const other = await desk.newSession({ title: "old name" });
    await desk.type(`/sessions rename ${other.id} new name`);
    await desk.type("/sessions pin 'new name'");
    await desk.type("/sessions hide 'new name'");
    await desk.type("/sessions archive 'new name'");
    expect(await desk.db.session(other.id)).toMatchObject({
      title: "new name",
      pinned: true,
      hidden: true,
      archived: true,
    });
    await desk.type("/sessions pin 'new name' --off");
    expect(await desk.db.session(other.id)).toMatchObject({ pinned: false, hidden: true });
  });

  it("ask before they delete, and the question carries the command that says yes", async () => {
    const desk = await openDesk();
    const other = await desk.newSession({ title: "away" });
    const asked = await desk.type("/sessions delete away");
    expect(asked).toMatchObject({ kind: "confirm", command: `/sessions delete ${other.id} --yes` });
    expect(await desk.db.session(other.id)).toMatchObject({ title: "away" });
    expect(jsonOf(await desk.type(`/sessions delete ${other.id} --yes`))).toEqual({ deleted: [other.id] });
    expect(await desk.type("/sessions delete away")).toMatchObject({ kind: "usage" });
  });

  it("say what stays because a branch shows it, before they delete", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { id } = desk.runner.session;
    for (const name of ["a", "b", "c", "d", "e"]) {
      await desk.type(`/branch ${name}`);
      await desk.say(`say ${name}`);
      await desk.type(`/resume ${id}`);
    }
    await desk.say("say two");
    expect(await desk.type("/delete")).toMatchObject({
      question:
        "Delete “say one” for good: 2 turns and 2 messages? 2 more messages stay, because “e”, “d”, “c” and 2 more show them.",
    });
    expect(words(await desk.type("/delete --yes"))).toContain("Deleted “say one”, 2 messages.");
    await desk.type("/resume a");
    expect(await desk.db.path(desk.runner.session.id, { limit: 9 })).toMatchObject({ messages: { length: 4 } });
  });

  it("count undone turns alike in the question and in the answer", async () => {
    const desk = await openDesk();
    for (const text of ["say one", "say two", "say three"]) await desk.say(text);
    await desk.type("/undo");
    await desk.type("/branch side");
    const side = desk.runner.session.id;
    await desk.type("/resume 'say one'");
    await desk.say("say else");
    await desk.type("/undo");
    const question = expect.stringContaining("and 4 messages? 4 more messages stay");
    expect(await desk.type("/delete")).toMatchObject({ question });
    expect(words(await desk.type("/delete --yes"))).toContain("Deleted “say one”, 4 messages.");
    expect(await desk.db.path(side, { limit: 9 })).toMatchObject({ messages: { length: 4 } });
  });

  it("offer nothing in the place of an id that is gone", async () => {
    const desk = await openDesk();
    const other = await desk.newSession({ title: "away" });
    const stays = await desk.newSession({ title: "stays" });
    await desk.type(`/sessions delete ${other.id} --yes`);
    for (const id of [other.id, "20200101-000000-abcdef"]) {
      const answer = await desk.type(`/resume ${id}`);
      expect(answer).toMatchObject({ kind: "usage", message: expect.stringContaining("any more: it was deleted") });
      expect(JSON.stringify(answer)).not.toContain("Nearest");
    }
    const typo = await desk.type(`/resume ${stays.id}x`);
    expect(typo).toMatchObject({ kind: "usage", hint: expect.stringContaining(stays.id) });
  });

  it("open a new conversation when the open one is deleted", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { id } = desk.runner.session;
    expect(await desk.type("/delete")).toMatchObject({
      kind: "confirm",
      question: expect.stringContaining("1 turn and 2 messages"),
    });
    expect(await desk.type("/delete --yes")).toMatchObject({ kind: "open-session", resumed: false });
    expect(desk.runner.session.id).not.toBe(id);
    expect(await desk.type(`/resume ${id}`)).toMatchObject({ kind: "usage" });
  });

  it("flag the open conversation by their short names", async () => {
    const desk = await openDesk();
    expect(jsonOf(await desk.type("/pin"))).toEqual({ session: desk.runner.session.id, pinned: true });
    expect(desk.runner.session.pinned).toBe(true);
    expect(words(await desk.type("/pin --off"))).toContain("is not pinned");
  });
});

describe("a session in a list to pick from", () => {
  const at = Date.now();
  it.each([
    ["idle", undefined, "just now · 1 turn"],
    ["unknown", undefined, "waits for a decision · just now · 1 turn"],
    ["running", { pid: 1, program: "stele" }, "running elsewhere · just now · 1 turn"],
    ["running", { pid: process.pid, program: "stele" }, "running · just now · 1 turn"],
  ] as const)("that is %s, held by %j, says so", async (state, holder, words) => {
    const desk = await openDesk();
    await desk.say("say hello");
    const { session } = desk.runner;
    const listing = { session: { ...session, lastActivityAt: at }, state, ...(holder && { holder }) };
    const { detail } = pickSession(listing, { now: at, command: "/resume", here: "/elsewhere" });
    expect(detail).toBe(`${words} · ${desk.folder}`);
  });
});
