import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type ProgramRun, runProgram } from "../../../../src/agent/read-back/run-program.ts";
import { killNow } from "../../../helpers/kill.ts";
import { makeGitWorld } from "./git-world.ts";

function shell(script: string, more: Partial<ProgramRun> = {}) {
  return runProgram({ program: "/bin/sh", args: ["-c", script], cwd: "/", env: {}, ...more });
}

/** Processes of the group that are not zombies. */
function running(group: number): number {
  const lines = execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => new RegExp(`^\\s*${group}\\s+[^ZX]`).test(line)).length;
}

test("output, errors and status come back, and there is no input", async () => {
  expect(await shell("cat; echo out; echo err >&2; exit 3")).toEqual({
    kind: "exit",
    code: 3,
    stdout: "out\n",
    stderr: "err\n",
  });
});

test("variables are added and taken out", async () => {
  vi.stubEnv("READ_BACK_OUT", "there");
  const end = await shell('echo "$READ_BACK_IN,$READ_BACK_OUT,"', {
    env: { READ_BACK_IN: "in", READ_BACK_OUT: undefined },
  });
  vi.unstubAllEnvs();
  expect(end).toMatchObject({ stdout: "in,,\n" });
});

test("at the end of its time it is ended with all it started", async () => {
  const { root } = makeGitWorld();
  const end = await shell("echo $$ > group; (trap '' TERM; sleep 60) & sleep 60", { cwd: root, limit: 300 });
  expect(end).toEqual({ kind: "no-answer", problem: "/bin/sh did not answer within 0.3 s" });
  const group = Number(await readFile(join(root, "group"), "utf8"));
  await vi.waitFor(() => expect(running(group)).toBe(0), { timeout: 30_000 });
});

test("a stop ends it", async () => {
  const stop = new AbortController();
  const end = shell("sleep 60", { signal: stop.signal });
  stop.abort();
  expect(await end).toEqual({ kind: "no-answer", problem: "stopped" });
});

test("a child in the background that holds the pipes does not hold the answer", async () => {
  const { root } = makeGitWorld();
  const end = await shell("echo $$ > group; echo out; sleep 60 &", { cwd: root });
  expect(end).toMatchObject({ kind: "exit", code: 0, stdout: "out\n" });
  killNow(await readFile(join(root, "group"), "utf8"), { group: true });
});

test("a program that is ended by a signal gave no answer", async () => {
  expect(await shell("kill -9 $$")).toEqual({ kind: "no-answer", problem: "/bin/sh was ended by SIGKILL" });
});

test("a program or a folder that is not there is told apart", async () => {
  const missing = { args: [], env: {} };
  expect(await runProgram({ program: "not-a-program", cwd: "/", ...missing })).toEqual({
    kind: "no-answer",
    problem: "not-a-program is not installed",
  });
  expect(await runProgram({ program: "git", cwd: "/not/there", ...missing })).toEqual({
    kind: "no-answer",
    problem: "the folder /not/there is not there",
  });
});
