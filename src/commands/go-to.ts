// Going to another end of a conversation: the chat goes there, files stay as they are, and it is said which of them
// are not as that end left them.
import type { Went } from "../ledger/go-to.ts";
import type { PathDiff } from "../ledger/path-diff.ts";
import type { FileChange, FileState, HolderId, MessageId, SessionId } from "../ledger/types.ts";
import type { CommandContext } from "./command.ts";
import { shownPath } from "./file-preview.ts";
import { underLease } from "./move-files.ts";
import { counted, refused } from "./results.ts";

export interface WentTo {
  readonly went: Went;
  /** About the files that differ; none where none does. */
  readonly told: readonly string[];
  /** As they are shown. */
  readonly files: readonly string[];
}

/** `revision`: of the session, as the person saw it. */
export async function goToEnd(
  context: CommandContext,
  { session, to, revision }: { session: SessionId; to: MessageId; revision?: number },
): Promise<WentTo | ReturnType<typeof refused>> {
  const { db } = context;
  const expected = revision === undefined ? {} : { expectedRevision: revision };
  const { conversation } = await db.session(session);
  const move = (holder: HolderId) => db.goTo(session, { to, holder, ...expected });
  const went = await underLease<Went>(context, move, conversation);
  if (went.kind !== "went") return refused(went, context);
  const files = differing(await db.pathDiff({ ends: [went.from, went.head], skip: 0, limit: 0 }));
  return { went, files, told: fileWords(files) };
}

const NAMED = 3;

function fileWords(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length - NAMED;
  const names = `${files.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const differ = `${counted(files.length, "file")} ${files.length === 1 ? "differs" : "differ"}`;
  return [`Files stay as they are: ${differ} from what was there (${names}). See: /files`];
}

/** Paths that the two ends left in other states. */
export function differing({ sides: [one, two] }: PathDiff): readonly string[] {
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

/** What several changes of a path come to. */
export interface NetChange {
  readonly path: string;
  readonly cwd: string;
  readonly before?: FileState;
  readonly after?: FileState;
  readonly isSuspected: boolean;
  readonly isKept: boolean;
}

/** By path; `changes` oldest first. */
export function netChanges(changes: readonly FileChange[]): ReadonlyMap<string, NetChange> {
  const net = new Map<string, NetChange>();
  for (const { path, cwd, before, after, origin, restorable } of changes) {
    const older = net.get(path);
    const first = older ? older.before : before;
    net.set(path, {
      ...{ path, cwd },
      ...(first && { before: first }),
      ...(after && { after }),
      isSuspected: origin === "suspected" && (older?.isSuspected ?? true),
      isKept: restorable && (older?.isKept ?? true),
    });
  }
  return net;
}

export function isSame(one: FileState | undefined, two: FileState | undefined): boolean {
  return one?.hash === two?.hash && (one === undefined || one.mode === two?.mode);
}
