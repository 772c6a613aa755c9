// Which conversation a terminal was used for last (`state_meta`, key `terminal:NAME`), and what `-c` goes on with: that one
// where it is of the folder, else the newest of the folder; never one from before the folder's newest /new.
import { canonicalRow } from "./sessions.ts";
import { type SessionRow, toSession } from "./sessions-table.ts";
import type { Queries, Tx } from "./transaction.ts";
import type { ConversationId, Session } from "./types.ts";

/** For so long a terminal is remembered, in ms (C 6.5). */
const KEPT_MS = 30 * 86_400_000;
const PREFIX = "terminal:";

interface Crumb {
  readonly conversation: ConversationId;
  readonly at: number;
}

export interface Continued {
  readonly session: Session;
  /** The newest of the folder, where the terminal's own was taken and is another one. */
  readonly insteadOf?: Session;
}

/** What was remembered of terminals that nobody used since goes. */
export function rememberTerminal(tx: Tx, terminal: string, conversation: ConversationId): void {
  for (const { key, value } of tx.q.meta.withPrefix.all(PREFIX, `${PREFIX}\u{10ffff}`))
    if (!isFresh(crumbOf(value), tx.now)) tx.q.meta.drop.run(key);
  tx.q.meta.put.run(PREFIX + terminal, JSON.stringify({ conversation, at: tx.now } satisfies Crumb));
}

export function continued(
  q: Queries,
  { folder, terminal, now }: { folder: string; terminal: string | undefined; now: number },
): Continued | undefined {
  const newest = newestOf(q, folder);
  const own = terminal === undefined ? undefined : ownOf(q, { folder, terminal, now });
  if (!own) return newest && { session: toSession(newest) };
  const isOther = newest !== undefined && newest.conversation_id !== own.conversation_id;
  return { session: toSession(own), ...(isOther && { insteadOf: toSession(newest) }) };
}

function newestOf(q: Queries, folder: string): SessionRow | undefined {
  const found = q.sessions.latestInFolder.get(folder);
  if (!found || q.sessions.newAfter.get(folder, found.last_activity_at, found.last_activity_at) !== undefined)
    return undefined;
  return canonicalRow(q, found.conversation_id);
}

/** Opened by /new it counts while it is empty too. One that was put away or is of another folder does not. */
function ownOf(q: Queries, { folder, terminal, now }: { folder: string; terminal: string; now: number }) {
  const crumb = crumbOf(q.meta.get.get(PREFIX + terminal));
  if (!crumb || !isFresh(crumb, now)) return undefined;
  const row = q.sessions.canonical.get(crumb.conversation);
  if (!row || row.cwd !== folder || row.archived === 1 || row.hidden === 1) return undefined;
  return row.head_id !== null || row.opened_by_new === 1 ? row : undefined;
}

function isFresh(crumb: Crumb | undefined, now: number): boolean {
  return crumb !== undefined && now - crumb.at < KEPT_MS;
}

function crumbOf(value: string | undefined): Crumb | undefined {
  return value === undefined ? undefined : (JSON.parse(value) as Crumb);
}
