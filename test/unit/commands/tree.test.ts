// /tree, /compare, /edit and /retry --other: what they show, where they go, and what they refuse.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandResult, PickItem } from "../../../src/commands/command.ts";
import { printResult } from "../../../src/ui/printer.ts";
import { type Desk, jsonLines, jsonOf, openDesk, words } from "./command-harness.ts";

type Pick = Extract<CommandResult, { kind: "pick" }>;

async function pickOf(desk: Desk, text: string): Promise<Pick> {
  const result = await desk.type(text);
  if (result.kind !== "pick") throw new Error(`${text} is ${result.kind}`);
  return result;
}

const labels = ({ items }: { items: readonly PickItem[] }) => items.map(({ label }) => label);

/** Two turns, a branch with one of its own, and a retried last turn in the open conversation. */
async function forked(): Promise<Desk> {
  const desk = await openDesk();
  await desk.say("say one");
  await desk.say("say two");
  const own = desk.runner.session;
  await desk.type("/branch side");
  await desk.say("say three");
  await desk.runner.open(own, true);
  await desk.type("/retry");
  return desk;
}

describe("/tree", () => {
  it("draws branches and ends, begins at the open one, and each row says what it is", async () => {
    const desk = await forked();
    const pick = await pickOf(desk, "/tree");
    expect(labels(pick)).toEqual(["say one", "└ side"]);
    await desk.type("/undo");
    await desk.say("say else");
    const now = await pickOf(desk, "/tree");
    expect(labels(now)).toEqual(["say one", "├ other answer: “say two”", "└ side"]);
    expect(now.selected).toBe(`/resume ${desk.runner.session.id}`);
    expect(now.items.map(({ detail }) => detail)).toEqual([
      "← here · 2 turns · just now",
      "after turn 1 · 1 turn · just now",
      "after turn 2 · 3 turns · just now · “say two”",
    ]);
    const look = await now.preview?.(now.items[1] as PickItem);
    expect(look).toMatchObject({ kind: "exchange", prompt: ["› say two"], answer: ["● two"] });
  });

  it("goes to an undone end of this conversation, by a redo where that comes to it", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say two");
    const { head } = desk.runner.session;
    await desk.type("/undo");
    expect((await pickOf(desk, "/tree")).items[1]).toMatchObject({
      command: "/redo",
      facts: ["after turn 1", "1 turn", "just now", "/redo brings it back"],
    });
    await desk.say("say else");
    const [, end] = (await pickOf(desk, "/tree")).items;
    expect(end?.command).toBe(`/tree --to ${head}`);
    const gone = await desk.type(end?.command ?? "");
    expect(words(gone)).toBe("Brought back 1 turn. What was here (1 turn) is kept: /tree");
    expect(desk.runner.session.head).toBe(head);
    expect(desk.events.filter(({ type }) => type === "head-moved").at(-1)).toMatchObject({ head });
    expect(labels(await pickOf(desk, "/tree"))[1]).toBe("└ undone: “say else”");
  });

  it("goes to an undone end of another conversation, which is opened there", async () => {
    const desk = await forked();
    const own = desk.runner.session.id;
    const side = (await pickOf(desk, "/tree")).items[1]?.command ?? "";
    await desk.type(side);
    const { id, head } = desk.runner.session;
    await desk.type("/undo");
    await desk.type(`/resume ${own}`);
    const end = (await pickOf(desk, "/tree")).items.find(({ label }) => label.includes("say three"));
    expect(end).toMatchObject({ command: `/tree --to ${head} --of ${id}`, label: "  └ undone: “say three”" });
    expect(await desk.type(end?.command ?? "")).toMatchObject({ kind: "open-session", session: { id, head } });
    expect(desk.runner.session).toMatchObject({ id, head });
  });

  it("says which files are not as they would be there, and leaves them alone", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("write a.txt: first");
    const { head } = desk.runner.session;
    await desk.type("/undo --yes");
    await desk.say("write b.txt: second");
    expect(words(await desk.type(`/tree --to ${head}`))).toContain(
      "2 files are not as they would be there (a.txt, b.txt)",
    );
    expect(await desk.context.readFile("b.txt")).toBe("second");
    expect(await desk.context.readFile("a.txt")).toBeUndefined();
  });

  it("takes files along where that is asked, after a look at them, and keeps what somebody else wrote", async () => {
    const desk = await openDesk();
    await desk.say("write a.txt: start then write b.txt: start");
    await desk.say("edit a.txt: start => first then write x.txt: only here");
    const { head } = desk.runner.session;
    await desk.type("/edit 1 --yes");
    await desk.say("edit a.txt: start => second then edit b.txt: start => second");
    const asked = await desk.type(`/tree --to ${head} --files`);
    if (asked.kind !== "preview") throw new Error(asked.kind);
    expect(asked.files.map(({ path, action }) => `${action} ${path}`).sort()).toEqual([
      "create x.txt",
      "write a.txt",
      "write b.txt",
    ]);
    const texts = () => Promise.all(["a.txt", "b.txt", "x.txt"].map((name) => desk.context.readFile(name)));
    expect(await texts()).toEqual(["second", "second", undefined]);
    await asked.apply(asked.files);
    expect(await texts()).toEqual(["first", "start", "only here"]);
    expect(desk.runner.session.head).toBe(head);
    expect(words(await desk.type("/retry --other --files --yes"))).toContain("2 files written: a.txt, b.txt");
    expect(await texts()).toEqual(["second", "second", undefined]);
    writeFileSync(path.join(desk.folder, "b.txt"), "somebody else's");
    expect(words(await desk.type("/retry --other --files --yes"))).toContain(
      "left alone: b.txt (b.txt was changed since",
    );
    expect(await texts()).toEqual(["first", "somebody else's", "only here"]);
    expect(await desk.db.verify()).toEqual([]);
  });

  it("is a line each in print, and one object each in JSON, with undone ends", async () => {
    const desk = await openDesk({ surface: "argv" });
    await desk.say("say one");
    const { id, head: first } = desk.runner.session;
    await desk.say("say two");
    const { head } = desk.runner.session;
    await desk.type("/undo");
    const tree = await desk.type("/tree");
    expect(jsonLines(tree)).toEqual([
      { session: id, head: first, live: true },
      { session: id, forkMessage: first, head, live: false, undone: true, turns: 1, prompt: "say two" },
    ]);
    expect(words(tree)).toBe(
      `say one · ← here · 1 turn · just now · ${id}\n` +
        `└ undone: “say two” · after turn 1 · 1 turn · just now · /redo brings it back · message ${head}`,
    );
    expect(jsonLines(await desk.type(`/sessions tree ${id}`))).toEqual(jsonLines(tree));
  });

  it.each<[string, object]>([
    ["/tree --to 0", { kind: "usage" }],
    ["/tree --to 4711", { kind: "usage", code: "not_found" }],
    ["/tree --to 4711 --files", { kind: "usage", code: "not_found" }],
    ["/tree --of latest", { kind: "usage" }],
    ["/tree --yes", { kind: "usage" }],
    ["/tree --files --of latest", { kind: "usage" }],
    ["/retry --yes", { kind: "usage" }],
    ["/tree --to 1 --of nobody", { kind: "usage" }],
    ["/tree word", { kind: "usage" }],
  ])("refuses %s", async (text, refusal) => {
    const desk = await openDesk();
    await desk.say("write a.txt: one");
    expect(await desk.type(text)).toMatchObject(refusal);
  });

  it("lists the rest of a wide tree as one gets there, and finds what is typed in all of it", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { id } = desk.runner.session;
    for (let at = 0; at < 130; at += 1) await desk.db.branch(id, { title: `branch ${at}` });
    const pick = await pickOf(desk, "/tree");
    expect(pick.items).toHaveLength(100);
    const more = (await pick.more?.()) ?? [];
    expect([more.length, await pick.more?.()]).toEqual([31, []]);
    expect(new Set([...pick.items, ...more].map(({ command }) => command)).size).toBe(131);
    expect([...pick.items, ...more].filter(({ label }) => label.startsWith("└"))).toEqual(more.slice(-1));
    expect((await pick.find?.("BRANCH 101"))?.map(({ label }) => label.slice(2))).toEqual(["branch 101"]);
  });
});

describe("/retry --other", () => {
  it("goes through all that was asked in this place, round and round", async () => {
    const desk = await openDesk();
    await desk.say("say zero");
    await desk.say("say one");
    const heads = [desk.runner.session.head];
    await desk.type("/retry");
    heads.push(desk.runner.session.head);
    await desk.type("/edit 1 --chat");
    await desk.say("say changed");
    heads.push(desk.runner.session.head);
    expect(words(await desk.type("/retry --other"))).toBe(
      "Answer 1 of 3: “say one”. /retry --other goes on to the next one.",
    );
    expect(desk.runner.session.head).toBe(heads[0]);
    expect(jsonOf(await desk.type("/retry --other"))).toMatchObject({
      head: heads[1],
      answer: 2,
      answers: 3,
      files: [],
    });
    expect(words(await desk.type("/retry --other"))).toContain("goes on to the first one");
    expect(desk.runner.session.head).toBe(heads[2]);
  });

  it("goes to where an answer was left, with all that came after it", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say more");
    const { head } = desk.runner.session;
    await desk.type("/edit 2");
    await desk.say("say other");
    await desk.type("/retry --other");
    expect(desk.runner.session).toMatchObject({ head, turns: 2 });
  });

  it("is refused where there is none, and while a turn runs", async () => {
    const desk = await openDesk();
    expect(await desk.type("/retry --other")).toMatchObject({ kind: "refused", code: "conflict" });
    await desk.say("say one");
    expect(words(await desk.type("/retry --other"))).toContain("no other answer");
    await desk.type("/retry");
    const { conversation } = desk.runner.session;
    const taken = await desk.db.acquireLease({ conversation, holder: "other" as never });
    expect(await desk.type("/retry --other")).toMatchObject({ kind: "refused", code: "busy" });
    if (taken.kind === "acquired") await desk.db.releaseLease(taken.lease);
  });
});

describe("/edit", () => {
  it("takes back to before that prompt, which returns as it was typed", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const text = "say “two”\n  and\tthis";
    await desk.say(text);
    await desk.say("say three");
    const result = await desk.type("/edit 2");
    expect(result).toMatchObject({ kind: "prefill", text, json: { turns: 2 } });
    expect(words(result)).toBe(
      "Turn 2 is to be asked anew: change it and send it. It and the 1 turn after it are kept: /redo, or /tree",
    );
    expect(desk.runner.session.turns).toBe(1);
    await desk.type("/redo");
    expect(desk.runner.session.turns).toBe(3);
  });

  it("asks about files first, and leaves them where only the chat is meant", async () => {
    const desk = await openDesk();
    await desk.say("write a.txt: first");
    expect(await desk.type("/edit 1")).toMatchObject({ kind: "preview", files: [{ path: "a.txt", action: "remove" }] });
    expect(desk.runner.session.turns).toBe(1);
    await desk.type("/edit 1 --chat");
    expect(await desk.context.readFile("a.txt")).toBe("first");
    await desk.type("/redo --chat");
    await desk.type("/edit 1 --yes");
    expect(await desk.context.readFile("a.txt")).toBeUndefined();
  });

  it("edits the newest prompt also where a compaction came after it, and picks one without a number", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say two");
    await desk.type("/compress");
    await desk.runner.idle();
    const pick = await pickOf(desk, "/edit --chat");
    expect(labels(pick)).toEqual(["2  say two", "1  say one"]);
    expect(pick.items[0]?.command).toMatch(/^\/edit --at \d+ --chat$/);
    expect(await desk.type(pick.items[0]?.command ?? "")).toMatchObject({ kind: "prefill", text: "say two" });
  });

  it.each<[string, string]>([
    ["/edit 3", "There are only 2 turns here."],
    ["/edit 0", "whole number above 0"],
    ["/edit --at 2", "begins no turn"],
    ["/edit 1 --at 1", "not both"],
    ["/edit --files", "There is no flag"],
  ])("refuses %s", async (text, why) => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say two");
    const { head } = desk.runner.session;
    const result = await desk.type(text);
    expect(result.kind).toBe("usage");
    expect(words(result)).toContain(why);
    expect(desk.runner.session.head).toBe(head);
  });

  it("is refused while a turn runs, and where nothing was asked", async () => {
    const desk = await openDesk();
    expect(await desk.type("/edit 1")).toMatchObject({ kind: "usage" });
    await desk.runner.submit([{ kind: "text", text: "run sleep 30" }]);
    expect(await desk.type("/edit 1")).toMatchObject({ kind: "refused", code: "busy" });
    desk.runner.stop();
    await desk.runner.idle();
  });
});

describe("/compare", () => {
  it("puts what came after the fork side by side, and files that both changed are marked", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const own = desk.runner.session;
    await desk.type("/branch side");
    await desk.say("write a.txt: theirs then write c.txt: x");
    await desk.runner.open(own, true);
    await desk.say("read a.txt then write a.txt: ours");
    await desk.say("say two");
    const result = await desk.type("/compare side");
    if (result.kind !== "sides") throw new Error(result.kind);
    expect(result.heads).toEqual(["say one (here)", "side"]);
    expect(result.intro).toEqual([`Both are the same up to turn 1 (message ${own.head}).`]);
    const cells = result.rows.map(({ left, right }) => [left.join("|"), right.join("|")]);
    expect(cells[0]?.[0]).toMatch(/^› read a\.txt then write a\.txt: ours\| {2}2 tools\|● /);
    expect(cells[1]).toEqual(["› say two|● two", ""]);
    expect(cells.slice(2)).toEqual([
      ["1 file changed:", "2 files changed:"],
      ["≠ a.txt  +1 -1", "≠ a.txt  +1 -0"],
      ["", "  c.txt  +1 -0"],
    ]);
    expect(jsonOf(result)).toMatchObject({ fork: own.head, turn: 1, sides: [{ session: own.id, later: 0 }, {}] });
  });

  it("is bounded: ten turns at once, and the command for the next ones", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const own = desk.runner.session;
    await desk.type("/branch side");
    for (let at = 0; at < 12; at += 1) await desk.say(`say ${at}`);
    const { id } = desk.runner.session;
    await desk.runner.open(own, true);
    const result = await desk.type(`/compare ${id}`);
    expect(result).toMatchObject({ kind: "sides", outro: [`The next turns: /compare ${id} --from 12`] });
    if (result.kind === "sides") expect(result.rows.at(-1)).toEqual({ left: [], right: ["… 2 more"] });
    const next = await desk.type(`/compare ${id} --from 12`);
    if (next.kind === "sides") expect(next.rows.map(({ right }) => right[0])).toEqual(["› say 10", "› say 11"]);
  });

  it("has JSON also where nothing differs", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { id, head } = desk.runner.session;
    const same = { session: id, head, turns: [], later: 0, files: [] };
    expect(jsonOf(await desk.type(`/compare --at ${head}`))).toEqual({ fork: head, sides: [same, same] });
  });

  it("compares with an undone end, chosen from the tree without this conversation", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { head } = desk.runner.session;
    await desk.type("/edit 1");
    await desk.say("say two");
    const pick = await pickOf(desk, "/compare");
    expect(pick.items.map(({ command }) => command)).toEqual([`/compare --at ${head}`]);
    expect(await desk.type(`/compare --at ${head}`)).toMatchObject({
      kind: "sides",
      intro: ["They differ from the start."],
      rows: [{ left: ["› say two", "● two"], right: ["› say one", "● one"] }],
    });
  });

  it("prints one after the other", async () => {
    const desk = await forked();
    const printed: string[] = [];
    printResult(await desk.type("/compare side"), { out: (text) => printed.push(text), err: () => {} }, false);
    expect(printed.join("")).toMatch(
      /\n\nsay one \(here\):\n› say two\n● two\n\nside:\n› say two\n● two\n› say three\n● three\n/,
    );
  });

  it.each<[string, string]>([
    ["/compare stranger", "nothing in common"],
    ["/compare nobody", "There is no session"],
    ["/compare 'say one'", "this conversation itself"],
    ["/compare --at 4711", "There is no message"],
    ["/compare side --at 1", "not both"],
    ["/compare side --from 0", "whole number above 0"],
  ])("refuses %s", async (text, why) => {
    const desk = await forked();
    const stranger = await desk.newSession({ title: "stranger" });
    const own = desk.runner.session;
    await desk.runner.open(stranger, false);
    await desk.say("say something else");
    await desk.runner.open(own, true);
    const result = await desk.type(text);
    expect(result.kind).toBe("usage");
    expect(words(result)).toContain(why);
  });
});
