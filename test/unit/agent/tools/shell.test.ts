import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { isGroupRunning } from "../../../../src/agent/tools/process-group.ts";
import { shellTool } from "../../../../src/agent/tools/shell.ts";
import { killNow } from "../../../helpers/kill.ts";
import { waitFor } from "../../../helpers/spool-process.ts";
import { makeHarness } from "./tool-harness.ts";

/** Processes of the group that are not zombies, its supervisor with them. */
function running(group: number): number {
  const lines = execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => new RegExp(`^\\s*${group}\\s+[^ZX]`).test(line)).length;
}

async function groupIn(file: string): Promise<number> {
  return waitFor(async () => {
    const group = Number((await readFile(file, "utf8")).trim());
    if (!group) throw new Error("not written yet");
    return group;
  });
}

describe("a command that ends by itself", () => {
  test("both streams come in the order they were written, live and whole", async () => {
    const harness = await makeHarness();
    const command = "echo 1; echo 2 >&2; echo 3; echo 4 >&2";
    expect(await harness.call(shellTool, { command })).toEqual({ kind: "ok", output: "1\n2\n3\n4", exitCode: 0 });
    expect(harness.streamed.join("")).toBe("1\n2\n3\n4\n");
  });

  test("a status other than zero is a failure that keeps its output", async () => {
    const harness = await makeHarness();
    expect(await harness.call(shellTool, { command: "echo why; exit 3" })).toEqual({
      kind: "failed",
      output: "why",
      exitCode: 3,
    });
  });

  test("no output is no output", async () => {
    const harness = await makeHarness();
    expect(await harness.call(shellTool, { command: "true" })).toEqual({ kind: "ok", exitCode: 0 });
  });

  test("a signal is told and counted as shells do", async () => {
    const harness = await makeHarness();
    const result = await harness.call(shellTool, { command: "kill -SEGV $$" });
    expect(result).toMatchObject({
      kind: "failed",
      exitCode: 139,
      output: expect.stringContaining("[ended by SIGSEGV]"),
    });
  });

  test("it runs in the session's folder, without input and terminal, with the variables that keep programs from asking", async () => {
    const harness = await makeHarness();
    const names = [
      "PAGER",
      "GIT_PAGER",
      "GIT_TERMINAL_PROMPT",
      "CI",
      "TERM",
      "NO_COLOR",
      "DEBIAN_FRONTEND",
      "STELE_EFFECT_KEY",
    ];
    const command = `pwd; cat | wc -c; test -t 0 || test -t 1 || echo no terminal; printf '%s ' ${names.map((name) => `"$${name}"`).join(" ")}`;
    const result = await harness.call(shellTool, { command });
    expect(result.output?.split("\n").map((line) => line.trim())).toEqual([
      harness.cwd,
      "0",
      "no terminal",
      "cat cat 0 1 dumb 1 noninteractive 7-call-1",
    ]);
  });

  test("quotes, dollars and line ends reach the shell as they are", async () => {
    const harness = await makeHarness();
    const command = `a='it'"'"'s'\nprintf '%s|' "$a" '$0' "\\\\"`;
    expect(await harness.call(shellTool, { command })).toMatchObject({ output: "it's|$0|\\|" });
  });

  test("a folder that is gone is a result", async () => {
    const harness = await makeHarness({ cwd: "/nonexistent/stele" });
    expect(await harness.call(shellTool, { command: "true" })).toMatchObject({ kind: "failed" });
  });

  test("a command too long for the system is a result", async () => {
    const harness = await makeHarness();
    const result = await harness.call(shellTool, { command: `: ${"x".repeat(3_000_000)}` });
    expect(result).toMatchObject({ kind: "failed", output: expect.stringContaining("could not be started") });
  });

  test("characters cut by the pipe's chunks arrive whole", async () => {
    const harness = await makeHarness();
    const command = "printf '\\xe2\\x82'; sleep 0.05; printf '\\xac'";
    expect(await harness.call(shellTool, { command })).toMatchObject({ output: "€" });
    expect(harness.streamed.join("")).toBe("€");
  });
});

describe("a command that leaves something running", () => {
  test("a background child that holds the pipe does not hold the turn, and is told", async () => {
    const harness = await makeHarness();
    const startedAt = performance.now();
    const result = await harness.call(shellTool, { command: "ps -o pgid= -p $$ > group; sleep 60 & echo done" });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    const group = await groupIn(harness.path("group"));
    onTestFinished(() => killNow(group, { group: true }));
    expect(result).toMatchObject({ kind: "ok", exitCode: 0 });
    expect(result.output).toBe(`done\n[it left processes running in the background: process group ${group}]`);
    // It and its supervisor, which stays as long.
    await waitFor(() => expect(running(group)).toBe(2));
  });

  test("it may go on writing after the result without dying of a closed pipe", async () => {
    const harness = await makeHarness();
    const loop =
      "(while [ ! -e go ]; do sleep 0.02; done; for i in $(seq 2000); do echo $i 0123456789 0123456789 0123456789; done; touch survived) &";
    await harness.call(shellTool, { command: loop });
    await harness.put("go", "");
    await waitFor(() => harness.text("survived"));
  });
});

describe("a stop", () => {
  test("ends the whole group, children of children too, and keeps the output so far", async () => {
    const harness = await makeHarness();
    const command =
      "ps -o pgid= -p $$ > group; echo begun; (sleep 61 & sleep 62 | sleep 63) & bash -c 'sleep 64 & wait' & wait";
    const result = harness.call(shellTool, { command });
    const group = await groupIn(harness.path("group"));
    await waitFor(() => expect(running(group)).toBeGreaterThanOrEqual(6));
    harness.stop.abort();
    expect(await result).toEqual({ kind: "cancelled", output: "begun\n[stopped]" });
    expect(await isGroupRunning({ id: group, supervisor: group })).toBe(false);
    await waitFor(() => expect(running(group)).toBe(0));
  });

  test("a process that ignores TERM is killed after 5 s", async () => {
    const harness = await makeHarness();
    const result = harness.call(shellTool, {
      command: "trap '' TERM; ps -o pgid= -p $$ > group; while :; do sleep 0.1; done",
    });
    const group = await groupIn(harness.path("group"));
    const stoppedAt = performance.now();
    harness.stop.abort();
    expect((await result).kind).toBe("cancelled");
    expect(performance.now() - stoppedAt).toBeGreaterThan(4900);
    await waitFor(() => expect(running(group)).toBe(0));
  });

  test("gives a process the time to clean up, and its last words", async () => {
    const harness = await makeHarness();
    const result = harness.call(shellTool, {
      command: "trap 'sleep 0.2; echo cleaned; exit 0' TERM; ps -o pgid= -p $$ > group; while :; do sleep 0.05; done",
    });
    await groupIn(harness.path("group"));
    harness.stop.abort();
    expect((await result).output).toContain("cleaned");
  });

  test("before the start nothing is started", async () => {
    const harness = await makeHarness();
    harness.stop.abort();
    expect(await harness.call(shellTool, { command: "touch started" })).toMatchObject({ kind: "cancelled" });
    expect(await harness.files.exists(harness.path("started"))).toBe(false);
  });

  test("reaches what made a group of its own, as timeout does", async () => {
    const harness = await makeHarness();
    const result = harness.call(shellTool, { command: "timeout 60 sh -c 'ps -o pgid= -p $$ > group; sleep 61'" });
    const group = await groupIn(harness.path("group"));
    harness.stop.abort();
    expect((await result).kind).toBe("cancelled");
    expect(running(group)).toBe(0);
  });

  test("takes a stopped process along", async () => {
    const harness = await makeHarness();
    const result = harness.call(shellTool, { command: "ps -o pgid= -p $$ > group; kill -STOP $$" });
    const group = await groupIn(harness.path("group"));
    await waitFor(() =>
      expect(execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" })).toMatch(
        new RegExp(`^\\s*${group}\\s+T`, "m"),
      ),
    );
    const stoppedAt = performance.now();
    harness.stop.abort();
    expect((await result).kind).toBe("cancelled");
    expect(performance.now() - stoppedAt).toBeLessThan(4000);
  });

  test("that comes from a closed terminal is over within a second, whatever the command does", async () => {
    const harness = await makeHarness();
    const command = "trap '' TERM HUP; ps -o pgid= -p $$ > group; while :; do sleep 0.1; done";
    const result = harness.call(shellTool, { command });
    const group = await groupIn(harness.path("group"));
    const stoppedAt = performance.now();
    harness.stop.abort(Object.assign(new Error("the terminal was closed"), { name: "HangUp" }));
    expect((await result).kind).toBe("cancelled");
    // Well before what any other stop grants; on a machine with nothing else to do it is a second.
    expect(performance.now() - stoppedAt).toBeLessThan(4000);
    expect(await isGroupRunning({ id: group, supervisor: group })).toBe(false);
  });
});

test("a summary is one line, and a command of several lines is previewed whole", async () => {
  const harness = await makeHarness();
  expect(shellTool.summarize({ command: "a\n  b\n" })).toBe("a ⏎ b");
  expect(await shellTool.preview?.({ command: "a\nb" }, harness)).toBe("a\nb");
});

test.each([
  [{}, "command is missing; a string is needed"],
  [{ command: 3 }, "command is a number (3); a string is needed"],
  [{ command: "ls", timeout: 601 }, "timeout is 601; at most 600 is allowed"],
  [
    { command: "ls", timeut: 5 },
    'unknown field "timeut" (did you mean timeout?); allowed: command, timeout, background',
  ],
  [{ unparsed: '{"command": "l' }, 'the input is not valid JSON: "{\\"command\\": \\"l"'],
  ["ls", "the input is a string; an object is needed"],
])("the input %j is answered with what is wrong", (input, problem) => {
  expect(shellTool.parse(input)).toEqual({ ok: false, problem });
});
