// Knows which files are the ledger's own. Closing any descriptor of such a file in a process that has it open drops
// SQLite's locks, so nothing else in this process may open one: not by its path, a symbolic link or a hard link.
// The set is read anew at every question, because -wal and -shm come and go and a repair replaces the main file.
import { type BigIntStats, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";

export interface LedgerGuard {
  isLedgerFile(stats: BigIntStats): boolean;
  /** The same question about the files as they are now; for those who only look, and never open what they looked at. */
  picture(): (stats: BigIntStats) => boolean;
  /** Also true for a name SQLite would take for its own although no file has it yet: a forged hot journal. */
  isLedgerName(path: string): boolean;
  /** Closes, unless the descriptor turned out to be the ledger's: that one stays open for good. */
  close(handle: FileHandle, stats: BigIntStats): Promise<void>;
}

const COMPANIONS = ["", "-wal", "-shm", "-journal"];

/** Kept reachable: a collected FileHandle would be closed. */
const neverClosed: FileHandle[] = [];

export function createLedgerGuard(ledgerFiles: readonly string[]): LedgerGuard {
  const paths = ledgerFiles.flatMap((file) => COMPANIONS.map((suffix) => file + suffix));
  // Synchronous on purpose: nothing of this thread runs between the question and the open that follows.
  const isLedgerFile = (stats: BigIntStats) => paths.some((path) => isSame(stats, statOf(path)));
  return {
    isLedgerFile,
    picture() {
      const own = paths.map(statOf);
      return (stats) => own.some((file) => isSame(stats, file));
    },
    isLedgerName(path) {
      const folder = statOf(dirname(path));
      const name = basename(path).toLowerCase();
      return paths.some((own) => basename(own).toLowerCase() === name && isSame(folder, statOf(dirname(own))));
    },
    async close(handle, stats) {
      if (isLedgerFile(stats)) neverClosed.push(handle);
      else await handle.close();
    },
  };
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function isSame(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}
