// What became of an edit that was left running: the file on the disk says it, by its hash. Temporary file and rename
// leave nothing between before and after, so anything else is somebody else's doing, and no proof.
import { dirname } from "node:path";
import type { FileChange } from "../../ledger/types.ts";
import type { FileGate } from "../tools/files.ts";
import { shownPath } from "../tools/shown-path.ts";
import { readPresent } from "./apply-reverts.ts";

export interface EditReadBack {
  readonly verdict: "applied" | "not-applied" | "unknown";
  /** For a person: `read back: applied`. */
  readonly evidence: string;
}

export async function readBackEdit(
  change: Pick<FileChange, "path" | "cwd" | "before" | "after">,
  files: Pick<FileGate, "read" | "sweep">,
): Promise<EditReadBack> {
  await files.sweep(dirname(change.path)); // of the killed write; a folder that is gone holds nothing
  const read = await readPresent(files, change.path);
  if (!read.ok) return { verdict: "unknown", evidence: `read back: ${read.problem.message}` };
  const now = read.value === "absent" ? undefined : read.value.hash;
  if (now === change.after?.hash) return { verdict: "applied", evidence: "read back: applied" };
  if (now === change.before?.hash) return { verdict: "not-applied", evidence: "read back: not applied" };
  const shown = shownPath(change.cwd, change.path);
  return { verdict: "unknown", evidence: `read back: ${shown} is neither as before nor as after` };
}
