import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CommandResult } from "../../../src/commands/command.ts";
import { type Desk, openDesk, printed, words } from "./command-harness.ts";

type Preview = Extract<CommandResult, { kind: "preview" }>;

async function preview(desk: Desk, command: string): Promise<Preview> {
  const result = await desk.type(command);
  if (result.kind !== "preview") throw new Error(`${command} answers ${result.kind}`);
  return result;
}

function read(desk: Desk, name: string): string | undefined {
  const file = path.join(desk.folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Three edits and one change by a command, in one turn. */
async function editedDesk(): Promise<Desk> {
  const desk = await openDesk();
  writeFileSync(path.join(desk.folder, "a.txt"), "one\nmiddle\nmiddle\nend\n");
  writeFileSync(path.join(desk.folder, "b.txt"), "two\r\n");
  chmodSync(path.join(desk.folder, "b.txt"), 0o640);
  writeFileSync(path.join(desk.folder, "d.txt"), "x\n");
  await desk.say(
    "edit a.txt: one => ONE then edit b.txt: two => TWO then write c.txt: new then run sed -i s/x/y/ d.txt",
  );
  return desk;
}

const AFTER = { "a.txt": "ONE\nmiddle\nmiddle\nend\n", "b.txt": "TWO\r\n", "c.txt": "new", "d.txt": "y\n" };
const BEFORE = { "a.txt": "one\nmiddle\nmiddle\nend\n", "b.txt": "two\r\n", "c.txt": undefined, "d.txt": "x\n" };

function expectFiles(desk: Desk, files: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(files)) expect([name, read(desk, name)]).toEqual([name, text]);
}

describe("/undo with files", () => {
  it("shows first what would change and changes nothing, with what commands did unticked", async () => {
    const desk = await editedDesk();
    const { head } = desk.runner.session;
    const { files } = await preview(desk, "/undo");
    expect(files.map(({ path: name, isChosen, isSuspected }) => [name, isChosen, isSuspected])).toEqual([
      ["a.txt", true, false],
      ["b.txt", true, false],
      ["c.txt", true, false],
      ["d.txt", false, true],
    ]);
    expect(files[0]).toMatchObject({ added: 1, removed: 1, action: "write" });
    expect(files[2]).toMatchObject({ action: "remove" });
    expectFiles(desk, AFTER);
    expect(desk.runner.session.head).toBe(head);
  });

  it("writes back what was ticked byte for byte, modes and line ends too, and /redo brings it back", async () => {
    const desk = await editedDesk();
    const undone = await desk.type("/undo --yes");
    expect(undone).toMatchObject({ kind: "prefill" });
    expectFiles(desk, { ...BEFORE, "d.txt": "y\n" });
    expect(statSync(path.join(desk.folder, "b.txt")).mode & 0o777).toBe(0o640);
    expect(words(await desk.type("/redo"))).toContain("3 files written");
    expectFiles(desk, AFTER);
    await desk.type("/undo --suspected --yes");
    expectFiles(desk, BEFORE);
    await desk.type("/redo");
    expectFiles(desk, AFTER);
  });

  it("takes along only the files that were chosen in the preview", async () => {
    const desk = await editedDesk();
    const { files, apply } = await preview(desk, "/undo");
    await apply(files.filter(({ path: name }) => name === "b.txt" || name === "d.txt"));
    expectFiles(desk, { ...AFTER, "b.txt": BEFORE["b.txt"], "d.txt": BEFORE["d.txt"] });
    expect(desk.runner.session.turns).toBe(0);
  });

  it("keeps what a person changed elsewhere in the file, and takes the turn's change out of it", async () => {
    const desk = await editedDesk();
    writeFileSync(path.join(desk.folder, "a.txt"), `${AFTER["a.txt"]}by hand\n`);
    const { files } = await preview(desk, "/undo");
    expect(files[0]).toMatchObject({ path: "a.txt", isMerged: true, isChosen: true });
    await desk.type("/undo --yes");
    expect(read(desk, "a.txt")).toBe(`${BEFORE["a.txt"]}by hand\n`);
    expect(await desk.type("/redo")).toMatchObject({ kind: "lines" });
    expect(read(desk, "a.txt")).toBe(`${AFTER["a.txt"]}by hand\n`);
  });

  it("leaves a file alone that a person changed in the same place, and takes the rest", async () => {
    const desk = await editedDesk();
    writeFileSync(path.join(desk.folder, "a.txt"), AFTER["a.txt"].replace("ONE", "mine"));
    writeFileSync(path.join(desk.folder, "c.txt"), "changed since");
    const undone = await desk.type("/undo --yes");
    expect(undone).toMatchObject({ lines: expect.arrayContaining([expect.stringContaining("left alone: a.txt")]) });
    expectFiles(desk, { "a.txt": AFTER["a.txt"].replace("ONE", "mine"), "b.txt": "two\r\n", "c.txt": "changed since" });
  });

  it("brings back a file that a command deleted", async () => {
    const desk = await openDesk();
    writeFileSync(path.join(desk.folder, "gone.txt"), "kept\n");
    await desk.say("run rm gone.txt");
    expect(read(desk, "gone.txt")).toBeUndefined();
    await desk.type("/undo --suspected --yes");
    expect(read(desk, "gone.txt")).toBe("kept\n");
    await desk.type("/redo");
    expect(read(desk, "gone.txt")).toBeUndefined();
  });

  it("asks nothing and touches no file after a turn that only answered", async () => {
    const desk = await openDesk();
    writeFileSync(path.join(desk.folder, "a.txt"), "one");
    await desk.say("read a.txt");
    expect(await desk.type("/undo")).toMatchObject({ kind: "prefill" });
    expect(read(desk, "a.txt")).toBe("one");
  });

  it("moves only the conversation with --chat, only the files with --files", async () => {
    const desk = await editedDesk();
    await desk.type("/undo --chat");
    expectFiles(desk, AFTER);
    await desk.type("/redo --chat");
    const { head } = desk.runner.session;
    expect(words(await desk.type("/undo --files --yes"))).toContain(
      "2 files written: a.txt, b.txt\n1 file removed: c.txt",
    );
    expectFiles(desk, { ...BEFORE, "d.txt": "y\n" });
    expect(desk.runner.session.head).toBe(head);
    expect(await desk.type("/undo --chat --files")).toMatchObject({ kind: "usage" });
  });

  it("takes our own edit out of a file that a command changed too, and both only when asked", async () => {
    const desk = await openDesk();
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    writeFileSync(path.join(desk.folder, "f.txt"), `${lines.join("\n")}\n`);
    const before = read(desk, "f.txt");
    await desk.say("edit f.txt: line 15 => FIFTEEN then run sed -i 's/^line 2$/TWO/' f.txt");
    const { files } = await preview(desk, "/undo");
    expect(files.map(({ isSuspected, isChosen, added }) => [isSuspected, isChosen, added])).toEqual([
      [false, true, 1],
      [true, false, 2],
    ]);
    await desk.type("/undo --yes");
    expect(read(desk, "f.txt")).toBe(before?.replace("line 2\n", "TWO\n"));
    await desk.type("/redo");
    await desk.type("/undo --suspected --yes");
    expect(read(desk, "f.txt")).toBe(before);
  });

  it("brings back with /redo --files what /undo --files took", async () => {
    const desk = await editedDesk();
    await desk.type("/undo --files --yes");
    expect(words(await desk.type("/redo --files"))).toContain("3 files written");
    expectFiles(desk, AFTER);
    expect(words(await desk.type("/redo --files"))).toContain("no undo of files alone");
    await desk.type("/undo --files --yes");
    expectFiles(desk, { ...BEFORE, "d.txt": "y\n" });
  });

  it("lets the same edit be made again after it was taken back", async () => {
    const desk = await openDesk();
    writeFileSync(path.join(desk.folder, "a.txt"), "one\n");
    await desk.say("edit a.txt: one => two");
    await desk.type("/undo --yes");
    await desk.say("edit a.txt: one => two");
    expect(read(desk, "a.txt")).toBe("two\n");
  });

  it("says when a folder was not compared around a command", async () => {
    const desk = await openDesk();
    const { HOME } = process.env;
    process.env["HOME"] = desk.folder;
    onTestFinished(() => void (process.env["HOME"] = HOME));
    await desk.say("run true");
    expect((await desk.type("/undo")) as { lines?: readonly string[] }).toMatchObject({
      lines: expect.arrayContaining([expect.stringContaining("folder not compared")]),
    });
  });

  it("shows a file's name on one line, whatever is in it", async () => {
    const desk = await openDesk();
    await desk.say("run touch \"$(printf 'a\\n  deleted  important.txt')\"");
    for (const line of words(await printed(await desk.type("/files"))).split("\n"))
      expect(line).not.toMatch(/^\s*deleted/);
  });

  it("refuses when the conversation went on while the preview was open", async () => {
    const desk = await editedDesk();
    const { files, apply } = await preview(desk, "/undo");
    await desk.say("say more");
    expect(await apply(files)).toMatchObject({ kind: "refused", code: "conflict" });
    expectFiles(desk, AFTER);
  });
});

describe("/files", () => {
  it("lists what each turn changed, with the lines when asked", async () => {
    const desk = await editedDesk();
    await desk.say("say nothing changed here");
    await desk.say("edit a.txt: ONE => THREE");
    const told = words(await desk.type("/files --diff"));
    expect(told).toMatch(/turn 1 .*\n.*modified a\.txt/);
    expect(told).toContain("changed by a command");
    expect(told).toContain("+ THREE");
    expect(told).not.toContain("turn 2");
  });

  it("takes back what was done to one file over all turns, after a look", async () => {
    const desk = await editedDesk();
    await desk.say("edit a.txt: ONE => THREE");
    const { files, apply } = await preview(desk, "/files revert a.txt");
    expect(files.map(({ path: name }) => name)).toEqual(["a.txt"]);
    await apply(files);
    expectFiles(desk, { ...AFTER, "a.txt": BEFORE["a.txt"] });
    expect(desk.runner.session.turns).toBe(2);
    expect(words(await desk.type("/files revert a.txt"))).toContain("as it was before already");
    expect(await desk.type("/files revert nothing.txt")).toMatchObject({ kind: "usage" });
  });

  it("says that a file which was removed since cannot be taken back", async () => {
    const desk = await editedDesk();
    rmSync(path.join(desk.folder, "a.txt"));
    const { files } = await preview(desk, "/files revert a.txt");
    expect(files[0]?.obstacle).toContain("removed since");
  });
});
