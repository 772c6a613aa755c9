// The one gate of all file access on behalf of a model, a person or a scan. Every access stats first and refuses
// the ledger's own files (ledger-guard.ts says why); writes stay inside the session's folder and are atomic.
// It remembers what the model last saw of each file, so that an edit never lands on bytes nobody looked at.
// What goes wrong is a value with words for the model; only a caller's mistake throws.
import type { BigIntStats } from "node:fs";
import { realpath } from "node:fs/promises";
import type { Hash } from "../../ledger/types.ts";
import { sweepTemporaries } from "./atomic-write.ts";
import { answer, type FileAnswer } from "./file-problem.ts";
import { inspect, listFolder, lookAtAll, type ReadOptions, readWhole } from "./file-reading.ts";
import { findTarget, locate, resolvePath, restoreFile, writeTarget } from "./file-writing.ts";
import { createLedgerGuard } from "./ledger-guard.ts";

export { hashBytes } from "./file-reading.ts";

export interface FileStat {
  readonly kind: "file" | "folder" | "other";
  readonly bytes: number;
  readonly modifiedAt: number;
}
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly hash: Hash;
  /** Permission bits, where it was read from a disk. */
  readonly mode?: number;
}
/** What tells, without opening a file, whether it is still the same. A link is itself, not what it leads to. */
export interface FileLook {
  readonly kind: FolderEntry["kind"];
  readonly bytes: number;
  readonly modifiedAtNs: bigint;
  /** Of content, mode or name; no program can set it. */
  readonly changedAtNs: bigint;
  readonly inode: bigint;
  readonly device: bigint;
  readonly mode: number;
}
export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}
/** Where a write would land. */
export interface WriteTarget {
  /** Real and absolute: symbolic links resolved, inside the folder. */
  readonly path: string;
  /** Absent for a file that does not exist yet. */
  readonly before?: FileContent;
}
export interface WriteRequest {
  readonly cwd: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** What the file has to be directly before the rename; "absent" for a new file. */
  readonly expected: Hash | "absent";
}
export interface RestoreRequest {
  readonly cwd: string;
  readonly path: string;
  readonly content: { readonly bytes: Uint8Array; readonly mode: number } | "absent";
  /** What the file has to be directly before. */
  readonly expected: Hash | "absent";
}

export interface FileGate {
  /** Absolute path of what a model wrote: relative to `cwd`, `~` is the home folder. Looks at no disk. */
  resolve(cwd: string, path: string): string;
  stat(path: string): Promise<FileAnswer<FileStat>>;
  exists(path: string): Promise<boolean>;
  /** Of many paths at once; what is not there, may not be seen or is the ledger's is left out. Ends early when stopped. */
  look(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, FileLook>>;
  /** The whole file, refused above `maxBytes` (default 64 MiB). */
  read(path: string, options?: ReadOptions): Promise<FileAnswer<FileContent>>;
  list(path: string): Promise<FileAnswer<readonly FolderEntry[]>>;
  /** Whether a write to it would stay inside `cwd`, links resolved; the ledger's files are never inside. */
  isInside(cwd: string, path: string): Promise<boolean>;
  /**
   * The write's target with what it holds now; refused when outside, or when not as the model last saw it.
   * `mayBeUnread`: for a change that names the text it replaces, which proves that the text is known.
   */
  target(cwd: string, path: string, options?: { readonly mayBeUnread: boolean }): Promise<FileAnswer<WriteTarget>>;
  write(request: WriteRequest): Promise<FileAnswer<FileContent>>;
  /** Puts a file back, or away. Nothing below a `.git`; a model that saw other bytes has to read it again. */
  restore(request: RestoreRequest): Promise<FileAnswer<FileContent | "absent">>;
  /** Removes from a folder what the writes of killed processes left there. */
  sweep(folder: string): Promise<FileAnswer<void>>;
  /** Notes that the model has seen these bytes of the file. */
  remember(path: string, hash: Hash): Promise<void>;
}

/** `ledgerFiles`: main file and sidecar; their -wal, -shm and -journal are included. */
export function createFileGate({ ledgerFiles }: { readonly ledgerFiles: readonly string[] }): FileGate {
  const guard = createLedgerGuard(ledgerFiles);
  const seen = new Map<string, Hash>();
  const gate: FileGate = {
    resolve: resolvePath,
    stat: (path) => answer(path, async () => describe(await inspect(guard, path))),
    exists: async (path) => (await gate.stat(path)).ok,
    look: (paths, signal) => lookAtAll(guard, paths, signal),
    read: (path, options) => answer(path, () => readWhole(guard, path, options)),
    list: (path) => answer(path, () => listFolder(path)),
    isInside: async (cwd, path) => (await answer(path, () => locate(guard, cwd, path))).ok,
    target: (cwd, path, options) =>
      answer(path, () => findTarget(guard, seen, { cwd, path, mayBeUnread: options?.mayBeUnread ?? false })),
    write: (request) =>
      answer(request.path, async () => {
        const { path, content } = await writeTarget(guard, request);
        seen.set(path, content.hash);
        return content;
      }),
    restore: (request) =>
      answer(request.path, async () => {
        const restored = await restoreFile(guard, request);
        // The conversation goes back with the file: what the model has seen is what is there again.
        if (seen.has(request.path)) {
          if (restored === "absent") seen.delete(request.path);
          else seen.set(request.path, restored.hash);
        }
        return restored;
      }),
    sweep: (folder) => answer(folder, () => sweepTemporaries(folder)),
    async remember(path, hash) {
      seen.set(await realpath(path).catch(() => path), hash); // gone since it was read: nothing to protect
    },
  };
  return gate;
}

function describe(stats: BigIntStats): FileStat {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  return { kind, bytes: Number(stats.size), modifiedAt: Number(stats.mtimeMs) };
}
