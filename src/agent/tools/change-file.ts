// The last steps of every file edit, the same for all tools that make one: say what is about to change, write, show it.
import { modeOfNewFiles } from "./atomic-write.ts";
import { diffTexts, formatDiff } from "./file-diff.ts";
import { hashBytes, type WriteTarget } from "./files.ts";
import { decodeFile } from "./text-file.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

export interface FileChange {
  /** As the model named it. */
  readonly asked: string;
  readonly target: WriteTarget;
  readonly after: Uint8Array;
}

export async function changeFile({ asked, target, after }: FileChange, context: ToolContext): Promise<ToolResult> {
  const { path, before } = target;
  if (context.signal.aborted) return { kind: "cancelled", output: `stopped before ${asked} was written` };
  const planned = { bytes: after, hash: hashBytes(after), mode: before?.mode ?? modeOfNewFiles() };
  await context.beforeChange?.({ path, ...(before && { before }), after: planned });
  const written = await context.files.write({
    cwd: context.cwd,
    path,
    bytes: after,
    expected: before?.hash ?? "absent",
  });
  if (!written.ok) return { kind: "failed", output: written.problem.message };
  return { kind: "ok", output: describeChange({ asked, target, after }) };
}

/** The diff, or its sizes where one of both is no text. */
export function describeChange({ asked, target, after }: FileChange): string {
  const old = decodeFile(target.before?.bytes ?? new Uint8Array());
  const now = decodeFile(after);
  if (old.kind === "binary" || now.kind === "binary") {
    return `${asked}: ${target.before?.bytes.length ?? 0} bytes replaced by ${after.length}`;
  }
  const created = target.before ? "" : " (new file)";
  return formatDiff(`${asked}${created}`, diffTexts(old.text, now.text));
}
