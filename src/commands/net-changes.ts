// What several changes of a path come to: from before the first to after the last.
import type { FileChange, FileState } from "../ledger/types.ts";

export interface NetChange {
  readonly path: string;
  readonly cwd: string;
  readonly before?: FileState;
  readonly after?: FileState;
  readonly isSuspected: boolean;
  readonly isKept: boolean;
}

/** By path; `changes` oldest first. */
export function netChanges(changes: readonly FileChange[]): ReadonlyMap<string, NetChange> {
  const net = new Map<string, NetChange>();
  for (const { path, cwd, before, after, origin, restorable } of changes) {
    const older = net.get(path);
    const first = older ? older.before : before;
    net.set(path, {
      ...{ path, cwd },
      ...(first && { before: first }),
      ...(after && { after }),
      isSuspected: origin === "suspected" && (older?.isSuspected ?? true),
      isKept: restorable && (older?.isKept ?? true),
    });
  }
  return net;
}

export function isSame(one: FileState | undefined, two: FileState | undefined): boolean {
  return one?.hash === two?.hash && (one === undefined || one.mode === two?.mode);
}
