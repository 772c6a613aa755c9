// Replaces a file so that a crash leaves the old bytes or the new ones, never a part: temporary file in the same
// folder, fsync, rename, fsync of the folder. Knows nothing of who may write where: files.ts decides that.
import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface Replacement {
  /** Absolute, no symbolic link. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Permissions and owner to keep; a new file gets what the process gives. */
  readonly keep?: { readonly mode: number; readonly uid: number; readonly gid: number };
  /** Asked last thing before the rename; false leaves everything as it was. */
  readonly isStillExpected: () => Promise<boolean>;
}

/** False when the file was no longer what was expected; throws the system's own errors. */
export async function replaceFile(replacement: Replacement): Promise<boolean> {
  const folder = dirname(replacement.path);
  const temporary = join(folder, `.stele-${randomBytes(6).toString("hex")}.tmp`);
  let renamed = false;
  try {
    await writeTemporary(temporary, replacement);
    if (!(await replacement.isStillExpected())) return false;
    await rename(temporary, replacement.path);
    renamed = true;
    await syncFolder(folder);
    return true;
  } finally {
    // Not there when its own creation failed, and that error is the one to tell.
    if (!renamed) await unlink(temporary).catch(() => undefined);
  }
}

/** Makes missing folders, each of them on disk when this returns. */
export async function makeFolders(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let at = folder; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
}

async function writeTemporary(temporary: string, { bytes, keep }: Replacement): Promise<void> {
  const handle = await open(temporary, "wx", (keep?.mode ?? 0o666) & 0o7777);
  try {
    await handle.writeFile(bytes);
    if (keep) await keepOwnerAndMode(handle, keep);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(handle: FileHandle, keep: NonNullable<Replacement["keep"]>): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== keep.uid || made.gid !== keep.gid) {
    // Only the superuser may give files away; for others the file becomes theirs, as with any editor that renames.
    await handle.chown(keep.uid, keep.gid).catch(() => undefined);
  }
  await handle.chmod(keep.mode & 0o7777); // after chown, which clears setuid bits
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
