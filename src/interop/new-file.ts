// Writing a new file whole or not at all: into a temporary one beside it, synced, then linked into place, which fails
// where a file is; with `force` renamed over it. 0600, because a conversation is private. Leaves nothing behind.
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { newToken } from "./export-format.ts";

export type Written =
  | { readonly ok: true; readonly bytes: number }
  | { readonly ok: false; readonly problem: "exists" | "failed"; readonly why: string };

const BUFFER = 256 * 1024;

export async function writeNewFile(
  file: string,
  pieces: AsyncIterable<string>,
  { force }: { readonly force: boolean },
): Promise<Written> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${newToken().slice(0, 8)}.part`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(temporary, "wx", 0o600);
    const bytes = await writeAll(handle, pieces);
    await handle.sync();
    await handle.close();
    handle = undefined;
    if (force) await rename(temporary, file);
    else await link(temporary, file);
    return { ok: true, bytes };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    if (code === "EEXIST") return { ok: false, problem: "exists", why: `${file} is there already.` };
    return { ok: false, problem: "failed", why: `${file} cannot be written: ${message}.` };
  } finally {
    await handle?.close();
    await rm(temporary, { force: true });
  }
}

async function writeAll(handle: FileHandle, pieces: AsyncIterable<string>): Promise<number> {
  let bytes = 0;
  let buffered = "";
  const flush = async () => {
    if (buffered === "") return;
    const chunk = Buffer.from(buffered, "utf8");
    buffered = "";
    for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
    bytes += chunk.length;
  };
  for await (const piece of pieces) {
    buffered += piece;
    if (buffered.length > BUFFER) await flush();
  }
  await flush();
  return bytes;
}
