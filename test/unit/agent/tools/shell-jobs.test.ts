// Commands that go on in the background: moved there, read, ended.
import { mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listJobs } from "../../../../src/agent/spool/background-jobs.ts";
import { isBackgroundJob, readSpool, sweepSpools } from "../../../../src/agent/spool/spool.ts";
import { shellTool } from "../../../../src/agent/tools/shell.ts";
import { shellOutputTool } from "../../../../src/agent/tools/shell-output.ts";
import { shellStopTool } from "../../../../src/agent/tools/shell-stop.ts";
import type { Tool, ToolResult } from "../../../../src/agent/tools/tool.ts";
import type { Json, ProcessIdentity } from "../../../../src/ledger/types.ts";
import { endWithTest, makeSpoolRoot, waitFor } from "../../../helpers/spool-process.ts";
import { type Harness, makeHarness } from "./tool-harness.ts";

interface Jobs {
  readonly harness: Harness;
  readonly root: string;
  readonly supervisors: ProcessIdentity[];
  /** Each call has a key of its own, unless it is the same call once more. */
  call<Input>(tool: Tool<Input>, input: Json, key?: string): Promise<ToolResult>;
}

async function makeJobs(): Promise<Jobs> {
  const harness = await makeHarness();
  const root = await makeSpoolRoot();
  const supervisors: ProcessIdentity[] = [];
  let calls = 0;
  return {
    harness,
    root,
    supervisors,
    call(tool, given, key) {
      calls += 1;
      const parsed = tool.parse(given);
      if (!parsed.ok) throw new Error(parsed.problem);
      const effectKey = key ?? `7-call-${calls}`;
      return tool.run(parsed.input, {
        cwd: harness.cwd,
        files: harness.files,
        signal: harness.stop.signal,
        effectKey,
        onOutput: () => undefined,
        spoolRoot: root,
        ...(tool.name === "shell" && {
          spool: {
            folder: endWithTest(join(root, effectKey)),
            onSupervisor: async (identity) => void supervisors.push(identity),
          },
        }),
      });
    },
  };
}

const WAIT = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;

describe("a command over its time", () => {
  test("goes on in the background, is read bit by bit, and its end is told once", async () => {
    const { call, harness, root } = await makeJobs();
    const command = `echo one; ${WAIT("two")}; echo two; ${WAIT("end")}; echo three; exit 3`;
    expect(await call(shellTool, { command, timeout: 1.5 })).toEqual({
      kind: "ok",
      output:
        "one\n[still running after 1.5 s: moved to the background as job 7-call-1; shell_output reads it, shell_stop ends it]",
    });
    expect(await isBackgroundJob(join(root, "7-call-1"))).toBe(true);
    expect(await call(shellOutputTool, { call: "7-call-1" })).toEqual({ kind: "ok", output: "[still running]" });
    await mkdir(harness.path("two"));
    await waitFor(async () => {
      expect((await call(shellOutputTool, { call: "7-call-1" })).output).toBe("two\n[still running]");
    });
    await mkdir(harness.path("end"));
    await waitFor(async () => expect((await readSpool(join(root, "7-call-1"))).kind).toBe("finished"));
    const told = { kind: "ok", output: "three\n[ended with exit code 3]" };
    expect(await call(shellOutputTool, { call: "7-call-1" }, "again")).toEqual(told);
    // The result was lost in a crash, and the call is run again.
    expect(await call(shellOutputTool, { call: "7-call-1" }, "again")).toEqual(told);
    expect(await listJobs(root)).toEqual([]);
    expect(await call(shellOutputTool, { call: "7-call-1" })).toEqual({
      kind: "failed",
      output: 'there is no command in the background with the id "7-call-1"; there are none',
    });
    expect(await readdir(root)).toEqual([]);
  });

  test("is not hurt by the turn's end, and its supervisor was stored before it began", async () => {
    const { call, harness, root, supervisors } = await makeJobs();
    await call(shellTool, { command: `${WAIT("end")}`, timeout: 0.2 });
    harness.stop.abort();
    await waitFor(async () => {
      const state = await readSpool(join(root, "7-call-1"));
      expect(state).toMatchObject({ kind: "running", identity: supervisors[0] });
    });
  });
});

describe("a command that is to run in the background", () => {
  test("returns at once and is listed", async () => {
    const { call, root } = await makeJobs();
    const startedAt = performance.now();
    const { output } = await call(shellTool, { command: "echo up; sleep 60", background: true });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(output).toMatch(
      /^(up\n)?\[running in the background as job 7-call-1; shell_output reads it, shell_stop ends it\]$/,
    );
    await waitFor(async () => {
      const [job] = await listJobs(root);
      expect(job).toMatchObject({ id: "7-call-1", summary: "echo up; sleep 60", state: { kind: "running" } });
    });
  });

  test("that ends at once has its result", async () => {
    const { call, root } = await makeJobs();
    const result = await call(shellTool, { command: "echo no such port; exit 1", background: true });
    // On a busy machine even that takes longer than it is waited for.
    if (result.kind === "ok") expect(await listJobs(root)).toHaveLength(1);
    else expect(result).toEqual({ kind: "failed", output: "no such port", exitCode: 1 });
  });
});

describe("shell_stop", () => {
  test("ends all of a job and gives what was not read yet", async () => {
    const { call, harness, root } = await makeJobs();
    const command = `trap 'echo bye; exit 0' TERM; sleep 61 & touch up; ${WAIT("never")}`;
    await call(shellTool, { command, background: true });
    await waitFor(() => harness.text("up"));
    const { output } = await call(shellStopTool, { call: "7-call-1" });
    expect(output).toMatch(/bye\n\[stopped\]\n\[ended with exit code 0\]$/);
    expect(await listJobs(root)).toEqual([]);
    expect((await readSpool(join(root, "7-call-1"))).kind).toBe("finished");
  });

  test("of a job that ended already tells how", async () => {
    const { call, root } = await makeJobs();
    await call(shellTool, { command: "sleep 0.5; echo done", background: true });
    await waitFor(async () => expect((await readSpool(join(root, "7-call-1"))).kind).toBe("finished"));
    expect((await call(shellStopTool, { call: "7-call-1" })).output).toBe(
      "done\n[it had ended already]\n[ended with exit code 0]",
    );
  });
});

test("an id that is not known is answered with those that are, and no path gets out of the folder", async () => {
  const { call, root } = await makeJobs();
  await call(shellTool, { command: "sleep 60", background: true });
  for (const tool of [shellOutputTool, shellStopTool]) {
    for (const id of ["nope", ".", "..", `../${basename(root)}/7-call-1`]) {
      expect(await call(tool, { call: id })).toEqual({
        kind: "failed",
        output: `there is no command in the background with the id ${JSON.stringify(id)}; there are: 7-call-1`,
      });
    }
  }
  await waitFor(async () => expect((await readSpool(join(root, "7-call-1"))).kind).toBe("running"));
});

test("the sweep leaves a job until its end was told", async () => {
  const { call, root } = await makeJobs();
  await call(shellTool, { command: "sleep 0.4", background: true });
  const folder = join(root, "7-call-1");
  await waitFor(async () => expect((await readSpool(folder)).kind).toBe("finished"));
  expect(await sweepSpools(root, async () => true)).toEqual([]);
  await call(shellOutputTool, { call: "7-call-1" });
  expect(await sweepSpools(root, async () => true)).toEqual([folder]);
});
