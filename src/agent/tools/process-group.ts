// A command's processes from outside: which of them still run, and how they are ended for sure. They are those of its
// process group, and those of the session that its supervisor leads: `timeout` and shells with job control make groups
// of their own. What left the session too (setsid) is not seen. Groups and session are named by the leader's pid.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

export interface EndedGroup {
  /** 0, but for processes that even SIGKILL cannot end: another user's, or stuck in the kernel. */
  readonly survivors: number;
}

export interface Patience {
  /** From SIGTERM to SIGKILL, and from SIGKILL to giving up, in ms. */
  readonly termMs: number;
  readonly killMs: number;
}

export interface Member {
  readonly pid: number;
  readonly group: number;
}

/** A group whose leader, when it is a supervisor, is neither counted nor killed while the others can be ended. */
export interface Group {
  readonly id: number;
  readonly supervisor?: number;
}

const POLL_MS = { first: 10, most: 100 };

/** Processes that run; zombies do not, though they keep the group known until a perhaps careless init reaps them. */
export async function membersOf({ id, supervisor }: Group): Promise<readonly Member[]> {
  const all = (await allByProc()) ?? (await allByPs());
  const isMember = (found: Found) => found.group === id || found.session === id;
  return all.filter((found) => isMember(found) && found.pid !== supervisor && !"ZX".includes(found.state));
}

/** Of the group itself, which is cheaper to ask for when it is gone than the session's other groups. */
export async function isGroupRunning(group: Group): Promise<boolean> {
  if (!isGroupKnown(group.id)) return false;
  return (await membersOf(group)).some((member) => member.group === group.id);
}

/** TERM for all, KILL for those that are left. A supervisor stays to record how its command ended. */
export async function endGroup(group: Group, { termMs, killMs }: Patience): Promise<EndedGroup> {
  const members = await membersOf(group);
  for (const id of new Set([group.id, ...members.map((member) => member.group)])) {
    signal(-id, "SIGTERM");
    signal(-id, "SIGCONT"); // a stopped process takes the other one only when it goes on
  }
  if ((await leftAfter(group, { ms: termMs })) === 0) return { survivors: 0 };
  const kill = ({ pid }: Member) => signal(pid, "SIGKILL");
  if ((await leftAfter(group, { ms: killMs / 2, each: kill })) === 0) return { survivors: 0 };
  // Members that come faster than they are counted: now the supervisor goes with them.
  const killAll = (member: Member) => signal(-member.group, "SIGKILL");
  return { survivors: await leftAfter(group, { ms: killMs / 2, each: killAll }) };
}

interface Wait {
  readonly ms: number;
  readonly each?: (member: Member) => void;
}

async function leftAfter(group: Group, { ms, each }: Wait): Promise<number> {
  const end = performance.now() + ms;
  for (let pause = POLL_MS.first; ; pause = Math.min(pause * 1.5, POLL_MS.most)) {
    const members = await membersOf(group);
    if (members.length === 0 || performance.now() > end) return members.length;
    if (each) members.forEach(each);
    await delay(Math.min(pause, Math.max(1, end - performance.now())));
  }
}

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
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

interface Found extends Member {
  /** Undefined where the system does not tell. */
  readonly session: number | undefined;
  readonly state: string;
}

async function allByProc(): Promise<readonly Found[] | undefined> {
  const names = await readdir("/proc").catch(() => undefined);
  if (!names?.includes("self")) return undefined; // macOS
  return names.filter((name) => /^\d+$/.test(name)).flatMap((pid) => statOf(pid) ?? []);
}

function statOf(pid: string): Found | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined; // gone between listing and reading
  }
  // The name in parentheses may hold spaces and parentheses of its own.
  const [state, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (!state || !group) return undefined;
  return { pid: Number(pid), state, group: Number(group), session: Number(session) };
}

const run = promisify(execFile);

/** Its "sess" is a number on some systems and an address on others, so it is not asked for. */
export async function allByPs(): Promise<readonly Found[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=", "-o", "pgid=", "-o", "stat="], { maxBuffer: 2 ** 24 });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([pid, group, state]) =>
      state ? [{ pid: Number(pid), group: Number(group), session: undefined, state: state.slice(0, 1) }] : [],
    );
}
