// Fills the search index while a window is idle: a short step, a pause, the next one. It waits for no lock, stops while
// a turn runs and when the window closes, and several windows may do it at once. What goes wrong with the index is no
// matter of the conversation: the next settled turn tries again, and `stele doctor` says what is wrong.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Runner } from "./runner.ts";
import { indexSome } from "./search-all.ts";

export interface KeeperTiming {
  /** Before the first step after a start or a turn, and between two, in ms. */
  readonly restMs: number;
  readonly pauseMs: number;
}

const TIMING: KeeperTiming = { restMs: 1_500, pauseMs: 200 };

/** Until the function that is returned is called; then nothing more is begun. */
export function keepIndex(
  db: Pick<AsyncSessionDB, "indexStep" | "searchLag">,
  runner: Pick<Runner, "listen" | "isRunning">,
  { restMs, pauseMs }: KeeperTiming = TIMING,
): () => void {
  let isOpen = true;
  let isAtWork = false;
  let timer: NodeJS.Timeout | undefined;
  const after = (ms: number): void => {
    clearTimeout(timer);
    if (isOpen && !isAtWork) timer = setTimeout(() => void work(), ms).unref();
  };
  const work = async (): Promise<void> => {
    if (runner.isRunning) return; // its end wakes this again
    isAtWork = true;
    const isDone = await indexSome(db, 1).catch(() => true);
    isAtWork = false;
    if (!isDone) after(pauseMs);
  };
  const stopListening = runner.listen((event) => {
    if (event.type === "turn-settled") after(restMs);
  });
  after(restMs);
  return () => {
    isOpen = false;
    clearTimeout(timer);
    stopListening();
  };
}
