// What recovery asks of the world outside of the ledger (ledger.md §7, §8): the end of a command from its spool, the
// bytes of an edited file from the disk, reverts that a crash cut short, folders nobody needs any more.
// A proof says what was seen; what cannot be seen stays unknown.
import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { currentProcess, livenessOf } from "../ledger/identity.ts";
import type { World } from "../ledger/recovery.ts";
import type { CallProof } from "../ledger/tool-calls.ts";
import type { FileRevert, ToolCall } from "../ledger/types.ts";
import { storedOutcome } from "./capped-output.ts";
import { applyReverts } from "./file-changes/apply-reverts.ts";
import { readBackEdit } from "./file-changes/read-back-edit.ts";
import { readBackCommand } from "./read-back/read-back-command.ts";
import { overprint, overprinted } from "./spool/overprint.ts";
import { SPOOL_FILES, type SpoolIdentity } from "./spool/records.ts";
import { adoptSpool } from "./spool/run-in-spool.ts";
import { readSpool, type SpoolState, sweepSpools } from "./spool/spool.ts";
import { readOutput } from "./spool/spool-output.ts";
import { spoolResult, withNotes } from "./spool/spool-result.ts";
import { stopSpool } from "./spool/stop-spool.ts";
import { effectKeyOf } from "./spool-folder.ts";
import type { FileGate } from "./tools/files.ts";

export interface WorldOptions {
  readonly db: AsyncSessionDB;
  readonly files: FileGate;
  readonly spoolRoot: string;
}

export function recoveryWorld({ db, files, spoolRoot }: WorldOptions): World {
  return {
    readBack: async (call) => {
      if (call.effect === "reversible") return proofOfEdit(call, { db, files });
      if (call.effect === "external" && call.spool !== undefined) return proofOfCommand(call, db);
      return undefined;
    },
    finishReverts: (reverts) => finishReverts({ db, files }, reverts),
    sweep: async () => {
      await sweepSpools(spoolRoot, (folder) => isOver(db, folder));
    },
  };
}

/** Writes what an undo or redo planned, one file after the other; safe to be killed in and to be called again. */
export async function finishReverts(
  { db, files }: Pick<WorldOptions, "db" | "files">,
  reverts: readonly FileRevert[],
): Promise<readonly FileRevert[]> {
  return applyReverts({
    rows: reverts,
    files,
    blob: (hash) => db.blob(hash),
    mark: (id, state) => db.markRevert(id, state),
  });
}

// ---- edits ----

async function proofOfEdit(call: ToolCall, { db, files }: Pick<WorldOptions, "db" | "files">): Promise<CallProof> {
  const { id } = call;
  const change = (await db.changesOfCall(id)).at(-1);
  // Intent before effect: without the stored intent the file was not touched.
  if (!change) return { id, kind: "not-started", evidence: "interrupted before the file was touched" };
  const { verdict, evidence } = await readBackEdit(change, files);
  if (verdict === "not-applied") return { id, kind: "not-started", evidence };
  if (verdict === "unknown") return { id, kind: "unknown", evidence };
  const output = "The change is in the file: it was read back after a crash.";
  return { id, kind: "ended", end: "succeeded", outcome: { kind: "ok", output }, evidence };
}

// ---- commands ----

/** A supervisor that just began writes who it is within this time, in ms. */
const IDENTITY_MS = 5_000;
const POLL_MS = 100;

async function proofOfCommand(call: ToolCall, db: AsyncSessionDB): Promise<CallProof> {
  return proofOfState(call, { db, state: await settledState(call.spool ?? "") });
}

function proofOfState(
  call: ToolCall,
  { db, state }: { db: AsyncSessionDB; state: SpoolState },
): Promise<CallProof> | CallProof {
  const { id } = call;
  switch (state.kind) {
    case "finished":
      return finished(call, state);
    case "never-started":
      return neverStarted(call, state.problem);
    case "running": {
      const orphaned = state.supervisor === "alive" ? "" : ", and nothing will tell how it ends";
      return { id, kind: "running", evidence: `still running: process group ${state.group}${orphaned}` };
    }
    case "starting":
      return state.identity ? proofOfWaiting(call, { db, waiting: state.identity }) : neverStarted(call);
    case "gone":
      // The word to begin is given only after the supervisor is in the ledger.
      if (call.process?.program !== SUPERVISOR) return neverStarted(call);
      return lost(call, db, "its spool folder is gone");
    case "lost":
      return lost(call, db, "process gone");
  }
}

/** A program that lost its lease and lives could still say go: a supervisor that is gone does not hear it. */
async function proofOfWaiting(
  call: ToolCall,
  { db, waiting }: { db: AsyncSessionDB; waiting: SpoolIdentity },
): Promise<CallProof> {
  const { id, spool = "" } = call;
  endSupervisor(waiting);
  const state = await settledState(spool);
  if (state.kind === "never-started") return neverStarted(call);
  if (state.kind === "starting") return { id, kind: "unknown", evidence: "waiting to be started by another program" };
  return proofOfState(call, { db, state });
}

function endSupervisor({ identity, group }: SpoolIdentity): void {
  if (livenessOf(identity, currentProcess("stele")) !== "alive") return;
  try {
    process.kill(group, "SIGKILL");
  } catch {
    // Gone meanwhile, or another user's: what is read next says it.
  }
}

/** Of all that is asked of git and gh together: a start does not wait longer for a dead network. */
const READ_BACK_MS = 15_000;

/** How the supervisor names itself in a process identity. */
const SUPERVISOR = "stele-supervisor";

async function settledState(folder: string): Promise<SpoolState> {
  const end = performance.now() + IDENTITY_MS;
  for (;;) {
    const state = await readSpool(folder);
    if (state.kind !== "starting" || performance.now() > end) return state;
    await delay(POLL_MS);
  }
}

async function finished(call: ToolCall, state: Extract<SpoolState, { kind: "finished" }>): Promise<CallProof> {
  const { id, spool = "" } = call;
  const { exit } = state;
  // SIGKILL from outside: a machine that goes down or a full memory ends everything, and how far it came is not known.
  if (exit.signal === "SIGKILL") return { id, kind: "unknown", evidence: "killed from outside (SIGKILL)" };
  const result = await spoolResult(spool, state);
  const output = result.output ?? "";
  const lineCount = output === "" ? 0 : output.split("\n").length;
  const amount = lineCount === 1 ? "1 line" : `${lineCount} lines`;
  return {
    id,
    kind: "ended",
    end: exit.exitCode === 0 ? "succeeded" : "failed",
    ...storedOutcome(result),
    ...(await endOf(spool)),
    evidence: `finished after the crash: exit ${exit.exitCode}, ${amount}`,
  };
}

/** The record is renamed into place at the end. */
async function endOf(folder: string): Promise<{ finishedAt?: number }> {
  const stats = await stat(path.join(folder, SPOOL_FILES.exit)).catch(() => undefined); // swept by another start
  return stats ? { finishedAt: Math.round(stats.mtimeMs) } : {};
}

function neverStarted({ id }: ToolCall, problem?: string): CallProof {
  const why = problem === undefined ? "a crash came before the command was started" : problem;
  const output = `It did not happen: ${why}.`;
  return { id, kind: "ended", end: "cancelled", outcome: { kind: "cancelled", output }, evidence: "never started" };
}

/** No end was recorded and nothing of it runs: some commands can be found in the world they changed. */
async function lost(call: ToolCall, db: AsyncSessionDB, why: string): Promise<CallProof> {
  const { id, startedAt = 0, effectKey, input } = call;
  const started = `started, no exit recorded, ${why}`;
  const command = commandOf(input);
  if (command === undefined) return { id, kind: "unknown", evidence: started };
  const { payload } = await db.admission(call.admission);
  const signal = AbortSignal.timeout(READ_BACK_MS);
  const found = await readBackCommand(command, { cwd: payload.cwd, startedAt, effectKey, signal });
  if (found.verdict === "unknown") return { id, kind: "unknown", evidence: `${started}; ${found.evidence}` };
  const { evidence } = found;
  if (found.verdict === "done") {
    const output = `It happened, its output was lost in a crash: ${evidence}`;
    return { id, kind: "ended", end: "succeeded", outcome: { kind: "ok", output }, evidence };
  }
  const output = `It did not happen, a crash came first: ${evidence}`;
  return { id, kind: "ended", end: "cancelled", outcome: { kind: "cancelled", output }, evidence };
}

/** Kept of a line that has no end yet. */
const MAX_LINE = 4000;

/** Follows a command that another program started, until it ended or the person has waited enough. */
export async function waitForCommand(
  folder: string,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (line: string) => void },
): Promise<void> {
  let line = "";
  const onOutput = (chunk: string) => {
    const lines = overprint(line, chunk).split("\n");
    line = lines.at(-1)?.slice(-MAX_LINE) ?? "";
    onProgress?.(overprinted(lines.findLast((each) => overprinted(each).trim() !== "") ?? ""));
  };
  await adoptSpool(folder, { signal: signal ?? new AbortController().signal, onOutput });
}

/** Ends it as a stop of a turn would; undefined when it had ended before, or something of it could not be ended. */
export async function stopCommand({ id, spool = "" }: ToolCall): Promise<CallProof | undefined> {
  // It had ended by itself meanwhile: that end is the truth.
  if ((await readSpool(spool)).kind !== "running") return undefined;
  const { state, survivors } = await stopSpool(spool);
  if (survivors > 0 || state.kind === "running" || state.kind === "starting") return undefined;
  const output = withNotes((await readOutput(spool)).text, ["[stopped]"]);
  return {
    id,
    kind: "ended",
    end: "cancelled",
    ...storedOutcome({ kind: "cancelled", ...output }),
    evidence: "stopped by the person",
  };
}

function commandOf(input: ToolCall["input"]): string | undefined {
  if (input === null || typeof input !== "object" || !("command" in input)) return undefined;
  return typeof input["command"] === "string" ? input["command"] : undefined;
}

/** The result of the call is stored, it was started again in another folder, or nobody knows the call. */
async function isOver(db: AsyncSessionDB, folder: string): Promise<boolean> {
  const call = await db.callByKey(effectKeyOf(folder));
  if (call === undefined || call.spool !== folder) return true;
  return call.result !== undefined && (call.state !== "unknown" || (await isTold(db, call)));
}

/** Its turn was ended with nobody knowing, and its end came after that. False: the conversation is not at rest. */
async function isTold(db: AsyncSessionDB, call: ToolCall): Promise<boolean> {
  const { id, spool = "" } = call;
  const state = await readSpool(spool);
  const proof = state.kind === "finished" ? await finished(call, state) : undefined;
  if (proof?.kind !== "ended") return true;
  const stored = await db.lateEvidence({
    id,
    evidence: `ended after its turn: ${endWords(proof.evidence)}`,
    at: Date.now(),
  });
  return stored === undefined || !("kind" in stored);
}

function endWords(evidence: string): string {
  return evidence.replace(/^.*?: /, "");
}
