// What taking back the file changes of some turns (undo), or bringing them back (redo), would do to the disk as it is
// now. Writes nothing. Each path is folded from the newest change that is on the disk to its oldest; where somebody else
// changed the file in between, or since, the change is taken out of theirs by a three-way merge, or left alone and said.
import type { FileChange, FileChangeId, Hash } from "../../ledger/types.ts";
import { type FileContent, type FileGate, hashBytes } from "../tools/files.ts";
import { hunksOf, linesOf } from "../tools/line-hunks.ts";
import { shownPath } from "../tools/shown-path.ts";
import { decodeFile } from "../tools/text-file.ts";
import { readPresent, storedBytes } from "./apply-reverts.ts";
import { mergeFiles } from "./merge.ts";
import { isSameSide, type Segment, type Side, type Step, segmentsOf, sideOf } from "./segments.ts";

export type RecordedChange = Pick<
  FileChange,
  "id" | "callState" | "path" | "cwd" | "before" | "after" | "origin" | "restorable" | "isImported"
>;

/** One file that an undo wrote or removed, for its redo. */
export interface RevertedFile {
  readonly path: string;
  readonly cwd: string;
  readonly change: FileChangeId;
  /** What undo replaced: it shall be there again. */
  readonly from: Hash | "absent";
  /** What undo wrote: it has to be there now. */
  readonly to: Hash | "absent";
  /** Permission bits that go with `from`; without them a change of the mode alone is not brought back. */
  readonly mode?: number;
}

/** recorded as soon as one of its changes is: only what a scan alone found is suspected. */
interface PlannedPath {
  readonly path: string;
  readonly cwd: string;
  /** The newest of its changes in the range. */
  readonly change: FileChangeId;
  readonly origin: FileChange["origin"];
  /** One of them came with an import. */
  readonly isImported?: boolean;
  /** Lines, from now to target; 0 for what is no text. */
  readonly added: number;
  readonly removed: number;
}
export type PlannedFile = PlannedPath &
  (
    | {
        /** ready: the disk holds what was left there · merged: it does not, and both changes fit together. */
        readonly state: "ready" | "merged";
        readonly action: "write" | "remove" | "create";
        readonly now: FileContent | "absent";
        readonly target: Required<FileContent> | "absent";
      }
    | {
        /** done: it is so already · conflict: left alone · lost: what it held is not stored. */
        readonly state: "done" | "conflict" | "lost";
        readonly action: "none";
        readonly now: FileContent | "absent" | "unreadable";
        readonly why?: string;
      }
  );

export interface PlanWorld {
  readonly files: Pick<FileGate, "read">;
  readonly blob: (hash: Hash) => Promise<Uint8Array>;
}

/** `changes`: of the turns to take back, oldest first. Of recorded ones only those that happened, or may have, count. */
export function planUndo(changes: readonly RecordedChange[], world: PlanWorld): Promise<readonly PlannedFile[]> {
  const steps = changes.filter(mayHaveHappened).map(({ before, after, ...change }) => ({
    ...change,
    before: sideOf(before),
    after: sideOf(after),
  }));
  return planAll(steps, world);
}

/** `reverts`: those that were done, in the order they were. */
export function planRedo(reverts: readonly RevertedFile[], world: PlanWorld): Promise<readonly PlannedFile[]> {
  const steps = reverts.map(({ path, cwd, change, from, to, mode }): Step => {
    const before: Side = from === "absent" ? "absent" : { hash: from, ...(mode !== undefined && { mode }) };
    const after: Side = to === "absent" ? "absent" : { hash: to };
    return { id: change, path, cwd, before, after, origin: "recorded", restorable: true };
  });
  return planAll(steps, world);
}

function mayHaveHappened({ origin, callState }: RecordedChange): boolean {
  return origin === "suspected" || callState === "succeeded" || callState === "unknown" || callState === "running";
}

async function planAll(steps: readonly Step[], world: PlanWorld): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  for (const path of new Set(steps.map((step) => step.path))) {
    const file = await planPath(
      steps.filter((step) => step.path === path),
      world,
    );
    if (file) planned.push(file);
  }
  return planned;
}

/** Nothing where the changes cancel each other out. */
async function planPath(steps: readonly Step[], world: PlanWorld): Promise<PlannedFile | undefined> {
  const last = steps.at(-1);
  if (!last) return undefined;
  const { path, cwd } = last;
  const ids = steps.map(({ id }) => id).toSorted((a, b) => a - b);
  const base = {
    path,
    cwd,
    change: ids.at(-1) ?? last.id,
    origin: steps.every(({ origin }) => origin === "suspected") ? ("suspected" as const) : ("recorded" as const),
    ...(steps.some(({ isImported }) => isImported === true) && { isImported: true }),
  };
  const left = { ...base, action: "none", added: 0, removed: 0 } as const;
  const read = await readPresent(world.files, path);
  const segments = changing(steps);
  if (!read.ok && segments.length === 0) return undefined;
  if (!read.ok) return { ...left, state: "conflict", now: "unreadable", why: read.problem.message };
  const now = read.value;
  const place = { now, world, shown: shownPath(cwd, path) };
  const known = await foldFromKnown(steps, place);
  if (!known && segments.length === 0) return undefined;
  const end = known ?? (await foldBack(segments, place));
  if ("why" in end) return { ...left, ...end, now };
  if (isSameContent(now, end.target)) return { ...left, state: "done", now };
  const action = end.target === "absent" ? "remove" : now === "absent" ? "create" : "write";
  return { ...base, ...end, action, now, ...countLines(now, end.target) };
}

type Target = Required<FileContent> | "absent";
type End =
  | { readonly state: "ready" | "merged"; readonly target: Target }
  | { readonly state: "conflict" | "lost"; readonly why: string };

interface Place {
  readonly now: FileContent | "absent";
  readonly world: PlanWorld;
  readonly shown: string;
}

function changing(steps: readonly Step[]): readonly Segment[] {
  return segmentsOf(steps).filter(({ before, after }) => !isSameSide(before, after));
}

/**
 * Where the disk holds just what one of the steps left or found, the newer ones are not on it: only the older ones are
 * taken out. Of several such places the newest counts from which they can be; undefined: there is none.
 */
async function foldFromKnown(steps: readonly Step[], place: Place): Promise<End | undefined> {
  const hashNow = place.now === "absent" ? place.now : place.now.hash;
  for (const [at, { before, after }] of [...steps.entries()].toReversed()) {
    for (const [side, count] of [[after, at + 1] as const, [before, at] as const]) {
      if (side === "unknown" || hashOf(side) !== hashNow) continue;
      const end = await foldBack(changing(steps.slice(0, count)), place);
      if (end.state !== "conflict") return end;
    }
  }
  return undefined;
}

/** The newest segment goes first: each is taken out of what taking out the newer ones left. */
async function foldBack(segments: readonly Segment[], { now, world, shown }: Place): Promise<End> {
  let target: Target = now === "absent" ? now : { ...now, mode: now.mode ?? 0o644 };
  let state: "ready" | "merged" = "ready";
  for (const segment of segments.toReversed()) {
    const end = await takeOut(segment, { now: target, world, shown });
    if ("why" in end) return end;
    target = end.target;
    if (end.state === "merged") state = end.state;
  }
  return { state, target };
}

const LOST = "what it held is not stored: it is too large, one too many, or its name says that it holds secrets";

async function takeOut(segment: Segment, place: Place & { readonly now: Target }): Promise<End> {
  const { before, after, isBeforeStored } = segment;
  if (before === "unknown" || after === "unknown" || !isBeforeStored) return { state: "lost", why: LOST };
  const hashNow = place.now === "absent" ? place.now : place.now.hash;
  if (hashNow !== hashOf(after)) {
    return hashNow === hashOf(before) ? { state: "ready", target: place.now } : mergeOut(segment, place);
  }
  if (before === "absent") return { state: "ready", target: before };
  const bytes = await storedBytes(place.world.blob, before.hash);
  if (!bytes) return { state: "lost", why: LOST };
  return { state: "ready", target: { bytes, hash: before.hash, mode: modeOf(before, after, place.now) } };
}

async function mergeOut({ before, after, isAfterStored }: Segment, { now, world, shown }: Place): Promise<End> {
  if (before === "absent") return { state: "conflict", why: `${shown} was changed since it was created` };
  if (after === "absent") return { state: "conflict", why: `${shown} is there again, with other content` };
  if (now === "absent") return { state: "conflict", why: `${shown} was removed since` };
  if (before === "unknown" || after === "unknown" || !isAfterStored) return { state: "lost", why: LOST };
  const [base, theirs] = [await storedBytes(world.blob, after.hash), await storedBytes(world.blob, before.hash)];
  if (!base || !theirs) return { state: "lost", why: LOST };
  const merged = mergeFiles(base, now.bytes, theirs);
  if ("conflict" in merged) return { state: "conflict", why: `${shown} was changed since: ${merged.conflict}` };
  const bytes = merged.clean;
  return { state: "merged", target: { bytes, hash: hashBytes(bytes), mode: modeOf(before, after, now) } };
}

function hashOf(side: Exclude<Side, "unknown">): Hash | "absent" {
  return side === "absent" ? side : side.hash;
}

/** A mode that the change left alone stays what it is now. */
function modeOf(before: Side, after: Side, now: FileContent | "absent"): number {
  const [old, left] = [before, after].map((side) => (typeof side === "object" ? side.mode : undefined));
  const present = now === "absent" ? undefined : now.mode;
  return (old === left ? (present ?? old) : (old ?? present)) ?? 0o644;
}

function isSameContent(now: FileContent | "absent", target: Target): boolean {
  if (now === "absent" || target === "absent") return now === target;
  return now.hash === target.hash && (now.mode ?? target.mode) === target.mode;
}

function countLines(now: FileContent | "absent", target: Target): { readonly added: number; readonly removed: number } {
  const [old, next] = [now, target].map((side) => decodeFile(side === "absent" ? new Uint8Array() : side.bytes));
  if (old?.kind !== "text" || next?.kind !== "text") return { added: 0, removed: 0 };
  const [oldLines, nextLines] = [linesOf(old.text), linesOf(next.text)];
  const hunks = hunksOf(oldLines, nextLines) ?? [{ start: 0, end: oldLines.length, lines: nextLines }];
  return {
    added: hunks.reduce((sum, { lines }) => sum + lines.length, 0),
    removed: hunks.reduce((sum, { start, end }) => sum + end - start, 0),
  };
}
