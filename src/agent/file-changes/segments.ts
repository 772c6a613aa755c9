// The changes of one path as segments: runs in which each change began with what the one before it left. Between two
// segments somebody else changed the file. Pure.
import type { FileChange, FileChangeId, FileState, Hash } from "../../ledger/types.ts";
import { UNKNOWN_HASH } from "./unknown-hash.ts";

/** unknown: there was a file, and nobody read it. */
export type Side = "absent" | "unknown" | { readonly hash: Hash; readonly mode?: number };

export interface Step {
  readonly id: FileChangeId;
  readonly path: string;
  readonly cwd: string;
  readonly before: Side;
  readonly after: Side;
  readonly origin: FileChange["origin"];
  readonly restorable: boolean;
  readonly isImported?: boolean;
}

export interface Segment {
  readonly before: Side;
  readonly after: Side;
  readonly isBeforeStored: boolean;
  readonly isAfterStored: boolean;
}

export function sideOf(state: FileState | undefined): Side {
  if (!state) return "absent";
  return state.hash === UNKNOWN_HASH ? "unknown" : state;
}

/** Oldest first, as the steps are. */
export function segmentsOf(steps: readonly Step[]): readonly Segment[] {
  const segments: Segment[] = [];
  for (const { before, after, restorable } of steps) {
    const last = segments.at(-1);
    if (last && isContinued(last.after, before)) {
      segments.splice(-1, 1, { ...last, after, isAfterStored: restorable });
    } else {
      segments.push({ before, after, isBeforeStored: restorable, isAfterStored: restorable });
    }
  }
  return segments;
}

/** What is unknown is never the same as anything. */
export function isSameSide(a: Side, b: Side): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b && a !== "unknown";
  return a.hash === b.hash && a.mode === b.mode;
}

/** A mode that somebody changed in between is no other content. */
function isContinued(left: Side, found: Side): boolean {
  if (typeof left === "string" || typeof found === "string") return left === found && left !== "unknown";
  return left.hash === found.hash;
}
