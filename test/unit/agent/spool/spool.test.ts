// Commands that outlive the process that started them, and what their spool says of them afterwards.
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adoptSpool } from "../../../../src/agent/spool/run-in-spool.ts";
import { type RunningSpool, readSpool, removeSpool, sweepSpools } from "../../../../src/agent/spool/spool.ts";
import { readOutput } from "../../../../src/agent/spool/spool-output.ts";
import { spoolResult } from "../../../../src/agent/spool/spool-result.ts";
import { startInSpool } from "../../../../src/agent/spool/start-spool.ts";
import { HANG_UP_PATIENCE, stopSpool } from "../../../../src/agent/spool/stop-spool.ts";
import { currentProcess, probePid } from "../../../../src/ledger/identity.ts";
import { killNow } from "../../../helpers/kill.ts";
import { endWithTest, makeSpoolRoot, startIn, waitFor } from "../../../helpers/spool-process.ts";

const never = new AbortController().signal;

async function makeFolder(name = "7-call-1"): Promise<{ readonly folder: string; readonly cwd: string }> {
  const cwd = await makeSpoolRoot();
  return { folder: join(cwd, name), cwd };
}

/** The state once it is no longer the one of a command that is about to run. */
async function runningIn(folder: string): Promise<RunningSpool> {
  return waitFor(async () => {
    const state = await readSpool(folder);
    if (state.kind !== "running") throw new Error(`it is ${state.kind}`);
    return state;
  });
}

async function untilKind(folder: string, kind: string): Promise<void> {
  await waitFor(async () => expect((await readSpool(folder)).kind).toBe(kind));
}

/** Processes of the command; its supervisor is not one. */
function running(group: number): number {
  const lines = execFileSync("ps", ["-eo", "pid=,pgid=,stat="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => new RegExp(`^\\s*(?!${group}\\s)\\d+\\s+${group}\\s+[^ZX]`).test(line)).length;
}

describe("a command whose starter was killed", () => {
  test("runs on, and its output and exit are found", async () => {
    const { folder, cwd } = await makeFolder();
    const starter = startIn({ folder, cwd, command: "until [ -e end ]; do sleep 0.02; done; echo done; exit 7" });
    await starter.hasGone();
    await starter.kill();
    expect(await runningIn(folder)).toMatchObject({ supervisor: "alive" });
    await mkdir(join(cwd, "end"));
    await untilKind(folder, "finished");
    expect(await readSpool(folder)).toMatchObject({ exit: { exitCode: 7, bytes: 5, signal: null } });
    expect(await spoolResult(folder, await readSpool(folder))).toEqual({ kind: "failed", output: "done", exitCode: 7 });
  });

  test("was never started when the word to go was not said", async () => {
    const { folder, cwd } = await makeFolder();
    const starter = startIn({ folder, cwd, command: "touch started", dies: "before-go" });
    await starter.ended();
    await untilKind(folder, "never-started");
    expect(await readdir(cwd)).toEqual(["7-call-1"]);
    expect(await readdir(folder)).not.toContain("go");
    expect((await spoolResult(folder, await readSpool(folder))).kind).toBe("cancelled");
  });

  test("was never started when its supervisor was killed before the word too, and left no record", async () => {
    const { folder, cwd } = await makeFolder();
    let supervisor = 0;
    const started = startInSpool({
      folder,
      cwd,
      command: "touch started",
      shell: "/bin/sh",
      env: process.env,
      call: { effectKey: "k", startedAt: 1, summary: "touch" },
      signal: never,
      onSupervisor: async ({ pid }) => {
        supervisor = pid;
        expect(await readSpool(folder)).toMatchObject({ kind: "starting", identity: { group: pid } });
        killNow(pid);
      },
    });
    await started;
    await untilKind(folder, "never-started");
    expect(supervisor).toBeGreaterThan(0);
    expect(await readdir(folder)).not.toContain("exit.json");
  });

  test("is adopted: its output is handed on from the first byte, and the wait ends with it", async () => {
    const { folder, cwd } = await makeFolder();
    const starter = startIn({ folder, cwd, command: "echo one; until [ -e end ]; do sleep 0.02; done; echo two" });
    await starter.hasGone();
    await starter.kill();
    const heard: string[] = [];
    const adopted = adoptSpool(folder, { signal: never, onOutput: (chunk) => void heard.push(chunk) });
    await waitFor(() => expect(heard.join("")).toBe("one\n"));
    await mkdir(join(cwd, "end"));
    expect(await adopted).toMatchObject({ kind: "finished", exit: { exitCode: 0 } });
    expect(heard.join("")).toBe("one\ntwo\n");
  });

  test("goes on when nobody waits for it any longer", async () => {
    const { folder, cwd } = await makeFolder();
    const starter = startIn({ folder, cwd, command: "sleep 60" });
    await starter.hasGone();
    await starter.kill();
    const enough = new AbortController();
    const adopted = adoptSpool(folder, { signal: enough.signal });
    const { group } = await runningIn(folder);
    enough.abort();
    expect(await adopted).toMatchObject({ kind: "running", supervisor: "alive" });
    await waitFor(() => expect(running(group)).toBeGreaterThan(0));
  });

  test("is stopped to the last process, also one that ignores TERM, and its end is recorded", async () => {
    const { folder, cwd } = await makeFolder();
    const command = "trap '' TERM; sleep 60 & (trap '' TERM; sleep 61) & touch up; while :; do sleep 0.1; done";
    const starter = startIn({ folder, cwd, command });
    await starter.hasGone();
    await starter.kill();
    const { group } = await runningIn(folder);
    await waitFor(() => stat(join(cwd, "up")));
    const { survivors, state } = await stopSpool(folder, { termMs: 300, killMs: 3000 });
    expect(survivors).toBe(0);
    expect(running(group)).toBe(0);
    expect(state).toMatchObject({ kind: "finished", exit: { signal: "SIGKILL", exitCode: 137 } });
  });

  test("that ended is not hurt by a stop", async () => {
    const { folder, cwd } = await makeFolder();
    await startIn({ folder, cwd, command: "echo x" }).ended();
    expect(await stopSpool(folder)).toMatchObject({ survivors: 0, state: { kind: "finished" } });
  });
});

describe("a killed supervisor", () => {
  test("with all of its group: nobody knows how the command ended", async () => {
    const { folder, cwd } = await makeFolder();
    const starter = startIn({ folder, cwd, command: "echo so far; sleep 60" });
    await starter.hasGone();
    const { group } = await runningIn(folder);
    await waitFor(async () => expect((await readOutput(folder)).text).toBe("so far\n"));
    killNow(group, { group: true });
    await starter.ended();
    expect(starter.said()).toContain('"why":"end"');
    expect(await readSpool(folder)).toMatchObject({ kind: "lost" });
    const result = await spoolResult(folder, await readSpool(folder));
    expect(result).toEqual({
      kind: "unknown",
      output: "so far\n[how it ended is not known: its supervisor was killed]",
    });
  });

  test("alone: the command goes on, is waited for, and its end stays unknown", async () => {
    const { folder, cwd } = await makeFolder();
    const starter = startIn({ folder, cwd, command: "until [ -e end ]; do sleep 0.02; done; echo done" });
    await starter.hasGone();
    await starter.kill();
    const { group, identity } = await runningIn(folder);
    await waitFor(() => expect(running(group)).toBeGreaterThan(0));
    killNow(identity.pid);
    await waitFor(async () => expect(await readSpool(folder)).toMatchObject({ kind: "running", supervisor: "dead" }));
    const adopted = adoptSpool(folder, { signal: never });
    await mkdir(join(cwd, "end"));
    expect(await adopted).toMatchObject({ kind: "lost" });
    expect((await readOutput(folder)).text).toBe("done\n");
  });

  test("alone: what it left can be stopped", async () => {
    const { folder, cwd } = await makeFolder();
    const starter = startIn({ folder, cwd, command: "sleep 60" });
    await starter.hasGone();
    await starter.kill();
    const { group, identity } = await runningIn(folder);
    await waitFor(() => expect(running(group)).toBeGreaterThan(0));
    killNow(identity.pid);
    expect(await stopSpool(folder)).toMatchObject({ survivors: 0, state: { kind: "lost" } });
    expect(running(group)).toBe(0);
  });
});

describe.skipIf(process.platform !== "linux")("what a command left behind", () => {
  test("may go on writing before and after its result is stored, and fills no disk with it", async () => {
    const { folder, cwd } = await makeFolder();
    await startIn({ folder, cwd, command: "yes & echo $! > pid" }).ended();
    const state = await waitFor(async () => {
      const found = await readSpool(folder);
      if (found.kind !== "finished" || !found.identity) throw new Error(found.kind);
      return found.identity;
    });
    const pid = (await readFile(join(cwd, "pid"), "utf8")).trim();
    const output = await readOutput(folder);
    await expectCut(pid);
    expect(await readOutput(folder)).toEqual(output); // what was recorded stays until it was read
    expect(await removeSpool(folder)).toBe(true);
    await expectCut(pid);
    killNow(Number(pid));
    await waitFor(() => expect(probePid(state.identity.pid).kind).toBe("gone"));
  });
});

/** What a process writes to its stdout is much more than what is kept of it. */
async function expectCut(pid: string): Promise<void> {
  await waitFor(async () => {
    const written = Number(/^wchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, "utf8"))?.[1]);
    expect(written).toBeGreaterThan(2 ** 24);
    expect((await stat(`/proc/${pid}/fd/1`)).size).toBeLessThan(written / 2);
  });
}

describe("a spool is read from elsewhere", () => {
  test("after another boot: its pids and groups say nothing any more", async () => {
    const { folder, cwd } = await makeFolder();
    await startIn({ folder, cwd, command: "sleep 60" }).hasGone();
    await runningIn(folder);
    const self = { ...currentProcess("test"), boot: "another", machine: "m" };
    const { identity } = await runningIn(folder);
    const state = await readSpool(folder, {
      self: { ...self, ...(identity.machine && { machine: identity.machine }) },
    });
    expect(state.kind).toBe(identity.machine ? "lost" : "running");
  });

  test("on another host: nothing is proven, and nothing is signalled", async () => {
    const { folder, cwd } = await makeFolder();
    await startIn({ folder, cwd, command: "sleep 60" }).hasGone();
    await runningIn(folder);
    const state = await readSpool(folder, { self: { ...currentProcess("test"), host: "another" } });
    expect(state).toMatchObject({ kind: "running", supervisor: "unproven" });
  });

  test("without a folder, and with one in which nothing has begun", async () => {
    const { folder } = await makeFolder();
    expect(await readSpool(folder)).toEqual({ kind: "gone" });
    await mkdir(folder);
    expect(await readSpool(folder)).toEqual({ kind: "starting" });
  });
});

test("the folder is its owner's alone, and nothing of the environment stands in it", async () => {
  const { folder, cwd } = await makeFolder();
  await startIn({ folder, cwd, command: 'echo "$STELE_HOME" | wc -c' }).ended();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const names = await readdir(folder);
  expect(names.sort()).toEqual(["exit.json", "go", "identity.json", "order.json", "output"]);
  for (const name of names) {
    expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
    expect(await readFile(join(folder, name), "utf8")).not.toContain(`"${cwd}"`);
  }
});

test("signals to the whole group end the command, not the one that records it", async () => {
  for (const signal of ["TERM", "HUP", "INT", "QUIT", "USR1", "USR2", "ALRM"]) {
    const { folder, cwd } = await makeFolder(signal);
    await startIn({ folder, cwd, command: `kill -${signal} 0; sleep 60` }).ended();
    expect(await readSpool(folder)).toMatchObject({ kind: "finished", exit: { signal: `SIG${signal}` } });
  }
});

test("Node's own variables reach the command and leave the supervisor alone", async () => {
  const { folder, cwd } = await makeFolder();
  const started = await startInSpool({
    folder: endWithTest(folder),
    cwd,
    command: 'echo "$NODE_OPTIONS"',
    shell: "/bin/sh",
    env: { ...process.env, NODE_OPTIONS: "--require=/nonexistent" },
    call: { effectKey: "k", startedAt: 1, summary: "echo" },
    signal: never,
    onSupervisor: async () => undefined,
  });
  expect(started.kind).toBe("started");
  await untilKind(folder, "finished");
  expect((await readOutput(folder)).text).toBe("--require=/nonexistent\n");
});

test("a supervisor that cannot be stored starts nothing, and the reason comes through", async () => {
  const { folder, cwd } = await makeFolder();
  const started = startInSpool({
    folder,
    cwd,
    command: "touch started",
    shell: "/bin/sh",
    env: process.env,
    call: { effectKey: "k", startedAt: 1, summary: "touch" },
    signal: never,
    onSupervisor: () => Promise.reject(new Error("the disk is full")),
  });
  await expect(started).rejects.toThrow("the disk is full");
  expect(await readSpool(folder)).toEqual({ kind: "never-started" });
  expect(await readdir(cwd)).toEqual(["7-call-1"]);
});

test("a folder of an earlier run is replaced once that has ended, and refused while it has not", async () => {
  const { folder, cwd } = await makeFolder();
  await startIn({ folder, cwd, command: "echo first" }).ended();
  await startIn({ folder, cwd, command: "echo second; sleep 60" }).hasGone();
  await runningIn(folder);
  await waitFor(async () => expect((await readOutput(folder)).text).toBe("second\n"));
  const third = startIn({ folder, cwd, command: "echo third" });
  await third.ended();
  expect(third.said()).toContain("an earlier run of this call has not ended");
  expect((await readOutput(folder)).text).toBe("second\n");
});

test("a folder that cannot be made is a command that was not started", async () => {
  const { cwd } = await makeFolder();
  await writeFile(join(cwd, "file"), "");
  const starter = startIn({ folder: join(cwd, "file", "x"), cwd, command: "touch started" });
  await starter.ended();
  expect(starter.said()).toContain('"why":"not-started"');
});

describe("the sweep", () => {
  test("removes what is over and done, and nothing that runs or whose call is open", async () => {
    const root = await makeSpoolRoot();
    const folder = (name: string) => join(root, name);
    await startIn({ folder: folder("done"), cwd: root, command: "true" }).ended();
    await startIn({ folder: folder("open"), cwd: root, command: "true" }).ended();
    await startIn({ folder: folder("runs"), cwd: root, command: "sleep 60" }).hasGone();
    await runningIn(folder("runs"));
    await mkdir(folder("empty"));
    const isDone = async (each: string) => each !== folder("open");
    expect((await sweepSpools(root, isDone)).toSorted()).toEqual([folder("done"), folder("empty")]);
    expect((await readdir(root)).sort()).toEqual(["open", "runs"]);
    await stopSpool(folder("runs"), HANG_UP_PATIENCE);
    expect(await sweepSpools(root, isDone)).toEqual([folder("runs")]);
  });

  test("of a root that is not there removes nothing", async () => {
    expect(await sweepSpools(join(await makeSpoolRoot(), "none"), async () => true)).toEqual([]);
  });

  test("is not needed for one folder, which is removed with all in it", async () => {
    const { folder, cwd } = await makeFolder();
    await startIn({ folder, cwd, command: "true" }).ended();
    await removeSpool(folder);
    expect(await readSpool(folder)).toEqual({ kind: "gone" });
  });
});
