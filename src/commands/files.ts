// /files: what this conversation's calls did to files, turn by turn, with diffs; and one of them taken back.
import path from "node:path";
import { diffTexts, formatDiff } from "../agent/tools/file-diff.ts";
import { decodeFile } from "../agent/tools/text-file.ts";
import { messagesOfTurns, planFilesBack } from "../agent/undo-files.ts";
import type { ListedChange } from "../ledger/path-lists.ts";
import type { FileChange, FileState, MessageId } from "../ledger/types.ts";
import { countFlag, countWord, hasFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { previewJson, previewOf, shownPath } from "./file-preview.ts";
import { revertFiles } from "./move-files.ts";
import { filePick } from "./pick-file.ts";
import { counted, lines, usage } from "./results.ts";

/** Looked at without a number: what is older is asked for. */
const TURNS = 20;
const READ_AT_ONCE = 500;

export const filesCommand = defineCommand({
  name: "files",
  aliases: ["diff"],
  summary: "what this conversation changed, turn by turn",
  example: "/files 5 --diff",
  args: [{ name: "turns", help: `how many of the newest turns (${TURNS})` }],
  flags: [{ name: "diff", help: "with the changed lines" }],
  verbs: [
    defineCommand({
      name: "revert",
      summary: "take back what was done to one file",
      example: "/files revert notes.txt --yes",
      args: [{ name: "path", help: "the file, as /files shows it", required: true, rest: true }],
      flags: [
        { name: "since", help: "only what this turn and later ones did", value: "number" },
        { name: "yes", help: "without the preview" },
      ],
      during: "any",
      run: revert,
    }),
  ],
  during: "any",
  isRepeatable: true,
  run: (args, context) => {
    const print = () => list(args, context);
    const isPlain = args.words.length === 0 && !hasFlag(args, "diff");
    return isPlain && context.surface === "screen" ? filePick(context, print) : print();
  },
});

async function list(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const { db, runner } = context;
  const asked = countWord(args.words[0], "turns");
  if (!asked.ok) return usage(asked.problem);
  const session = await db.session(runner.session.id);
  const messages = await messagesOfTurns(db, session, asked.value ?? TURNS);
  const told: string[] = [];
  const json: object[] = [];
  for (const turn of new Set(messages.map((message) => message.turn))) {
    const own = messages.filter((message) => message.turn === turn);
    const changes = (await db.changesOf(own.map(({ id }) => id))).filter(hasHappened);
    if (changes.length === 0) continue;
    const first = own[0]?.parts.find((part) => part.kind === "text");
    told.push(`turn ${turn}  ${[...(first?.text ?? "").replace(/\s+/g, " ")].slice(0, 60).join("")}`);
    for (const change of changes) told.push(...(await changeLines(context, change, hasFlag(args, "diff"))));
    json.push({ turn, files: changes.map(changeJson) });
  }
  if (told.length === 0) return lines("No file was changed in these turns.", []);
  return lines(told, json);
}

function hasHappened({ origin, callState }: FileChange): boolean {
  return origin === "suspected" || callState === "succeeded" || callState === "unknown" || callState === "running";
}

async function changeLines(context: CommandContext, change: FileChange, isWhole: boolean): Promise<readonly string[]> {
  const { kind, origin, restorable } = change;
  const name = shownPath(change);
  const diff = restorable ? await diffOf(context, change) : undefined;
  const counts = diff ? `  +${diff.added} -${diff.removed}` : "";
  const marks = [
    ...(origin === "suspected" ? ["changed by a command"] : []),
    ...(restorable ? [] : ["content not kept"]),
  ].map((mark) => `  · ${mark}`);
  const head = `  ${kind.padEnd(8)} ${name}${counts}${marks.join("")}`;
  if (!isWhole || !diff) return [head];
  return [
    head,
    ...formatDiff("", diff)
      .split("\n")
      .slice(1)
      .map((line) => `    ${line}`),
  ];
}

async function diffOf({ db }: CommandContext, { before, after }: FileChange) {
  const text = async (side: FileState | undefined) => decodeFile(side ? await db.blob(side.hash) : new Uint8Array());
  const [old, now] = [await text(before), await text(after)];
  return old.kind === "text" && now.kind === "text" ? diffTexts(old.text, now.text) : undefined;
}

function changeJson({ id, path: file, kind, origin, restorable }: FileChange): object {
  return { id, path: file, kind, origin, restorable };
}

async function revert(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const since = countFlag(args, "since");
  if (!since.ok) return usage(since.problem);
  const { db, runner } = context;
  const session = await db.session(runner.session.id);
  const asked = path.resolve(session.cwd, args.words[0] ?? "");
  const changes = await changesSince(context, since.value ?? 1);
  const own = changes.filter((change) => change.path === asked || shownPath(change) === args.words[0]);
  if (own.length === 0) return usage(`No call of this conversation changed ${args.words[0]}.`, "See: /files");
  const preview = previewOf(await planFilesBack(context, own));
  if (preview.length === 0) return lines("It is as it was before already.");
  const apply = () => {
    const chosen = preview.filter(({ obstacle }) => obstacle === undefined);
    const left = preview.filter(({ obstacle }) => obstacle !== undefined);
    return revertFiles(context, { chosen, left, direction: "undo" });
  };
  if (hasFlag(args, "yes")) return apply();
  const files = preview.map((file) => ({ ...file, isChosen: file.obstacle === undefined }));
  return {
    kind: "preview",
    title: `Take back what was done to ${args.words[0]}${since.value === undefined ? "" : ` since turn ${since.value}`} (${counted(own.length, "change")})?`,
    files,
    apply: (chosen) => (chosen.length === 0 ? Promise.resolve(lines("Nothing was changed.")) : apply()),
    json: previewJson(files),
  };
}

/** Of this turn and all after it, oldest first. */
async function changesSince({ db, runner }: CommandContext, turn: number): Promise<readonly FileChange[]> {
  const found: ListedChange[] = [];
  let from: MessageId | undefined;
  do {
    const window = await db.pathChanges(runner.session.id, {
      limit: READ_AT_ONCE,
      ...(from !== undefined && { from }),
    });
    found.push(...window.changes.filter((change) => change.turn >= turn));
    from = window.changes.some((change) => change.turn < turn) ? undefined : window.next;
  } while (from !== undefined);
  return found.reverse();
}
