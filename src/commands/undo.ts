// /undo: takes back user turns, chat and files. The head moves and nothing is deleted; files that the turns changed are
// written back after a preview, each only if it is as the turns left it, and the prompt returns to the composer.
import { changesOfTurns, planFilesBack } from "../agent/undo-files.ts";
import type { CallId, FileChange, Message, MessageId, Session } from "../ledger/types.ts";
import { countFlag, countWord, hasFlag } from "./args.ts";
import {
  type CommandArgs,
  type CommandContext,
  type CommandResult,
  defineCommand,
  type PreviewFile,
} from "./command.ts";
import { type PlannedPreview, previewJson, previewOf } from "./file-preview.ts";
import { moveWithFiles, revertFiles } from "./move-files.ts";
import { effectsOf, effectWords, tellMove } from "./moved-head.ts";
import { turnPick } from "./pick-turn.ts";
import { counted, lines, usage } from "./results.ts";

export const undoCommand = defineCommand({
  name: "undo",
  aliases: ["rewind", "checkpoint"],
  summary: "take back the last turns, files too",
  example: "/undo 2 --chat",
  args: [{ name: "n", help: "how many turns (1)" }],
  flags: [
    { name: "chat", help: "only the conversation; files stay" },
    { name: "files", help: "only the files; the conversation stays" },
    { name: "suspected", help: "also files that commands changed, as far as can be told, or that came with an import" },
    { name: "yes", help: "without the preview" },
    { name: "to", help: "back to before the turn of this message", value: "number", isChosen: true },
  ],
  during: "any",
  run: undo,
});

async function undo(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const count = countWord(args.words[0], "n");
  if (!count.ok) return usage(count.problem);
  const to = countFlag(args, "to");
  if (!to.ok) return usage(to.problem);
  if (count.value !== undefined && args.flags["to"] !== undefined)
    return usage("Say a number of turns or --to, not both.");
  if (args.flags["to"] === true) return pickTurn(args, context);
  const [isChat, isFiles] = [hasFlag(args, "chat"), hasFlag(args, "files")];
  if (isChat && isFiles) return usage("Say --chat or --files, not both; without either it is both.");
  if (isChat && hasFlag(args, "suspected")) return usage("--suspected is about files; --chat leaves them alone.");
  const { db, runner } = context;
  const isPlain = to.value === undefined && (count.value ?? 1) === 1 && !isFiles;
  const session = await db.session(runner.session.id);
  if (isPlain && (await db.summaryAtEnd(session.id))) return takeBackCompaction(context, session);
  const turns = to.value === undefined ? (count.value ?? 1) : await turnsTo(context, session, to.value as MessageId);
  if (turns === undefined) return usage(`Message ${to.value} begins no turn of this conversation.`, "See: /undo --to");
  const plan = { isChat, isFiles, takesSuspected: hasFlag(args, "suspected"), isSure: hasFlag(args, "yes") };
  const title = isFiles ? "Take back these files?" : `Take back ${counted(turns, "turn")}, and these files?`;
  return takeTurns(context, session, { ...plan, turns, title, told: undoneWords, isExact: to.value !== undefined });
}

function undoneWords(turns: number): string {
  return `Took back ${counted(turns, "turn")}. /redo brings ${turns === 1 ? "it" : "them"} back.`;
}

export interface TurnsBack {
  readonly turns: number;
  readonly isChat: boolean;
  readonly isFiles: boolean;
  readonly takesSuspected: boolean;
  /** Without the preview. */
  readonly isSure: boolean;
  readonly title: string;
  /** These very turns: also without files, nothing is taken back where the conversation changed meanwhile. */
  readonly isExact: boolean;
  /** What was done, said after so many turns went. */
  readonly told: (turns: number) => string;
}

/** Of the session as it is now: where it changed meanwhile, nothing is taken back. */
export async function takeTurns(context: CommandContext, session: Session, back: TurnsBack): Promise<CommandResult> {
  const { turns, isChat, isFiles, takesSuspected, isSure, title, told } = back;
  const { revision } = session;
  const none = { chosen: [], left: [], ...(back.isExact && { revision }) };
  if (isChat) return takeBack(context, { count: turns, told }, none);
  const changes = await changesOfTurns(context.db, session, turns);
  const { rows: preview, settled } = await previewBack(context, changes);
  const apply = (wanted: readonly PlannedPreview[]) => {
    const chosen = wanted.filter((file) => file.isSuspected || !wanted.some((each) => isWhole(each, file)));
    const left = preview.filter((file) => !wanted.includes(file) && !chosen.some((each) => isWhole(each, file)));
    return isFiles
      ? revertFiles(context, { chosen, left, direction: "undo" })
      : takeBack(context, { count: turns, told }, { chosen, left, revision, settled });
  };
  if (preview.length === 0) return isFiles ? lines("Those turns changed no file.") : apply([]);
  const ticked = preview.map((file) => (canTake(file, takesSuspected) ? { ...file, isChosen: true } : file));
  if (isSure) return apply(preview.filter((_, index) => ticked[index]?.isChosen));
  return {
    kind: "preview",
    title,
    files: ticked,
    apply: (chosen) => apply(preview.filter((file) => chosen.some((each) => isSameRow(each, file)))),
    json: previewJson(ticked),
  };
}

function pickTurn(args: CommandArgs, context: CommandContext): CommandResult | Promise<CommandResult> {
  if (context.surface === "argv") return usage("--to needs a value.", "The messages: stele sessions show ID --json");
  const others = ["chat", "files", "suspected", "yes"]
    .filter((flag) => hasFlag(args, flag))
    .map((flag) => ` --${flag}`);
  return turnPick(context, {
    title: hasFlag(args, "files") ? "Take back the files since which turn?" : "Go back to before which turn?",
    command: ({ first }) => `/undo --to ${first}${others.join("")}`,
    enter: hasFlag(args, "files") ? "takes them back" : "goes back to it",
  });
}

/** Undefined: no turn of the path begins with it, or no longer. */
export async function turnsTo({ db }: CommandContext, session: Session, to: MessageId): Promise<number | undefined> {
  const message = await db.message(to);
  if (!message) return undefined;
  const { messages } = await db.path(session.id, { depth: message.depth, limit: 2 });
  const [parent, first] = messages.length > 1 ? messages : [undefined, messages[0]];
  const isBegin = first?.id === to && message.turn > (parent?.turn ?? 0);
  return isBegin ? session.turns - message.turn + 1 : undefined;
}

/**
 * What our own edits did, and beside it, not chosen, what commands did too: a file that both changed stands there twice,
 * without and with the change of the command. `settled`: edits that are taken back on the disk already.
 */
async function previewBack(
  context: CommandContext,
  changes: readonly FileChange[],
): Promise<{ readonly rows: readonly PlannedPreview[]; readonly settled: ReadonlySet<CallId> }> {
  const own = changes.filter(({ origin }) => origin === "recorded");
  const touched = new Set(changes.filter(({ origin }) => origin === "suspected").map(({ path }) => path));
  const all = changes.filter(({ path }) => touched.has(path));
  const plan = await planFilesBack(context, own);
  const recorded = previewOf(plan);
  const done = new Set(plan.filter(({ state }) => state === "done").map(({ path }) => path));
  const settled = new Set(own.filter(({ path }) => done.has(path)).map(({ call }) => call));
  const suspected = previewOf(await planFilesBack(context, all));
  const rows = [...recorded, ...suspected.map((file) => ({ ...file, isSuspected: true, isChosen: false }))];
  return { rows: rows.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)), settled };
}

/** The row of a file with all that was done to it, beside the one with our own edits. */
function isWhole(file: PlannedPreview, of: PlannedPreview): boolean {
  return file !== of && file.isSuspected && file.path === of.path;
}

function isSameRow(a: PreviewFile, b: PreviewFile): boolean {
  return a.path === b.path && a.isSuspected === b.isSuspected;
}

function canTake(file: PlannedPreview, takesSuspected: boolean): boolean {
  const { isChosen, isSuspected, isImported = false, obstacle } = file;
  return isChosen || (takesSuspected && (isSuspected || isImported) && obstacle === undefined);
}

async function takeBack(
  context: CommandContext,
  { count, told: done }: { count: number; told: TurnsBack["told"] },
  files: {
    readonly chosen: readonly PlannedPreview[];
    readonly left: readonly PlannedPreview[];
    readonly revision?: number;
    readonly settled?: ReadonlySet<CallId>;
  },
): Promise<CommandResult> {
  const { db, runner } = context;
  const result = await moveWithFiles(context, { ...files, direction: "undo" }, (options) =>
    db.undo(runner.session.id, count, { ...options, isOfTurns: true }),
  );
  if ("kind" in result) return result;
  const { moved, told, written } = result;
  const effects = (await effectsOf(context, moved)).filter(({ id }) => !files.settled?.has(id));
  await tellMove(runner, moved);
  const { session, turns, head } = moved;
  return {
    kind: "prefill",
    text: promptText(moved.prompt),
    lines: [done(turns), ...told, ...effectWords(effects, { isUndo: true, hasFiles: files.chosen.length > 0 })],
    json: { session, turns, ...(head !== undefined && { head }), files: written, kept: effects.map(({ id }) => id) },
  };
}

/** The last thing that happened: no turn goes, and no prompt comes back. */
async function takeBackCompaction(context: CommandContext, { revision }: Session): Promise<CommandResult> {
  const { db, runner } = context;
  const result = await moveWithFiles(context, { chosen: [], left: [], direction: "undo", revision }, (options) =>
    db.undo(runner.session.id, 1, options),
  );
  if ("kind" in result) return result;
  await tellMove(runner, result.moved);
  const { session, turns, head } = result.moved;
  return lines(["Took back the compaction: the model gets everything again. /redo brings the summary back."], {
    session,
    turns,
    ...(head !== undefined && { head }),
  });
}

function promptText(prompt: Message | undefined): string {
  const parts = prompt?.parts ?? [];
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
