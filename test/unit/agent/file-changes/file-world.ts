// A folder with a gate, the blobs of a ledger in memory, and changes as the ledger tells them.
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RevertRow } from "../../../../src/agent/file-changes/apply-reverts.ts";
import type { RecordedChange } from "../../../../src/agent/file-changes/undo-plan.ts";
import { createFileGate, hashBytes } from "../../../../src/agent/tools/files.ts";
import { ledgerError } from "../../../../src/ledger/errors.ts";
import type { FileChangeId, FileRevertId, Hash } from "../../../../src/ledger/types.ts";
import { makeFolder } from "../tools/tool-harness.ts";

export type Content = string | undefined;

export async function makeWorld() {
  const cwd = await makeFolder();
  const files = createFileGate({ ledgerFiles: [] });
  const blobs = new Map<Hash, Uint8Array>();
  const path = (name: string) => join(cwd, name);
  const store = (content: Content): Hash | undefined => {
    if (content === undefined) return undefined;
    const bytes = Buffer.from(content, "latin1");
    blobs.set(hashBytes(bytes), bytes);
    return hashBytes(bytes);
  };
  let ids = 0;
  return {
    cwd,
    files,
    blobs,
    path,
    store,
    blob: async (hash: Hash) => {
      const bytes = blobs.get(hash);
      if (!bytes) throw ledgerError("row_missing", `Blob ${hash} is not stored.`);
      return bytes;
    },
    async put(name: string, content: Content, mode = 0o644) {
      if (content === undefined) return rm(path(name), { force: true });
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), Buffer.from(content, "latin1"));
      return chmod(path(name), mode);
    },
    async content(name: string): Promise<Content> {
      return readFile(path(name), "latin1").catch(() => undefined);
    },
    async mode(name: string): Promise<number> {
      return (await stat(path(name))).mode & 0o7777;
    },
    change(name: string, before: Content, after: Content, more: Partial<RecordedChange> = {}): RecordedChange {
      ids += 1;
      const [old, now] = [store(before), store(after)];
      return {
        id: ids as FileChangeId,
        callState: "succeeded",
        path: path(name),
        cwd,
        origin: "recorded",
        restorable: true,
        ...(old && { before: { hash: old, mode: 0o644 } }),
        ...(now && { after: { hash: now, mode: 0o644 } }),
        ...more,
      };
    },
    revert(
      name: string,
      expected: Content,
      target: Content,
      more: Partial<Pick<RevertRow, "state" | "mode">> = {},
    ): RevertRow {
      ids += 1;
      const [old, next] = [store(expected), store(target)];
      return {
        id: ids as FileRevertId,
        path: path(name),
        cwd,
        state: "planned",
        ...(old && { expected: old }),
        ...(next && { target: next, mode: 0o644 }),
        ...more,
      };
    },
  };
}
export type FileWorld = Awaited<ReturnType<typeof makeWorld>>;
