// Waiting for a lock while a ledger is being opened: racing openers get SQLITE_BUSY in spite of any busy
// timeout while one of them switches the journal, recovers it, or closes the file as its last user.
// Blocks the thread. Time is monotonic: a wall clock that is set meanwhile must not end or stretch the wait.
import { sqliteCode } from "./errors.ts";

/** Runs it again while SQLite says busy; the last error is thrown when the patience is over. */
export function patiently<T>(action: () => T, patienceMs: number): T {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!sqliteCode(error).startsWith("SQLITE_BUSY") || performance.now() > end) throw error;
      sleep();
    }
  }
}

/** Looks until it is so; false when the patience is over. */
export function waitFor(isSo: () => boolean, patienceMs: number): boolean {
  const end = performance.now() + patienceMs;
  while (!isSo()) {
    if (performance.now() > end) return false;
    sleep();
  }
  return true;
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function sleep(): void {
  Atomics.wait(cell, 0, 0, 5 + Math.random() * 45);
}
