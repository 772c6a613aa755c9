// Going to another branch and taking the files along: what this one changed since the fork is taken back, what the other
// one changed is made, by the rules of an undo. The files are written before it is gone there, and /redo --files here
// brings them back.
import type { Session } from "../ledger/types.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type PlannedPreview, takeFiles } from "./file-preview.ts";
import { filesOver, noBranch, OVER_TITLE } from "./go-to.ts";
import { revertFiles } from "./move-files.ts";

export async function openWithFiles(
  context: CommandContext,
  { target, isSure, open }: { target: Session; isSure: boolean; open: () => Promise<CommandResult> },
): Promise<CommandResult> {
  const { db, runner } = context;
  const here = await db.session(runner.session.id);
  const { fork, sides } = await db.pathDiff({ ends: [here.head, target.head], skip: 0, limit: 0 });
  if (!fork) return noBranch(target);
  const preview = await filesOver(context, sides);
  const apply = async (chosen: readonly PlannedPreview[]): Promise<CommandResult> => {
    const left = preview.filter((file) => !chosen.includes(file));
    const written = await revertFiles(context, { chosen, left, direction: "undo" });
    if (written.kind !== "lines") return written;
    const opened = await open();
    const isTold = opened.kind === "open-session" || opened.kind === "lines";
    return isTold ? { ...opened, lines: [...written.lines, ...opened.lines] } : opened;
  };
  if (preview.length === 0) return open();
  return takeFiles(preview, { title: OVER_TITLE, isSure, apply });
}
