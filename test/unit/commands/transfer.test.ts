// /export and /import as they are typed: which file in which form, and what is refused.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Desk, jsonOf, openDesk, words } from "./command-harness.ts";

async function talked(): Promise<Desk> {
  const desk = await openDesk();
  await desk.say("say hello");
  return desk;
}

const read = (desk: Desk, name: string) => readFileSync(path.join(desk.folder, name), "utf8");

describe("/export", () => {
  it("writes all of the conversation to a file that only its owner reads", async () => {
    const desk = await talked();
    const result = await desk.type("/export");
    const name = `stele-${desk.runner.session.id}.jsonl`;
    expect(words(result)).toMatch(new RegExp(`^Exported 2 messages to .*${name} \\(jsonl, [\\d.]+ KB\\)\\.$`));
    expect(jsonOf(result)).toMatchObject({ format: "jsonl", session: desk.runner.session.id, messages: 2 });
    expect(read(desk, name)).toMatch(/^\{"format":"stele-export","version":1,/);
    expect(statSync(path.join(desk.folder, name)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["/export talk.md", "talk.md", /^# say hello\n/],
    ["/export talk.json", "talk.json", /^\{"format".*"records":\[\n/],
    ["/export talk", "talk", /^\{"format".*\}\n\{"type":"session"/],
    ["/export talk.txt --format md", "talk.txt", /^# say hello\n/],
    ["/export 'two words.md'", "two words.md", /^# say hello\n/],
    ["/sessions export 'a title' -o talk.md", "talk.md", /^# a title\n/],
    ["/sessions export 'a title' talk --format json", "talk", /"records":\[/],
  ])("takes %j", async (line, name, begin) => {
    const desk = await talked();
    await desk.newSession({ title: "a title" });
    expect(words(await desk.type(line))).toMatch(/^Exported \d+ messages? to /);
    expect(read(desk, name)).toMatch(begin);
  });

  it("says what a redaction did, and that it is a guess", async () => {
    const desk = await talked();
    await desk.say(`say password=${"hunter2".repeat(2)}`);
    const result = await desk.type("/export talk.md --redact");
    expect(words(result)).toMatch(/\d+ places redacted; a guess/);
    expect(read(desk, "talk.md")).not.toContain("hunter2");
  });

  it("replaces no file but when it is told to, and leaves nothing beside it", async () => {
    const desk = await talked();
    writeFileSync(path.join(desk.folder, "talk.md"), "mine");
    expect(words(await desk.type("/export talk.md"))).toMatch(/is there already\. Replace it: --force/);
    expect(read(desk, "talk.md")).toBe("mine");
    expect(words(await desk.type("/export talk.md --force"))).toMatch(/^Exported/);
    expect(read(desk, "talk.md")).toMatch(/^# say hello/);
    const names = jsonOf(await desk.type("/export again.jsonl"));
    expect(names["file"]).toBe(path.join(desk.folder, "again.jsonl"));
    expect(existsSync(path.join(desk.folder, ".talk.md"))).toBe(false);
  });

  it.each([
    ["/export --format pdf", /--format takes jsonl, json, md, not "pdf"/],
    ["/export --format html", /html is not in this version/],
    ["/export talk.txt", /\.txt is no format of an export/],
    [`/export ${"x".repeat(250)}.md`, /too long for a file's name/],
    ["/export /dev/null --format md", /no plain file/],
    ["/export -", /this terminal/],
    ["/export nowhere/talk.md", /There is no folder .*nowhere/],
    ["/export folder", /is a folder: name a file in it/],
    ["/export link --force", /is a link, or belongs to the ledger/],
    ["/sessions export nobody", /There is no session “nobody”/],
    ["/import nothing.jsonl", /nothing\.jsonl does not exist/],
    ["/import folder", /folder is no file/],
    ["/import page.md", /page\.md, line 1: no export of stele: # a page.*Nothing was imported/],
    ["/import page.md page.md", /is named twice/],
    ["/import page.md --from codex", /--from takes stele, not "codex"/],
    ["/import", /<path> is missing/],
  ])("or import refuses %j", async (line, why) => {
    const desk = await talked();
    mkdirSync(path.join(desk.folder, "folder"));
    writeFileSync(path.join(desk.folder, "page.md"), "# a page");
    symlinkSync(path.join(desk.folder, "..", "elsewhere"), path.join(desk.folder, "link"));
    const result = await desk.type(line);
    expect(result.kind).toBe("usage");
    expect(words(result)).toMatch(why);
  });
});

describe("/import", () => {
  it("lets what a file says about other files be taken back only when that is chosen", async () => {
    const [from, to] = [await talked(), await openDesk()];
    await from.say("write a.txt: one");
    await from.type("/export talk.jsonl");
    await to.type(`/import ${path.join(from.folder, "talk.jsonl")}`);
    await to.type(`/resume ${from.runner.session.id}`);
    const asked = await to.type("/undo");
    if (asked.kind !== "preview") throw new Error(asked.kind);
    expect(asked.files).toMatchObject([{ isChosen: false, isImported: true, action: "remove" }]);
    expect(words(await to.type("/undo --yes"))).toContain("came with an import: --suspected takes that too");
    expect(read(from, "a.txt")).toBe("one");
    await to.type("/redo");
    expect(words(await to.type("/undo --yes --suspected"))).toContain("1 file removed");
    await to.type("/redo --yes");
    await to.say("write b.txt: mine");
    expect(words(await to.type("/undo --yes"))).toContain("1 file removed: ");
    expect(await to.db.verify()).toEqual([]);
  });

  it("brings in what was exported, once, and says how to open it", async () => {
    const [from, to] = [await talked(), await openDesk()];
    await from.type("/export talk.jsonl");
    const file = path.join(from.folder, "talk.jsonl");
    const { id } = from.runner.session;
    expect(words(await to.type(`/import ${file} --dry-run`))).toMatch(/^Would import 1 conversation, 2 messages\.\n/);
    expect((await to.db.listSessions()).length).toBe(0);
    expect(words(await to.type(`/import ${file}`))).toBe(
      `Imported 1 conversation, 2 messages.\n  ${id}  say hello · open it: /resume ${id}`,
    );
    expect(words(await to.type(`/import ${file}`))).toBe(
      `Nothing was imported; 1 was here already.\n  ${id}  say hello · here already`,
    );
    await to.type(`/resume ${id}`);
    await to.say("say it goes on");
    expect((await to.db.session(id)).turns).toBe(2);
  });
});
