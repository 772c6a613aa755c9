// What a path shows, as lists that a person chooses from, newest first: its turns with what came of them, and what its
// calls did to files. A window ends where a turn begins and names where the next one goes on; only ids are walked, so
// that a message of any size costs nothing. Looking for words walks the whole path: it is asked of the second thread.
import { type ChangeRow, changesOfPath, toChange } from "./file-changes-table.ts";
import type { Database } from "./open.ts";
import { foldedWords } from "./session-list.ts";
import type { Queries } from "./transaction.ts";
import type { FileChange, Hash, MessageId, Outcome } from "./types.ts";

export interface ListedTurn {
  readonly turn: number;
  /** The prompt it began with, and the node it ends in on this path. */
  readonly first: MessageId;
  readonly last: MessageId;
  /** Of the prompt's text. */
  readonly beginning: string;
  readonly at: number;
  /** Tool calls, and files they changed. */
  readonly calls: number;
  readonly files: number;
  /** Absent: the row of its prompt went with a deleted conversation. */
  readonly state?: "running" | "undecided" | Outcome;
}

export interface TurnWindow {
  readonly turns: readonly ListedTurn[];
  /** Where the next window begins; absent: that was the first turn. */
  readonly next?: MessageId;
}

/** A change that happened, or may have. */
export interface ListedChange extends FileChange {
  readonly turn: number;
  /** The newest revert of files alone that names it and was done. */
  readonly revert?: { readonly direction: "undo" | "redo"; readonly target?: Hash };
}

export interface ChangeWindow {
  readonly changes: readonly ListedChange[];
  readonly next?: MessageId;
}

interface TurnRow {
  readonly turn: number;
  readonly first: MessageId;
  readonly last: MessageId;
  readonly parent: MessageId | null;
  readonly beginning: string;
  readonly at: number;
  readonly calls: number;
  readonly files: number;
  readonly status: string | null;
  readonly outcome: Outcome | null;
}

type ListedRow = ChangeRow & {
  readonly turn: number;
  readonly direction: "undo" | "redo" | null;
  readonly target: Hash | null;
};

/** Down from a node to the turns after `@above`. */
const PATH = `with recursive path (id, parent_id, turn) as (
    select id, parent_id, turn from messages where id = @from
    union all
    select m.id, m.parent_id, m.turn from path join messages m on m.id = path.parent_id where m.turn > @above)`;
/** Characters of a prompt that are shown and looked through. */
const LOOKED_AT = 2_000;

export function pathListQueries(db: Database) {
  return {
    turnOf: db.prepare<[number], number>("select turn from messages where id = ?").pluck(),
    turns: db.prepare<[{ from: number; above: number; words: string; limit: number }], TurnRow>(
      // A parent is written before its children: on a path ids rise from the root on.
      `${PATH}, turns (turn, first, last) as
         (select turn, min(id), max(id) from path where turn > @above group by turn)
       select t.turn, t.first, t.last, m.parent_id as parent, substr(m.text, 1, ${LOOKED_AT}) as beginning,
         m.created_at as at, a.status, a.outcome,
         (select count(*) from tool_calls c where c.admission_id = m.admission_id) as calls,
         (select count(distinct f.path) from tool_calls c join file_changes f on f.tool_call_id = c.id
          where c.admission_id = m.admission_id
            and (f.origin = 'suspected' or c.state in ('succeeded', 'unknown', 'running'))) as files
       from turns t join messages m on m.id = t.first left join admissions a on a.seq = m.admission_id
       where not exists (select 1 from json_each(@words) w
         where instr(fold(t.turn || ' ' || substr(m.text, 1, ${LOOKED_AT})), w.value) = 0)
       order by t.turn desc limit @limit`,
    ),
    changes: db.prepare<[{ from: number; above: number }], ListedRow>(changesOfPath(PATH)),
    oldest: db
      .prepare<[{ from: number; above: number }], MessageId>(
        `${PATH} select parent_id from path where turn > @above order by id limit 1`,
      )
      .pluck(),
  };
}

/** The newest `limit` turns of the path that ends at `from`. */
export function pathTurns(q: Queries, from: MessageId, limit: number): TurnWindow {
  const above = Math.max(0, (q.lists.turnOf.get(from) ?? 0) - limit);
  const rows = q.lists.turns.all({ from, above, words: "[]", limit });
  const next = above === 0 ? undefined : (rows.at(-1)?.parent ?? undefined);
  return { turns: rows.map(toTurn), ...(next !== undefined && { next }) };
}

/** Of all its turns the newest whose number or prompt has every word. */
export function findTurns(q: Queries, from: MessageId, wanted: { words: string; limit: number }): ListedTurn[] {
  const words = foldedWords(wanted.words);
  return q.lists.turns.all({ from, above: 0, words: JSON.stringify(words), limit: wanted.limit }).map(toTurn);
}

/** Turns that are looked through for one answer: a long path on which nothing was changed is asked about again. */
const CHUNK = 100;
const CHUNKS = 10;

/** At least `limit` changes of the newest turns of the path, whole turns; fewer where turns without any lie between. */
export function pathChanges(q: Queries, start: MessageId, limit: number): ChangeWindow {
  const changes: ListedChange[] = [];
  let from: MessageId | undefined = start;
  for (let chunk = 0; from !== undefined && chunk < CHUNKS && changes.length < limit; chunk += 1) {
    const above: number = Math.max(0, (q.lists.turnOf.get(from) ?? 0) - CHUNK);
    for (const row of q.lists.changes.all({ from, above })) changes.push(toListed(row));
    from = above === 0 ? undefined : (q.lists.oldest.get({ from, above }) ?? undefined);
  }
  return { changes, ...(from !== undefined && { next: from }) };
}

function toListed(row: ListedRow): ListedChange {
  const { turn, direction, target } = row;
  const revert = direction !== null && { revert: { direction, ...(target !== null && { target }) } };
  return { ...toChange(row), turn, ...revert };
}

function toTurn({ parent: _parent, status, outcome, ...row }: TurnRow): ListedTurn {
  const state = outcome ?? (status === "started" ? "running" : status === "unknown" ? "undecided" : undefined);
  return { ...row, ...(state !== undefined && { state }) };
}
