// Who may compact a conversation now: an attempt holds a lock of its own, and only the attempt that holds it may commit.
// One that was given up, or that came back late, changes nothing. The lock of a holder that is proven dead is free.
import { decodeProcess } from "./codec.ts";
import { livenessOf } from "./identity.ts";
import { type Probe, requireStarted } from "./leases.ts";
import type { Database } from "./open.ts";
import { canonicalRow } from "./sessions.ts";
import type { TurnTx, Tx } from "./transaction.ts";
import type { ConversationId, HolderId, ProcessIdentity } from "./types.ts";

/** C 5.2, in ms. */
const LOCK_TTL_MS = 300_000;
/** C 5.16: after so many compactions that freed too little none is made unasked. */
const INEFFECTIVE_LIMIT = 3;

interface LockRow {
  readonly conversation_id: ConversationId;
  readonly holder: HolderId;
  readonly process: string;
  readonly attempt_id: string;
  readonly acquired_at: number;
  readonly expires_at: number;
}

export function compactionLockQueries(db: Database) {
  return {
    get: db.prepare<[string], LockRow>("select * from compression_locks where conversation_id = ?"),
    take: db.prepare(
      `insert into compression_locks (conversation_id, holder, process, attempt_id, acquired_at, expires_at)
       values (@conversation, @holder, @process, @attempt, @now, @expires)
       on conflict (conversation_id) do update set holder = excluded.holder, process = excluded.process,
         attempt_id = excluded.attempt_id, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at`,
    ),
    renew: db.prepare<[number, string, string]>(
      "update compression_locks set expires_at = ? where conversation_id = ? and attempt_id = ?",
    ),
    release: db.prepare<[string, string]>("delete from compression_locks where conversation_id = ? and attempt_id = ?"),
  };
}

/** One try to compact a conversation. */
export interface CompactionAttempt {
  readonly conversation: ConversationId;
  /** Minted by who asks: asked again after a lost answer it is the same try. */
  readonly attempt: string;
}

/** Why none is made now. */
export type CompactionSkip =
  | { readonly why: "locked"; readonly holder?: ProcessIdentity; readonly since: number }
  /** The last one failed; `error` says how. */
  | { readonly why: "cooldown"; readonly until: number; readonly error?: string }
  | { readonly why: "ineffective"; readonly times: number };

export type BeginCompaction = { readonly kind: "began" } | ({ readonly kind: "skipped" } & CompactionSkip);

/** `isAsked`: by a person, who need not wait for a cooldown. */
export function beginCompaction(
  tx: TurnTx,
  { attempt, isAsked, probe }: { attempt: string; isAsked: boolean; probe?: Probe },
): BeginCompaction {
  requireStarted(tx);
  const { conversation, holder } = tx.turn;
  const locked = lockedBy(tx, conversation, { holder, probe });
  if (locked) return { kind: "skipped", ...locked };
  const session = canonicalRow(tx.q, conversation);
  const until = session.compaction_cooldown_until ?? 0;
  if (!isAsked && until > tx.now) {
    const error = session.compaction_error;
    return { kind: "skipped", why: "cooldown", until, ...(error !== null && { error }) };
  }
  const times = session.compaction_ineffective_count;
  if (!isAsked && times >= INEFFECTIVE_LIMIT) return { kind: "skipped", why: "ineffective", times };
  const process = JSON.stringify(tx.process);
  tx.q.locks.take.run({ conversation, holder, process, attempt, now: tx.now, expires: tx.now + LOCK_TTL_MS });
  return { kind: "began" };
}

/** Of somebody else's attempt that goes on. */
export function lockedBy(
  at: Pick<Tx, "q" | "now" | "process">,
  conversation: ConversationId,
  { holder, probe }: { holder?: HolderId; probe?: Probe | undefined },
): (CompactionSkip & { readonly why: "locked" }) | undefined {
  const row = at.q.locks.get.get(conversation);
  if (!row || row.holder === holder || row.expires_at < at.now) return undefined;
  const process = decodeProcess(row.process);
  if (livenessOf(process, at.process, probe) === "dead") return undefined;
  return { why: "locked", since: row.acquired_at, ...(process && { holder: process }) };
}

/** False when the attempt is not the one that holds the lock any more. */
export function renewCompaction(tx: Tx, { conversation, attempt }: CompactionAttempt): boolean {
  return tx.q.locks.renew.run(tx.now + LOCK_TTL_MS, conversation, attempt).changes === 1;
}

/** Cooldown and counters stay as they were found. False when it was not the one that holds the lock. */
export function releaseLock(tx: Tx, { conversation, attempt }: CompactionAttempt): boolean {
  return tx.q.locks.release.run(conversation, attempt).changes === 1;
}

/** May commit. */
export function holdsLock(tx: Tx, { conversation, attempt }: CompactionAttempt): boolean {
  const lock = tx.q.locks.get.get(conversation);
  return lock?.attempt_id === attempt && lock.expires_at >= tx.now;
}
