// Looking for words in all that was ever said: the index of the file, and the messages that are not in it yet. Each hit
// names a conversation that shows it, so that it can be opened there. Reads only; costs what the index costs.
import { sqliteCode } from "./errors.ts";
import type { FreshHit, FreshRows } from "./fresh-rows.ts";
import { matchExpression } from "./search-query.ts";
import { type HitFilter, type HitRow, type SearchOrder } from "./search-rows.ts";
import { canonicalRow, sessionRow } from "./sessions.ts";
import { type SessionRow, toSession } from "./sessions-table.ts";
import { type SnippetPart, snippetParts } from "./snippet.ts";
import type { Queries } from "./transaction.ts";
import type { ConversationId, MessageId, Role, Session, SessionId } from "./types.ts";

export interface SearchWish {
  readonly words: string;
  /** The last word may be the beginning of one. */
  readonly isTyping?: boolean;
  /** What its conversation shows, also when that is archived or hidden. */
  readonly session?: SessionId;
  /** Nothing of this conversation. */
  readonly without?: ConversationId;
  readonly role?: Role;
  readonly folder?: string;
  /** In ms since the epoch; `until` is exclusive. */
  readonly since?: number;
  readonly until?: number;
  /** Also what was undone, and what archived and hidden conversations hold. */
  readonly all?: boolean;
  /** Default: relevance. */
  readonly order?: SearchOrder;
  readonly limit: number;
}

export interface SearchHit {
  /** The conversation that shows it, or did before it was undone there; where one can go on. */
  readonly session: Session;
  readonly message: MessageId;
  readonly role: Role;
  readonly at: number;
  /** False: it was undone. */
  readonly live: boolean;
  readonly snippet: readonly SnippetPart[];
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** At most so many of the newest messages were not looked at: the index comes first (`indexStep`). */
  readonly rest: number;
}

export function searchMessages(q: Queries, fresh: FreshRows, wish: SearchWish): SearchResult {
  const match = matchExpression(wish.words, { isTyping: wish.isTyping === true });
  if (match === undefined) return { hits: [], rest: 0 };
  try {
    return search(q, fresh, { ...wish, match });
  } catch (error) {
    const isAboutQuery = sqliteCode(error) === "SQLITE_ERROR" && /^fts5\b/.test((error as Error).message);
    if (!isAboutQuery) throw error;
    return { hits: [], rest: 0 }; // more operators within each other than FTS5 reads
  }
}

type FoundRow = HitRow & { readonly snippet: readonly SnippetPart[] };

function search(q: Queries, fresh: FreshRows, wish: SearchWish & { match: string }): SearchResult {
  const { match, limit, order = "relevance" } = wish;
  const filter = filterOf(q, wish);
  // Those first: what another program indexes in between is then found twice, and not never.
  const found = fresh.search(q, match);
  const newer = freshRows(q, found.hits, { filter, order, limit });
  const indexed: FoundRow[] = [];
  // One by one: a text may have megabytes, of which a piece is kept.
  for (const { marked, ...row } of q.hits[order].iterate({ ...filter, match, limit }))
    indexed.push({ ...row, snippet: snippetParts(marked, match) });
  const rows = order === "oldest" ? [...indexed, ...newer] : [...newer, ...indexed];
  const once = [...new Map(rows.map((row) => [row.id, row])).values()].slice(0, limit);
  return { hits: once.flatMap((row) => hitOf(q, row)), rest: found.rest };
}

/** Ranks of two indexes cannot be compared: the newest messages come first where none is asked to. */
function freshRows(
  q: Queries,
  hits: readonly FreshHit[],
  { filter, order, limit }: { filter: HitFilter; order: SearchOrder; limit: number },
): readonly FoundRow[] {
  const sorted =
    order === "relevance" ? hits : [...hits].sort((a, b) => (order === "newest" ? b.id - a.id : a.id - b.id));
  const rows: FoundRow[] = [];
  for (const { id, snippet } of sorted) {
    if (rows.length === limit) break;
    const row = q.hits.one.get({ ...filter, id });
    if (row) rows.push({ ...row, snippet });
  }
  return rows;
}

function filterOf(q: Queries, wish: SearchWish): HitFilter {
  const session = wish.session === undefined ? undefined : sessionRow(q, wish.session);
  const shown = session && canonicalRow(q, session.conversation_id);
  return {
    role: wish.role ?? null,
    folder: wish.folder ?? null,
    since: wish.since ?? null,
    until: wish.until ?? null,
    without: wish.without ?? null,
    conversation: shown?.conversation_id ?? null,
    head: shown?.head_id ?? null,
    all: wish.all ? 1 : 0,
  };
}

function hitOf(q: Queries, row: FoundRow): readonly SearchHit[] {
  const session = shownIn(q, row);
  if (!session) return [];
  const { id: message, role, at, live, snippet } = row;
  return [{ session: toSession(session), message, role, at, live: live === 1, snippet }];
}

/**
 * The writer's own conversation, unless it went back behind the message, or is gone, and a branch still shows it. One
 * that never went back shows all it wrote: only else the way from its head is walked, over ids alone.
 */
function shownIn(q: Queries, { id, live, depth, conversation }: HitRow): SessionRow | undefined {
  const own = q.sessions.canonical.get(conversation);
  const shows = (row: SessionRow | undefined) =>
    row !== undefined && row.head_id !== null && q.messages.ancestor.get({ from: row.head_id, depth }) === id;
  if (own && (live === 0 || own.rewind_count === 0 || shows(own))) return own;
  for (const each of q.hits.grownOutOf.all(conversation)) {
    const row = q.sessions.canonical.get(each);
    if (row && shows(row)) return row;
  }
  return undefined;
}
