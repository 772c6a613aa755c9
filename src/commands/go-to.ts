// Going to another end of a conversation: the chat goes there. Files stay as they are, and it is said which of them are
// not as they would be there; or they go along by the rules of an undo, each only if nobody else changed it: what was
// done here since the two part is taken back, and what was done there done again.
import { finishReverts } from "../agent/recovery-world.ts";
import { planFilesOver, toReverts } from "../agent/undo-files.ts";
import type { Went } from "../ledger/go-to.ts";
import type { PathDiff, Side } from "../ledger/path-diff.ts";
import type { MessageId, Session } from "../ledger/types.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type PlannedPreview, previewOf, shownPath, takeFiles, writtenLines } from "./file-preview.ts";
import { underLease } from "./move-files.ts";
import { isSame, type NetChange, netChanges } from "./net-changes.ts";
import { called, counted, nameOf, refused, runningHere, usage } from "./results.ts";

export interface GoToWish {
  readonly session: Session;
  readonly to: MessageId;
  /** Files come along: after a preview, unless that is not wanted. */
  readonly withFiles: boolean;
  readonly isSure: boolean;
  /** What is made of it. */
  readonly done: (went: WentTo) => Promise<CommandResult>;
}

export interface WentTo {
  readonly went: Went;
  /** About files: what was written, or that some differ; none where there is nothing to say. */
  readonly told: readonly string[];
  /** Those that are not as they would be there, as far as is known; as they are shown. */
  readonly files: readonly string[];
}

export const FILE_FLAGS = [
  {
    name: "files",
    help: "files go along, after a preview: edits made here are taken back, those made there done again",
  },
  { name: "yes", help: "without the preview" },
] as const;

/** What becomes of files that go along. Not that they are as they were there: between two ends they may have stayed. */
export const OVER_TITLE = "Go there, undo what was done here, redo what was done there?";

export async function goToEnd(context: CommandContext, wish: GoToWish): Promise<CommandResult> {
  const { session, to, withFiles, isSure } = wish;
  const { runner, db } = context;
  // The files on the disk are those of the conversation that is open.
  const here = isOpen(context, session) ? session : await db.session(runner.session.id);
  if (here !== session && withFiles && (await runner.isBusy()))
    return { kind: "refused", why: runningHere(), code: "busy" };
  const { sides, fork } = await db.pathDiff({ ends: [here.head, to], skip: 0, limit: 0 });
  if (here !== session && withFiles && !fork) return noBranch(session);
  if (withFiles && session.head === to) return refused({ kind: "conflict", why: THERE_ALREADY }, context);
  // Where there is no such message, going there is refused: nothing is to be planned for it.
  const preview = (await db.message(to)) ? await filesOver(context, sides) : [];
  const apply = (chosen: readonly PlannedPreview[]) =>
    move(context, wish, { sides, chosen, left: preview.filter((file) => !chosen.includes(file)) });
  if (preview.length === 0 || !withFiles) return apply([]);
  return takeFiles(preview, { title: OVER_TITLE, isSure, apply });
}

/** What our own edits did on both ways; what commands did is told as differing, and left alone. */
export async function filesOver(
  context: Pick<CommandContext, "db" | "files">,
  [left, brought]: PathDiff["sides"],
): Promise<readonly PlannedPreview[]> {
  const own = ({ changes }: Side) => changes.filter(({ origin }) => origin === "recorded");
  const planned = await planFilesOver(context, { left: own(left), brought: own(brought) });
  return previewOf(planned).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function isOpen({ runner }: CommandContext, { conversation }: Session): boolean {
  return conversation === runner.session.conversation;
}

export function noBranch(session: Session): CommandResult {
  return usage(
    `“${nameOf(session)}” is no branch of this conversation: files come along only between branches.`,
    "Without --files it can be opened. Its branches: /tree",
  );
}

const THERE_ALREADY =
  "The conversation is there already, and files go along only from another end. The other ends: /tree --files";

interface Files {
  readonly sides: PathDiff["sides"];
  readonly chosen: readonly PlannedPreview[];
  readonly left: readonly PlannedPreview[];
}

async function move(context: CommandContext, wish: GoToWish, { sides, chosen, left }: Files): Promise<CommandResult> {
  const { session, to, done, withFiles } = wish;
  const plans = chosen.map(({ plan }) => plan);
  const result = await underLease(
    context,
    async (holder) => {
      const reverts = toReverts(plans, "undo");
      const went = await context.db.goTo(session.id, { to, holder, reverts, expectedRevision: session.revision });
      if (went.kind !== "went") return went;
      return { went, written: await finishReverts(context, went.reverts) };
    },
    session.conversation,
  );
  if ("kind" in result) return refused(result, context);
  const { went, written } = result;
  const taken = new Set(plans.map((plan) => shownPath(plan)));
  const own = left.map(({ path }) => path);
  const byCommands = changedByCommands(sides).filter((path) => !taken.has(path) && !own.includes(path));
  const told = [
    ...(withFiles ? writtenLines(written, left) : stayWords(context, session, { left, went })),
    ...(byCommands.length > 0
      ? [`${differ(byCommands)} by what commands did (${someOf(byCommands)}). See: /files`]
      : []),
  ];
  return done({ went, told, files: [...own, ...byCommands].toSorted() });
}

/** The way to take them along is the one from where it came: only from there it is known what to take back. */
function stayWords(
  context: CommandContext,
  session: Session,
  { left, went }: { readonly left: readonly PlannedPreview[]; readonly went: Went },
): readonly string[] {
  if (left.length === 0) return [];
  const names = left.map(({ path }) => path);
  const is = names.length === 1 ? "is not as it" : "are not as they";
  const way = wayBack(context, session, went);
  const words = `Files stay as they are: ${counted(names.length, "file")} ${is} would be there (${someOf(names)}).`;
  return [way === undefined ? words : `${words} To take files along: ${way.join(", then ")}`];
}

function wayBack(context: CommandContext, session: Session, { from, head }: Went): readonly string[] | undefined {
  const { surface, runner } = context;
  if (isOpen(context, session))
    return from === undefined
      ? undefined
      : [called(`tree --to ${from}`, context), called(`tree --to ${head} --files`, context)];
  return surface === "screen" ? [`/resume ${runner.session.id}`, `/resume ${session.id} --files`] : undefined;
}

const NAMED = 3;

function someOf(files: readonly string[]): string {
  const more = files.length - NAMED;
  return `${files.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function differ(files: readonly string[]): string {
  return `${counted(files.length, "file")} ${files.length === 1 ? "differs" : "differ"}`;
}

/** Paths that the two ends left in other states, and commands had a part in it. */
function changedByCommands([one, two]: PathDiff["sides"]): readonly string[] {
  const [left, right] = [netChanges(one.changes), netChanges(two.changes)];
  const suspected = [...one.changes, ...two.changes].filter(({ origin }) => origin === "suspected");
  return [...new Set(suspected.map(({ path }) => path))]
    .filter((path) => {
      const [a, b] = [left.get(path), right.get(path)];
      const base = a ? a.before : b?.before;
      return !isSame(a ? a.after : base, b ? b.after : base);
    })
    .map((path) => shownPath((left.get(path) ?? right.get(path)) as NetChange));
}
