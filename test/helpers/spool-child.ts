// A program that starts a command in a spool and may be killed at any moment of it: `spool-process.ts` bundles it, and
// passes what to do as its one argument. Tells how it ended.
import { runInSpool } from "../../src/agent/spool/run-in-spool.ts";

export interface ChildTask {
  readonly folder: string;
  readonly command: string;
  readonly cwd: string;
  readonly cap?: number;
  /** It kills itself when the supervisor is known and has not been told to start. */
  readonly dies?: "before-go";
}

const task = JSON.parse(process.argv[2] ?? "") as ChildTask;
const ending = await runInSpool({
  ...task,
  call: { effectKey: "7-call-1", startedAt: Date.now(), summary: task.command },
  shell: "/bin/sh",
  env: { ...process.env },
  onSupervisor: async () => {
    if (task.dies) process.kill(process.pid, "SIGKILL");
  },
  onOutput: () => undefined,
  signal: new AbortController().signal,
  waitMs: 60_000,
});
process.stdout.write(`${JSON.stringify(ending)}\n`);
