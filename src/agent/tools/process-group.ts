// A process group from outside: whether any of it still runs, and how it is ended for sure.
// The group's id is the pid of the command that was started detached. What left the group (setsid) is not seen.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

export interface EndedGroup {
  /** 0, but for processes that even SIGKILL cannot end: another user's, or stuck in the kernel. */
  readonly survivors: number;
}

export interface Patience {
  /** From SIGTERM to SIGKILL, and from SIGKILL to giving up, in ms. */
  readonly termMs: number;
  readonly killMs: number;
}

const POLL_MS = 20;

export async function endGroup(group: number, { termMs, killMs }: Patience): Promise<EndedGroup> {
  signalGroup(group, "SIGTERM");
  if (await isGoneWithin(group, termMs)) return { survivors: 0 };
  signalGroup(group, "SIGKILL");
  if (await isGoneWithin(group, killMs)) return { survivors: 0 };
  return { survivors: await countRunning(group) };
}

export async function isGroupRunning(group: number): Promise<boolean> {
  return isGroupKnown(group) && (await countRunning(group)) > 0;
}

async function isGoneWithin(group: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (await isGroupRunning(group)) {
    if (performance.now() > end) return false;
    await delay(POLL_MS);
  }
  return true;
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // ESRCH: gone already. EPERM: all of it is another user's, which counting will tell.
  }
}

function isGroupKnown(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Zombies are no longer running, but keep the group known until their parent, perhaps a careless init, reaps them. */
async function countRunning(group: number): Promise<number> {
  const pids = await readdir("/proc").catch(() => undefined);
  if (!pids?.includes("self")) return isGroupKnown(group) ? 1 : 0; // no /proc: macOS, where init does reap
  const states = await Promise.all(pids.filter((pid) => /^\d+$/.test(pid)).map(groupAndState));
  return states.filter((found) => found?.group === group && !"ZX".includes(found.state)).length;
}

async function groupAndState(pid: string): Promise<{ readonly group: number; readonly state: string } | undefined> {
  // Gone between listing and reading: not running.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in parentheses may hold spaces and parentheses of its own.
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state && group ? { state, group: Number(group) } : undefined;
}
