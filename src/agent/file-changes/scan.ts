// Finds what a shell command did to the files of its folder, by two pictures of it: before and after. What it finds is
// suspected, never proven. It never throws into the call it stands around: what it cannot do is a reason in words.
import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { Hash } from "../../ledger/types.ts";
import type { FileGate } from "../tools/files.ts";
import {
  type FileMark,
  isNew,
  isSameLook,
  keepUpTo,
  type Manifest,
  type ManifestOptions,
  readManifest,
  SCAN_LIMITS,
  type ScanLimits,
  type Skipped,
} from "./manifest.ts";
import { UNKNOWN_HASH } from "./unknown-hash.ts";

export interface ChangedSide {
  /** `UNKNOWN_HASH` where the content was not read. */
  readonly hash: Hash;
  readonly mode: number;
  /** Absent where the file is too large, one too many, or secret. */
  readonly bytes?: Uint8Array;
}
export interface SuspectedChange {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly kind: "created" | "modified" | "deleted";
  readonly before?: ChangedSide;
  readonly after?: ChangedSide;
  /** The bytes of each side that exists are here. */
  readonly restorable: boolean;
}

export interface AfterOptions {
  /** Of a stopped turn it must be another one: what a stopped command did is looked for as well. */
  readonly signal: AbortSignal;
  /** When the command ended, in ms: a file modified later was not modified by it. */
  readonly endedAt: number;
  /** Paths that other calls changed meanwhile. */
  readonly explained?: ReadonlySet<string>;
}

export interface Scanner {
  /** Right before a command. Cheap when little changed since the last one; the first one of a folder reads its files. */
  before(signal: AbortSignal): Promise<Manifest | Skipped>;
  /** Right after it. Sorted by path. */
  after(before: Manifest, options: AfterOptions): Promise<readonly SuspectedChange[] | Skipped>;
}

export interface ScannerOptions {
  readonly files: FileGate;
  readonly cwd: string;
  /** The person's home folder: neither it nor a folder above it is looked through. */
  readonly home: string;
  /** Folders inside `cwd` that are none of the project, such as stele's own. */
  readonly apart?: readonly string[];
  readonly limits?: Partial<ScanLimits>;
}

/** A folder that was too large is not counted again at every command, in ms. */
const LASTING_MS = 60_000;

/** One for a folder: it remembers contents from one command to the next, at most `keptBytes`. */
export function createScanner(options: ScannerOptions): Scanner {
  const { keptBytes } = { ...SCAN_LIMITS, ...options.limits };
  let known: Manifest = { since: 0, marks: new Map() };
  let lasting: { readonly skipped: Skipped; readonly until: number } | undefined;
  return {
    async before(signal) {
      if (lasting && performance.now() < lasting.until) return lasting.skipped;
      const manifest = await takeManifest({ ...options, signal, known });
      if (!isSkipped(manifest)) known = manifest;
      else if (manifest.isLasting) lasting = { skipped: manifest, until: performance.now() + LASTING_MS };
      return manifest;
    },
    async after(before, { signal, endedAt, explained = new Set<string>() }) {
      const after = await takeManifest({ ...options, signal, known: before, reads: { changed: true, but: explained } });
      if (isSkipped(after)) return after;
      known = keepUpTo(keptBytes, after);
      return compareManifests(before, after, { endedAt, explained });
    },
  };
}

type ManifestRequest = ScannerOptions & Pick<ManifestOptions, "signal" | "known" | "reads">;

/** Never throws: what keeps it from looking is said in words. */
async function takeManifest({ limits, apart = [], ...request }: ManifestRequest): Promise<Manifest | Skipped> {
  try {
    const [cwd, home] = [await realpath(request.cwd), await realpath(request.home).catch(() => request.home)];
    if (isAtOrAbove(cwd, home)) {
      return { skipped: `${request.cwd} is the home folder, or above it`, isLasting: true };
    }
    const foldersApart = await Promise.all(apart.map((folder) => realpath(folder).catch(() => folder)));
    return await readManifest({ ...request, cwd, apart: foldersApart, limits: { ...SCAN_LIMITS, ...limits } });
  } catch (error) {
    return { skipped: error instanceof Error ? error.message : String(error) };
  }
}

function isSkipped(manifest: Manifest | Skipped): manifest is Skipped {
  return "skipped" in manifest;
}

function isAtOrAbove(folder: string, home: string): boolean {
  const way = relative(folder, home);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

/**
 * Sorted by path. Contents that were not read count as changed when the marks of the file did. What was modified after
 * `endedAt` (ms) or is explained by another call is left out.
 */
function compareManifests(
  before: Manifest,
  after: Manifest,
  { endedAt, explained }: { readonly endedAt?: number; readonly explained?: ReadonlySet<string> } = {},
): readonly SuspectedChange[] {
  const paths = [...new Set([...before.marks.keys(), ...after.marks.keys()])].toSorted();
  return paths.flatMap((path) => {
    const [old, now] = [before.marks.get(path), after.marks.get(path)];
    if (explained?.has(path) || isSame(old, now)) return [];
    if (!old && now && !isNew(now, before)) return [];
    if (now && endedAt !== undefined && isModifiedAfter(now, endedAt)) return [];
    return [toChange(path, old, now)];
  });
}

function isSame(old: FileMark | undefined, now: FileMark | undefined): boolean {
  if (!old || !now) return old === now;
  if (old.look.mode !== now.look.mode) return false;
  if (old.hash !== undefined && now.hash !== undefined) return old.hash === now.hash;
  return isSameLook(old.look, now.look);
}

/** Both clocks: a program may set the first one, and only the second one moves with a change of mode. */
function isModifiedAfter({ look }: FileMark, endedAt: number): boolean {
  const end = BigInt(Math.floor(endedAt) + 1) * 1_000_000n;
  return look.modifiedAtNs >= end && look.changedAtNs >= end;
}

function toChange(path: string, old: FileMark | undefined, now: FileMark | undefined): SuspectedChange {
  const sides = [old, now].filter((side) => side !== undefined);
  return {
    path,
    kind: !old ? "created" : now ? "modified" : "deleted",
    ...(old && { before: toSide(old) }),
    ...(now && { after: toSide(now) }),
    restorable: sides.every(({ bytes }) => bytes !== undefined),
  };
}

function toSide({ look, hash, bytes }: FileMark): ChangedSide {
  return { hash: hash ?? UNKNOWN_HASH, mode: look.mode, ...(bytes && { bytes }) };
}
