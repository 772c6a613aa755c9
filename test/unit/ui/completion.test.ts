import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openCompletion } from "../../../src/ui/completion.ts";
import type { NameChoice } from "../../../src/ui/input-menu.ts";
import { type Desk, openDesk } from "../commands/command-harness.ts";

function completionOf(desk: Desk) {
  const onChange = vi.fn<() => void>();
  const completion = openCompletion(desk.context, onChange);
  onTestFinished(() => completion.close());
  return completion;
}

async function sessionsOf(desk: Desk): Promise<readonly NameChoice[]> {
  const completion = completionOf(desk);
  expect(completion.names("session")).toMatchObject({ names: [], isReading: true });
  return vi.waitFor(() => {
    const known = completion.names("session");
    expect(known?.isReading).toBe(false);
    return known?.names ?? [];
  });
}

describe("openCompletion", () => {
  it("offers every other conversation under a name that /resume takes for it", async () => {
    const desk = await openDesk();
    const titles = ["fix the clock", "123", "latest", "--flag", "it's 'quoted'", "日本語 の題"];
    for (const title of titles) {
      const { id } = await desk.newSession({ title });
      await desk.type(`/resume ${id}`);
      await desk.say("say something");
    }
    await desk.type("/new");
    for (let turn = 0; turn < 2; turn += 1) {
      await desk.say("say twice");
      await desk.type("/new");
    }
    const names = await sessionsOf(desk);
    expect(names.map(({ label }) => label).toSorted()).toEqual([...titles, "say twice", "say twice"].toSorted());
    expect(names.find(({ label }) => label === "fix the clock")?.value).toBe("fix the clock");
    for (const { value, search } of names) {
      const result = await desk.type(`/resume ${value}`);
      expect(result, value).toMatchObject({ kind: "open-session", session: { id: search } });
    }
  });

  it("offers the models that can be used, the current one marked", async () => {
    const desk = await openDesk();
    const names = completionOf(desk).names("provider/model")?.names ?? [];
    expect(names.map(({ value }) => value)).toEqual(["local/a", "local/b", "guide/guide"]);
    expect(names.at(-1)?.summary).toBe("current");
    expect(await desk.type("/model local/b")).toMatchObject({ kind: "lines" });
  });

  it("offers nothing for other arguments", async () => {
    expect(completionOf(await openDesk()).names("n")).toBeUndefined();
  });

  it("offers the paths of the session's folder, and of another one after the conversation was changed", async () => {
    const desk = await openDesk();
    writeFileSync(path.join(desk.folder, "here.ts"), "");
    const other = path.join(desk.folder, "other");
    mkdirSync(other);
    writeFileSync(path.join(other, "there.ts"), "");
    const completion = completionOf(desk);
    await vi.waitFor(() => expect(completion.paths("", 10).paths).toEqual(["other/", "here.ts"]), { timeout: 30_000 });
    const { id } = await desk.newSession({ title: "elsewhere", cwd: other });
    await desk.type(`/resume ${id}`);
    await vi.waitFor(() => expect(completion.paths("", 10).paths).toEqual(["there.ts"]), { timeout: 30_000 });
  });
});
