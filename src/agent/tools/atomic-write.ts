// Replaces or removes a file so that a crash leaves the old bytes or the new ones, never a part: temporary file in the
// same folder, fsync, rename, fsync of the folder. Where a file has several names it is written in place, the one case
// in which a crash can leave a mixture. Knows nothing of who may write where: file-writing.ts decides that.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crashPoint } from "../../ledger/crash-points.ts";

export interface Replacement {
  /** Absolute, no symbolic link. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Permission bits; without them a new file gets what the process gives. */
  readonly mode?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Asked last thing before the rename; false leaves everything as it was. */
  readonly isStillExpected: () => Promise<boolean>;
}

/** Permission bits that the process gives a file made without any. Read without changing the mask, where that works. */
export function modeOfNewFiles(): number {
  const status = process.platform === "linux" ? readFileSync("/proc/self/status", "latin1") : "";
  const mask = /^Umask:\s*([0-7]+)$/m.exec(status)?.[1];
  return 0o666 & ~(mask === undefined ? process.umask() : Number.parseInt(mask, 8));
}

/** Names of files that are only here until they are renamed, and whose they are. */
const TEMPORARY = /^\.stele-(\d+)-[0-9a-f]{12}\.tmp$/;

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Removes what killed processes left in a folder. Should one of another host look dead from here, its write fails and
 * says so; nothing is lost.
 */
export async function sweepTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(TEMPORARY.exec(name)?.[1] ?? process.pid);
    if (!isRunning(pid)) await unlink(join(folder, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** False when the file was no longer what was expected; throws the system's own errors. */
export async function replaceFile(replacement: Replacement): Promise<boolean> {
  const folder = dirname(replacement.path);
  const temporary = join(folder, `.stele-${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  let renamed = false;
  try {
    await writeTemporary(temporary, replacement);
    if (!(await replacement.isStillExpected())) return false;
    crashPoint("before:file-rename");
    await rename(temporary, replacement.path);
    renamed = true;
    await syncFolder(folder);
    crashPoint("after:file-rename");
    return true;
  } finally {
    // Not there when its own creation failed, and that error is the one to tell.
    if (!renamed) await unlink(temporary).catch(() => undefined);
  }
}

/** False when the file was no longer what was expected. */
export async function removeFile({
  path,
  isStillExpected,
}: Pick<Replacement, "path" | "isStillExpected">): Promise<boolean> {
  if (!(await isStillExpected())) return false;
  crashPoint("before:file-rename");
  await unlink(path);
  await syncFolder(dirname(path));
  crashPoint("after:file-rename");
  return true;
}

/**
 * Same inode, so that all its names keep leading to the same bytes. `old` is what the file holds: put back when the new
 * bytes do not fit on the disk.
 */
export async function overwrite(
  handle: FileHandle,
  { bytes, mode, old }: { readonly bytes: Uint8Array; readonly mode: number | undefined; readonly old: Uint8Array },
): Promise<void> {
  crashPoint("before:file-rename");
  try {
    await writeFromStart(handle, bytes);
  } catch (error) {
    await writeFromStart(handle, old);
    throw error;
  }
  if (mode !== undefined) await handle.chmod(mode & 0o7777);
  await handle.sync();
  crashPoint("after:file-rename");
}

/** Makes missing folders, each of them on disk when this returns. */
export async function makeFolders(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let at = folder; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
}

async function writeTemporary(temporary: string, { bytes, mode, owner }: Replacement): Promise<void> {
  const handle = await open(temporary, "wx", (mode ?? 0o666) & 0o7777);
  try {
    await handle.writeFile(bytes);
    if (owner) await keepOwner(handle, owner);
    if (mode !== undefined) await handle.chmod(mode & 0o7777); // after chown, which clears setuid bits
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, { uid, gid }: NonNullable<Replacement["owner"]>): Promise<void> {
  const made = await handle.stat();
  if (made.uid === uid && made.gid === gid) return;
  // Only the superuser may give files away; for others the file becomes theirs, as with any editor that renames.
  await handle.chown(uid, gid).catch(() => undefined);
}

async function writeFromStart(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at);
    at += bytesWritten;
  }
  await handle.truncate(bytes.length);
}

/** Its entries are on the disk when this returns. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
