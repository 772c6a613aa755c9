// The statements of the list of sessions: one text for each combination of filters, so that each walks the index that has
// its order and ends at its limit, however many sessions there are. Two walks, the pinned ones first, or one by activity.
import type { Database } from "./open.ts";
import { HAS_UNSENT, type SessionRow } from "./sessions-table.ts";
import type { SessionState } from "./types.ts";

export interface SessionFilter {
  readonly folder?: string;
  /** Also archived and hidden ones, and those that hold nothing. */
  readonly all?: boolean;
  /** Only these. */
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly hidden?: boolean;
  readonly state?: SessionState;
  /** Of the last activity, in ms; `until` is not in it. */
  readonly since?: number;
  readonly until?: number;
  /** `provider/model`, or the model alone. */
  readonly model?: string;
  /** Off: none without a message or an unsent text, also when /new opened it. Default on. */
  readonly empty?: boolean;
  /** Each has to be in the title, the folder, the id or the first prompt. */
  readonly words?: string;
  /** Pinned ones are no earlier than others; so it is among archived and hidden ones. */
  readonly byActivity?: boolean;
  readonly limit?: number;
}

export interface ListedRow extends SessionRow {
  readonly first_prompt: string | null;
  readonly unsent: string | null;
}

const UNSENT = `(select substr(d.text, 1, 200) from drafts d where d.conversation_id = s.conversation_id
  and d.kind = 'composer' order by d.updated_at desc limit 1)`;

const HAS_WAITING =
  "exists (select 1 from admissions a where a.conversation_id = s.conversation_id and a.status <> 'terminal')";

const FIRST_PROMPT =
  "(select a.summary from admissions a where a.conversation_id = s.conversation_id order by a.seq limit 1)";

/** What `sessionState` looks at; whether a started turn is held is the kernel's to say, so both are candidates. */
const STARTED = "a.status <> 'terminal' and a.status in ('started', 'unknown')";
const NOT_STARTED = `not exists (select 1 from admissions a where a.conversation_id = s.conversation_id and ${STARTED})`;
const IS_INTERRUPTED = `(select a.outcome from admissions a where a.conversation_id = s.conversation_id
  and a.outcome not in ('cancelled', 'steered') and a.kind <> 'compact' order by a.seq desc limit 1) is 'interrupted'`;
const IN_STATE: Readonly<Record<SessionState, string>> = {
  running: `exists (select 1 from admissions a where a.conversation_id = s.conversation_id and ${STARTED})`,
  unknown: `exists (select 1 from admissions a where a.conversation_id = s.conversation_id and ${STARTED})`,
  interrupted: `${NOT_STARTED} and ${IS_INTERRUPTED}`,
  idle: `${NOT_STARTED} and not ${IS_INTERRUPTED}`,
};

/** Every session that is one: no closed generation, no tombstone. */
const IS_ONE = "s.deleted_at is null and s.end_reason is not 'compression'";

/** How texts are compared in a search. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** What is looked for, word by word. */
export function foldedWords(text: string): string[] {
  return folded(text)
    .split(/\s+/u)
    .filter((word) => word !== "");
}

/** SQLite's own knows ASCII only, and costs a tenth. */
function lower(text: string, isWide: boolean): string {
  return `${isWide ? "fold" : "lower"}(${text})`;
}

function has(words: readonly string[]): string {
  const isWide = words.some((word) => /[^\x20-\x7e]/.test(word));
  return `not exists (select 1 from json_each(@words) w
    where instr(${lower("coalesce(s.title, '') || ' ' || s.cwd || ' ' || s.id", isWide)}, w.value) = 0
      and instr(${lower(`coalesce(${FIRST_PROMPT}, '')`, isWide)}, w.value) = 0)`;
}

/** Nothing was said in it, nothing waits in it, and nobody is writing it. */
function isSomething(filter: SessionFilter): string {
  const opened = filter.empty === false ? "" : "or s.opened_by_new = 1";
  return `(s.head_id is not null ${opened} or ${HAS_WAITING}
    or exists (select 1 from messages w where w.session_id = s.id) or ${HAS_UNSENT})`;
}

/** What a session has to be, as SQL over `s`. */
export function conditionOf(filter: SessionFilter, words: readonly string[]): string {
  const { all, folder, pinned, archived, hidden, state, since, until, model } = filter;
  const parts = [
    IS_ONE,
    folder !== undefined && "s.cwd = @folder",
    pinned && "s.pinned = 1",
    archived ? "s.archived = 1" : !all && "s.archived = 0",
    hidden ? "s.hidden = 1" : !all && "s.hidden = 0",
    since !== undefined && "s.last_activity_at >= @since",
    until !== undefined && "s.last_activity_at < @until",
    model !== undefined && "(s.model = @model or s.provider || '/' || s.model = @model)",
    !all && isSomething(filter),
    words.length > 0 && has(words),
    state && IN_STATE[state],
  ];
  return parts.filter((part) => part !== false && part !== undefined).join(" and ");
}

/** The sessions that a walk goes through: few of what is rare, else the newest first. */
function walked({ archived, hidden, folder, state }: SessionFilter, isPinned: boolean): string {
  if (state === "running" || state === "unknown")
    return `(select distinct a.conversation_id as started from admissions a where ${STARTED})
      cross join sessions s on s.conversation_id = started`;
  if (isPinned) return "sessions s indexed by sessions_pinned";
  if (archived) return "sessions s indexed by sessions_archived";
  if (hidden) return "sessions s indexed by sessions_hidden";
  return `sessions s indexed by ${folder === undefined ? "sessions_by_activity" : "sessions_by_folder"}`;
}

/** What was put away has no top to be kept at, and looking for the pinned of it would go through all that are pinned. */
function isByActivity({ byActivity, archived, hidden }: SessionFilter): boolean {
  return byActivity === true || archived === true || hidden === true;
}

/** The list as a person sees it. */
export function listSql(filter: SessionFilter): string {
  const words = foldedWords(filter.words ?? "");
  const condition = conditionOf(filter, words);
  if (isByActivity(filter))
    return pageSql(
      `select s.id from ${walked(filter, filter.pinned === true)} where ${condition}
    order by s.last_activity_at desc, s.id desc limit @limit`,
      "",
    );
  const walk = (isPinned: boolean) => `select * from (select s.id from ${walked(filter, isPinned)}
    where ${condition} and s.pinned = ${isPinned ? 1 : 0} order by s.last_activity_at desc, s.id desc limit @limit)`;
  return pageSql(`${walk(true)}${filter.pinned ? "" : ` union all ${walk(false)}`}`, "s.pinned desc,");
}

function pageSql(listed: string, first: string): string {
  return `with listed as materialized (${listed})
    select s.*, m.depth as head_depth, m.turn as head_turn, ${FIRST_PROMPT} as first_prompt,
      case when s.head_id is null then ${UNSENT} end as unsent
    from listed join sessions s on s.id = listed.id left join messages m on m.id = s.head_id
    order by ${first} s.last_activity_at desc, s.id desc limit @limit`;
}

/** The function `fold` of the statements here and in other lists, for letters that SQLite's `lower` does not know. */
export function defineFold(db: Database): void {
  db.function("fold", { deterministic: true }, (text: unknown) => folded(String(text)));
}

/** Statements are made when they are first asked for: most combinations never are. */
export function sessionListQueries(db: Database) {
  const made = new Map<string, ReturnType<typeof db.prepare<[object], ListedRow>>>();
  return {
    page(filter: SessionFilter, limit: number): ListedRow[] {
      const sql = listSql(filter);
      const statement = made.get(sql) ?? db.prepare<[object], ListedRow>(sql);
      made.set(sql, statement);
      return statement.all({ ...filter, limit, words: JSON.stringify(foldedWords(filter.words ?? "")) });
    },
  };
}
