// Picking one of the files that this conversation changed, turn by turn, the newest first: how much, whether it was
// taken back, and a look at the diff. Choosing one asks to take back what this turn and later ones did to it.
import { diffTexts, type FileDiff, formatDiff } from "../agent/tools/file-diff.ts";
import { decodeFile } from "../agent/tools/text-file.ts";
import type { ListedChange } from "../ledger/path-lists.ts";
import type { FileState, MessageId } from "../ledger/types.ts";
import type { CommandContext, CommandResult, PickItem, PickLook } from "./command.ts";
import { shownPath } from "./file-preview.ts";
import { quoteWord } from "./words.ts";

/** Changes that are asked for at once. */
const LISTED = 40;
/** Lines are counted in texts of as many characters, and so long for one window: the diff itself counts all. */
const COUNTED = 200_000;
const COUNTING_MS = 200;

/** What one turn did to one file, from before its first change to after its last. */
interface TurnFile {
  readonly turn: number;
  readonly path: string;
  /** As it is shown. */
  readonly name: string;
  readonly before?: FileState;
  readonly after?: FileState;
  readonly isSuspected: boolean;
  readonly isKept: boolean;
  readonly isBack: boolean;
}

export async function filePick(context: CommandContext, printed: () => Promise<CommandResult>): Promise<CommandResult> {
  const { db, runner } = context;
  const { id } = runner.session;
  const files = new Map<string, TurnFile>();
  let isFirst = true;
  let next: MessageId | undefined;
  /** Windows without a change are passed over. */
  const more = async (): Promise<readonly PickItem[]> => {
    let changes: readonly ListedChange[] = [];
    while (changes.length === 0 && (isFirst || next !== undefined)) {
      const window = await db.pathChanges(id, { limit: LISTED, ...(next !== undefined && { from: next }) });
      ({ changes } = window);
      ({ next } = window);
      isFirst = false;
    }
    const counting = performance.now() + COUNTING_MS;
    const items: PickItem[] = [];
    // One after the other: keys are answered between two of them.
    for (const file of turnFiles(changes)) {
      const diff = performance.now() < counting ? await diffOf(context, file, COUNTED) : undefined;
      const item = fileItem(file, diff);
      files.set(item.command, file);
      items.push(item);
    }
    return items;
  };
  const items = await more();
  return {
    kind: "pick",
    title: "Files that this conversation changed",
    items,
    empty: "No file was changed in this conversation.",
    enter: "takes it back",
    ...(next !== undefined && { more, note: "of the newest turns; going down reads on" }),
    preview: ({ command }) => diffLook(context, files.get(command)),
    printed,
  };
}

/**
 * Those that a revert of files alone took back: from the newest one it names down to the one whose earlier content it
 * wrote. Where that is not among these, somebody else had changed the file too, and no more is said than is known.
 */
function takenBack(changes: readonly ListedChange[]): ReadonlySet<ListedChange> {
  const back = new Set<ListedChange>();
  for (const [at, { path, revert }] of changes.entries()) {
    if (revert?.direction !== "undo") continue;
    const older = changes.slice(at).filter((each) => each.path === path);
    const end = older.findIndex(({ before }) => before?.hash === revert.target);
    for (const each of older.slice(0, Math.max(0, end) + 1)) back.add(each);
  }
  return back;
}

/** Newest turn first, in it by path. */
function turnFiles(changes: readonly ListedChange[]): readonly TurnFile[] {
  const files = new Map<string, TurnFile>();
  const back = takenBack(changes);
  for (const change of changes) {
    const { turn, path, before, after, origin, restorable } = change;
    const key = `${turn} ${path}`;
    const newer = files.get(key);
    const isBack = back.has(change);
    const last = newer ? newer.after : after;
    files.set(key, {
      ...{ turn, path, name: shownPath(change) },
      ...(before && { before }),
      ...(last && { after: last }),
      isSuspected: origin === "suspected" && (newer?.isSuspected ?? true),
      isKept: restorable && (newer?.isKept ?? true),
      isBack: isBack && (newer?.isBack ?? true),
    });
  }
  return [...files.values()].toSorted((a, b) => b.turn - a.turn || (a.name < b.name ? -1 : 1));
}

function fileItem(file: TurnFile, diff: FileDiff | undefined): PickItem {
  const { turn, name, isSuspected, isKept, isBack } = file;
  const marks = [
    ...(isBack ? ["taken back"] : []),
    ...(isSuspected ? ["by a command"] : []),
    ...(isKept ? [] : ["content not kept"]),
  ].join(", ");
  const facts = [diff ? `+${diff.added} -${diff.removed}` : "", `turn ${turn}`, marks];
  return {
    command: `/files revert --since ${turn} -- ${quoteWord(name)}`,
    label: name,
    detail: facts.filter((fact) => fact !== "").join(" · "),
    facts,
  };
}

async function diffLook(context: CommandContext, file: TurnFile | undefined): Promise<PickLook> {
  if (!file) return [];
  if (!file.isKept) return ["Its content was not kept: it was too big, or a secret."];
  const diff = await diffOf(context, file);
  return diff ? { kind: "diff", diff: formatDiff(file.name, diff) } : ["No text to show."];
}

/** Undefined: it is no text, not kept, or longer than `most` characters. */
export async function diffOf(
  { db }: CommandContext,
  { before, after, isKept }: Pick<TurnFile, "before" | "after" | "isKept">,
  most = Number.POSITIVE_INFINITY,
): Promise<FileDiff | undefined> {
  if (!isKept) return undefined;
  const text = async (side: FileState | undefined) => decodeFile(side ? await db.blob(side.hash) : new Uint8Array());
  const [old, now] = await Promise.all([text(before), text(after)]);
  if (old.kind !== "text" || now.kind !== "text" || old.text.length + now.text.length > most) return undefined;
  return diffTexts(old.text, now.text);
}
