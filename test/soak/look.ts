// The ledger of a run as it lies there, read without stele and without changing it: what a kill has left.
import { existsSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";

export interface SeenTurn {
  readonly id: number;
  readonly status: "queued" | "started" | "unknown" | "terminal";
  readonly outcome: string | null;
  readonly attempts: number;
  /** A model request of it has no end. */
  readonly asks: 0 | 1;
  /** An answer of it asks for nothing more, so it was its last. */
  readonly answered: 0 | 1;
}

export interface SeenCall {
  readonly id: number;
  readonly turn: number;
  /** The id the model gave it, and its token in effects.log. */
  readonly call: string;
  readonly tool: string;
  readonly effect: string;
  readonly state: string;
  readonly evidence: string | null;
  readonly result: number | null;
  /** Its turn was not undone. */
  readonly live: 0 | 1;
}

export interface Look {
  readonly turns: readonly SeenTurn[];
  readonly calls: readonly SeenCall[];
  /** File reverts of an undo or a redo that are not written yet. */
  readonly plannedReverts: number;
  readonly head: number | null;
}

const NOTHING: Look = { turns: [], calls: [], plannedReverts: 0, head: null };

const TURNS = `
  select seq as id, status, outcome, attempts,
    exists (select 1 from model_requests r where r.admission_id = seq and r.state = 'asked') as asks,
    exists (select 1 from messages m where m.admission_id = seq and m.role = 'assistant' and not exists (
      select 1 from json_each(m.parts) p where p.value ->> 'kind' = 'tool-call')) as answered
  from admissions order by seq`;

const CALLS = `
  select c.id, c.admission_id as turn, c.call_id as call, c.tool, c.effect, c.state, c.evidence,
    c.result_message_id as result, m.live
  from tool_calls c join messages m on m.id = c.message_id order by c.id`;

export function lookAt(home: string): Look {
  const file = path.join(home, "state.db");
  if (!existsSync(file)) return NOTHING;
  const db = new Database(file, { readonly: true });
  try {
    const read = db.transaction(() => ({
      turns: db.prepare<[], SeenTurn>(TURNS).all(),
      calls: db.prepare<[], SeenCall>(CALLS).all(),
      plannedReverts: count(db, "select count(*) from file_reverts where state = 'planned'"),
      head: db.prepare<[], number | null>("select head_id from sessions").pluck().get() ?? null,
    }));
    return read();
  } finally {
    db.close();
  }
}

function count(db: Database.Database, sql: string): number {
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

export function openTurns({ turns }: Look): SeenTurn[] {
  return turns.filter(({ status }) => status === "started" || status === "unknown");
}
