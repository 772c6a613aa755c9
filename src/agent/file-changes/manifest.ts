// One picture of a folder: what each of its files is, and of those that fit, what is in them. Contents are taken from an
// earlier picture where nothing about the file changed, so that an unchanged folder is only looked at, not read.
import { basename, sep } from "node:path";
import type { Hash } from "../../ledger/types.ts";
import { isTemporaryName } from "../tools/atomic-write.ts";
import type { FileGate, FileLook } from "../tools/files.ts";
import { walk } from "../tools/walk.ts";
import { isSecretName } from "./secret-names.ts";

export interface ScanLimits {
  /** More files than this, and the folder is not compared at all. */
  readonly files: number;
  /** Contents are kept of files below this … */
  readonly fileBytes: number;
  /** … and of no more than this together, the smallest files first. */
  readonly keptBytes: number;
  /** Of files that have changed, this much is read for their hashes. */
  readonly hashedBytes: number;
  /** How long one picture may take to read contents, in ms. What it did not come to, the next one reads. */
  readonly readMs: number;
  /** The coarsest step of a file system's clock, in ms: within one, two writes can leave the same marks. */
  readonly clockMs: number;
}

export const SCAN_LIMITS: ScanLimits = {
  files: 20_000,
  fileBytes: 256 * 1024,
  keptBytes: 20 * 1024 * 1024,
  hashedBytes: 256 * 1024 * 1024,
  readMs: 2000,
  clockMs: 2000,
};

export interface FileMark {
  readonly look: FileLook;
  /** Written so shortly before it was read that a later write could have left the same marks: compare contents. */
  readonly isFresh: boolean;
  readonly hash?: Hash;
  /** Only of files that are small enough, fit in all, and are not secret. */
  readonly bytes?: Uint8Array;
}

export interface Manifest {
  /** In ms: what is marked earlier was there before the first of them was looked at. */
  readonly since: number;
  readonly marks: ReadonlyMap<string, FileMark>;
}
export interface Skipped {
  /** For a person: "the folder holds more than 20000 files". */
  readonly skipped: string;
  /** It will be so the next time as well. */
  readonly isLasting?: true;
}

export interface ManifestOptions {
  readonly files: FileGate;
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly limits: ScanLimits;
  /** Folders inside that are none of the project: left out. */
  readonly apart?: readonly string[];
  /** Contents of unchanged files are taken from here. */
  readonly known?: Manifest;
  /** Read whatever is not the same as in `known`, of any size, and nothing else. Without it: all small files. */
  readonly reads?: { readonly changed: true; readonly but: ReadonlySet<string> };
}

const READS_AT_ONCE = 8;
const STOPPED = "it was stopped";

export async function readManifest(options: ManifestOptions): Promise<Manifest | Skipped> {
  const { files, signal, limits, known, reads } = options;
  const since = Date.now() - limits.clockMs;
  const walked = await listPaths(options);
  if ("skipped" in walked) return walked;
  // A file that is ignored since is not walked any more, and not gone.
  const paths = reads && known ? [...new Set([...walked, ...known.marks.keys()])] : walked;
  const marks = new Map<string, FileMark>();
  for (const [path, look] of await files.look(paths, signal)) {
    if (look.kind !== "file") continue;
    const old = known?.marks.get(path);
    marks.set(path, old && !old.isFresh && isSameLook(old.look, look) ? old : { look, isFresh: false });
  }
  await readContents(options, marks);
  return signal.aborted ? { skipped: STOPPED } : { since, marks };
}

/** Whether a file that was not walked before can be new: no file is that got its inode's marks long before. */
export function isNew({ look }: FileMark, before: Manifest): boolean {
  return Number(look.changedAtNs / 1_000_000n) >= before.since || inodesOf(before).has(look.inode);
}

const inodes = new WeakMap<Manifest, ReadonlySet<bigint>>();

/** Of a folder that was renamed, its files keep theirs, and all their marks. */
function inodesOf(manifest: Manifest): ReadonlySet<bigint> {
  const found = inodes.get(manifest) ?? new Set([...manifest.marks.values()].map(({ look }) => look.inode));
  inodes.set(manifest, found);
  return found;
}

/** All but content: equal marks are an unchanged file, unless one of both is fresh. */
export function isSameLook(a: FileLook, b: FileLook): boolean {
  return (
    a.bytes === b.bytes &&
    a.modifiedAtNs === b.modifiedAtNs &&
    a.changedAtNs === b.changedAtNs &&
    a.inode === b.inode &&
    a.device === b.device &&
    a.mode === b.mode
  );
}

/** The same marks with no more than `bytes` of contents, the largest given up first. */
export function keepUpTo(bytes: number, { since, marks: all }: Manifest): Manifest {
  let left = bytes;
  const marks = new Map(
    [...all]
      .toSorted(([, a], [, b]) => a.look.bytes - b.look.bytes)
      .map(([path, mark]) => {
        left -= mark.bytes?.length ?? 0;
        const { bytes: _, ...marksAlone } = mark;
        return [path, left < 0 ? marksAlone : mark];
      }),
  );
  return { since, marks };
}

async function listPaths({ files, cwd, signal, limits, apart }: ManifestOptions): Promise<readonly string[] | Skipped> {
  const paths: string[] = [];
  for await (const path of walk(cwd, { files, signal })) {
    // Git's own folder is skipped by the walk; of a submodule it is a file.
    if (isTemporaryName(basename(path)) || basename(path) === ".git") continue;
    if (apart?.some((folder) => path.startsWith(folder + sep))) continue;
    paths.push(path);
    if (paths.length > limits.files) {
      return { skipped: `the folder holds more than ${limits.files} files`, isLasting: true };
    }
  }
  return signal.aborted ? { skipped: STOPPED } : paths;
}

/** Smallest first, so that most files are there when bytes or time run out. */
async function readContents(options: ManifestOptions, marks: Map<string, FileMark>): Promise<void> {
  const { files, signal, limits, reads } = options;
  const until = Date.now() + limits.readMs;
  const queue = unreadOf(options, marks).values();
  let room = reads ? limits.hashedBytes : limits.keptBytes - keptBytesOf(marks);
  let keeping = limits.keptBytes;
  const work = async () => {
    for (const [path, { look }] of queue) {
      room -= look.bytes;
      if (signal.aborted || room < 0 || Date.now() > until) return;
      const readAt = Date.now();
      const read = await files.read(path, { signal });
      if (!read.ok) continue; // gone, not ours to read, or too large: a mark without content
      const { bytes, hash } = read.value;
      if (bytes.length < limits.fileBytes) keeping -= bytes.length;
      const isKept = bytes.length < limits.fileBytes && keeping >= 0;
      const isFresh = Number(look.changedAtNs / 1_000_000n) > readAt - limits.clockMs;
      marks.set(path, { look, isFresh, hash, ...(isKept && { bytes: new Uint8Array(bytes) }) });
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, work));
}

function unreadOf({ limits, known, reads }: ManifestOptions, marks: ReadonlyMap<string, FileMark>) {
  const isWanted = (path: string, mark: FileMark) =>
    reads ? mark !== known?.marks.get(path) && !reads.but.has(path) : mark.look.bytes < limits.fileBytes;
  return [...marks]
    .filter(([path, mark]) => mark.hash === undefined && isWanted(path, mark) && !isSecretName(basename(path)))
    .toSorted(([, a], [, b]) => a.look.bytes - b.look.bytes);
}

function keptBytesOf(marks: ReadonlyMap<string, FileMark>): number {
  return [...marks.values()].reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
}
