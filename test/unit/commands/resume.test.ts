import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newRequestId } from "../../../src/ledger/ids.ts";
import { forget, MEMORY, openLedger, ROUTE, temporaryFolder } from "../../helpers/ledger.ts";
import { openDesk, words } from "./command-harness.ts";

describe("/resume", () => {
  it("offers the other conversations with state, age, turns and the folder where it is another one", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { id } = desk.runner.session;
    await desk.type("/new");
    const elsewhere = await desk.newSession({ cwd: "/elsewhere", title: "there" });
    await desk.runner.open(elsewhere, false);
    await desk.say("say two");
    await desk.type("/new");
    const picked = await desk.type("/resume");
    if (picked.kind !== "pick") throw new Error(picked.kind);
    const { preview, find, ...list } = picked;
    expect(list).toEqual({
      kind: "pick",
      title: "Resume a conversation",
      enter: "opens it",
      items: [
        {
          command: `/resume ${elsewhere.id}`,
          label: "  there",
          detail: "just now · 1 turn · /elsewhere",
          facts: ["", "just now", "1 turn", "/elsewhere"],
          search: `${elsewhere.id}\nsay two`,
        },
        {
          command: `/resume ${id}`,
          label: "  say one",
          detail: "just now · 1 turn",
          facts: ["", "just now", "1 turn", ""],
          search: `${id}\nsay one`,
        },
      ],
      empty: "There is no other conversation yet. /new begins one.",
      isWhole: true,
    });
    expect(await find?.("nobody ever said this")).toEqual([]);
    const item = list.items[1];
    expect(item && (await preview?.(item))).toEqual(["› say one", "● one"]);
  });

  it("offers none that is empty, also when it was opened on purpose, and marks branches", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const first = desk.runner.session.id;
    await desk.type("/branch other way");
    await desk.type("/new pears");
    await desk.type("/new");
    const picked = await desk.type("/resume");
    const labels = picked.kind === "pick" && picked.items.map(({ label }) => label);
    expect(labels).toEqual(["  ↳ other way", "  say one"]);
    expect(picked.kind === "pick" && picked.items[0]?.detail).toContain(`branch of ${first}`);
  });

  it("finds any of more than are listed, by title, folder or first prompt, without loading them", async () => {
    const file = path.join(temporaryFolder(MEMORY), "state.db");
    const db = openLedger({ path: file });
    forget(db);
    for (let at = 0; at < 260; at += 1) {
      const session = db.createSession({ cwd: `/work/p${at}`, route: ROUTE, source: "test", title: `Übung ${at}` });
      const { id, cwd } = session;
      const prompt = [{ kind: "text", text: at === 3 ? "the needle in it" : "hay" }] as const;
      const target = { kind: "session", asked: id } as const;
      const payload = { prompt, approval: "ask", cwd } as const;
      db.admit({ request: newRequestId(), kind: "prompt", payload, target, session: id });
    }
    db.close();
    const desk = await openDesk({ surface: "screen", file });
    const picked = await desk.type("/sessions --all");
    if (picked.kind !== "pick") throw new Error(picked.kind);
    expect(picked.items).toHaveLength(200);
    expect(picked.note).toContain("200 newest");
    const found = async (words: string) => (await picked.find?.(words))?.map(({ label }) => label.trim());
    expect(await found("needle")).toEqual(["Übung 3"]);
    expect(await found("ÜBUNG /p7/ hay")).toEqual([]);
    expect(await found("übung work/p77 hay")).toEqual(["Übung 77"]);
    expect(await found("work")).toHaveLength(200);
  });

  it("opens by the number of the list just shown, by prefix and by title", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const first = desk.runner.session.id;
    await desk.type("/new second");
    const second = desk.runner.session.id;
    await desk.type("/resume");
    expect(await desk.type("/resume 1")).toMatchObject({ kind: "open-session", session: { id: first }, resumed: true });
    expect(await desk.type("/resume second")).toMatchObject({ kind: "open-session", session: { id: second } });
    expect(await desk.type(`/resume ${first.slice(0, -1)}`)).toMatchObject({ session: { id: first } });
    expect(await desk.type("/continue latest")).toMatchObject({ session: { id: second } });
  });

  it("tells where one is, and recalls the last exchanges", async () => {
    const desk = await openDesk();
    for (let turn = 1; turn <= 12; turn += 1) await desk.say(`say ${turn} ${"x".repeat(400)}`);
    const { id } = desk.runner.session;
    await desk.type("/new");
    const result = await desk.type(`/resume ${id}`);
    if (result.kind !== "open-session") throw new Error(result.kind);
    expect(result.lines).toEqual([expect.stringMatching(/^“say 1 x+” · 12 turns · guide\/guide · just now$/)]);
    const [earlier, ...shown] = result.recap ?? [];
    expect(earlier).toBe("4 earlier messages");
    expect(shown).toHaveLength(20);
    expect(shown[0]).toMatch(/^› say 3 x+…$/);
    expect(shown.map((line) => line.length - 2)).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 ? 200 : 300)));
  });

  it("says so when it is the one that is open", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    expect(words(await desk.type(`/resume ${desk.runner.session.id}`))).toBe("You are in “say one” already.");
  });

  it("warns when the folder is gone", async () => {
    const desk = await openDesk();
    await desk.newSession({ title: "gone", cwd: "/no/such/folder" });
    expect(words(await desk.type("/resume gone"))).toContain("Its folder is gone: /no/such/folder");
  });

  it("never opens anything for a name that fits nothing, and names the nearest", async () => {
    const desk = await openDesk();
    await desk.newSession({ title: "parser" });
    expect(await desk.type("/resume prser")).toMatchObject({ kind: "usage", hint: expect.stringContaining("parser") });
    const ninth = { kind: "usage", hint: "Numbers are those of: /sessions" };
    const unlisted = "No list was shown yet, and no session is called “9”.";
    expect(await desk.type("/resume 9")).toMatchObject({ ...ninth, message: unlisted });
    await desk.say("say one");
    await desk.type("/sessions");
    const beyond = "The list just shown ends at 1, and no session is called “9”.";
    expect(await desk.type("/resume 9")).toMatchObject({ ...ninth, message: beyond });
    expect(await (await openDesk()).type("/resume latest")).toMatchObject({
      kind: "usage",
      message: "There is no other session yet.",
    });
  });

  it("lets one pick where a name fits several, and names them where nobody can pick", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.type("/new");
    await desk.say("say one");
    await desk.type("/new");
    const picked = await desk.type("/resume say one");
    expect(picked).toMatchObject({ kind: "pick", title: "2 sessions match “say one”" });
    expect(picked.kind === "pick" && picked.items).toHaveLength(2);
    const argv = await openDesk({ surface: "argv" });
    await argv.say("say one");
    const { id } = argv.runner.session;
    await argv.runner.open(await argv.newSession(), false);
    await argv.say("say one");
    expect(words(await argv.type("/sessions show say\\ one"))).toContain(id);
  });
});

describe("/resume --files", () => {
  async function branched() {
    const desk = await openDesk();
    await desk.say("write a.txt: start");
    const { id: own } = desk.runner.session;
    await desk.type("/branch other way");
    const { id: other } = desk.runner.session;
    await desk.say("edit a.txt: start => there then write b.txt: there");
    await desk.type(`/resume ${own}`);
    const texts = () => Promise.all(["a.txt", "b.txt"].map((name) => desk.context.readFile(name)));
    return { desk, own, other, texts };
  }

  it("goes to a branch with the files as it left them, after a look, and they come back", async () => {
    const { desk, own, other, texts } = await branched();
    await desk.type(`/resume ${own}`);
    expect(await texts()).toEqual(["there", "there"]);
    await desk.type(`/resume ${other}`);
    const back = await desk.type(`/resume ${own} --files`);
    if (back.kind !== "preview") throw new Error(back.kind);
    expect(back.files.map(({ action, path: file }) => `${action} ${file}`)).toEqual(["write a.txt", "remove b.txt"]);
    expect(desk.runner.session.id).toBe(other);
    const opened = await back.apply(back.files);
    expect(opened).toMatchObject({ kind: "open-session", session: { id: own } });
    expect(await texts()).toEqual(["start", undefined]);
    await desk.runner.open(await desk.db.session(own), true);
    expect(words(await desk.type(`/resume ${other} --files --yes`))).toContain("2 files written: a.txt, b.txt");
    expect(await texts()).toEqual(["there", "there"]);
    expect(desk.runner.session.id).toBe(other);
    expect(await desk.db.verify()).toEqual([]);
  });

  it("leaves alone what somebody else wrote, and says so", async () => {
    const { desk, own, other, texts } = await branched();
    await desk.type(`/resume ${other}`);
    writeFileSync(path.join(desk.folder, "a.txt"), "somebody else's");
    const told = words(await desk.type(`/resume ${own} --files --yes`));
    expect(told).toContain("a.txt was changed since");
    expect(await texts()).toEqual(["somebody else's", undefined]);
  });

  it("goes without a question where no file differs, and refuses where there is no fork", async () => {
    const { desk, other } = await branched();
    await desk.type(`/resume ${other}`);
    await desk.type("/branch third");
    expect(await desk.type(`/resume ${other} --files`)).toMatchObject({ kind: "open-session" });
    const stranger = await desk.newSession({ title: "stranger" });
    await desk.runner.open(stranger, false);
    await desk.say("say hello");
    expect(await desk.type(`/resume ${other} --files`)).toMatchObject({
      kind: "usage",
      message: expect.stringContaining("is no branch of this conversation"),
    });
  });
});
