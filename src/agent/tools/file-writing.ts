// The writing half of the gate: where a write may land, and that it lands only on what was expected. Writes stay inside
// the session's folder with links resolved; files with several names are written in place, all others atomically.
import { constants, type Stats } from "node:fs";
import { access, lstat, readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Hash } from "../../ledger/types.ts";
import { makeFolders, overwrite, removeFile, replaceFile } from "./atomic-write.ts";
import { Refusal } from "./file-problem.ts";
import { hashBytes, ledgerRefusal, readIfThere, readToEnd, withHandle } from "./file-reading.ts";
import type { FileContent, RestoreRequest, WriteRequest, WriteTarget } from "./files.ts";
import type { LedgerGuard } from "./ledger-guard.ts";

export function resolvePath(cwd: string, path: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return resolve(cwd, path);
}

/** The real path of a write. A link is followed only to a place inside; missing folders stay as they are written. */
export async function locate(guard: LedgerGuard, cwd: string, asked: string): Promise<string> {
  const root = await realpath(cwd);
  const path = await realpathOfFuture(resolvePath(cwd, asked));
  if (!isBelow(root, path)) {
    throw new Refusal("outside", `${asked} is outside the session's folder ${cwd}: files are written only inside it`);
  }
  if (guard.isLedgerName(path)) throw ledgerRefusal(asked);
  return path;
}

export async function findTarget(
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

export async function writeTarget(
  guard: LedgerGuard,
  { cwd, path: asked, bytes, expected }: WriteRequest,
): Promise<{ readonly path: string; readonly content: FileContent }> {
  const path = await locate(guard, cwd, asked);
  const old = await stat(path).catch(() => undefined); // absent: a new file; anything else shows below
  if (old) await access(path, constants.W_OK);
  await put(guard, { path, asked, expected, bytes, old, mode: old?.mode });
  return { path, content: { bytes, hash: hashBytes(bytes) } };
}

/** Exactly these bytes and this mode, or no file; the folder's links, the ledger and `.git` as everywhere. */
export async function restoreFile(
  guard: LedgerGuard,
  { cwd, path: asked, content, expected }: RestoreRequest,
): Promise<FileContent | "absent"> {
  const path = await locate(guard, cwd, asked);
  if (isInGitFolder(path) || isInGitFolder(relative(cwd, resolvePath(cwd, asked)))) {
    throw new Refusal("outside", `${asked} belongs to git: nothing is restored there`);
  }
  if (content === "absent") await remove(guard, { path, asked, expected, link: resolvePath(cwd, asked) });
  else {
    const old = await stat(path).catch(() => undefined); // as above
    await put(guard, { path, asked, expected, bytes: content.bytes, old, mode: content.mode });
  }
  return content === "absent" ? content : { ...content, hash: hashBytes(content.bytes) };
}

interface Place {
  readonly path: string;
  readonly asked: string;
  readonly expected: Hash | "absent";
}

async function put(
  guard: LedgerGuard,
  {
    path,
    asked,
    expected,
    bytes,
    old,
    mode,
  }: Place & { readonly bytes: Uint8Array; readonly old: Stats | undefined; readonly mode: number | undefined },
): Promise<void> {
  if (!old && expected === "absent") await makeFolders(dirname(path));
  const kept = { ...(mode !== undefined && { mode }), ...(old && { owner: old }) };
  const done =
    old?.isFile() && old.nlink > 1
      ? await writeInPlace(guard, { path, expected, bytes, mode })
      : await replaceFile({ path, bytes, isStillExpected: isStill(guard, path, expected), ...kept });
  if (!done) throw changedRefusal(asked, "written");
}

/** Renaming over one name of a file would part it from its others. */
function writeInPlace(
  guard: LedgerGuard,
  { path, expected, bytes, mode }: Omit<Place, "asked"> & { bytes: Uint8Array; mode: number | undefined },
): Promise<boolean> {
  return withHandle(guard, { path, flags: constants.O_RDWR }, async (handle, stats) => {
    const old = await readToEnd(handle, { path, size: Number(stats.size) });
    if (hashBytes(old) !== expected) return false;
    await overwrite(handle, { bytes, mode, old });
    return true;
  });
}

async function remove(
  guard: LedgerGuard,
  { path, asked, expected, link }: Place & { readonly link: string },
): Promise<void> {
  const named = await lstat(link).catch(() => undefined); // gone: what was expected decides
  if (!named && expected === "absent") return;
  if (named?.isSymbolicLink()) throw new Refusal("changed", `${asked} is a symbolic link now: nothing was removed`);
  if (!named || !(await removeFile({ path, isStillExpected: isStill(guard, path, expected) }))) {
    throw changedRefusal(asked, "removed");
  }
}

function isStill(guard: LedgerGuard, path: string, expected: Hash | "absent"): () => Promise<boolean> {
  return async () => ((await readIfThere(guard, path))?.hash ?? "absent") === expected;
}

function changedRefusal(asked: string, what: "written" | "removed"): Refusal {
  return new Refusal("changed", `${asked} changed while it was being ${what}: nothing was ${what}`);
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

/** In any case: some file systems do not tell them apart. A submodule's `.git` is a file, and git's all the same. */
function isInGitFolder(path: string): boolean {
  return path.split(sep).some((name) => name.toLowerCase() === ".git");
}
