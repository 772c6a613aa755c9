// Answers to an approval in the built program, with a model that is asked what it was told.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answer } from "../helpers/answer.ts";
import { rowsOf } from "../helpers/ledger-rows.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../helpers/model-server.ts";
import type { Terminal } from "../helpers/pty.ts";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function withModel(script: readonly ModelReply[]): Promise<Workplace> {
  server = await startModelServer(script);
  const place = workplace();
  mkdirSync(place.home, { recursive: true });
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } };
  writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ model: "local/m1", providers, titles: "off" }));
  return place;
}

const shell = (command: string): ModelReply => ({ calls: [{ name: "shell", arguments: { command } }] });

/** The result that request `n` ends with. */
function told(n: number): string {
  const last = server?.requests[n]?.body.messages.at(-1);
  return last?.role === "tool" ? String(last.content) : "";
}

/** Longer than anybody pauses who is still writing; the clock of the turn is drawn meanwhile. */
async function paused(stele: Terminal): Promise<void> {
  const since = performance.now();
  await stele.waitFor(() => performance.now() - since > 1_100);
}

describe("an approval", () => {
  it("runs what a person made of a command and tells the model, and a no tells it why", async () => {
    const place = await withModel([shell("echo theirs >> log"), shell("rm -r src"), { text: "Then not." }]);
    const stele = openStele(place);
    await type(stele, "go");
    await stele.waitFor(/e {2}edit the command/);
    await answer(stele, "e");
    await stele.waitFor(/\$ echo theirs >> log/);
    stele.write("\x15echo mine >> log");
    await stele.waitFor(/\$ echo mine >> log/);
    await answer(stele, "\r");
    await stele.waitFor(/rm -r src\n/);
    expect(readFileSync(path.join(place.folder, "log"), "utf8")).toBe("mine\n");
    expect(told(1)).toMatch(/The person changed this call.*echo mine >> log/);

    await stele.waitFor(/t {2}no, and tell the model why/);
    await answer(stele, "t");
    await stele.waitFor(/why: /);
    stele.write("src is not yours");
    await stele.waitFor(/why: src is not yours/);
    await answer(stele, "\r");
    await stele.waitFor(/Then not\./);
    expect(told(2)).toContain("The person said no: src is not yours");
  });

  it("with never stores a rule that denies the next call without asking", async () => {
    const place = await withModel([shell("touch a"), shell("touch b"), { text: "Neither." }]);
    const stele = openStele(place);
    await type(stele, "go");
    await stele.waitFor(/d {2}never: shell\(touch\)/);
    await answer(stele, "d");
    await stele.waitFor(/Neither\./);
    expect(told(1)).toContain("from now on the rule shell(touch) forbids this");
    expect(told(2)).toContain("the rule shell(touch) forbids this");
    expect(existsSync(path.join(place.folder, "b"))).toBe(false);
    const config = JSON.parse(readFileSync(path.join(place.home, "config.json"), "utf8")) as { approval: unknown };
    expect(config.approval).toMatchObject({ deny: ["shell(touch)"] });
  });

  it("is not given by what was typed before it was there, and that stays in the composer", async () => {
    let go: (value: unknown) => void = () => {};
    const until = new Promise((resolve) => {
      go = resolve;
    });
    const place = await withModel([
      { ...shell("touch made"), faults: [{ kind: "hold", until, after: 0 }] },
      { text: "Not made." },
    ]);
    const stele = openStele(place);
    await type(stele, "go");
    await stele.waitFor(() => (server?.requests.length ?? 0) > 0);
    stele.write("any day yet, ");
    await stele.waitFor(/any day yet,/);
    go(undefined);
    await stele.waitFor(/Allow shell\?/);
    stele.write("yes");
    await paused(stele);
    stele.write("\x1b[B\x1b[B\x1b[B");
    await stele.waitFor(/❯ n {2}no/);
    await answer(stele, "\r");
    await stele.waitFor(/Not made\./);
    expect(existsSync(path.join(place.folder, "made"))).toBe(false);
    await stele.waitFor(/❯ any day yet, yes$/m);
    stele.write("\x15");
    await ready(stele);
  });

  it("is not given by keys that came while an editor had the terminal", async () => {
    let go: (value: unknown) => void = () => {};
    const until = new Promise((resolve) => {
      go = resolve;
    });
    const place = await withModel([
      { ...shell("touch made"), faults: [{ kind: "hold", until, after: 0 }] },
      { text: "Not made." },
    ]);
    const editor = path.join(place.home, "..", "editor.sh");
    const ends = path.join(place.folder, "ends");
    const script = `printf EDITING; while [ ! -e ${ends} ]; do sleep 0.05; done; printf edited > "$1"`;
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const stele = openStele(place, [], { cols: 80, rows: 24, env: { VISUAL: editor } });
    await type(stele, "go");
    await stele.waitFor(() => (server?.requests.length ?? 0) > 0);
    stele.write("\x07");
    await stele.waitFor("EDITING");
    go(undefined);
    const calls = () => rowsOf(path.join(place.home, "state.db"), "select id from tool_calls");
    await vi.waitFor(() => expect(calls()).toHaveLength(1), { timeout: 30_000 });
    stele.write("y");
    await stele.waitFor(/EDITINGy/);
    writeFileSync(ends, "");
    await stele.waitFor(/press y, a, e, n, t or d, or an arrow first/);
    await answer(stele, "\r");
    await paused(stele);
    await answer(stele, "n");
    await stele.waitFor(/Not made\./);
    expect(existsSync(path.join(place.folder, "made"))).toBe(false);
  });
});
