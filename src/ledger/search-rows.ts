// The statements of a search: hits of the word index that a person may be shown, in the order they asked for, each as
// soon as it is found, so that a search ends at its limit; and the same conditions for one message that is not in it yet.
import type { Database } from "./open.ts";
import { CANONICAL_OF } from "./sessions-table.ts";
import { markedText } from "./snippet.ts";
import type { ConversationId, MessageId, Role, SessionId } from "./types.ts";

export interface HitFilter {
  readonly role: Role | null;
  readonly folder: string | null;
  readonly since: number | null;
  readonly until: number | null;
  /** The conversation that alone is looked through, and the head of what it shows. */
  readonly conversation: ConversationId | null;
  readonly head: MessageId | null;
  readonly without: ConversationId | null;
  /** 1: also what was undone, and what archived and hidden conversations hold. */
  readonly all: number;
}

export interface HitRow {
  readonly id: MessageId;
  readonly role: Role;
  readonly at: number;
  readonly live: number;
  readonly depth: number;
  /** The session that wrote it; it may be deleted while a branch shows the message. */
  readonly writer: SessionId;
  readonly conversation: ConversationId;
}

export type SearchOrder = "relevance" | "newest" | "oldest";

const COLUMNS = `m.id, m.role, m.created_at as at, m.live, m.depth, m.session_id as writer,
  s.conversation_id as conversation`;

/** `c` is the conversation's newest session: what is said of a conversation is said there. */
const OF_WRITER = `join sessions s on s.id = m.session_id
  join sessions c on c.id = coalesce(${CANONICAL_OF("s.conversation_id")}, s.id)`;

/** A node of a deleted conversation is there only as long as a branch shows it. */
const SHOWN = `(m.live = 1 or (@all = 1 and c.deleted_at is null))
  and (@all = 1 or @conversation is not null or c.deleted_at is not null or (c.archived = 0 and c.hidden = 0))
  and (@role is null or m.role = @role)
  and (@folder is null or c.cwd = @folder)
  and (@since is null or m.created_at >= @since) and (@until is null or m.created_at < @until)
  and (@without is null or s.conversation_id <> @without)
  and (@conversation is null or m.id in (select id from path)
    or (@all = 1 and m.live = 0 and s.conversation_id = @conversation))`;

/** Only walked where one conversation is asked for, and over ids alone. */
const PATH = `with recursive path (id, parent_id) as materialized (
    select id, parent_id from messages where @conversation is not null and id = @head
    union all
    select m.id, m.parent_id from path join messages m on m.id = path.parent_id)`;

/** Ids rise with the time of writing: newest and oldest read the index in its own order and sort nothing. */
const ORDERS: Readonly<Record<SearchOrder, string>> = {
  relevance: "messages_fts.rank",
  newest: "messages_fts.rowid desc",
  oldest: "messages_fts.rowid",
};

export function hitQueries(db: Database) {
  const inOrder = (order: SearchOrder) =>
    db.prepare<[HitFilter & { match: string; limit: number }], HitRow & { marked: string }>(
      `${PATH} select ${COLUMNS}, ${markedText("messages_fts", "m.text")}
       from messages_fts cross join messages m on m.id = messages_fts.rowid ${OF_WRITER}
       where messages_fts match @match and ${SHOWN} order by ${ORDERS[order]} limit @limit`,
    );
  return {
    relevance: inOrder("relevance"),
    newest: inOrder("newest"),
    oldest: inOrder("oldest"),
    one: db.prepare<[HitFilter & { id: number }], HitRow>(
      `${PATH} select ${COLUMNS} from messages m ${OF_WRITER} where m.id = @id and ${SHOWN}`,
    ),
    /** Newest sessions of conversations that grew out of this one. */
    grownOutOf: db
      .prepare<[string], ConversationId>(
        `with recursive down (id, conversation_id) as (
           select id, conversation_id from sessions where conversation_id = ?
           union select s.id, s.conversation_id from down
             join sessions s on s.parent_id = down.id or s.conversation_id = down.conversation_id)
         select distinct conversation_id from down`,
      )
      .pluck(),
  };
}
