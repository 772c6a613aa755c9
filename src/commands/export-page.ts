// A conversation as a Markdown page, window by window of its path, with diffs of what its calls did to files.
import { diffTexts, type FileDiff } from "../agent/tools/file-diff.ts";
import { checkStopped, type Work } from "../interop/export-records.ts";
import { pageBody, pageHead } from "../interop/markdown.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { FileChange, FileState, Message, Session } from "../ledger/types.ts";

const WINDOW = 100;

export async function* markdownPage(
  db: AsyncSessionDB,
  session: Session,
  { text = (same: string) => same, ...work }: Work & { readonly text?: (text: string) => string },
): AsyncGenerator<string> {
  const { head, messages: length, id } = session;
  yield text(pageHead(session));
  if (head === undefined) return;
  for (let depth = Math.min(WINDOW, length); ; depth = Math.min(depth + WINDOW, length)) {
    checkStopped(work);
    const limit = depth % WINDOW === 0 ? WINDOW : depth % WINDOW;
    const { messages } = await db.path(id, { from: head, depth, limit });
    yield await bodyOf(db, messages, text);
    work.onProgress?.(`${depth} of ${length} messages`);
    if (depth === length) return;
  }
}

async function bodyOf(
  db: AsyncSessionDB,
  messages: readonly Message[],
  text: (text: string) => string,
): Promise<string> {
  const ids = messages.map(({ id }) => id);
  const calls = await db.callsOfMessages(ids);
  const results: Message[] = [];
  for (const { result } of calls) {
    const message = result === undefined ? undefined : await db.message(result);
    if (message) results.push(message);
  }
  const changes = await db.changesOf(ids);
  const diffs = new Map<FileChange["id"], string>();
  for (const change of changes) {
    const diff = await diffOf(db, change);
    if (diff !== undefined) diffs.set(change.id, diff);
  }
  return pageBody({ messages, calls, results, changes, diffs }, text);
}

async function diffOf(db: AsyncSessionDB, { before, after, restorable }: FileChange): Promise<string | undefined> {
  if (!restorable) return undefined;
  const [old, now] = [await textOf(db, before), await textOf(db, after)];
  return old === undefined || now === undefined ? undefined : unified(diffTexts(old, now));
}

const MAX_BYTES = 1024 * 1024;

/** Undefined for what is no text, or too much of it. */
async function textOf(db: AsyncSessionDB, state: FileState | undefined): Promise<string | undefined> {
  if (!state) return "";
  const bytes = await db.blob(state.hash);
  if (bytes.length > MAX_BYTES || bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes);
}

function unified({ hunks, added, removed }: FileDiff): string {
  if (!hunks) return `+${added} -${removed}: too many changes to show`;
  return hunks
    .map((hunk) => [`@@ line ${hunk[0]?.number ?? 1} @@`, ...hunk.map(({ sign, text }) => sign + text)].join("\n"))
    .join("\n");
}
