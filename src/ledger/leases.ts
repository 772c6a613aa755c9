// Who may write a conversation. An acquire that changes hands raises the epoch and turns what the former
// holder left `started` into `unknown`, in the same transaction: there is no other way out of a stuck turn.

import type { AdmissionRow } from "./admissions-table.ts";
import { decodeProcess } from "./codec.ts";
import { ledgerError } from "./errors.ts";
import { livenessOf, type PidProbe, probePid } from "./identity.ts";
import { canonicalJson } from "./ids.ts";
import { LEASE_TTL_MS, type LeaseRow, renewInside } from "./leases-table.ts";
import type { Queries, TurnTx, Tx } from "./transaction.ts";
import type { AdmissionId, ConversationId, HolderId, ProcessIdentity } from "./types.ts";

export interface LeaseRef {
  readonly conversation: ConversationId;
  readonly holder: HolderId;
  readonly epoch: number;
}

export type AcquireResult =
  | {
      readonly kind: "acquired";
      readonly lease: LeaseRef;
      /** Whose place was taken, when it was not empty. */
      readonly reclaimedFrom?: ProcessIdentity;
      readonly becameUnknown: readonly AdmissionId[];
    }
  | {
      readonly kind: "held";
      readonly holder: HolderId;
      readonly process?: ProcessIdentity;
      readonly since?: number;
      readonly expiresAt: number;
    };

export type Probe = (pid: number) => PidProbe;

export function acquireLease(
  tx: Tx,
  wanted: { conversation: ConversationId; holder: HolderId },
  probe: Probe = probePid,
): AcquireResult {
  const { conversation, holder } = wanted;
  if (!tx.q.sessions.canonical.get(conversation))
    throw ledgerError("not_found", `There is no conversation ${conversation}.`);
  const row = tx.q.leases.get.get(conversation);
  if (row && row.holder === holder) {
    tx.q.leases.renew.run(tx.now + LEASE_TTL_MS, conversation);
    return { kind: "acquired", lease: { conversation, holder, epoch: row.epoch }, becameUnknown: [] };
  }
  const before = row && decodeProcess(row.process);
  if (row && isHeld(row, tx, probe)) return heldBy(row);
  const epoch = (row?.epoch ?? 0) + 1;
  const process = JSON.stringify(tx.process);
  tx.q.leases.take.run({ conversation, holder, process, epoch, now: tx.now, expires: tx.now + LEASE_TTL_MS });
  const orphans = tx.q.admissions.orphans.all(conversation, epoch);
  // A compaction is done in the transaction that ends it: one that is not ended did nothing, and nobody has to decide.
  const [cut, turns] = [orphans.filter(isCompaction), orphans.filter((orphan) => !isCompaction(orphan))];
  for (const { seq } of cut) tx.q.admissions.settle.run({ ...CUT_COMPACTION, seq, now: tx.now });
  for (const { seq } of turns) tx.q.admissions.setUnknown.run(seq);
  return {
    kind: "acquired",
    lease: { conversation, holder, epoch },
    becameUnknown: turns.map(({ seq }) => seq),
    ...(before && { reclaimedFrom: before }),
  };
}

function isCompaction({ kind }: AdmissionRow): boolean {
  return kind === "compact";
}

const CUT_COMPACTION = {
  outcome: "interrupted",
  last_message: null,
  error: canonicalJson({
    code: "compaction_cut",
    message: "The program ended while it summed up the conversation; nothing was changed.",
  }),
  usage: null,
};

/** Held by somebody whose term runs and who is not proven dead. */
export function isHeld(row: LeaseRow, at: Pick<Tx, "now" | "process">, probe: Probe = probePid): boolean {
  if (row.holder === null || (row.expires_at ?? 0) <= at.now) return false;
  return livenessOf(decodeProcess(row.process), at.process, probe) !== "dead";
}

function heldBy(row: LeaseRow): AcquireResult {
  const process = decodeProcess(row.process);
  return {
    kind: "held",
    holder: row.holder as HolderId,
    expiresAt: row.expires_at ?? 0,
    ...(process && { process }),
    ...(row.acquired_at !== null && { since: row.acquired_at }),
  };
}

/** False when it is not mine any more: the turn must stop. */
export function renewLease(tx: Tx, lease: LeaseRef): boolean {
  const row = tx.q.leases.get.get(lease.conversation);
  if (!row || row.holder !== lease.holder || row.epoch !== lease.epoch) return false;
  tx.q.leases.renew.run(tx.now + LEASE_TTL_MS, lease.conversation);
  return true;
}

/** Fenced by holder and epoch; releasing twice is fine. The epoch stays. */
export function releaseLease(tx: Tx, lease: LeaseRef): void {
  tx.q.leases.clear.run(lease.conversation, lease.holder, lease.epoch);
}

/**
 * For writes that belong to no running turn but must not race one: recovery and settling of the unknown.
 * `owner` is the conversation of the row that is to be written: a lease says nothing about another one.
 */
export function requireLease(tx: Tx, lease: LeaseRef, owner: ConversationId = lease.conversation): void {
  const row = tx.q.leases.get.get(lease.conversation);
  if (!row || row.holder !== lease.holder || row.epoch !== lease.epoch)
    throw ledgerError("lease_lost", "This conversation was taken over by another process.");
  if (owner !== lease.conversation)
    throw ledgerError("lease_lost", `The lease is for conversation ${lease.conversation}, not for ${owner}.`);
  renewInside(tx, row);
}

/** A turn that is over, or not known to be running, takes no more writes. */
export function requireStarted(tx: TurnTx): void {
  if (tx.admission.status !== "started")
    throw ledgerError("lease_lost", `Turn ${tx.turn.admission} is ${tx.admission.status}: it takes no more writes.`);
}

export function heldLeases(q: Queries): LeaseRow[] {
  return q.leases.held.all();
}
