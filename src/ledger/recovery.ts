// The checklist of a start (ledger.md §8) as a sequence of findings, each shown as it is made. It changes
// nothing it cannot prove, every write of it carries a lease it acquired, and being killed in it is harmless.
import type { AsyncSessionDB } from "./async-session-db.ts";
import type { LeaseRef } from "./leases.ts";
import type { LedgerInfo } from "./session-db.ts";
import type { Admission, HolderId, ProcessIdentity, Session, ToolCall } from "./types.ts";

export interface RecoveryStep {
  readonly name: "ledger" | "integrity" | "queue" | "leases" | "turns";
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly ms: number;
}

/** A turn that is not over, and what is known about its calls. */
export interface OpenTurn {
  readonly admission: Admission;
  readonly session: Session;
  readonly calls: readonly ToolCall[];
  /** Somebody else is at it: not ours to decide. */
  readonly holder?: ProcessIdentity;
}

export type RecoveryEvent =
  | { readonly type: "step"; readonly step: RecoveryStep }
  | { readonly type: "done"; readonly open: readonly OpenTurn[]; readonly waiting: readonly Admission[] };

/** A whole-file check grows with the file: above this it is left to `doctor`, so that a start stays flat. */
const QUICK_CHECK_BYTES = 64 * 1024 * 1024;

export async function* recover(db: AsyncSessionDB, holder: HolderId): AsyncGenerator<RecoveryEvent> {
  const opened = await timed(() => db.opened);
  yield step("ledger", opened.ms, ledgerWords(opened.value));
  const integrity = await timed(() => checkIntegrity(db, opened.value));
  yield step("integrity", integrity.ms, integrity.value);
  const queue = await timed(() => holdOrphans(db));
  yield step("queue", queue.ms, queue.value.words);
  const leases = await timed(() => reclaim(db, holder));
  yield step("leases", leases.ms, leases.value);
  const turns = await timed(() => inspectTurns(db, holder));
  yield step("turns", turns.ms, turnWords(turns.value));
  yield { type: "done", open: turns.value, waiting: queue.value.waiting };
}

/** Leases of the dead taken back, their turns unknown and their calls judged: what any start owes the next command. */
export async function reclaimFromTheDead(db: AsyncSessionDB, holder: HolderId): Promise<void> {
  if ((await db.heldLeases()).every((lease) => lease.isHeld)) return;
  await reclaim(db, holder);
  await inspectTurns(db, holder);
}

type Words = readonly [RecoveryStep["status"], string];

function step(name: RecoveryStep["name"], ms: number, [status, detail]: Words): RecoveryEvent {
  return { type: "step", step: { name, status, detail, ms } };
}

function ledgerWords(info: LedgerInfo): Words {
  const sessions = info.isNew ? "new" : `${info.sessions} ${info.sessions === 1 ? "session" : "sessions"}`;
  const detail = `${info.file} · schema ${info.schema} · search ${info.searchLayout} · ${sessions}`;
  return info.journalReason ? ["warn", `${detail} · rollback journal: ${info.journalReason}`] : ["ok", detail];
}

async function checkIntegrity(db: AsyncSessionDB, info: LedgerInfo): Promise<Words> {
  if (info.findings.length > 0) return ["warn", info.findings.join("; ")];
  const { bytes } = await db.stats();
  if (bytes > QUICK_CHECK_BYTES) return ["ok", "same file as at the last start; whole check: stele doctor"];
  const result = await db.quickCheck();
  return result === "ok" ? ["ok", "quick check ok, same file as at the last start"] : ["fail", result];
}

/** Rows whose submitter is proven dead wait for a key; what a dead loop queued is cancelled. */
async function holdOrphans(db: AsyncSessionDB): Promise<{ words: Words; waiting: readonly Admission[] }> {
  const held = await db.holdOrphans();
  const waiting = (await db.openAdmissions()).filter((each) => each.status === "queued" && each.held !== undefined);
  if (waiting.length === 0) return { words: ["ok", "nothing waits"], waiting };
  const words: Words = [
    "warn",
    `${waiting.length} ${waiting.length === 1 ? "prompt waits" : "prompts wait"} for a key`,
  ];
  return { words: held > 0 ? words : ["ok", words[1]], waiting };
}

/** Takes the leases of the dead, which makes their turns unknown, and gives them back at once. */
async function reclaim(db: AsyncSessionDB, holder: HolderId): Promise<Words> {
  const gone = (await db.heldLeases()).filter((lease) => !lease.isHeld);
  const pids: number[] = [];
  for (const { conversation } of gone) {
    const result = await db.acquireLease({ conversation, holder });
    if (result.kind !== "acquired") continue;
    if (result.reclaimedFrom) pids.push(result.reclaimedFrom.pid);
    await db.releaseLease(result.lease);
  }
  if (pids.length === 0) return ["ok", "none left behind"];
  return ["ok", `${pids.length} reclaimed from pid ${pids.join(", ")}, gone`];
}

async function inspectTurns(db: AsyncSessionDB, holder: HolderId): Promise<OpenTurn[]> {
  const open = (await db.openAdmissions()).filter((each) => each.status === "started" || each.status === "unknown");
  const turns: OpenTurn[] = [];
  for (const admission of open) turns.push(await inspect(db, holder, admission));
  return turns;
}

async function inspect(db: AsyncSessionDB, holder: HolderId, admission: Admission): Promise<OpenTurn> {
  const session = await db.canonical(admission.conversation);
  const taken = await db.acquireLease({ conversation: admission.conversation, holder });
  if (taken.kind === "held") {
    const calls = await db.callsOf(admission.id);
    return { admission, session, calls, ...(taken.process && { holder: taken.process }) };
  }
  try {
    const calls = await db.reconcileCalls(taken.lease, admission.id);
    return { admission: await db.admission(admission.id), session, calls };
  } finally {
    await db.releaseLease(taken.lease);
  }
}

function turnWords(open: readonly OpenTurn[]): Words {
  const own = open.filter((turn) => turn.holder === undefined);
  const elsewhere = open.length - own.length;
  const running = elsewhere > 0 ? ` · ${elsewhere} running elsewhere` : "";
  if (own.length === 0) return ["ok", `nothing was interrupted${running}`];
  return ["warn", `${own.length} ${own.length === 1 ? "turn was" : "turns were"} interrupted${running}`];
}

/** Under a lease of its own; `busy` names who stands in the way. */
export async function withLease<T>(
  db: AsyncSessionDB,
  wanted: { conversation: Admission["conversation"]; holder: HolderId },
  action: (lease: LeaseRef) => Promise<T>,
): Promise<T | { readonly kind: "busy"; readonly why: string }> {
  const taken = await db.acquireLease(wanted);
  if (taken.kind === "held") {
    const who = taken.process ? `${taken.process.program}, pid ${taken.process.pid}` : "another program";
    return { kind: "busy", why: `The conversation is held by ${who}.` };
  }
  try {
    return await action(taken.lease);
  } finally {
    await db.releaseLease(taken.lease);
  }
}

async function timed<T>(action: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now();
  const value = await action();
  return { value, ms: Math.round(performance.now() - start) };
}
