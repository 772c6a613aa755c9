import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { allByPs, endGroup, membersOf } from "../../../../src/agent/tools/process-group.ts";
import { waitFor } from "../../../helpers/spool-process.ts";

function startGroup(command: string): number {
  const { pid = 0 } = spawn("/bin/sh", ["-c", command], { detached: true, stdio: "ignore" });
  onTestFinished(async () => void (await endGroup({ id: pid }, { termMs: 0, killMs: 1000 })));
  return pid;
}

test("where there is no /proc the same is found through ps", async () => {
  const id = startGroup("sleep 60 & sleep 61");
  await waitFor(async () => expect(await membersOf({ id })).toHaveLength(3));
  const byPs = (await allByPs()).filter((found) => found.group === id);
  const pids = (found: readonly { readonly pid: number }[]) => found.map(({ pid }) => pid).sort((a, b) => a - b);
  expect(pids(byPs)).toEqual(pids(await membersOf({ id })));
  expect(byPs.every(({ state }) => state.length === 1)).toBe(true);
});

test("the supervisor of a group is neither counted nor ended", async () => {
  const id = startGroup("trap '' TERM; sleep 60 & sleep 61; kill -STOP $$");
  await waitFor(async () => expect(await membersOf({ id, supervisor: id })).toHaveLength(2));
  expect(await endGroup({ id, supervisor: id }, { termMs: 50, killMs: 4000 })).toEqual({ survivors: 0 });
  expect((await membersOf({ id })).map(({ pid }) => pid)).toEqual([id]);
});
