// What a spool folder says about its command, read from outside at any time and by any process: only what its records
// and the kernel prove. Folders are removed when their call has its result and nobody needs them any more.
import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { currentProcess, livenessOf, probePid } from "../../ledger/identity.ts";
import type { Liveness, ProcessIdentity } from "../../ledger/types.ts";
import { isGroupRunning, membersOf } from "../tools/process-group.ts";
import { type ExitedRecord, readExit, readIdentity, SPOOL_FILES, type SpoolIdentity } from "./records.ts";

export type SpoolState =
  /** It ran, and this is how it ended. */
  | { readonly kind: "finished"; readonly exit: SpoolExit; readonly identity?: SpoolIdentity }
  /** It did not run and will not: there was no go, or with `problem` the system could not start it. */
  | { readonly kind: "never-started"; readonly problem?: string }
  | RunningSpool
  /**
   * No go yet, and no proof that none comes. Wait up to 5 s and read again. Without an identity even then, and with the
   * process that started it proven gone, it never starts: go is said only to a supervisor that has told who it is.
   */
  | { readonly kind: "starting"; readonly identity?: SpoolIdentity }
  /** It was told to start, its supervisor and all its processes are gone, and nothing says how it ended: unknown. */
  | { readonly kind: "lost"; readonly identity?: SpoolIdentity }
  /** No folder: its parent is synced before the go, so that no command was started in it or its result is stored. */
  | { readonly kind: "gone" };

export interface SpoolExit extends ExitedRecord {
  /** As shells count it: 128 and the signal's number. */
  readonly exitCode: number;
}

export interface RunningSpool extends SpoolIdentity {
  readonly kind: "running";
  /**
   * "alive": its exit will be recorded. "dead": processes of the command go on without it, their output can be
   * followed, how they end will never be known. "unproven": nothing can be said from here, nothing is signalled.
   */
  readonly supervisor: Liveness;
}

export interface ReadOptions {
  readonly self?: ProcessIdentity;
}

let own: ProcessIdentity | undefined;

export async function readSpool(folder: string, options: ReadOptions = {}): Promise<SpoolState> {
  const self = options.self ?? (own ??= currentProcess("stele"));
  const identity = readIdentity(folder);
  // Before the records are read: what a supervisor that is gone by now has written is there.
  const supervisor = livenessOf(identity?.identity, self);
  const exit = readExit(folder);
  if (exit?.kind === "exited") {
    return { kind: "finished", exit: { ...exit, exitCode: exitCodeOf(exit) }, ...(identity && { identity }) };
  }
  if (exit) return exit;
  const isTold = existsSync(join(folder, SPOOL_FILES.go));
  if (!identity) {
    if (isTold) return { kind: "lost" }; // damage: go is only recorded after the identity
    return (await isFolder(folder)) ? { kind: "starting" } : { kind: "gone" };
  }
  if (!isTold) return supervisor === "dead" ? { kind: "never-started" } : { kind: "starting", identity };
  if (supervisor !== "dead") return { kind: "running", ...identity, supervisor };
  const isLeft = await hasMembers(identity, self);
  return isLeft ? { kind: "running", ...identity, supervisor } : { kind: "lost", identity };
}

function exitCodeOf({ code, signal }: ExitedRecord): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/** Whether the command's group has processes besides the supervisor: what it left in the background, once it ended. */
export async function hasLeftovers(spool: SpoolIdentity): Promise<boolean> {
  const self = (own ??= currentProcess("stele"));
  return isOurGroup(spool, self) && (await isGroupRunning({ id: spool.group, supervisor: spool.identity.pid }));
}

async function hasMembers(spool: SpoolIdentity, self: ProcessIdentity): Promise<boolean> {
  if (!isOurGroup(spool, self)) return false;
  return (await membersOf({ id: spool.group, supervisor: spool.identity.pid })).length > 0;
}

/**
 * A number says nothing after a boot or elsewhere; here it names another process only when nobody was left in the group.
 */
function isOurGroup({ identity, group }: SpoolIdentity, self: ProcessIdentity): boolean {
  if (identity.boot !== self.boot || identity.pidNamespace !== self.pidNamespace) return false;
  const leader = probePid(group);
  return leader.kind !== "there" || leader.start === identity.start;
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => found.isDirectory(),
    () => false, // an unreadable parent as well: nothing of it can be read either way
  );
}

/**
 * Only after the transaction that stored the result. What the command left behind may go on writing to nowhere. False:
 * it cannot be removed now, and the next sweep tries again.
 */
export async function removeSpool(folder: string): Promise<boolean> {
  return rm(folder, { recursive: true, force: true }).then(
    () => true,
    () => false,
  );
}

/** The call has its result; the command went on, and its output is read by job id. */
export async function isBackgroundJob(folder: string): Promise<boolean> {
  return existsSync(join(folder, SPOOL_FILES.background));
}

/**
 * Removes the folders of which `isDone` says that the call is terminal, but for commands that still run and background
 * jobs whose end nobody has read. Gives what it removed.
 */
export async function sweepSpools(
  root: string,
  isDone: (folder: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const folder of await spoolsIn(root)) {
    if (!(await isDone(folder)) || !(await isOver(folder))) continue;
    if (await removeSpool(folder)) removed.push(folder);
  }
  return removed;
}

/** Folders below the root; none where there is no root yet. */
export async function spoolsIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name));
}

async function isOver(folder: string): Promise<boolean> {
  const state = await readSpool(folder);
  // Without an identity nothing was started, and for a terminal call nothing will be.
  if (state.kind === "running" || (state.kind === "starting" && state.identity)) return false;
  return !(await isBackgroundJob(folder)) || existsSync(join(folder, SPOOL_FILES.reported));
}
