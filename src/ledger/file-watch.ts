// Is the file under the open connection still the file at its path? Compared by device and inode with what
// was there at open, by stat alone (a descriptor opened and closed here would drop SQLite's locks).
// The log is looked at through its folder: nobody removes, moves or replaces it without changing the folder's time.
// A stat of the log itself makes the next commit dearer by a tenth: a kernel that was asked for a file's time gives its
// next write a time of its own, and each commit then stores the inode as well.
import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { type LedgerError, ledgerError } from "./errors.ts";
import type { OpenedFile } from "./open.ts";

/** Two changes of a folder may bear the same time within what a file system counts in: 2 s on the coarsest. */
export const SETTLED_MS = 2_100;

export class FileWatch {
  readonly #path: string;
  readonly #main: Stats | undefined;
  #size: number;
  readonly #hasWal: boolean;
  readonly #walPath: string;
  readonly #folderPath: string;
  #wal: Stats | undefined;
  /** As it was before both files were last seen in it, its last change long enough ago. */
  #folder: Stats | undefined;
  readonly #now: () => number;

  /** `now` is the clock that gives files their times. `file.path` leads over no link: SQLite's log lies beside it. */
  constructor(file: Pick<OpenedFile, "path" | "journal">, now: () => number = Date.now) {
    this.#path = file.path;
    this.#walPath = `${file.path}-wal`;
    this.#folderPath = path.dirname(file.path);
    this.#main = statsOf(file.path);
    this.#size = this.#main?.size ?? 0;
    this.#hasWal = file.journal === "wal";
    this.#wal = this.#hasWal ? statsOf(this.#walPath) : undefined;
    this.#now = now;
  }

  /** Before a commit: also whether the file was cut. */
  problem(): LedgerError | undefined {
    const main = statsOf(this.#path);
    if (!main || !isSame(main, this.#main))
      return ledgerError("ledger_replaced", `${this.#path} was replaced or removed while it was open.`);
    // Nothing shrinks a ledger that is open: somebody cut it, and SQLite would go on from what it remembers.
    if (main.size < this.#size) return ledgerError("ledger_corrupt", `${this.#path} was cut short while it was open.`);
    this.#size = main.size;
    return this.#hasWal ? this.#lostLog() : undefined;
  }

  /** After it: whether both are still in their places, which one look at the folder tells nearly always. */
  problemSince(): LedgerError | undefined {
    return this.#isUntouched(this.#folder && statsOf(this.#folderPath)) ? undefined : this.problem();
  }

  #lostLog(): LedgerError | undefined {
    const folder = statsOf(this.#folderPath);
    if (this.#isUntouched(folder)) return undefined;
    const wal = statsOf(this.#walPath);
    // It appears with the first use and then stays as long as anybody has the ledger open.
    this.#wal ??= wal;
    if (!isSame(wal, this.#wal))
      return ledgerError("ledger_lost_wal", `${this.#walPath} was replaced or removed while it was open.`);
    // A clock that was set back only means that the log is looked at.
    const isSettled = folder !== undefined && this.#now() - folder.ctimeMs > SETTLED_MS;
    this.#folder = wal && isSettled ? folder : undefined;
    return undefined;
  }

  #isUntouched(folder: Stats | undefined): boolean {
    const before = this.#folder;
    if (!folder || !before || !isSame(folder, before)) return false;
    return folder.ctimeMs === before.ctimeMs && folder.mtimeMs === before.mtimeMs;
  }
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev);
}
