// What a kill leaves of a command, an edit, an undo and a request, and what the next start makes of it: read back where
// there is a proof, unknown where there is none, and never done twice.
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isGroupRunning } from "../../src/agent/tools/process-group.ts";
import { killNow } from "../helpers/kill.ts";
import { type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { violations } from "../helpers/stored.ts";

/** Runs until a file `stop` is there. */
const PROMPT = "run sh -c 'until [ -e stop ]; do sleep 0.02; done; echo done; echo x >> ran; exit 7'";
const PATIENCE = { timeout: 30_000, interval: 20 };

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Call {
  readonly id: number;
  readonly state: string;
  readonly evidence?: string;
}
interface OpenTurn {
  readonly admission: number;
  readonly session: string;
  readonly calls: readonly Call[];
}

function spools({ home }: Workplace): readonly string[] {
  const root = path.join(home, "spool");
  return existsSync(root) ? readdirSync(root).map((name) => path.join(root, name)) : [];
}

function inSpool(place: Workplace, file: string): string | undefined {
  const [folder] = spools(place);
  const found = folder && path.join(folder, file);
  return found && existsSync(found) ? readFileSync(found, "utf8") : undefined;
}

/** Starts the turn, waits until its command runs, and kills stele alone. */
async function killedWhileRunning(place: Workplace): Promise<{ readonly group: number }> {
  let stele: ChildProcess | undefined;
  const ended = place.stele(["run", "--yes", PROMPT], {
    onStart: (child) => {
      stele = child;
    },
  });
  await vi.waitFor(() => expect(inSpool(place, "go")).toBeDefined(), PATIENCE);
  stele?.kill("SIGKILL");
  expect((await ended).signal).toBe("SIGKILL");
  return JSON.parse(inSpool(place, "identity.json") ?? "") as { group: number };
}

async function recover(place: Workplace): Promise<readonly OpenTurn[]> {
  return (JSON.parse((await place.stele(["recover", "--json"])).out) as { open: readonly OpenTurn[] }).open;
}

async function onlyCall(place: Workplace): Promise<{ readonly turn: OpenTurn; readonly call: Call }> {
  const [turn] = await recover(place);
  const call = turn?.calls[0];
  if (!turn || !call) throw new Error("no call is open");
  return { turn, call };
}

async function resultOf(place: Workplace, session: string): Promise<unknown> {
  const { messages } = JSON.parse((await place.stele(["sessions", "show", session, "--json"])).out) as {
    messages: readonly { role: string; parts: readonly { outcome?: unknown }[] }[];
  };
  return messages.findLast(({ role }) => role === "tool")?.parts[0]?.outcome;
}

function expectSound(place: Workplace): void {
  expect(violations(place)).toEqual([]);
  expect(spools(place)).toEqual([]);
}

function runs({ folder }: Workplace): number {
  const file = path.join(folder, "ran");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}

describe("a command that outlives stele", () => {
  it("has its exit status and output as its result, and nobody is asked", async () => {
    const place = workplace();
    await killedWhileRunning(place);
    writeFileSync(path.join(place.folder, "stop"), "");
    await vi.waitFor(() => expect(inSpool(place, "exit.json")).toBeDefined(), PATIENCE);
    const { turn, call } = await onlyCall(place);
    expect(call).toMatchObject({ state: "failed", evidence: "finished after the crash: exit 7, 1 line" });
    expect(await resultOf(place, turn.session)).toEqual({ kind: "failed", output: "done", exitCode: 7 });
    expect(await place.stele(["recover", "resume", String(turn.admission), "--yes"])).toMatchObject({ code: 0 });
    expect(runs(place)).toBe(1);
    expectSound(place);
  });

  it("can be waited for, and then its turn goes on", async () => {
    const place = workplace();
    await killedWhileRunning(place);
    const { turn, call } = await onlyCall(place);
    expect(call).toMatchObject({ state: "running", evidence: expect.stringContaining("still running") });
    expect(await place.stele(["recover", "resume", String(turn.admission), "--yes"])).toMatchObject({ code: 5 });
    const waited = place.stele(["recover", "call", String(call.id), "--wait", "--json"]);
    writeFileSync(path.join(place.folder, "stop"), "");
    expect(JSON.parse((await waited).out)).toMatchObject({ state: "failed" });
    expect(await place.stele(["recover", "resume", String(turn.admission), "--yes"])).toMatchObject({ code: 0 });
    expect(runs(place)).toBe(1);
    expectSound(place);
  });

  it("can be stopped, and is told as stopped", async () => {
    const place = workplace();
    const { group } = await killedWhileRunning(place);
    const { turn, call } = await onlyCall(place);
    expect(JSON.parse((await place.stele(["recover", "call", String(call.id), "--stop", "--json"])).out)).toMatchObject(
      {
        state: "cancelled",
      },
    );
    expect(await isGroupRunning({ id: group })).toBe(false);
    expect(await resultOf(place, turn.session)).toMatchObject({ kind: "cancelled" });
    await place.stele(["recover", "settle", String(turn.admission)]);
    expect(runs(place)).toBe(0);
    expectSound(place);
  });

  it.each(["the command", "all of it"])(
    "is unknown when %s was killed too, until a person's word ends it",
    async (what) => {
      const place = workplace();
      const { group } = await killedWhileRunning(place);
      if (what === "all of it") killNow(group, { group: true });
      else {
        const children = () => readFileSync(`/proc/${group}/task/${group}/children`, "utf8").trim();
        // Told to go, the supervisor starts it a moment later.
        await vi.waitFor(() => expect(children()).not.toBe(""), PATIENCE);
        for (const child of children().split(" ")) killNow(child);
        await vi.waitFor(() => expect(inSpool(place, "exit.json")).toBeDefined(), PATIENCE);
      }
      const { turn, call } = await onlyCall(place);
      expect(call.state).toBe("unknown");
      const again = await place.stele(["run", "--yes", "-c", "say more"]);
      expect(again.code).toBe(5);
      expect(await place.stele(["recover", "call", String(call.id), "--not-happened"])).toMatchObject({ code: 0 });
      expect(await place.stele(["recover", "resume", String(turn.admission), "--yes"])).toMatchObject({ code: 0 });
      expect(runs(place)).toBe(0);
      expectSound(place);
    },
  );

  it("did not happen when the kill came before the word to begin", async () => {
    const place = workplace();
    const doomed = await place.stele(["run", "--yes", PROMPT], { env: { STELE_CRASH_AT: "after:call-supervisor" } });
    expect(doomed.signal).toBe("SIGKILL");
    const { turn, call } = await onlyCall(place);
    expect(call).toMatchObject({ state: "cancelled", evidence: "never started" });
    expect(await place.stele(["recover", "settle", String(turn.admission)])).toMatchObject({ code: 0 });
    expect(runs(place)).toBe(0);
    expectSound(place);
  });

  it("ends with the terminal: its turn is interrupted and nothing of it is left", async () => {
    const place = workplace();
    let stele: ChildProcess | undefined;
    const ended = place.stele(["run", "--json", "--yes", "run sh -c 'trap \"\" TERM; sleep 1000 & wait; sleep 1000'"], {
      onStart: (child) => {
        stele = child;
      },
    });
    await vi.waitFor(() => expect(inSpool(place, "go")).toBeDefined(), PATIENCE);
    const { group } = JSON.parse(inSpool(place, "identity.json") ?? "") as { group: number };
    stele?.kill("SIGHUP");
    const { code, events } = await ended;
    expect(code).toBe(130);
    expect(events.at(-1)).toMatchObject({ type: "turn-settled", outcome: "interrupted" });
    expect(await isGroupRunning({ id: group })).toBe(false);
    expectSound(place);
  });
});

describe("a turn that was begun with --yes", () => {
  it("is not resumed where nobody can be asked, until that is said again", async () => {
    const place = workplace();
    await place.stele(["run", "--yes", "run touch made"], { env: { STELE_CRASH_AT: "before:approve-call" } });
    const [turn] = await recover(place);
    const refused = await place.stele(["recover", "resume", String(turn?.admission)]);
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining("add --yes") });
    expect(await place.stele(["recover", "resume", String(turn?.admission), "--yes"])).toMatchObject({ code: 0 });
    expect(existsSync(path.join(place.folder, "made"))).toBe(true);
  });
});

describe("an edit that was cut off", () => {
  it.each([
    ["before:file-rename", "approved", "read back: not applied"],
    ["after:file-rename", "succeeded", "read back: applied"],
    ["before:plan-change", "approved", "interrupted before the file was touched"],
  ])("%s: the disk says what became of it", async (point, state, evidence) => {
    const place = workplace();
    const file = path.join(place.folder, "a.txt");
    writeFileSync(file, "one\n");
    const doomed = await place.stele(["run", "--yes", "edit a.txt: one => two"], { env: { STELE_CRASH_AT: point } });
    expect(doomed.signal).toBe("SIGKILL");
    const { turn, call } = await onlyCall(place);
    expect(call).toMatchObject({ state, evidence });
    expect(await place.stele(["recover", "resume", String(turn.admission), "--yes"])).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe("two\n");
    expect(readdirSync(place.folder)).toEqual(["a.txt"]);
    expect(await place.stele(["undo", "--yes"])).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expectSound(place);
  });

  it("is unknown when somebody else has changed the file since", async () => {
    const place = workplace();
    const file = path.join(place.folder, "a.txt");
    writeFileSync(file, "one\n");
    await place.stele(["run", "--yes", "edit a.txt: one => two"], { env: { STELE_CRASH_AT: "before:file-rename" } });
    writeFileSync(file, "three\n");
    const { turn, call } = await onlyCall(place);
    expect(call).toMatchObject({
      state: "unknown",
      evidence: expect.stringContaining("neither as before nor as after"),
    });
    await place.stele(["recover", "settle", String(turn.admission)]);
    expect(readFileSync(file, "utf8")).toBe("three\n");
  });
});

describe("an undo of files that was cut off", () => {
  const POINTS = ["undo", "file-revert", "mark-revert"].flatMap((name) => [`before:${name}`, `after:${name}`]);

  it.each(POINTS)("%s: nothing or all of it has happened after the next start", async (point) => {
    const place = workplace();
    const files = ["a.txt", "b.txt", "c.txt"].map((name) => path.join(place.folder, name));
    for (const file of files) writeFileSync(file, "one\n");
    const edits = ["a.txt", "b.txt", "c.txt"].map((name) => `edit ${name}: one => two`).join(" then ");
    expect(await place.stele(["run", "--yes", edits])).toMatchObject({ code: 0 });
    const doomed = await place.stele(["undo", "--yes"], { env: { STELE_CRASH_AT: point } });
    expect(doomed.signal).toBe("SIGKILL");
    // Any start finishes it, also one that is about something else.
    if (point === "after:undo") await place.stele(["run", "say something else"]);
    else await place.stele(["recover"]);
    const now = files.map((file) => readFileSync(file, "utf8"));
    expect(new Set(now)).toEqual(new Set([point === "before:undo" ? "two\n" : "one\n"]));
    expectSound(place);
  });
});

describe("a request that was cut off", () => {
  it("is asked again as the same bytes when its turn goes on", async () => {
    let cut: () => void = () => undefined;
    const isStreaming = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const server = await startModelServer((_, n) => {
      if (n === 0) return { calls: [{ name: "shell", arguments: { command: "echo one" } }] };
      if (n > 1) return { text: "whole" };
      cut();
      return { text: ["half an", " answer"], faults: [{ kind: "stall", after: 1 }] };
    });
    servers.push(server);
    const place = workplace();
    mkdirSync(place.home, { mode: 0o700 });
    const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } };
    writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ model: "local/m1", providers }));
    let stele: ChildProcess | undefined;
    const ended = place.stele(["run", "--yes", "go"], {
      onStart: (child) => {
        stele = child;
      },
    });
    await isStreaming;
    stele?.kill("SIGKILL");
    await ended;
    const [turn] = await recover(place);
    const resumed = await place.stele(["recover", "resume", String(turn?.admission), "--yes"]);
    expect(resumed, resumed.err).toMatchObject({ code: 0, out: expect.stringContaining("whole") });
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.text).toBe(server.requests[1]?.text);
    expectSound(place);
  });
});
