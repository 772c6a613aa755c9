// Ends the command of a spool, whoever started it: TERM, then KILL, until none of its processes is left. Its supervisor
// stays to record how the command ended.
import { setTimeout as delay } from "node:timers/promises";
import { endGroup, membersOf, type Patience } from "../tools/process-group.ts";
import { readSpool, type SpoolState } from "./spool.ts";

export interface StoppedSpool {
  /** 0, but for processes that even SIGKILL cannot end. Not counted where `state` is still "unproven" or starting. */
  readonly survivors: number;
  /** Read when it was over. */
  readonly state: SpoolState;
}

export const STOP_PATIENCE: Patience = { termMs: 5000, killMs: 5000 };
/** When the terminal was closed: the system gives a program little time after that. */
export const HANG_UP_PATIENCE: Patience = { termMs: 250, killMs: 250 };

/** How long a supervisor may take to sync the output and its record, in ms. */
const RECORD_MS = 1000;
const POLL_MS = 10;

export async function stopSpool(folder: string, patience: Patience = STOP_PATIENCE): Promise<StoppedSpool> {
  const recordMs = Math.min(RECORD_MS, patience.killMs);
  let state = await readUntil(folder, patience.killMs, ({ kind }) => kind !== "starting");
  let survivors = 0;
  // Once more when processes are there after all: told to go, the supervisor may start the command after the TERM.
  for (let round = 0; round < 3 && state.kind === "running" && state.supervisor !== "unproven"; round += 1) {
    const group = { id: state.group, supervisor: state.identity.pid };
    ({ survivors } = await endGroup(group, patience));
    if (survivors > 0) return { survivors, state: await readSpool(folder) };
    state = await readUntil(folder, recordMs, async ({ kind }) => {
      return kind !== "running" || (await membersOf(group)).length > 0;
    });
  }
  return { survivors, state };
}

async function readUntil(
  folder: string,
  ms: number,
  isEnough: (state: SpoolState) => boolean | Promise<boolean>,
): Promise<SpoolState> {
  const end = performance.now() + ms;
  for (;;) {
    const state = await readSpool(folder);
    if ((await isEnough(state)) || performance.now() > end) return state;
    await delay(POLL_MS);
  }
}
