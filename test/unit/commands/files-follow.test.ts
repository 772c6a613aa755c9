// Files that follow the head over several moves: states of a file that stele made itself are known again.
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Desk, jsonOf, openDesk, words } from "./command-harness.ts";

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

describe("an end that was gone to without files", () => {
  it("names the way that takes them along, and it does; nothing is said of files that are so already", async () => {
    const { desk, text } = await fileDesk(ONE);
    const { head: old } = desk.runner.session;
    await desk.type("/undo --yes");
    await desk.say("edit f.txt: base => three");
    const { head: newer } = desk.runner.session;
    const gone = await desk.type(`/tree --to ${old}`);
    const way = `/tree --to ${newer}, then /tree --to ${old} --files`;
    expect(words(gone)).toContain(
      `Files stay as they are: 1 file is not as it would be there (f.txt). To take files along: ${way}`,
    );
    expect(jsonOf(gone)).toMatchObject({ files: ["f.txt"] });
    expect(await text()).toBe("three\n");
    const [back = "", again = ""] = way.split(", then ");
    const returned = await desk.type(back);
    expect(words(returned)).not.toContain("f.txt");
    expect(jsonOf(returned)).toMatchObject({ files: [] });
    await desk.type(`${again} --yes`);
    expect(await text()).toBe("one\n");
  });

  it("is told as gone to with files where those are as they would be, and blames no command", async () => {
    const { desk, text } = await fileDesk(ONE, "run true");
    const { head: old } = desk.runner.session;
    await desk.type("/edit 2 --chat");
    const edited = await desk.say("say other").then(() => desk.runner.session.head);
    await desk.type(`/tree --to ${old}`);
    const gone = await desk.type(`/tree --to ${edited} --yes --files`);
    expect(words(gone)).toContain("1 file written: f.txt");
    await desk.type(`/tree --to ${old}`);
    await desk.type(`/tree --to ${edited}`);
    const again = await desk.type(`/tree --to ${old} --files --yes`);
    expect(words(again)).toContain("1 file written: f.txt");
    await desk.type(`/tree --to ${edited}`);
    const back = await desk.type(`/tree --to ${old} --files`);
    expect(words(back)).toBe("Brought back 2 turns. What was here (1 turn) is kept: /tree");
    expect(jsonOf(back)).toMatchObject({ files: [] });
    expect(await text()).toBe("one\n");
  });

  it("still tells what commands changed", async () => {
    const { desk, text } = await fileDesk("run sed -i s/base/one/ f.txt");
    const { head: old } = desk.runner.session;
    await desk.type("/edit 1 --chat");
    await desk.say("say other");
    const told = "1 file differs by what commands did (f.txt). See: /files";
    expect(words(await desk.type(`/tree --to ${old} --files`))).toContain(told);
    expect(await text()).toBe("one\n");
  });

  it("is no end to take files from where one is there already", async () => {
    const { desk } = await fileDesk(ONE);
    const { head } = desk.runner.session;
    expect(await desk.type(`/tree --to ${head} --files`)).toMatchObject({ kind: "refused", code: "conflict" });
  });
});

describe("/tree --files", () => {
  it("picks an end that files go along to", async () => {
    const { desk, text } = await fileDesk("say zero");
    const own = desk.runner.session;
    await desk.type("/branch side");
    const side = desk.runner.session.id;
    await desk.runner.open(own, true);
    await desk.say(ONE);
    const { head } = desk.runner.session;
    await desk.type("/undo --yes");
    await desk.say("edit f.txt: base => three");
    const pick = await desk.type("/tree --files");
    if (pick.kind !== "pick") throw new Error(pick.kind);
    expect(pick.items.map(({ command }) => command)).toEqual([
      `/resume ${own.id} --files`,
      `/tree --to ${head} --files`,
      `/resume ${side} --files`,
    ]);
    const asked = await desk.type(`${pick.items[1]?.command}`);
    expect(asked).toMatchObject({
      kind: "preview",
      title: "Go there, undo what was done here, redo what was done there?",
    });
    if (asked.kind === "preview") await asked.apply(asked.files);
    expect(await text()).toBe("one\n");
    const sure = await desk.type("/tree --files --yes");
    expect(sure).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ command: `/resume ${side} --files --yes` })]),
    });
  });

  it.each(["screen", "argv"] as const)("goes to the end of a branch as /resume does, by %s", async (surface) => {
    const desk = await openDesk({ surface });
    writeFileSync(path.join(desk.folder, "f.txt"), "base\n");
    await desk.say("say one");
    const own = desk.runner.session;
    const branched = await desk.db.branch(own.id, { title: "side" });
    if (branched.kind !== "branched") throw new Error(branched.kind);
    const side = branched.session;
    await desk.runner.open(side, true);
    await desk.say(ONE);
    const { head } = desk.runner.session;
    await desk.runner.open(own, true);
    await desk.say("edit f.txt: one => two");
    const gone = await desk.type(`/tree --to ${head} --of ${side.id} --files --yes`);
    expect(gone.kind).toBe(surface === "screen" ? "open-session" : "lines");
    expect(words(gone)).toContain("1 file written: f.txt");
    expect(await desk.context.readFile("f.txt")).toBe("one\n");
    expect(desk.runner.session.id).toBe(surface === "screen" ? side.id : own.id);
  });

  it("takes files from the open conversation to an undone end of another, and names the way without", async () => {
    const { desk, text } = await fileDesk("say one");
    const own = desk.runner.session;
    await desk.type("/branch side");
    const side = desk.runner.session.id;
    await desk.say(ONE);
    const { head } = desk.runner.session;
    await desk.type("/undo --yes");
    await desk.runner.open(await desk.db.session(own.id), true);
    await desk.say("edit f.txt: base => three");
    const gone = await desk.type(`/tree --to ${head} --of ${side}`);
    expect(words(gone)).toContain(`To take files along: /resume ${own.id}, then /resume ${side} --files`);
    await desk.type(`/resume ${own.id}`);
    await desk.type(`/resume ${side} --files --yes`);
    expect(await text()).toBe("one\n");
    await desk.type("/undo --yes");
    await desk.type(`/resume ${own.id} --files --yes`);
    expect(await text()).toBe("three\n");
    await desk.type(`/tree --to ${head} --of ${side} --files --yes`);
    expect(await text()).toBe("one\n");
    expect(desk.runner.session.id).toBe(side);
    expect(await desk.db.verify()).toEqual([]);
  });
});

describe("/retry and files", () => {
  const APPEND = "run true then edit f.txt: base => one";

  it("says which files stay, and nothing of those that somebody else changed or that are back already", async () => {
    const { desk, text } = await fileDesk(APPEND);
    expect(words(await desk.type("/retry"))).toContain(
      "What the answer before did to files stays (f.txt); /retry --files would take it back first.",
    );
    expect(await text()).toBe("one\n");
    await desk.type("/undo --chat");
    await desk.say("write g.txt: new");
    rmSync(path.join(desk.folder, "g.txt"));
    expect(words(await desk.type("/retry"))).not.toContain("stays");
  });

  it("takes back with --files what the last turn did, after a look, and asks again", async () => {
    const { desk, text } = await fileDesk(APPEND);
    const { head } = desk.runner.session;
    const asked = await desk.type("/retry --files");
    if (asked.kind !== "preview") throw new Error(asked.kind);
    expect(asked.files.map(({ action, path: file }) => `${action} ${file}`)).toEqual(["write f.txt"]);
    expect([await text(), desk.runner.session.head]).toEqual(["one\n", head]);
    const turn = await asked.apply(asked.files);
    expect(turn).toMatchObject({
      kind: "turn",
      lines: ["1 file written: f.txt", expect.stringMatching(/^Asking again/)],
    });
    await desk.runner.idle();
    expect(await text()).toBe("one\n");
    const calls = await desk.db.changesOf(
      (await desk.db.path(desk.runner.session.id, { limit: 20 })).messages.map(({ id }) => id),
    );
    expect(calls.filter(({ callState }) => callState === "succeeded")).toHaveLength(1);
    expect(await desk.db.siblings(desk.runner.session.id)).toHaveLength(2);
    expect(await desk.db.verify()).toEqual([]);
  });

  it("leaves alone what somebody changed, says so, and asks nevertheless", async () => {
    const { desk, text } = await fileDesk(APPEND);
    writeFileSync(path.join(desk.folder, "f.txt"), "mine\n");
    const told = words(await desk.type("/retry --files --yes"));
    expect(told).toContain("left alone: f.txt (f.txt was changed since");
    expect(await text()).toBe("mine\n");
    expect(await desk.db.siblings(desk.runner.session.id)).toHaveLength(2);
  });

  it("takes nothing back where the conversation went on meanwhile, or a turn runs", async () => {
    const { desk, text } = await fileDesk(APPEND);
    const asked = await desk.type("/retry --files");
    if (asked.kind !== "preview") throw new Error(asked.kind);
    await desk.say("say more");
    expect(await asked.apply(asked.files)).toMatchObject({ kind: "refused", code: "conflict" });
    await desk.type("/undo --chat");
    const { conversation } = desk.runner.session;
    const taken = await desk.db.acquireLease({ conversation, holder: "other" as never });
    expect(await desk.type("/retry --files --yes")).toMatchObject({ kind: "refused", code: "busy" });
    expect(await text()).toBe("one\n");
    if (taken.kind === "acquired") await desk.db.releaseLease(taken.lease);
  });

  it("asks without a question where the last turn did nothing to files", async () => {
    const { desk } = await fileDesk("say one");
    expect(await desk.type("/retry --files")).toMatchObject({ kind: "turn" });
  });

  it("says of --other only what it would do from where it went", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say more");
    await desk.type("/edit 2");
    await desk.say("say other");
    expect(words(await desk.type("/retry --other"))).toBe(
      "Answer 1 of 2: “say one”. More was said after it. The other answers: /tree",
    );
    expect(words(await desk.type("/retry --other"))).toContain("no other answer");
  });
});
