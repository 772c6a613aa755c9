// Going to another end of a conversation: the chat goes there. Files stay as they are, and it is said which of them are
// not as that end left them; or they go along by the rules of an undo, each only if nobody else changed it.
import { finishReverts } from "../agent/recovery-world.ts";
import { planFilesOver, toReverts } from "../agent/undo-files.ts";
import type { Went } from "../ledger/go-to.ts";
import type { PathDiff, Side } from "../ledger/path-diff.ts";
import type { MessageId, Session } from "../ledger/types.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type PlannedPreview, previewJson, previewOf, shownPath, writtenLines } from "./file-preview.ts";
import { underLease } from "./move-files.ts";
import { isSame, type NetChange, netChanges } from "./net-changes.ts";
import { counted, refused } from "./results.ts";

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
  /** Those that are not as this end left them, as far as is known; as they are shown. */
  readonly files: readonly string[];
}

export const FILE_FLAGS = [
  { name: "files", help: "files go along: as that end left them, after a preview" },
  { name: "yes", help: "without the preview" },
] as const;

export async function goToEnd(context: CommandContext, wish: GoToWish): Promise<CommandResult> {
  const { session, to, withFiles, isSure } = wish;
  const ends = [session.head, to] as const;
  const { sides } = await context.db.pathDiff({ ends, skip: 0, limit: 0 });
  const preview = withFiles ? await filesOver(context, sides) : [];
  const apply = (chosen: readonly PlannedPreview[]) =>
    move(context, wish, { sides, chosen, left: preview.filter((file) => !chosen.includes(file)) });
  if (preview.length === 0) return apply([]);
  if (isSure) return apply(preview.filter(({ isChosen }) => isChosen));
  return {
    kind: "preview",
    title: "Go there, and write these files as they were left there?",
    files: preview,
    apply: (chosen) => apply(preview.filter(({ path }) => chosen.some((each) => each.path === path))),
    json: previewJson(preview),
  };
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
  const files = differing(sides).filter((path) => !taken.has(path));
  const told = [...writtenLines(written, left), ...(withFiles && left.length > 0 ? [] : fileWords(files, withFiles))];
  return done({ went, told, files });
}

const NAMED = 3;

function fileWords(files: readonly string[], withFiles: boolean): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length - NAMED;
  const names = `${files.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const differ = `${counted(files.length, "file")} ${files.length === 1 ? "differs" : "differ"}`;
  if (withFiles) return [`${differ} by what commands did (${names}). See: /files`];
  return [`Files stay as they are: ${differ} from what was there (${names}). With --files they go along.`];
}

/** Paths that the two ends left in other states. */
function differing([one, two]: PathDiff["sides"]): readonly string[] {
  const [left, right] = [netChanges(one.changes), netChanges(two.changes)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => {
      const [a, b] = [left.get(path), right.get(path)];
      const base = a ? a.before : b?.before;
      return !isSame(a ? a.after : base, b ? b.after : base);
    })
    .map((path) => shownPath((left.get(path) ?? right.get(path)) as NetChange))
    .sort();
}
