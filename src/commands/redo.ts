// /redo: brings back what /undo took, one undo at a time, until something new was said. Files that the undo wrote come
// back with it; where one is not as the undo left it, a person looks first.
import { planFilesForward, planRequestForward } from "../agent/undo-files.ts";
import { countWord, hasFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { type PlannedPreview, previewJson, previewOf } from "./file-preview.ts";
import { moveWithFiles, revertFiles } from "./move-files.ts";
import { effectsOf, effectWords, tellMove } from "./moved-head.ts";
import { counted, lines, usage } from "./results.ts";

export const redoCommand = defineCommand({
  name: "redo",
  summary: "bring back what was undone, files too",
  example: "/redo",
  args: [{ name: "n", help: "how many undos (1)" }],
  flags: [
    { name: "chat", help: "only the conversation; files stay" },
    { name: "files", help: "what the last undo of files alone took" },
    { name: "yes", help: "without the preview" },
  ],
  during: "any",
  run: redo,
});

async function redo(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const count = countWord(args.words[0], "n");
  if (!count.ok) return usage(count.problem);
  if (hasFlag(args, "files")) return redoFiles(args, context);
  const options = { isChat: hasFlag(args, "chat"), isSure: hasFlag(args, "yes") };
  return redoSteps(context, { ...options, steps: count.value ?? 1, done: 0, turns: 0, told: [] });
}

async function redoFiles(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  if (hasFlag(args, "chat")) return usage("Say --chat or --files, not both; without either it is both.");
  const session = await context.db.session(context.runner.session.id);
  const preview = previewOf(await planRequestForward(context, session));
  if (preview.length === 0) return lines("There is no undo of files alone to bring back.");
  const apply = (chosen: readonly PlannedPreview[]) =>
    revertFiles(context, { chosen, left: preview.filter((file) => !chosen.includes(file)), direction: "redo" });
  return applyOrAsk(preview, hasFlag(args, "yes"), apply);
}

/** A person looks first where a file is not as the undo left it. */
async function applyOrAsk(
  preview: readonly PlannedPreview[],
  isSure: boolean,
  apply: (chosen: readonly PlannedPreview[]) => Promise<CommandResult>,
): Promise<CommandResult> {
  const isPlain = preview.every(({ plan }) => plan.state === "ready");
  if (isSure || isPlain) return apply(preview.filter(({ obstacle }) => obstacle === undefined));
  return {
    kind: "preview",
    title: "Bring back these files?",
    files: preview,
    apply: (chosen) => apply(preview.filter(({ path }) => chosen.some((each) => each.path === path))),
    json: previewJson(preview),
  };
}

interface Redo {
  readonly isChat: boolean;
  readonly isSure: boolean;
  /** Undos left to bring back. */
  readonly steps: number;
  /** Undos brought back so far, the turns of them, and what there is to say about it. */
  readonly done: number;
  readonly turns: number;
  readonly told: readonly string[];
}

async function redoSteps(context: CommandContext, redo: Redo): Promise<CommandResult> {
  const { db, runner } = context;
  if (redo.steps === 0 || (redo.done > 0 && !(await db.redoableMove(runner.session.id)))) return ended(context, redo);
  const session = await db.session(runner.session.id);
  const preview = redo.isChat ? [] : previewOf(await planFilesForward(context, session));
  const apply = (chosen: readonly PlannedPreview[]) => {
    const left = preview.filter((file) => !chosen.includes(file));
    return redoOne(context, redo, { chosen, left, revision: session.revision });
  };
  return applyOrAsk(preview, redo.isSure, apply);
}

async function redoOne(
  context: CommandContext,
  redo: Redo,
  files: { chosen: readonly PlannedPreview[]; left: readonly PlannedPreview[]; revision: number },
): Promise<CommandResult> {
  const { db, runner } = context;
  const result = await moveWithFiles(context, { ...files, direction: "redo" }, (options) =>
    db.redo(runner.session.id, options),
  );
  if ("kind" in result) return result;
  const { moved, told } = result;
  const effects = await effectsOf(context, moved);
  await tellMove(runner, moved);
  const words = effectWords(effects, { isUndo: false, hasFiles: files.chosen.length > 0 });
  return redoSteps(context, {
    ...redo,
    steps: redo.steps - 1,
    done: redo.done + 1,
    turns: redo.turns + moved.turns,
    told: [...redo.told, ...told, ...words],
  });
}

function ended({ runner }: CommandContext, { turns, told }: Redo): CommandResult {
  const { id: session, head } = runner.session;
  return lines([`Brought back ${turns === 0 ? "the compaction" : counted(turns, "turn")}.`, ...told], {
    session,
    turns,
    ...(head !== undefined && { head }),
  });
}
