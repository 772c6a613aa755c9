import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { jsonOf, openDesk, words } from "./command-harness.ts";

describe("/undo and /redo", () => {
  it("take back turns, return the prompt and bring them back", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say two");
    const { head, id } = desk.runner.session;
    const undone = await desk.type("/undo 2");
    expect(undone).toMatchObject({ kind: "prefill", text: "say one", json: { session: id, turns: 2, kept: [] } });
    expect(desk.runner.session.messages).toBe(0);
    expect(desk.events.at(-2)).toEqual({ type: "head-moved", session: id });
    expect(words(await desk.type("/redo"))).toBe("Brought back 2 turns.");
    expect(desk.runner.session.head).toBe(head);
  });

  it("redo several undos at once, as far as there are any", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.say("say two");
    await desk.type("/undo");
    await desk.type("/rewind");
    expect(jsonOf(await desk.type("/redo 5"))).toMatchObject({ turns: 2, head: desk.runner.session.head });
  });

  it("say which steps outside of the conversation they leave as they are", async () => {
    const desk = await openDesk();
    await desk.say("write a.txt: hello then run true then read a.txt");
    expect(words(await desk.type("/undo --chat"))).toContain(
      "2 steps outside of it (write_file, shell) stay as they are",
    );
    expect(words(await desk.type("/redo"))).toContain("did not run again");
  });

  it.each(["write old.txt: new", "edit none.txt: a => b", "write ../out.txt: x"])(
    "say nothing of steps that had no effect: %s",
    async (order) => {
      const desk = await openDesk();
      writeFileSync(path.join(desk.folder, "old.txt"), "unread");
      await desk.say(order);
      expect(words(await desk.type("/undo --chat"))).not.toContain("outside of it");
      await desk.say("run false");
      expect(words(await desk.type("/undo --chat"))).toContain("1 step outside of it (shell) stays as it is");
    },
  );

  it("refuse numbers that are none, and say when there is nothing to do", async () => {
    const desk = await openDesk();
    expect(await desk.type("/undo")).toEqual({ kind: "refused", why: "There is nothing to undo.", code: "conflict" });
    expect(await desk.type("/redo")).toMatchObject({ kind: "refused", code: "conflict" });
    for (const word of ["0", "-1", "1.5", "all"])
      expect(await desk.type(`/undo ${word}`)).toMatchObject({ kind: "usage" });
  });

  it("are refused while a turn runs, naming who runs it", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const started = new Promise<void>((resolve) => {
      desk.runner.listen((event) => event.type === "call-changed" && event.call.state === "running" && resolve());
    });
    await desk.runner.submit([{ kind: "text", text: "run sleep 30" }]);
    await started;
    for (const text of ["/undo", "/redo", "/retry", "/model local/a", "/delete --yes", "/new", "/branch"])
      expect(await desk.type(text)).toMatchObject({
        kind: "refused",
        code: "busy",
        why: expect.stringContaining(`pid ${process.pid}`),
      });
    desk.runner.stop();
    await desk.runner.idle();
    expect(await desk.type("/undo")).toMatchObject({ kind: "prefill", text: "run sleep 30" });
  });

  it("are refused right after a prompt, before its turn has begun", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    await desk.runner.submit([{ kind: "text", text: "run sleep 30" }]);
    expect(desk.runner.isRunning).toBe(false);
    expect(await desk.type("/branch")).toMatchObject({ kind: "refused", code: "busy" });
    desk.runner.stop();
    await desk.runner.idle();
    expect(await desk.type("/branch")).toMatchObject({ kind: "open-session" });
  });

  it("are refused while another program runs a turn", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { conversation } = desk.runner.session;
    const taken = await desk.db.acquireLease({ conversation, holder: "other" as never });
    expect(await desk.type("/undo")).toMatchObject({
      kind: "refused",
      code: "busy",
      why: expect.stringContaining("stele test"),
    });
    if (taken.kind === "acquired") await desk.db.releaseLease(taken.lease);
  });
});

describe("/retry", () => {
  it("asks the last prompt again beside the old answer", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { head } = desk.runner.session;
    expect(await desk.type("/retry")).toMatchObject({
      kind: "turn",
      lines: [expect.stringMatching(/^Asking again: say one · /)],
    });
    expect(desk.runner.session).toMatchObject({ messages: 2, turns: 1 });
    expect(desk.runner.session.head).not.toBe(head);
    expect(desk.events.filter(({ type }) => type === "turn-settled")).toHaveLength(2);
  });

  it("is refused where nothing was asked", async () => {
    const desk = await openDesk();
    expect(await desk.type("/retry")).toMatchObject({ kind: "refused", code: "conflict" });
  });
});

describe("/branch", () => {
  it("goes to a new session that shares the path, and leaves the old one alone", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const old = desk.runner.session;
    const result = await desk.type("/branch another way");
    expect(result).toMatchObject({
      kind: "open-session",
      session: { title: "another way", parent: old.id, head: old.head },
    });
    await desk.say("say two");
    expect((await desk.db.session(old.id)).head).toBe(old.head);
  });

  it("branches at an earlier message, and gives ids where there is no screen", async () => {
    const desk = await openDesk({ surface: "argv" });
    await desk.say("say one");
    const { head, id } = desk.runner.session;
    await desk.say("say two");
    expect(jsonOf(await desk.type(`/fork --at ${head}`))).toEqual({
      session: expect.any(String),
      parent: id,
      forkMessage: head,
    });
    expect(await desk.type("/branch --at 999")).toMatchObject({ kind: "usage", code: "not_found" });
    expect(await desk.type("/branch --at 0")).toMatchObject({ kind: "usage" });
  });
});
