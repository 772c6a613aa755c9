// A turn that could not be written to its end is unknown as soon as that can be written (C 2.12).
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { LedgerError } from "../ledger/errors.ts";
import type { TurnRef } from "../ledger/types.ts";
import { pause } from "./lease-keeper.ts";

const SETTLE_RETRY_MS = 1_000;

/** Waiting does not mend these. */
const STICKY: ReadonlySet<LedgerError["code"]> = new Set([
  "ledger_replaced",
  "ledger_lost_wal",
  "ledger_newer",
  "ledger_closed",
  "ledger_corrupt",
  "ledger_foreign",
]);

/** Tried once, or again and again until the signal where somebody watches. */
export async function giveUpTurn(
  db: AsyncSessionDB,
  turn: TurnRef,
  { signal, isWatched }: { readonly signal: AbortSignal; readonly isWatched: boolean },
): Promise<void> {
  while (!signal.aborted) {
    const error = await db.markUnknown(turn).then(
      () => undefined,
      (why: unknown) => why as LedgerError,
    );
    // A lost lease has made it unknown already; a sticky halt will not go away by waiting.
    if (!error || error.code === "lease_lost" || STICKY.has(error.code) || !isWatched) return;
    await pause(SETTLE_RETRY_MS, signal);
  }
}
