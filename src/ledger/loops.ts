// A prompt that comes again (ledger.md §4, C 10). A slot is counted up in the transaction that stores its tick and its
// admission, so that two programs, a sleep or a restart fire none twice; slots that were missed are one. Only the process
// that is recorded as the runner fires; another one takes over when that one is proven dead, by a person's word. Whether a
// tick still runs is no flag but the state of its admission: no end of a turn can leave it set.
import { randomUUID } from "node:crypto";
import { toAdmission } from "./admissions-table.ts";
import { decodeProcess } from "./codec.ts";
import { ledgerError } from "./errors.ts";
import { isSameProcess, livenessOf } from "./identity.ts";
import { canonicalJson } from "./ids.ts";
import type { Probe } from "./leases.ts";
import { detailOf, type LoopDetail, type LoopRow, toLoop, toTick } from "./loops-table.ts";
import { admissionRow, admit, cancel } from "./queue.ts";
import { canonicalRow } from "./sessions.ts";
import type { SessionRow } from "./sessions-table.ts";
import type { Queries, Tx } from "./transaction.ts";
import type {
  Admission,
  ConversationId,
  Loop,
  LoopId,
  LoopPlan,
  LoopTick,
  ModelRoute,
  Payload,
  Refusal,
  RequestId,
  Usage,
} from "./types.ts";
import { addUsage } from "./usage.ts";

/** C 10.9, in ms. */
const RESUME_MS = 5_000;

export type FireResult =
  | { readonly kind: "fired"; readonly loop: Loop; readonly admission: Admission }
  /** Fired already, ended, or another program's: nothing was written. */
  | { readonly kind: "not-now"; readonly loop: Loop }
  /** Something runs or waits in the conversation: a person comes first. */
  | { readonly kind: "busy"; readonly loop: Loop };

/** How a tick ended, and what comes next, as its runner judged. */
export interface TickEnd {
  readonly digest?: string;
  /** What the tick cost; absent: not known. */
  readonly usd?: number;
  /** Of the question whether the loop is done. */
  readonly judging?: { readonly route: ModelRoute; readonly usage: Usage };
  readonly next:
    | { readonly state: "active"; readonly delayMs: number }
    | { readonly state: "paused" | "done"; readonly why: string };
}

/** The one of a conversation that is active or paused. */
export function openLoop(q: Queries, conversation: ConversationId): Loop | undefined {
  const row = q.loops.open.get(conversation);
  return row && toLoop(row);
}

/** The open one; else the last there was, which is looked for among all: for who asks. */
export function loopOf(q: Queries, conversation: ConversationId): Loop | undefined {
  const row = q.loops.open.get(conversation) ?? q.loops.last.get(conversation);
  return row && toLoop(row);
}

/** Newest first. */
export function loopTicks(q: Queries, id: LoopId, limit: number): LoopTick[] {
  const rows = q.loops.ticks.all(id, limit + 1);
  return rows.slice(0, limit).map((row, at) => toTick(row, rows.slice(at + 1).find(({ digest }) => digest)?.digest));
}

/** Due at once, and this process its runner; the one there was before is stopped. */
export function startLoop(
  tx: Tx,
  session: SessionRow,
  { plan, probe }: { plan: LoopPlan; probe: Probe | undefined },
): Loop | Refusal {
  const before = tx.q.loops.open.get(session.conversation_id);
  const refused = before && ownedElsewhere(tx, before, probe);
  if (refused) return refused;
  if (before) endLoop(tx, before, { state: "stopped", why: "another one took its place" });
  const id = randomUUID() as LoopId;
  const none = { ticks: 0, ticksOfRun: 0, failures: 0, spentUsd: 0 };
  const detail: LoopDetail = { delayMs: plan.everyMs ?? plan.floorMs, ...none };
  tx.q.loops.insert.run({
    ...{ id, conversation: session.conversation_id, now: tx.now },
    schedule: canonicalJson(plan),
    runner: canonicalJson(tx.process),
    detail: canonicalJson(detail),
  });
  return toLoop(loopRow(tx.q, id));
}

/**
 * Slot, tick, admission and a provisional next due time in one transaction; the real one counts from the turn's end.
 * Asked again for the newest slot, whose answer was lost, it is the same tick.
 */
export function fireLoop(tx: Tx, { id, slot }: { id: LoopId; slot: number }, payload: Payload): FireResult {
  closeTicks(tx, id);
  const row = loopRow(tx.q, id);
  const loop = toLoop(row);
  const isMine = loop.runner !== undefined && isSameProcess(loop.runner, tx.process);
  if (loop.state !== "active" || !isMine) return { kind: "not-now", loop };
  const again = slot === loop.nextSlot - 1 ? tx.q.loops.tick.get(id, slot) : undefined;
  if (again && again.outcome === null)
    return { kind: "fired", loop, admission: toAdmission(admissionRow(tx, requireAdmission(again.admission_id))) };
  if (loop.nextSlot !== slot || tx.now < (loop.nextDueAt ?? 0)) return { kind: "not-now", loop };
  // What is held waits for a key, maybe for ever.
  const isBusy = tx.q.admissions.openOf.all(loop.conversation).some((row) => row.status !== "queued" || !row.held);
  if (isBusy) return { kind: "busy", loop };
  const session = canonicalRow(tx.q, loop.conversation);
  const { admission } = admit(tx, {
    request: `loop:${id}:${slot}` as RequestId,
    kind: "loop",
    payload,
    target: { kind: "session", asked: loop.conversation },
    session: session.id,
  });
  tx.q.loops.insertTick.run({ loop: id, slot, admission: admission.id, due: loop.nextDueAt ?? tx.now, now: tx.now });
  tx.q.loops.advance.run(tx.now + loop.delayMs, tx.now, id, slot);
  setDetail(tx, id, (detail) => ({ ...detail, ticks: detail.ticks + 1, ticksOfRun: detail.ticksOfRun + 1 }));
  return { kind: "fired", loop: toLoop(loopRow(tx.q, id)), admission };
}

/** Once: asked again it changes nothing. A loop that was paused or stopped meanwhile stays so. */
export function endTick(tx: Tx, { id, slot }: { id: LoopId; slot: number }, end: TickEnd): Loop {
  const tick = tx.q.loops.tick.get(id, slot);
  if (!tick) throw ledgerError("not_found", `Loop ${id} has no tick ${slot}.`);
  const { status, outcome } = admissionRow(tx, requireAdmission(tick.admission_id));
  if (status !== "terminal") throw ledgerError("illegal_edge", `Tick ${slot} of loop ${id} still runs.`);
  if (tick.outcome !== null) return toLoop(loopRow(tx.q, id));
  tx.q.loops.endTick.run(outcome ?? "failed", end.digest ?? null, id, slot);
  setDetail(tx, id, (detail) => ({
    ...(outcome === "cancelled" ? uncounted(detail) : detail),
    spentUsd: detail.spentUsd + (end.usd ?? 0),
    failures: outcome === "failed" ? detail.failures + 1 : 0,
    ...(end.digest !== undefined && { digest: end.digest }),
    ...(end.next.state === "active" && { delayMs: end.next.delayMs }),
  }));
  if (end.judging) {
    const session = canonicalRow(tx.q, loopRow(tx.q, id).conversation_id).id;
    addUsage(tx, { ...end.judging, session, task: "loop", at: tx.now });
  }
  const row = loopRow(tx.q, id);
  if (row.state !== "active") return toLoop(row);
  if (end.next.state !== "active") return endLoop(tx, row, end.next);
  return put(tx, row, { due: tx.now + end.next.delayMs });
}

/** What of it waits in the queue is cancelled; a turn that runs goes on. Null: there is none that runs. */
export function pauseLoop(tx: Tx, conversation: ConversationId, why: string): Loop | undefined {
  const row = tx.q.loops.open.get(conversation);
  if (!row) return undefined;
  for (const each of tx.q.admissions.openOf.all(conversation))
    if (each.kind === "loop" && each.status === "queued") cancel(tx, each.seq);
  closeTicks(tx, row.id);
  const now = loopRow(tx.q, row.id);
  return now.state === "paused" ? toLoop(now) : endLoop(tx, now, { state: "paused", why });
}

/** Again, with this process as its runner; due soon, and with all its ticks before the next pause. */
export function resumeLoop(tx: Tx, conversation: ConversationId, probe?: Probe): Loop | Refusal {
  const row = tx.q.loops.open.get(conversation);
  if (!row) return { kind: "conflict", why: "There is no loop in this conversation." };
  const refused = ownedElsewhere(tx, row, probe);
  if (refused) return refused;
  closeTicks(tx, row.id);
  const { why: _, ...detail } = detailOf(loopRow(tx.q, row.id));
  const isGoingOn = row.state === "active" && row.next_due_at !== null;
  const due = isGoingOn ? row.next_due_at : tx.now + Math.min(detail.delayMs, RESUME_MS);
  return put(tx, row, { state: "active", due, detail: { ...detail, ticksOfRun: 0, failures: 0 }, takes: true });
}

export function stopLoop(tx: Tx, conversation: ConversationId): Loop | undefined {
  const paused = pauseLoop(tx, conversation, "stopped");
  return paused && endLoop(tx, loopRow(tx.q, paused.id), { state: "stopped", why: "by you" });
}

/** Loops whose runner is proven dead wait for a person's word. */
export function pauseOrphanLoops(tx: Tx, probe?: Probe): Loop[] {
  return tx.q.loops.active
    .all()
    .filter((row) => livenessOf(decodeProcess(row.runner), tx.process, probe) === "dead")
    .map((row) => pauseLoop(tx, row.conversation_id, "the stele that ran it ended"))
    .filter((loop): loop is Loop => loop !== undefined);
}

function ownedElsewhere(tx: Tx, row: LoopRow, probe?: Probe): Refusal | undefined {
  const runner = decodeProcess(row.runner);
  if (row.state !== "active" || !runner || isSameProcess(runner, tx.process)) return undefined;
  if (livenessOf(runner, tx.process, probe) === "dead") return undefined;
  return { kind: "busy", why: `The loop runs in ${runner.program}, pid ${runner.pid}.`, holder: runner };
}

/** Of ticks whose turn ended while nobody was there to judge it. */
function closeTicks(tx: Tx, id: LoopId): void {
  for (const { slot, admission_id } of tx.q.loops.openTicks.all(id)) {
    const { status, outcome } = admissionRow(tx, requireAdmission(admission_id));
    if (status !== "terminal" || outcome === null) continue;
    tx.q.loops.endTick.run(outcome, null, id, slot);
    if (outcome === "cancelled") setDetail(tx, id, uncounted);
  }
}

/** It never ran (C 10.8). */
function uncounted(detail: LoopDetail): LoopDetail {
  return { ...detail, ticks: Math.max(0, detail.ticks - 1), ticksOfRun: Math.max(0, detail.ticksOfRun - 1) };
}

function endLoop(tx: Tx, row: LoopRow, { state, why }: { state: "paused" | "done" | "stopped"; why: string }): Loop {
  return put(tx, row, { state, due: null, detail: { ...detailOf(row), why } });
}

function setDetail(tx: Tx, id: LoopId, change: (detail: LoopDetail) => LoopDetail): void {
  const row = loopRow(tx.q, id);
  put(tx, row, { due: row.next_due_at, detail: change(detailOf(row)) });
}

function put(
  tx: Tx,
  row: LoopRow,
  change: { state?: LoopRow["state"]; due: number | null; detail?: LoopDetail; takes?: boolean },
): Loop {
  const { state = row.state, due, detail, takes = false } = change;
  const runner = takes ? canonicalJson(tx.process) : row.runner;
  const json = detail ? canonicalJson(detail) : row.detail;
  tx.q.loops.set.run({ id: row.id, state, runner, due, detail: json, now: tx.now });
  return toLoop(loopRow(tx.q, row.id));
}

function loopRow(q: Queries, id: LoopId): LoopRow {
  const row = q.loops.get.get(id);
  if (!row) throw ledgerError("not_found", `There is no loop ${id}.`);
  return row;
}

function requireAdmission<T>(id: T | null): T {
  if (id === null) throw ledgerError("ledger_corrupt", "A tick has no admission.");
  return id;
}
