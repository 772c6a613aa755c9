// The one gate of all file access on behalf of a model, a person or a scan. Every access stats first and refuses
// the ledger's own files (ledger-guard.ts says why); writes stay inside the session's folder and are atomic.
// It remembers what the model last saw of each file, so that an edit never lands on bytes nobody looked at.
// What goes wrong is a value with words for the model; only a caller's mistake throws.
import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { access, type FileHandle, open, readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Hash } from "../../ledger/types.ts";
import { makeFolders, replaceFile } from "./atomic-write.ts";
import { answer, type FileAnswer, Refusal } from "./file-problem.ts";
import { createLedgerGuard, type LedgerGuard } from "./ledger-guard.ts";

export interface FileStat {
  readonly kind: "file" | "folder" | "other";
  readonly bytes: number;
  readonly modifiedAt: number;
}
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly hash: Hash;
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

export interface FileGate {
  /** Absolute path of what a model wrote: relative to `cwd`, `~` is the home folder. Looks at no disk. */
  resolve(cwd: string, path: string): string;
  stat(path: string): Promise<FileAnswer<FileStat>>;
  exists(path: string): Promise<boolean>;
  /** The whole file, refused above `maxBytes` (default 64 MiB). */
  read(
    path: string,
    options?: { readonly maxBytes?: number; readonly signal?: AbortSignal },
  ): Promise<FileAnswer<FileContent>>;
  list(path: string): Promise<FileAnswer<readonly FolderEntry[]>>;
  /** Whether a write to it would stay inside `cwd`, links resolved; the ledger's files are never inside. */
  isInside(cwd: string, path: string): Promise<boolean>;
  /**
   * The write's target with what it holds now; refused when outside, or when not as the model last saw it.
   * `mayBeUnread`: for a change that names the text it replaces, which proves that the text is known.
   */
  target(cwd: string, path: string, options?: { readonly mayBeUnread: boolean }): Promise<FileAnswer<WriteTarget>>;
  write(request: WriteRequest): Promise<FileAnswer<FileContent>>;
  /** Notes that the model has seen these bytes of the file. */
  remember(path: string, hash: Hash): Promise<void>;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

export function hashBytes(bytes: Uint8Array): Hash {
  return createHash("sha256").update(bytes).digest("hex") as Hash;
}

/** `ledgerFiles`: main file and sidecar; their -wal, -shm and -journal are included. */
export function createFileGate({ ledgerFiles }: { readonly ledgerFiles: readonly string[] }): FileGate {
  const guard = createLedgerGuard(ledgerFiles);
  const seen = new Map<string, Hash>();
  const gate: FileGate = {
    resolve: resolvePath,
    stat: (path) => answer(path, async () => describe(await inspect(guard, path))),
    exists: async (path) => (await gate.stat(path)).ok,
    read: (path, options = {}) => answer(path, () => readWhole(guard, path, options)),
    list: (path) => answer(path, () => listFolder(path)),
    isInside: async (cwd, path) => (await answer(path, () => locate(guard, cwd, path))).ok,
    target: (cwd, path, options) =>
      answer(path, () => findTarget(guard, seen, { cwd, path, mayBeUnread: options?.mayBeUnread ?? false })),
    write: (request) =>
      answer(request.path, async () => {
        const written = await writeTarget(guard, request);
        seen.set(written.path, written.hash);
        return { bytes: request.bytes, hash: written.hash };
      }),
    async remember(path, hash) {
      seen.set(await realpath(path).catch(() => path), hash); // gone since it was read: nothing to protect
    },
  };
  return gate;
}

function resolvePath(cwd: string, path: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return resolve(cwd, path);
}

async function inspect(guard: LedgerGuard, path: string): Promise<BigIntStats> {
  const stats = await stat(path, { bigint: true });
  if (guard.isLedgerFile(stats)) throw ledgerRefusal(path);
  return stats;
}

function ledgerRefusal(path: string): Refusal {
  return new Refusal("ledger", `${path} is a file of stele's own ledger: it is never opened by a tool`);
}

function describe(stats: BigIntStats): FileStat {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  return { kind, bytes: Number(stats.size), modifiedAt: Number(stats.mtimeMs) };
}

async function readWhole(
  guard: LedgerGuard,
  path: string,
  { maxBytes = DEFAULT_MAX_BYTES, signal }: { readonly maxBytes?: number; readonly signal?: AbortSignal },
): Promise<FileContent> {
  requireFile(path, await inspect(guard, path));
  // Not blocking: should a named pipe have taken the file's place, open must not wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await handle.stat({ bigint: true });
  try {
    if (guard.isLedgerFile(stats)) throw ledgerRefusal(path);
    requireFile(path, stats);
    const bytes = await readUpTo(handle, { path, maxBytes, size: Number(stats.size), signal });
    return { bytes, hash: hashBytes(bytes) };
  } finally {
    await guard.close(handle, stats);
  }
}

function requireFile(path: string, stats: BigIntStats): void {
  if (stats.isDirectory()) throw new Refusal("folder", `${path} is a folder`);
  if (!stats.isFile()) throw new Refusal("special", `${path} is a device, pipe or socket, not a file`);
}

interface ReadLimit {
  readonly path: string;
  readonly maxBytes: number;
  readonly size: number;
  readonly signal: AbortSignal | undefined;
}

/** Reads to the end whatever `size` says: files of /proc say 0, logs grow. */
async function readUpTo(handle: FileHandle, { path, maxBytes, size, signal }: ReadLimit): Promise<Uint8Array> {
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

async function listFolder(path: string): Promise<readonly FolderEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.map((entry) => ({
    name: entry.name,
    kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other",
  }));
}

/** The real path of a write. A link is followed only to a place inside; missing folders stay as they are written. */
async function locate(guard: LedgerGuard, cwd: string, asked: string): Promise<string> {
  const root = await realpath(cwd);
  const path = await realpathOfFuture(resolvePath(cwd, asked));
  if (!isBelow(root, path)) {
    throw new Refusal("outside", `${asked} is outside the session's folder ${cwd}: files are written only inside it`);
  }
  if (guard.isLedgerName(path)) throw ledgerRefusal(asked);
  return path;
}

/** Resolves links of the part that exists. A link to nothing is refused: creating its target is a write elsewhere. */
async function realpathOfFuture(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  const parent = dirname(path);
  const inParent = parent === path ? [] : await readdir(parent).catch(() => []);
  if (inParent.includes(basename(path))) {
    throw new Refusal("outside", `${path} is a symbolic link to something that does not exist`);
  }
  return join(await realpathOfFuture(parent), basename(path));
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function findTarget(
  guard: LedgerGuard,
  seen: ReadonlyMap<string, Hash>,
  { cwd, path: asked, mayBeUnread }: { readonly cwd: string; readonly path: string; readonly mayBeUnread: boolean },
): Promise<WriteTarget> {
  const path = await locate(guard, cwd, asked);
  const before = await readIfThere(guard, path);
  if (!before) return { path };
  const last = seen.get(path);
  if (!last && mayBeUnread) return { path, before };
  if (!last) throw new Refusal("unread", `${asked} exists and was not read yet: read it first, then change it`);
  if (last !== before.hash) {
    throw new Refusal("changed", `${asked} changed since it was read: read it again, then change it`);
  }
  return { path, before };
}

async function readIfThere(guard: LedgerGuard, path: string): Promise<FileContent | undefined> {
  try {
    return await readWhole(guard, path, {});
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function writeTarget(
  guard: LedgerGuard,
  request: WriteRequest,
): Promise<{ readonly path: string; readonly hash: Hash }> {
  const path = await locate(guard, request.cwd, request.path);
  const old = await stat(path).catch(() => undefined); // absent: a new file; anything else shows below
  if (old) await access(path, constants.W_OK);
  else await makeFolders(dirname(path));
  const isStillExpected = async () => ((await readIfThere(guard, path))?.hash ?? "absent") === request.expected;
  const done = await replaceFile({ path, bytes: request.bytes, isStillExpected, ...(old ? { keep: old } : {}) });
  if (!done) throw new Refusal("changed", `${request.path} changed while it was being written: nothing was written`);
  return { path, hash: hashBytes(request.bytes) };
}
