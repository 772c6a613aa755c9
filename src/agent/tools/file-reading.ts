// The reading half of the gate: what a file is and what it holds. Each stats first and refuses the ledger's files.
// What goes wrong is thrown, as a Refusal or the system's error: `answer` of file-problem.ts makes values of both.
import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, stat } from "node:fs/promises";
import type { Hash } from "../../ledger/types.ts";
import { Refusal } from "./file-problem.ts";
import type { FileContent, FileLook, FolderEntry } from "./files.ts";
import type { LedgerGuard } from "./ledger-guard.ts";

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** As many as Node's file threads can work on, and some that wait. */
const LOOKS_AT_ONCE = 16;

export interface ReadOptions {
  /** Default 64 MiB; a larger file is refused. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export function hashBytes(bytes: Uint8Array): Hash {
  return createHash("sha256").update(bytes).digest("hex") as Hash;
}

export async function inspect(guard: LedgerGuard, path: string): Promise<BigIntStats> {
  const stats = await stat(path, { bigint: true });
  if (guard.isLedgerFile(stats)) throw ledgerRefusal(path);
  return stats;
}

export function ledgerRefusal(path: string): Refusal {
  return new Refusal("ledger", `${path} is a file of stele's own ledger: it is never opened by a tool`);
}

export async function readWhole(guard: LedgerGuard, path: string, options: ReadOptions = {}): Promise<FileContent> {
  return withHandle(guard, { path, flags: constants.O_RDONLY }, async (handle, stats) => {
    const bytes = await readToEnd(handle, { path, size: Number(stats.size), ...options });
    return { bytes, hash: hashBytes(bytes), mode: permissions(stats) };
  });
}

export async function readIfThere(guard: LedgerGuard, path: string): Promise<FileContent | undefined> {
  try {
    return await readWhole(guard, path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The one way to a descriptor: a plain file, and none of the ledger's, before and after it was opened. */
export async function withHandle<T>(
  guard: LedgerGuard,
  { path, flags }: { readonly path: string; readonly flags: number },
  work: (handle: FileHandle, stats: BigIntStats) => Promise<T>,
): Promise<T> {
  requireFile(path, await inspect(guard, path));
  // Not blocking: should a named pipe have taken the file's place, open must not wait for its writer.
  const handle = await open(path, flags | constants.O_NONBLOCK);
  const stats = await handle.stat({ bigint: true });
  try {
    if (guard.isLedgerFile(stats)) throw ledgerRefusal(path);
    requireFile(path, stats);
    return await work(handle, stats);
  } finally {
    await guard.close(handle, stats);
  }
}

export async function listFolder(path: string): Promise<readonly FolderEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
}

/** Opens nothing, so one picture of the ledger's files is enough for all. */
export async function lookAtAll(
  guard: LedgerGuard,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FileLook>> {
  const isLedgerFile = guard.picture();
  const found = new Map<string, FileLook>();
  const left = paths.values();
  const work = async () => {
    for (const path of left) {
      if (signal.aborted) return;
      const stats = await lstat(path, { bigint: true }).catch(() => undefined); // gone, or not ours to see
      if (stats && !isLedgerFile(stats)) found.set(path, describeLook(stats));
    }
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, work));
  return found;
}

function permissions(stats: BigIntStats): number {
  return Number(stats.mode) & 0o7777;
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(entry: Kinds): FolderEntry["kind"] {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other";
}

function describeLook(stats: BigIntStats): FileLook {
  return {
    kind: kindOf(stats),
    bytes: Number(stats.size),
    modifiedAtNs: stats.mtimeNs,
    changedAtNs: stats.ctimeNs,
    inode: stats.ino,
    device: stats.dev,
    mode: permissions(stats),
  };
}

function requireFile(path: string, stats: BigIntStats): void {
  if (stats.isDirectory()) throw new Refusal("folder", `${path} is a folder`);
  if (!stats.isFile()) throw new Refusal("special", `${path} is a device, pipe or socket, not a file`);
}

/** Reads to the end whatever `size` says: files of /proc say 0, logs grow. */
export async function readToEnd(
  handle: FileHandle,
  { path, size, maxBytes = DEFAULT_MAX_BYTES, signal }: ReadOptions & { readonly path: string; readonly size: number },
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let total = 0;
  let room = Math.min(Math.max(size + 1, 4096), 1024 * 1024);
  for (;;) {
    if (signal?.aborted) throw new Refusal("aborted", `reading ${path} was stopped`);
    if (total > maxBytes || size > maxBytes) {
      throw new Refusal("too-large", `${path} is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB`);
    }
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(room), 0, room, null);
    if (bytesRead === 0) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    room = 1024 * 1024;
  }
}
