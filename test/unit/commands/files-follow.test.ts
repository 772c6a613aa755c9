// Files that follow the head over several moves: states of a file that stele made itself are known again.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Desk, openDesk, words } from "./command-harness.ts";

async function fileDesk(...turns: readonly string[]): Promise<{ desk: Desk; text: () => Promise<string | undefined> }> {
  const desk = await openDesk();
  writeFileSync(path.join(desk.folder, "f.txt"), "base\n");
  for (const turn of turns) await desk.say(turn);
  return { desk, text: () => desk.context.readFile("f.txt") };
}

const ONE = "edit f.txt: base => one";
const TWO = "edit f.txt: one => two";

describe("files that follow the head", () => {
  it("go on back from where an undo of files alone left them", async () => {
    const { desk, text } = await fileDesk(ONE, TWO);
    await desk.type("/undo --files --yes");
    expect(await text()).toBe("one\n");
    expect(words(await desk.type("/undo 2 --yes"))).toContain("1 file written: f.txt");
    expect(await text()).toBe("base\n");
    expect(await desk.db.verify()).toEqual([]);
  });

  it("go to an end and back where the conversation alone was taken back between", async () => {
    const { desk, text } = await fileDesk(ONE, TWO);
    const { head: old } = desk.runner.session;
    await desk.type("/undo 2 --chat");
    await desk.say("edit f.txt: two => three");
    const { head: newer } = desk.runner.session;
    await desk.type(`/tree --to ${old} --files --yes`);
    expect(await text()).toBe("two\n");
    await desk.type(`/tree --to ${newer} --files --yes`);
    expect(await text()).toBe("three\n");
  });

  it("are taken back once where a branch takes back a turn that it shares", async () => {
    const { desk, text } = await fileDesk(ONE, TWO);
    const own = desk.runner.session;
    await desk.type("/branch side");
    const side = desk.runner.session.id;
    await desk.runner.open(own, true);
    await desk.type("/undo --yes");
    await desk.type(`/resume ${side}`);
    expect(words(await desk.type("/undo --yes"))).toBe("Took back 1 turn. /redo brings it back.");
    expect(await text()).toBe("one\n");
    await desk.type("/redo");
    await desk.type("/undo 2 --yes");
    expect(await text()).toBe("base\n");
  });

  it("still say that a step stays which nothing took back", async () => {
    const { desk, text } = await fileDesk(ONE);
    expect(words(await desk.type("/undo --chat"))).toContain("1 step outside of it (edit_file) stays as it is");
    expect(await text()).toBe("one\n");
  });

  it("are left alone where a person wrote something else", async () => {
    const { desk, text } = await fileDesk(ONE, TWO);
    writeFileSync(path.join(desk.folder, "f.txt"), "mine\n");
    expect(words(await desk.type("/undo 2 --yes"))).toContain("left alone: f.txt (f.txt was changed since");
    expect(await text()).toBe("mine\n");
  });
});
