// The last prompt again, and what the turn before it did to files: taken back first, by the rules of an undo of files, or
// left and named. Only what our own edits did; what commands did stays.
import { changesOfTurns, planFilesBack } from "../agent/undo-files.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type PlannedPreview, previewOf, takeFiles, writtenLines } from "./file-preview.ts";
import { revertFiles } from "./move-files.ts";
import { refused } from "./results.ts";

/** Of the last turn, as far as they are on the disk. */
export async function lastEdits(context: CommandContext): Promise<readonly PlannedPreview[]> {
  const { db, runner } = context;
  const changes = await changesOfTurns(db, await db.session(runner.session.id), 1);
  return previewOf(
    await planFilesBack(
      context,
      changes.filter(({ origin }) => origin === "recorded"),
    ),
  );
}

const NAMED = 3;

export function stayWords(edits: readonly PlannedPreview[]): readonly string[] {
  const names = edits.filter(({ obstacle }) => obstacle === undefined).map(({ path }) => path);
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const shown = `${names.slice(0, NAMED).join(", ")}${more}`;
  return [`What the answer before did to files stays (${shown}); /retry --files would take it back first.`];
}

export async function retryWithFiles(context: CommandContext, isSure: boolean): Promise<CommandResult> {
  const { db, runner } = context;
  const { id, revision } = await db.session(runner.session.id);
  const edits = await lastEdits(context);
  const apply = async (chosen: readonly PlannedPreview[]): Promise<CommandResult> => {
    const now = await db.session(id);
    if (now.revision !== revision)
      return { kind: "refused", why: "The conversation changed meanwhile: nothing was done.", code: "conflict" };
    const left = edits.filter((file) => !chosen.includes(file));
    if (chosen.length === 0) return askAgain(context, { first: writtenLines([], left) });
    const written = await revertFiles(context, { chosen, left, direction: "undo" });
    return written.kind === "lines"
      ? askAgain(context, { first: written.lines, written: written.json ?? {} })
      : written;
  };
  if (edits.length === 0) return askAgain(context, {});
  return takeFiles(edits, { title: "Take back these files, and ask again?", isSure, apply });
}

interface Told {
  readonly first?: readonly string[];
  readonly then?: readonly string[];
  /** About files that were taken back for it, which a refusal does not hide. */
  readonly written?: object;
}

export async function askAgain(
  context: CommandContext,
  { first = [], then = [], written }: Told,
): Promise<CommandResult> {
  const { runner } = context;
  const result = await runner.retry();
  if (result.kind !== "retried") {
    const refusal = refused(result, context);
    return written ? { ...refusal, why: `${refusal.why} Files were taken back: /redo --files` } : refusal;
  }
  const { id, session, summary, kind } = result.admission;
  const what = kind === "shell" ? "Running" : "Asking";
  return {
    kind: "turn",
    runner,
    lines: [...first, `${what} again: ${summary} · back to the answer before: /retry --other`, ...then],
    json: { admission: id, session, ...written },
  };
}
