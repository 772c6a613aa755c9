// Tables `loops` and `loop_ticks`: rows, statements, plain data.
import { decodeJson, decodeProcess } from "./codec.ts";
import type { Database } from "./open.ts";
import type {
  AdmissionId,
  ConversationId,
  Hash,
  Loop,
  LoopId,
  LoopPlan,
  LoopState,
  LoopTick,
  Outcome,
} from "./types.ts";

export interface LoopRow {
  readonly id: LoopId;
  readonly conversation_id: ConversationId;
  readonly schedule: string;
  readonly state: LoopState;
  readonly runner: string | null;
  readonly next_slot: number;
  readonly next_due_at: number | null;
  readonly detail: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What moves while the loop runs, as column `detail`. */
export interface LoopDetail {
  readonly delayMs: number;
  /** Ticks that ran, those that were abandoned not counted. */
  readonly ticks: number;
  /** Of these, since a person last set it going: what `maxTicks` bounds. */
  readonly ticksOfRun: number;
  /** The newest ones in a row, since then. */
  readonly failures: number;
  readonly spentUsd: number;
  readonly digest?: string;
  readonly why?: string;
}

export interface TickRow {
  readonly loop_id: LoopId;
  readonly slot: number;
  readonly admission_id: AdmissionId | null;
  readonly due_at: number;
  readonly fired_at: number | null;
  readonly outcome: Outcome | null;
  readonly digest: Hash | null;
}

interface ListedTick extends TickRow {
  readonly started_at: number | null;
  readonly settled_at: number | null;
}

export function loopQueries(db: Database) {
  return {
    get: db.prepare<[string], LoopRow>("select * from loops where id = ?"),
    open: db.prepare<[string], LoopRow>(
      "select * from loops where conversation_id = ? and state in ('active', 'paused')",
    ),
    last: db.prepare<[string], LoopRow>(
      "select * from loops where conversation_id = ? order by created_at desc, id limit 1",
    ),
    /** As the partial index has it: what ended long ago is not looked at. */
    active: db.prepare<[], LoopRow>(
      "select * from loops indexed by loops_one_a_conversation where state in ('active', 'paused') and state = 'active'",
    ),
    insert: db.prepare(
      `insert into loops (id, conversation_id, schedule, state, runner, next_slot, next_due_at, detail, created_at, updated_at)
       values (@id, @conversation, @schedule, 'active', @runner, 0, @now, @detail, @now, @now)`,
    ),
    set: db.prepare(
      `update loops set state = @state, runner = @runner, next_due_at = @due, detail = @detail, updated_at = @now
       where id = @id`,
    ),
    /** Compare and set: of two that fire the same slot, one. */
    advance: db.prepare<[number, number, string, number]>(
      "update loops set next_slot = next_slot + 1, next_due_at = ?, updated_at = ? where id = ? and next_slot = ?",
    ),
    insertTick: db.prepare(
      `insert into loop_ticks (loop_id, slot, admission_id, due_at, fired_at)
       values (@loop, @slot, @admission, @due, @now)`,
    ),
    openTicks: db.prepare<[string], TickRow>("select * from loop_ticks where loop_id = ? and outcome is null"),
    tick: db.prepare<[string, number], TickRow>("select * from loop_ticks where loop_id = ? and slot = ?"),
    endTick: db.prepare<[string, string | null, string, number]>(
      "update loop_ticks set outcome = ?, digest = ? where loop_id = ? and slot = ? and outcome is null",
    ),
    ticks: db.prepare<[string, number], ListedTick>(
      `select t.*, a.started_at, a.settled_at from loop_ticks t left join admissions a on a.seq = t.admission_id
       where t.loop_id = ? order by t.slot desc limit ?`,
    ),
  };
}

export function detailOf(row: LoopRow): LoopDetail {
  return decodeJson(row.detail) as unknown as LoopDetail;
}

export function toLoop(row: LoopRow): Loop {
  const runner = decodeProcess(row.runner);
  return {
    ...{ id: row.id, conversation: row.conversation_id, state: row.state, nextSlot: row.next_slot },
    plan: decodeJson(row.schedule) as unknown as LoopPlan,
    ...detailOf(row),
    ...(runner && { runner }),
    ...(row.next_due_at !== null && { nextDueAt: row.next_due_at }),
    createdAt: row.created_at,
  };
}

/** `before` is the digest of the tick before it. */
export function toTick(row: ListedTick, before: string | null | undefined): LoopTick {
  return {
    ...{ slot: row.slot, dueAt: row.due_at },
    ...(row.admission_id !== null && { admission: row.admission_id }),
    ...(row.fired_at !== null && { firedAt: row.fired_at }),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(row.digest !== null && { isChanged: row.digest !== before }),
    ...(row.started_at !== null && row.settled_at !== null && { tookMs: row.settled_at - row.started_at }),
  };
}
