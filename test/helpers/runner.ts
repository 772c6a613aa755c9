// A runner on the ledger of a test: everything is allowed, nobody is asked, and all that it tells is kept.
import path from "node:path";
import type { SessionEvent } from "../../src/agent/events.ts";
import { Runner, type RunnerOptions } from "../../src/agent/runner.ts";
import { createFileGate } from "../../src/agent/tools/files.ts";

type Given = "db" | "session" | "models";

interface TestRunnerOptions extends Pick<RunnerOptions, Given>, Partial<Omit<RunnerOptions, Given>> {
  /** Where its ledger is. */
  readonly home: string;
}

export function startRunner({ home, ...options }: TestRunnerOptions): { runner: Runner; events: SessionEvent[] } {
  const runner = new Runner({
    files: createFileGate({ ledgerFiles: [path.join(home, "state.db")] }),
    spoolRoot: path.join(home, "spool"),
    rules: () => ({ allow: [], deny: [] }),
    mode: "auto",
    ask: () => Promise.resolve({ kind: "no" }),
    program: "test",
    ...options,
  });
  const events: SessionEvent[] = [];
  runner.listen((event) => events.push(event));
  return { runner, events };
}
