// Writes what an undo or a redo planned, one stored row after the other through the gate. Each row is read back first,
// so that calling it again, after a kill at any point, does only what is left, and never writes over what is unexpected.
import { dirname } from "node:path";
import { crashPoint } from "../../ledger/crash-points.ts";
import { SteleError } from "../../ledger/errors.ts";
import type { FileRevert, FileRevertId, Hash } from "../../ledger/types.ts";
import type { FileAnswer, FileProblemCode } from "../tools/file-problem.ts";
import type { FileContent, FileGate } from "../tools/files.ts";

export type RevertRow = Pick<FileRevert, "id" | "path" | "cwd" | "expected" | "target" | "mode" | "state">;

export interface RevertOptions<Row extends RevertRow> extends RevertWorld {
  readonly rows: readonly Row[];
  /** Stores how the row ended; the next row waits for it. */
  readonly mark: (id: FileRevertId, state: "done" | "conflict") => Promise<Row>;
}
interface RevertWorld {
  readonly files: Pick<FileGate, "read" | "restore" | "sweep">;
  readonly blob: (hash: Hash) => Promise<Uint8Array>;
}

/** `why`: what kept it from being done, for a person. */
export type Applied<Row> = Row & { readonly why?: string };

/** All rows as they are afterwards. A row whose disk was full or failing stays planned: it can be tried again. */
export async function applyReverts<Row extends RevertRow>({
  rows,
  mark,
  ...world
}: RevertOptions<Row>): Promise<readonly Applied<Row>[]> {
  const applied: Applied<Row>[] = [];
  for (const row of rows) {
    if (row.state !== "planned") {
      applied.push(row);
      continue;
    }
    const end = await putBack(row, world);
    const { state } = end;
    const why = "why" in end ? { why: end.why } : {};
    applied.push({ ...(state === "planned" ? row : await mark(row.id, state)), ...why });
  }
  return applied;
}

type End = { readonly state: "done" } | { readonly state: "conflict" | "planned"; readonly why: string };

async function putBack(row: RevertRow, { files, blob }: RevertWorld): Promise<End> {
  await files.sweep(dirname(row.path)); // of a killed attempt; a folder that is gone holds nothing
  const read = await readPresent(files, row.path);
  if (!read.ok) return endOf(read.problem);
  const now = read.value === "absent" ? undefined : read.value;
  const mode = row.mode ?? now?.mode ?? 0o644;
  const isThere = now?.hash === row.target;
  if (isThere && (!now || now.mode === mode)) return { state: "done" };
  // Its bytes without its mode: a kill came between, or the mode is all that changes.
  if (!isThere && now?.hash !== row.expected) {
    return { state: "conflict", why: `${row.path} is neither as it was nor as it shall be` };
  }
  const bytes = row.target && (await storedBytes(blob, row.target));
  if (row.target && !bytes) return { state: "conflict", why: `what ${row.path} held is not stored any more` };
  crashPoint("before:file-revert");
  const content = bytes ? { bytes, mode } : ("absent" as const);
  const restored = await files.restore({ cwd: row.cwd, path: row.path, content, expected: now?.hash ?? "absent" });
  crashPoint("after:file-revert");
  return restored.ok ? { state: "done" } : endOf(restored.problem);
}

const PASSING: readonly FileProblemCode[] = ["full", "io", "aborted"];

function endOf({ code, message }: { readonly code: FileProblemCode; readonly message: string }): End {
  return { state: PASSING.includes(code) ? "planned" : "conflict", why: message };
}

/** A missing file is an answer here, no problem. */
export async function readPresent(
  files: Pick<FileGate, "read">,
  path: string,
): Promise<FileAnswer<FileContent | "absent">> {
  const read = await files.read(path);
  if (read.ok || (read.problem.code !== "missing" && read.problem.code !== "not-folder")) return read;
  return { ok: true, value: "absent" };
}

/** Nothing where the ledger says that it has not got it; all its other errors are thrown on. */
export async function storedBytes(
  blob: (hash: Hash) => Promise<Uint8Array>,
  hash: Hash,
): Promise<Uint8Array | undefined> {
  try {
    return await blob(hash);
  } catch (error) {
    if (error instanceof SteleError && (error.code === "row_missing" || error.code === "ledger_corrupt")) {
      return undefined;
    }
    throw error;
  }
}
