// A head move and the files that follow it, under a lease of its own: the rows are stored with the move, the files are
// written after it, and what a kill leaves out is finished by the next start.
import { finishReverts } from "../agent/recovery-world.ts";
import { toReverts } from "../agent/undo-files.ts";
import { newHolderId, newRequestId } from "../ledger/ids.ts";
import { withLease } from "../ledger/recovery.ts";
import type { Moved, MoveOptions } from "../ledger/tree.ts";
import type { FileRevert, HolderId, Refusal, RevertDirection } from "../ledger/types.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type PlannedPreview, shownPath, writtenLines } from "./file-preview.ts";
import { lines, refused } from "./results.ts";

export interface ChosenFiles {
  readonly chosen: readonly PlannedPreview[];
  /** Shown, and not to be written. */
  readonly left: readonly PlannedPreview[];
  readonly direction: RevertDirection;
  /** Of the session, as the plan saw it. */
  readonly revision?: number;
}

export interface MovedFiles {
  readonly moved: Moved;
  readonly told: readonly string[];
  /** For JSON. */
  readonly written: readonly object[];
}

type Refused = Extract<CommandResult, { kind: "refused" }>;

export async function moveWithFiles(
  context: CommandContext,
  files: ChosenFiles,
  move: (options: MoveOptions) => Promise<Moved | Refusal>,
): Promise<MovedFiles | Refused> {
  const { chosen, left, direction, revision } = files;
  const reverts = toReverts(
    chosen.map(({ plan }) => plan),
    direction,
  );
  const expected = revision === undefined ? {} : { expectedRevision: revision };
  const result = await underLease(context, async (holder) => {
    const moved = await move({ holder, reverts, ...expected });
    if (moved.kind !== "moved") return moved;
    return { moved, written: await finishReverts(context, moved.reverts) };
  });
  if ("kind" in result) return refused(result, context);
  return { moved: result.moved, told: writtenLines(result.written, left), written: result.written.map(writtenJson) };
}

/** Files alone: the conversation stays where it is. */
export async function revertFiles(context: CommandContext, files: ChosenFiles): Promise<CommandResult> {
  const { chosen, left, direction } = files;
  if (chosen.length === 0) return lines(["Nothing was changed.", ...writtenLines([], left)]);
  const reverts = toReverts(
    chosen.map(({ plan }) => plan),
    direction,
  );
  const result = await underLease(context, async (holder) => {
    const { id } = context.runner.session;
    const planned = await context.db.planReverts(id, { holder, request: newRequestId(), reverts });
    if ("kind" in planned) return planned;
    return { written: await finishReverts(context, planned) };
  });
  if ("kind" in result) return refused(result, context);
  return lines(writtenLines(result.written, left), { files: result.written.map(writtenJson) });
}

/** A turn that runs, here or elsewhere, holds it: files do not move under it. */
export async function underLease<T extends object>(
  { db, runner }: Pick<CommandContext, "db" | "runner">,
  action: (holder: HolderId) => Promise<T | Refusal>,
  conversation = runner.session.conversation,
): Promise<T | Refusal> {
  // A turn that has just ended gives its lease back a moment after its answer was shown.
  await runner.isBusy();
  const holder = newHolderId(process.pid);
  return withLease(db, { conversation, holder }, () => action(holder)) as Promise<T | Refusal>;
}

function writtenJson(revert: FileRevert & { readonly why?: string }): object {
  const { state, why } = revert;
  return { path: shownPath(revert), state, ...(why !== undefined && { why }) };
}
