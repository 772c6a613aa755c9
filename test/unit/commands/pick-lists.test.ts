// Lists to choose from: turns, changed files and commands; what stands in them, and that what they offer can be run.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandResult, PickItem } from "../../../src/commands/command.ts";
import { registry } from "../../../src/commands/registry.ts";
import { MEMORY, newSession, openLedger, runTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { type Desk, openDesk, words } from "./command-harness.ts";

type Pick = Extract<CommandResult, { kind: "pick" }>;

async function pick(desk: Desk, command: string): Promise<Pick> {
  const result = await desk.type(command);
  if (result.kind !== "pick") throw new Error(`${command} answers ${result.kind}`);
  return result;
}

const labels = (items: readonly PickItem[]) => items.map(({ label }) => label);
const commandOf = ({ items }: Pick, about: string): string => {
  const found = items.find(({ label }) => label.includes(about));
  if (!found) throw new Error(`nothing is about ${about}`);
  return found.command;
};

describe("the list of turns", () => {
  it("has the newest first, what came of each, and the exchange", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("write a.txt: hello");
    const list = await pick(desk, "/undo --to");
    expect(labels(list.items)).toEqual(["2  write a.txt: hello", "1  say one"]);
    expect(list.items.map(({ facts }) => facts)).toEqual([
      ["1 file", "just now", "1 tool"],
      ["", "just now", ""],
    ]);
    const [, first] = list.items;
    expect(first && (await list.preview?.(first))).toEqual({
      kind: "exchange",
      prompt: ["› say one"],
      answer: ["● one"],
    });
    expect(list.find).toBeUndefined();
  });

  it("goes back to before the turn that was chosen, whatever came after the list was read", async () => {
    const desk = await openDesk();
    for (const text of ["one", "two", "three"]) await desk.say(`say ${text}`);
    const command = commandOf(await pick(desk, "/undo --to"), "say two");
    await desk.say("say four");
    expect(await desk.type(command)).toMatchObject({ kind: "prefill", text: "say two", json: { turns: 3 } });
    expect(desk.runner.session.turns).toBe(1);
    expect(await desk.type(command)).toMatchObject({ kind: "usage" });
    expect(desk.runner.session.turns).toBe(1);
  });

  it("keeps the flags that were said with it", async () => {
    const desk = await openDesk();
    await desk.say("write a.txt: hello");
    expect(await desk.type(commandOf(await pick(desk, "/undo --to --files --yes"), "write"))).toMatchObject({
      json: { files: [{ path: "a.txt", state: "done" }] },
    });
    expect(desk.runner.session.turns).toBe(1);
    expect(await desk.type(commandOf(await pick(desk, "/undo --chat --to"), "write"))).toMatchObject({
      kind: "prefill",
    });
    expect(desk.runner.session.turns).toBe(0);
    expect(await pick(desk, "/undo --to")).toMatchObject({ items: [], empty: expect.stringContaining("no turn yet") });
  });

  it("branches after the turn that was chosen, with the title that was said", async () => {
    const desk = await openDesk();
    for (const text of ["one", "two"]) await desk.say(`say ${text}`);
    const result = await desk.type(commandOf(await pick(desk, "/branch it's another --at"), "say one"));
    expect(result).toMatchObject({ kind: "open-session", session: { title: "it's another", turns: 1 } });
  });

  it("refuses a message that begins no turn of this conversation, and asks for one where there is no screen", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const answer = desk.runner.session.head;
    for (const to of [answer, 999]) expect(await desk.type(`/undo --to ${to}`)).toMatchObject({ kind: "usage" });
    expect(await desk.type("/undo 2 --to 1")).toMatchObject({ kind: "usage" });
    expect(desk.runner.session.turns).toBe(1);
    const plain = await openDesk({ surface: "argv" });
    for (const command of ["/undo --to", "/branch --at"])
      expect(words(await plain.type(command))).toContain("needs a value");
  });

  it("is read a window at a time, and what is typed finds the rest", async () => {
    const file = path.join(temporaryFolder(MEMORY), "state.db");
    const ledger = openLedger({ path: file });
    const session = newSession(ledger);
    for (let turn = 1; turn <= 130; turn += 1) runTurn(ledger, session, `prompt ${turn}`);
    const desk = await openDesk({ file });
    await desk.runner.open(session, true);
    const list = await pick(desk, "/undo --to");
    expect([list.items.length, labels(list.items)[0], labels(list.items).at(-1)]).toEqual([
      100,
      "130  prompt 130",
      " 31  prompt 31",
    ]);
    const sevens = Array.from({ length: 130 }, (_, index) => String(130 - index)).filter((each) => each.includes("7"));
    const found = (await list.find?.("prompt 7")) ?? [];
    expect(labels(found)).toEqual(sevens.map((each) => `${each.padStart(3)}  prompt ${each}`));
    const more = (await list.more?.()) ?? [];
    expect([more.length, labels(more)[0], labels(more).at(-1)]).toEqual([30, " 30  prompt 30", "  1  prompt 1"]);
    expect(await list.more?.()).toEqual([]);
  });
});

describe("the list of changed files", () => {
  it("has each file of each turn, the newest first, with counts, the diff and what was taken back", async () => {
    const desk = await openDesk();
    const at = (name: string) => path.join(desk.folder, name);
    writeFileSync(at("it's a.txt"), "one\ntwo\n");
    await desk.say("edit it's a.txt: one => ONE");
    await desk.say("write b.txt: new");
    await desk.say("edit it's a.txt: two => TWO then edit it's a.txt: TWO => THREE");
    const rows = async () => (await pick(desk, "/files")).items.map(({ label, facts }) => [label, ...(facts ?? [])]);
    expect(await rows()).toEqual([
      ["it's a.txt", "+1 -1", "turn 3", ""],
      ["b.txt", "+1 -0", "turn 2", ""],
      ["it's a.txt", "+1 -1", "turn 1", ""],
    ]);
    const list = await pick(desk, "/files");
    const look = list.items[0] && (await list.preview?.(list.items[0]));
    expect(look).toMatchObject({ kind: "diff", diff: expect.stringMatching(/- two\n.*\+ THREE/) });

    // Only what the chosen turn and later ones did.
    const preview = await desk.type(list.items[0]?.command ?? "");
    if (preview.kind !== "preview") throw new Error(`it answers ${preview.kind}`);
    await preview.apply(preview.files);
    expect(readFileSync(at("it's a.txt"), "utf8")).toBe("ONE\ntwo\n");
    expect(await rows()).toEqual([
      ["it's a.txt", "+1 -1", "turn 3", "taken back"],
      ["b.txt", "+1 -0", "turn 2", ""],
      ["it's a.txt", "+1 -1", "turn 1", ""],
    ]);
    await desk.type("/redo --files --yes");
    expect((await rows())[0]).toEqual(["it's a.txt", "+1 -1", "turn 3", ""]);
    await desk.type("/undo 3 --files --yes");
    expect((await rows()).map((row) => row[3])).toEqual(["taken back", "taken back", "taken back"]);
  });

  it("says what commands did, what was not kept, and that nothing was changed", async () => {
    const desk = await openDesk();
    expect(await pick(desk, "/files")).toMatchObject({ items: [], empty: "No file was changed in this conversation." });
    writeFileSync(path.join(desk.folder, "d.txt"), "x\n");
    await desk.say("run sed -i s/x/y/ d.txt");
    expect((await pick(desk, "/files")).items[0]?.facts).toEqual(["+1 -1", "turn 1", "by a command"]);
    expect((await desk.type("/files 3")).kind).toBe("lines");
    const plain = await openDesk({ surface: "argv" });
    expect((await plain.type("/files")).kind).toBe("lines");
  });
});

describe("the list of commands", () => {
  it("has every command with what may follow it, its help, and its other names to be found by", async () => {
    const desk = await openDesk();
    const list = await pick(desk, "/help");
    expect(list.items.map(({ command }) => command)).toEqual(registry.commands.map(({ name }) => `/${name}`));
    expect(list).toMatchObject({ isWritten: true });
    const undo = list.items.find(({ command }) => command === "/undo");
    expect(undo).toMatchObject({ label: "/undo", hint: "[n]", detail: "take back the last turns, files too" });
    expect(undo?.search).toContain("/rewind");
    expect(undo && (await list.preview?.(undo))).toContainEqual(expect.stringContaining("--chat"));
  });
});
