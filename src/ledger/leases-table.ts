// Table `turn_leases`: one row a conversation, never deleted, so that an epoch never starts again.
import { decodeProcess } from "./codec.ts";
import type { Database } from "./open.ts";
import type { Tx } from "./transaction.ts";
import type { ConversationId, HolderId, Lease } from "./types.ts";

/** C 3.2, in ms. */
export const LEASE_TTL_MS = 300_000;
export const LEASE_REFRESH_MS = 60_000;
export const LEASE_POLL_MS = 1_000;
export const LEASE_NOTICE_MS = 15_000;

export interface LeaseRow {
  readonly conversation_id: ConversationId;
  readonly holder: HolderId | null;
  readonly process: string | null;
  readonly epoch: number;
  readonly acquired_at: number | null;
  readonly expires_at: number | null;
}

export function leaseQueries(db: Database) {
  return {
    get: db.prepare<[string], LeaseRow>("select * from turn_leases where conversation_id = ?"),
    held: db.prepare<[], LeaseRow>("select * from turn_leases where holder is not null"),
    take: db.prepare(
      `insert into turn_leases (conversation_id, holder, process, epoch, acquired_at, expires_at)
       values (@conversation, @holder, @process, @epoch, @now, @expires)
       on conflict (conversation_id) do update set holder = excluded.holder, process = excluded.process,
         epoch = excluded.epoch, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at`,
    ),
    renew: db.prepare<[number, string]>("update turn_leases set expires_at = ? where conversation_id = ?"),
    clear: db.prepare<[string, string, number]>(
      `update turn_leases set holder = null, process = null, acquired_at = null, expires_at = null
       where conversation_id = ? and holder = ? and epoch = ?`,
    ),
  };
}

/** Mine and expired: nobody took it, so it is renewed in the transaction that writes (C 3.12). */
export function renewInside(tx: Tx, lease: Pick<LeaseRow, "conversation_id" | "expires_at">): void {
  if ((lease.expires_at ?? 0) <= tx.now) tx.q.leases.renew.run(tx.now + LEASE_TTL_MS, lease.conversation_id);
}

export function toLease(row: LeaseRow): Lease {
  const process = decodeProcess(row.process);
  return {
    conversation: row.conversation_id,
    epoch: row.epoch,
    ...(row.holder !== null && { holder: row.holder }),
    ...(process && { process }),
    ...(row.acquired_at !== null && { acquiredAt: row.acquired_at }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  };
}
