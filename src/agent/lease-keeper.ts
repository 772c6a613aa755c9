// Waiting for a conversation's lease and keeping it alive while turns run.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { type LedgerError, ledgerError } from "../ledger/errors.ts";
import type { LeaseRef } from "../ledger/leases.ts";
import { LEASE_NOTICE_MS, LEASE_POLL_MS, LEASE_REFRESH_MS } from "../ledger/leases-table.ts";
import type { ConversationId, HolderId, ProcessIdentity } from "../ledger/types.ts";

interface Wanted {
  readonly conversation: ConversationId;
  readonly holder: HolderId;
  readonly signal: AbortSignal;
  /** Asked between looks: what was waited for may be gone. */
  readonly stillWanted: () => Promise<boolean>;
  /** Told at once and then every 15 s. */
  readonly onHeld: (holder: ProcessIdentity | undefined, since: number | undefined) => void;
}

/** Undefined when the waiting was stopped. A dead holder is taken over at the next look, within a second. */
export async function awaitLease(
  db: AsyncSessionDB,
  wanted: Wanted,
): Promise<{ readonly lease: LeaseRef; readonly waited: boolean } | undefined> {
  const { conversation, holder, signal } = wanted;
  let noticedAt: number | undefined;
  for (;;) {
    const result = await db.acquireLease({ conversation, holder });
    if (result.kind === "acquired") return { lease: result.lease, waited: noticedAt !== undefined };
    if (noticedAt === undefined || performance.now() - noticedAt >= LEASE_NOTICE_MS) {
      noticedAt = performance.now();
      wanted.onHeld(result.process, result.since);
    }
    await pause(LEASE_POLL_MS, signal);
    if (signal.aborted || !(await wanted.stillWanted())) return undefined;
  }
}

interface Kept {
  readonly onLost: (error: LedgerError) => void;
  /** Renewal is not progress: a turn that does nothing any more lets its term run out, so that others can go on. */
  readonly isStalled: () => boolean;
}

/** Renews until the returned function is called; a term is long, so a beat may fail. */
export function keepLease(db: AsyncSessionDB, lease: LeaseRef, { onLost, isStalled }: Kept): () => void {
  const timer = setInterval(() => {
    if (isStalled()) return;
    db.renewLease(lease).then(
      (isMine) => {
        if (!isMine) onLost(ledgerError("lease_lost", "Another process took over this conversation."));
      },
      () => {
        // Busy or gone: the next beat tries again, and the fence of every write decides.
      },
    );
  }, LEASE_REFRESH_MS);
  return () => clearInterval(timer);
}

/** Ends early, without an error, when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
