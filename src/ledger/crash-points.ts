// Named places where a test may kill the process with SIGKILL: STELE_CRASH_AT=name or name@k.
// `transaction.ts` passes `before:VERB` and `after:VERB` for every write verb; effects add their own here.

/** Every verb that writes. `transaction.ts` takes no other name, so none can be without its two points. */
export const WRITE_VERBS = [
  "create-session",
  "discard-session",
  "put-prompt",
  "set-model",
  "set-title",
  "improve-title",
  "set-flags",
  "remember-terminal",
  "append-note",
  "late-evidence",
  "plan-change",
  "suspect-changes",
  "plan-reverts",
  "mark-revert",
  "call-supervisor",
  "save-draft",
  "deliver",
  "append",
  "undo",
  "redo",
  "retry",
  "go-to",
  "begin-compaction",
  "renew-compaction",
  "cancel-compaction",
  "fail-compaction",
  "compact",
  "branch",
  "delete",
  "purge",
  "import-begin",
  "import-rows",
  "import-end",
  "import-abandon",
  "admit",
  "cancel",
  "edit",
  "move",
  "hold",
  "release",
  "claim",
  "settle",
  "take-steer",
  "mark-unknown",
  "resume-unknown",
  "settle-unknown",
  "acquire-lease",
  "renew-lease",
  "release-lease",
  "approve-call",
  "start-call",
  "finish-call",
  "call-unknown",
  "reopen-call",
  "resolve-call",
  "start-loop",
  "fire-loop",
  "end-tick",
  "pause-loop",
  "resume-loop",
  "stop-loop",
  "pause-orphan-loops",
  "ask-model",
  "answer-model",
  "index",
  "new-generation",
] as const;
export type WriteVerb = (typeof WRITE_VERBS)[number];

/** Around effects in the world, where no transaction is. */
const EFFECT_POINTS = [
  "before:tool-run",
  "after:tool-run",
  "before:file-rename",
  "after:file-rename",
  "before:file-revert",
  "after:file-revert",
] as const;

export type CrashPoint = `before:${WriteVerb}` | `after:${WriteVerb}` | (typeof EFFECT_POINTS)[number];

export function crashPointNames(): CrashPoint[] {
  return [...WRITE_VERBS.flatMap((verb) => [`before:${verb}`, `after:${verb}`] as const), ...EFFECT_POINTS];
}

const [armed = "", times = "1"] = (process.env["STELE_CRASH_AT"] ?? "").split("@");
let left = Number(times);

/** Does nothing unless this name is armed; then it does not return. */
export function crashPoint(name: CrashPoint): void {
  if (name !== armed) return;
  left -= 1;
  if (left > 0) return;
  process.kill(process.pid, "SIGKILL");
  // The signal is taken at the next return to the kernel at the latest: stay here until then.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
}
