import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newRequestId } from "../../../src/ledger/ids.ts";
import type { AdmissionId } from "../../../src/ledger/types.ts";
import { prompt } from "../../helpers/ledger.ts";
import { type Desk, jsonLines, openDesk, printed, words } from "./command-harness.ts";

/** Waits for a key, so that no runner takes it. */
async function wait(desk: Desk, text: string): Promise<AdmissionId> {
  const { id } = desk.runner.session;
  const { admission } = await desk.db.admit({
    request: newRequestId(),
    kind: "prompt",
    payload: prompt(text, desk.folder),
    target: { kind: "session", asked: id },
    session: id,
  });
  await desk.db.hold(admission.id, "a test holds it");
  return admission.id;
}

describe("/queue", () => {
  it("lists what waits, and why", async () => {
    const desk = await openDesk();
    expect(await desk.type("/queue")).toMatchObject({ kind: "rows", rows: [], empty: "Nothing waits." });
    const id = await wait(desk, "say one");
    const result = await printed(await desk.type("/queue"));
    expect(words(result)).toBe(`${id}  say one  held: a test holds it; /queue run ${id}  just now`);
    expect(jsonLines(result)).toMatchObject([{ id, summary: "say one", held: "a test holds it" }]);
  });

  it("drops one and tells the screen what is left", async () => {
    const desk = await openDesk();
    const [first, second] = [await wait(desk, "say one"), await wait(desk, "say two")];
    expect(words(await desk.type(`/queue drop ${first}`))).toBe(`Dropped ${first}: say one`);
    expect(desk.events.at(-1)).toMatchObject({ type: "queue-changed", waiting: [{ id: second }] });
    expect((await desk.db.admission(first)).outcome).toBe("cancelled");
  });

  it("gives the old text to change, every line of it, and takes the new one at its place", async () => {
    const desk = await openDesk();
    const [first, second] = [await wait(desk, "say it's\ntwo lines"), await wait(desk, "say two")];
    const prefill = await desk.type(`/queue edit ${first}`);
    if (prefill.kind !== "prefill") throw new Error(prefill.kind);
    expect(prefill.text).toBe(`/queue edit ${first} "say it's\ntwo lines"`);
    await desk.type(prefill.text.replace("two", "three"));
    const edited = (await desk.db.openAdmissions()).toSorted((a, b) => a.position - b.position);
    expect(edited.map(({ payload }) => payload.prompt)).toEqual([
      [{ kind: "text", text: "say it's\nthree lines" }],
      [{ kind: "text", text: "say two" }],
    ]);
    expect(edited[1]?.id).toBe(second);
    await desk.runner.idle();
  });

  it("moves one up by one place", async () => {
    const desk = await openDesk();
    const [first, second] = [await wait(desk, "say one"), await wait(desk, "say two")];
    expect(words(await desk.type(`/queue up ${second}`))).toBe(`${second} goes before ${first} now.`);
    expect(jsonLines(await printed(await desk.type("/queue"))).map(({ id }) => id)).toEqual([second, first]);
    expect(words(await desk.type(`/queue up ${second}`))).toBe(`${second} is the first already.`);
  });

  it("moves one down by one place", async () => {
    const desk = await openDesk();
    const [first, second, third] = [await wait(desk, "say 1"), await wait(desk, "say 2"), await wait(desk, "say 3")];
    expect(words(await desk.type(`/queue down ${first}`))).toBe(`${first} goes after ${second} now.`);
    expect(words(await desk.type(`/queue down ${first}`))).toBe(`${first} goes after ${third} now.`);
    expect(jsonLines(await printed(await desk.type("/queue"))).map(({ id }) => id)).toEqual([second, third, first]);
    expect(words(await desk.type(`/queue down ${first}`))).toBe(`${first} is the last already.`);
  });

  it("is a list on the screen whose keys are its verbs", async () => {
    const desk = await openDesk();
    const [first, second] = [await wait(desk, "say one"), await wait(desk, "say two")];
    const list = await desk.type("/queue");
    if (list.kind !== "pick") throw new Error(list.kind);
    expect(list.items.map(({ command, label }) => [command, label])).toEqual([
      [`/queue edit ${first}`, "say one"],
      [`/queue edit ${second}`, "say two"],
    ]);
    expect(list.selected).toBe(`/queue edit ${second}`);
    const [item] = list.items;
    if (!item) throw new Error("no item");
    expect(list.keys?.map(({ chord, command }) => [chord, command(item)])).toEqual([
      ["delete", `/queue drop ${first}`],
      ["alt+up", `/queue up ${first}`],
      ["alt+down", `/queue down ${first}`],
      ["ctrl+r", `/queue run ${first}`],
    ]);
  });

  it("steers the turn that runs with one of them, which the model is told before its next request", async () => {
    const desk = await openDesk();
    const started = new Promise<void>((resolve) => {
      desk.runner.listen((event) => {
        if (event.type === "call-changed" && event.call.state === "running") resolve();
      });
    });
    await desk.runner.submit([{ kind: "text", text: "run until [ -e told ]; do sleep 0.05; done" }]);
    await started;
    const [first, second] = [await wait(desk, "say one"), await wait(desk, "say two")];
    expect(words(await desk.type(`/queue steer ${first}`))).toBe("The turn is told before its next request: say one");
    expect(words(await desk.type("/queue steer"))).toContain("say two");
    expect(words(await desk.type("/queue steer"))).toBe("Nothing waits.");
    const steers = (await desk.db.openAdmissions()).filter(({ kind }) => kind === "steer");
    expect(words(await desk.type(`/queue steer ${steers[0]?.id}`))).toContain("already");
    writeFileSync(path.join(desk.folder, "told"), "");
    await desk.runner.idle();
    const { messages } = await desk.db.path(desk.runner.session.id, { limit: 20 });
    const said = messages.map(({ role, parts }) => [role, parts[0]?.kind === "text" ? parts[0].text : parts[0]?.kind]);
    expect(said.slice(2)).toEqual([
      ["tool", "tool-result"],
      ["user", "say one"],
      ["user", "say two"],
      // The guide takes both for one order.
      ["assistant", "one\n\nsay two"],
    ]);
    expect(desk.events.filter(({ type }) => type === "prompt-steered")).toHaveLength(2);
    expect((await desk.db.admission(second)).outcome).toBe("cancelled");
  });

  it("makes it the next prompt where nothing runs", async () => {
    const desk = await openDesk();
    const id = await wait(desk, "say one");
    expect(words(await desk.type(`/queue steer ${id}`))).toBe(
      "Nothing runs that it could steer: it is the next prompt. say one",
    );
    await desk.runner.idle();
    expect(desk.runner.session.messages).toBe(2);
  });

  it("runs what is held, one or all", async () => {
    const desk = await openDesk();
    const [first, second] = [await wait(desk, "say one"), await wait(desk, "say two")];
    expect(await desk.type(`/queue run ${first}`)).toMatchObject({ kind: "turn", json: { released: [first] } });
    expect((await desk.db.admission(first)).outcome).toBe("completed");
    expect((await desk.db.admission(second)).status).toBe("queued");
    expect(await desk.type("/queue run")).toMatchObject({ kind: "turn", json: { released: [second] } });
    expect((await desk.db.admission(second)).outcome).toBe("completed");
    expect(words(await desk.type("/queue run"))).toBe("Nothing is held.");
  });

  it("refuses what does not wait here", async () => {
    const desk = await openDesk();
    const id = await wait(desk, "say one");
    for (const text of [
      "/queue drop 99",
      "/queue edit 99 x",
      "/queue up 99",
      "/queue down 99",
      "/queue steer 99",
      "/queue run 99",
    ])
      expect(await desk.type(text)).toMatchObject({ kind: "usage", hint: `What waits: ${id}` });
    expect(await desk.type("/queue drop one")).toMatchObject({ kind: "usage" });
  });
});
