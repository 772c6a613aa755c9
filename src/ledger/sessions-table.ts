// Table `sessions`: rows, statements, and the plain data made of them. Counts come from the head's node.
import { decodeJson } from "./codec.ts";
import type { Database } from "./open.ts";
import type {
  ConversationId,
  Edge,
  EndReason,
  Hash,
  Json,
  MessageId,
  ModelRoute,
  Session,
  SessionId,
  TitleSource,
} from "./types.ts";
import { toUsage } from "./usage.ts";

export interface SessionRow {
  readonly id: SessionId;
  readonly conversation_id: ConversationId;
  readonly generation: number;
  readonly parent_id: SessionId | null;
  readonly edge: Edge | null;
  readonly fork_message_id: MessageId | null;
  readonly head_id: MessageId | null;
  readonly title: string | null;
  readonly title_source: TitleSource | null;
  readonly provider: string;
  readonly model: string;
  readonly model_options: string | null;
  readonly cwd: string;
  readonly git_root: string | null;
  readonly git_branch: string | null;
  readonly source: string;
  readonly started_at: number;
  readonly last_activity_at: number;
  readonly ended_at: number | null;
  readonly end_reason: EndReason | null;
  readonly deleted_at: number | null;
  readonly archived: number;
  readonly pinned: number;
  readonly hidden: number;
  readonly opened_by_new: number;
  readonly rewind_count: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly revision: number;
  readonly compaction_cooldown_until: number | null;
  readonly compaction_error: string | null;
  readonly compaction_ineffective_count: number;
  /** Of the head: number of messages and user turns on the path. */
  readonly head_depth: number | null;
  readonly head_turn: number | null;
}

/** What an append needs of it: the whole row would cost more than the insert. */
export type WritingRow = Pick<SessionRow, "id" | "head_id" | "end_reason" | "provider" | "model" | "model_options"> &
  HeadColumns;

/** What a new node needs of the head it extends, read with the session in one go; null without a head. */
export interface HeadColumns {
  readonly head_hash: Hash | null;
  readonly head_depth: number | null;
  readonly head_turn: number | null;
  readonly head_at: number | null;
  /** 1: an undo is not yet built upon. */
  readonly redoable: number;
}

/** `s` and `p` are the session and its head. */
export const WRITING_COLUMNS = `s.id, s.head_id, s.end_reason, s.provider, s.model, s.model_options,
  p.hash as head_hash, p.depth as head_depth, p.turn as head_turn, p.created_at as head_at,
  exists (select 1 from head_moves h where h.session_id = s.id and h.redoable = 1) as redoable`;

/** Of a conversation: its highest generation. */
export const CANONICAL_OF = (conversation: string) => `(select c.id from sessions c
  where c.conversation_id = ${conversation} and c.deleted_at is null order by c.generation desc limit 1)`;

/** `s` is the session. */
export const HAS_UNSENT =
  "exists (select 1 from drafts d where d.conversation_id = s.conversation_id and d.kind = 'composer')";

const SELECT = `select s.*, m.depth as head_depth, m.turn as head_turn
  from sessions s left join messages m on m.id = s.head_id`;

export function sessionQueries(db: Database) {
  return {
    get: db.prepare<[string], SessionRow>(`${SELECT} where s.id = ?`),
    withPrefix: db.prepare<[string, string], SessionRow>(
      `${SELECT} where s.id >= ? and s.id < ? and s.deleted_at is null group by s.conversation_id order by s.id limit 20`,
    ),
    withTitle: db.prepare<[string], SessionRow>(
      `${SELECT} where s.title = ? and s.deleted_at is null and s.end_reason is not 'compression'
       order by s.last_activity_at desc limit 20`,
    ),
    withPersonTitle: db.prepare<[string], SessionRow>(
      `${SELECT} where s.title = ? and s.title_source = 'person' and s.ended_at is null and s.deleted_at is null`,
    ),
    canonical: db.prepare<[string], SessionRow>(
      `${SELECT} where s.conversation_id = ? and s.deleted_at is null order by s.generation desc limit 1`,
    ),
    writing: db.prepare<[string], WritingRow>(
      `select ${WRITING_COLUMNS} from sessions s left join messages p on p.id = s.head_id where s.id = ${CANONICAL_OF("?")}`,
    ),
    ofConversation: db.prepare<[string], SessionRow>(`${SELECT} where s.conversation_id = ? order by s.generation`),
    /** Newest of a folder that is worth continuing: it has messages, or /new made it on purpose. */
    latestInFolder: db.prepare<[string], SessionRow>(
      `${SELECT} where s.cwd = ? and s.deleted_at is null and s.archived = 0 and s.hidden = 0
         and s.end_reason is not 'compression' and (s.head_id is not null or s.opened_by_new = 1
           or exists (select 1 from messages w where w.session_id = s.id) or ${HAS_UNSENT})
       order by s.last_activity_at desc, s.started_at desc, s.id desc limit 1`,
    ),
    /** A conversation that /new opened in this folder after then, also one that was put away: what lies before is over. */
    newAfter: db
      .prepare<[string, number, number], number>(
        `select 1 from sessions s where s.cwd = ? and s.last_activity_at > ? and s.opened_by_new = 1
           and s.deleted_at is null and s.end_reason is not 'compression'
           and (select f.started_at from sessions f where f.id = s.conversation_id) > ? limit 1`,
      )
      .pluck(),
    names: db.prepare<[], { id: SessionId; title: string | null }>(
      `select id, title from sessions where deleted_at is null and end_reason is not 'compression'
       order by last_activity_at desc limit 500`,
    ),
    insert: db.prepare(
      `insert into sessions (id, conversation_id, generation, parent_id, edge, fork_message_id, head_id, title,
         title_source, provider, model, model_options, cwd, git_root, git_branch, source, started_at,
         last_activity_at, opened_by_new)
       values (@id, @conversation_id, @generation, @parent_id, @edge, @fork_message_id, @head_id, @title,
         @title_source, @provider, @model, @model_options, @cwd, @git_root, @git_branch, @source, @started_at,
         @started_at, @opened_by_new)`,
    ),
    setHead: db.prepare<[number | null, number, string]>(
      `update sessions set head_id = ?, last_activity_at = max(last_activity_at, ?), revision = revision + 1
       where id = ?`,
    ),
    countRewind: db.prepare<[string]>("update sessions set rewind_count = rewind_count + 1 where id = ?"),
    setRoute: db.prepare<[string, string, string | null, string]>(
      "update sessions set provider = ?, model = ?, model_options = ?, revision = revision + 1 where id = ?",
    ),
    setTitle: db.prepare<[string | null, string | null, string]>(
      "update sessions set title = ?, title_source = ?, revision = revision + 1 where id = ?",
    ),
    setFlags: db.prepare(
      `update sessions set archived = @archived, pinned = @pinned, hidden = @hidden, ended_at = @ended_at,
         end_reason = @end_reason, revision = revision + 1 where id = @id`,
    ),
    reopen: db.prepare<[string]>(
      `update sessions set ended_at = null, end_reason = null, archived = 0, revision = revision + 1
       where id = ? and end_reason = 'closed'`,
    ),
    bury: db.prepare<[number, string]>(
      `update sessions set head_id = null, deleted_at = ?, title = null, title_source = null, revision = revision + 1
       where id = ?`,
    ),
    discardEmpty: db.prepare<[{ id: string }]>(
      `delete from sessions where id = @id and head_id is null and opened_by_new = 0 and parent_id is null
         and title_source is not 'person'
         and not exists (select 1 from messages where session_id = @id)
         and not exists (select 1 from admissions where session_id = @id)
         and not exists (select 1 from drafts where conversation_id = @id)
         and not exists (select 1 from sessions child where child.parent_id = @id)`,
    ),
    endCompressed: db.prepare<[number, string]>(
      "update sessions set ended_at = ?, end_reason = 'compression', revision = revision + 1 where id = ?",
    ),
    /**
     * What a conversation takes along into its next generation, beside what is inserted; the title with the end, because a
     * closed one has no claim to it.
     */
    carryOver: db.prepare(
      `update sessions set archived = @archived, pinned = @pinned, hidden = @hidden, rewind_count = @rewind_count,
         title = @title, title_source = @title_source, ended_at = @ended_at, end_reason = @end_reason,
         revision = @revision, compaction_ineffective_count = @compaction_ineffective_count where id = @id`,
    ),
    /** A later deadline stays; of the reason the newest is kept. */
    coolDown: db.prepare<[number, string, string]>(
      `update sessions set compaction_cooldown_until = max(coalesce(compaction_cooldown_until, 0), ?),
         compaction_error = ? where id = ?`,
    ),
    countIneffective: db.prepare<[string]>(
      "update sessions set compaction_ineffective_count = compaction_ineffective_count + 1 where id = ?",
    ),
    isLiveHead: db
      .prepare<[number], number>(
        "select exists (select 1 from sessions where head_id = ? and end_reason is not 'compression')",
      )
      .pluck(),
    dropFork: db.prepare<[number]>("update sessions set fork_message_id = null where fork_message_id = ?"),
    count: db.prepare<[], number>("select count(*) from sessions where deleted_at is null").pluck(),
    titles: db
      .prepare<[string, string], string>(
        "select title from sessions where title >= ? and title < ? and deleted_at is null and end_reason is not 'compression'",
      )
      .pluck(),
  };
}

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    conversation: row.conversation_id,
    generation: row.generation,
    route: toRoute(row),
    cwd: row.cwd,
    source: row.source,
    startedAt: row.started_at,
    lastActivityAt: row.last_activity_at,
    archived: row.archived === 1,
    pinned: row.pinned === 1,
    hidden: row.hidden === 1,
    revision: row.revision,
    rewinds: row.rewind_count,
    messages: row.head_depth ?? 0,
    turns: row.head_turn ?? 0,
    usage: toUsage(row),
    ...(row.parent_id !== null && { parent: row.parent_id }),
    ...(row.edge !== null && { edge: row.edge }),
    ...(row.fork_message_id !== null && { forkMessage: row.fork_message_id }),
    ...(row.head_id !== null && { head: row.head_id }),
    ...(row.title !== null && { title: row.title }),
    ...(row.title_source !== null && { titleSource: row.title_source }),
    ...(row.git_root !== null && { gitRoot: row.git_root }),
    ...(row.git_branch !== null && { gitBranch: row.git_branch }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.end_reason !== null && { endReason: row.end_reason }),
  };
}

export function toRoute(row: Pick<SessionRow, "provider" | "model" | "model_options">): ModelRoute {
  const options = row.model_options === null ? undefined : decodeJson(row.model_options);
  return {
    provider: row.provider,
    model: row.model,
    ...(options !== undefined && { options: options as { readonly [key: string]: Json } }),
  };
}
