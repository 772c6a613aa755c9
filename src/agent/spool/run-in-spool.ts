// A command from its start to its end or to the moment somebody stops waiting: run here, or adopted from another
// process that started it. Both wait on the spool's records, not on a pipe.
import { setTimeout as delay } from "node:timers/promises";
import type { Patience } from "../tools/process-group.ts";
import { followOutput } from "./follow-output.ts";
import { readSpool, type SpoolState } from "./spool.ts";
import { type SpoolStart, type StartedSpool, startInSpool } from "./start-spool.ts";
import { HANG_UP_PATIENCE, STOP_PATIENCE, stopSpool } from "./stop-spool.ts";

export interface SpoolRun extends SpoolStart {
  /** After this the command is left to itself. */
  readonly waitMs: number;
  readonly onOutput: (chunk: string) => void;
}

export type RunEnding =
  | { readonly why: "not-started"; readonly problem: string }
  | { readonly why: "stopped-before" }
  /** `state` is finished, lost or, where the system could not start it, never-started. */
  | { readonly why: "end"; readonly state: SpoolState }
  | { readonly why: "stop"; readonly state: SpoolState; readonly survivors: number }
  /** It goes on. */
  | { readonly why: "left"; readonly state: SpoolState };

/** Rejects only when the supervisor could not be stored; then the command was not started. */
export async function runInSpool(run: SpoolRun): Promise<RunEnding> {
  const started = await startInSpool(run);
  if (started.kind === "not-started") return { why: "not-started", problem: started.problem };
  if (started.kind === "stopped") return { why: "stopped-before" };
  const output = followOutput(run.folder, run.onOutput);
  try {
    return await endOf(run, started);
  } finally {
    await output.finish();
  }
}

async function endOf(run: SpoolRun, started: StartedSpool): Promise<RunEnding> {
  const patient = new AbortController();
  const late = setTimeout(() => patient.abort(), run.waitMs);
  try {
    const signal = AbortSignal.any([run.signal, patient.signal]);
    const state = await untilOver(run.folder, { signal, ended: started.ended });
    if (isOver(state)) return { why: "end", state };
    if (run.signal.aborted) return { why: "stop", ...(await stopSpool(run.folder, patienceOf(run.signal))) };
    started.leave();
    return { why: "left", state };
  } finally {
    clearTimeout(late);
  }
}

export interface Adoption {
  readonly signal: AbortSignal;
  readonly onOutput?: (chunk: string) => void;
}

/**
 * Waits for a command that another process started, and hands on its output from the first byte. When the signal comes
 * first the command goes on, and the state says "running".
 */
export async function adoptSpool(folder: string, { signal, onOutput }: Adoption): Promise<SpoolState> {
  const output = onOutput && followOutput(folder, onOutput);
  try {
    return await untilOver(folder, { signal });
  } finally {
    await output?.finish();
  }
}

/** A closed terminal leaves no time for a command that does not want to end. */
function patienceOf(signal: AbortSignal): Patience {
  const reason: unknown = signal.reason;
  const isHangUp = typeof reason === "object" && reason !== null && "name" in reason && reason.name === "HangUp";
  return isHangUp ? HANG_UP_PATIENCE : STOP_PATIENCE;
}

interface Wait {
  readonly signal: AbortSignal;
  /** Resolves with the supervisor's end, or its record. */
  readonly ended?: Promise<void>;
}

/** Between two looks at a command that is not our child, in ms. */
const LOOK_MS = 100;

async function untilOver(folder: string, { signal, ended }: Wait): Promise<SpoolState> {
  if (ended) await Promise.race([ended, aborted(signal)]);
  for (;;) {
    const state = await readSpool(folder);
    if (isOver(state) || signal.aborted) return state;
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined); // aborted: one last look
  }
}

function isOver({ kind }: SpoolState): boolean {
  return kind !== "running" && kind !== "starting";
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
