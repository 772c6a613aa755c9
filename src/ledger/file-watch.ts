// Is the file under the open connection still the file at its path? Compared by device and inode with what
// was there at open, by stat alone (a descriptor opened and closed here would drop SQLite's locks).
import { type Stats, statSync } from "node:fs";
import { type LedgerError, ledgerError } from "./errors.ts";
import type { OpenedFile } from "./open.ts";

export class FileWatch {
  readonly #path: string;
  readonly #walPath: string;
  readonly #main: Stats | undefined;
  #size: number;
  #wal: Stats | undefined;
  readonly #hasWal: boolean;

  constructor(file: OpenedFile) {
    this.#path = file.path;
    this.#walPath = `${file.path}-wal`;
    this.#hasWal = file.journal === "wal";
    this.#main = statsOf(file.path);
    this.#size = this.#main?.size ?? 0;
    this.#wal = this.#hasWal ? statsOf(this.#walPath) : undefined;
  }

  problem(): LedgerError | undefined {
    const main = statsOf(this.#path);
    if (!main || !isSame(main, this.#main))
      return ledgerError("ledger_replaced", `${this.#path} was replaced or removed while it was open.`);
    // Nothing shrinks a ledger that is open: somebody cut it, and SQLite would go on from what it remembers.
    if (main.size < this.#size) return ledgerError("ledger_corrupt", `${this.#path} was cut short while it was open.`);
    this.#size = main.size;
    if (!this.#hasWal) return undefined;
    const wal = statsOf(this.#walPath);
    // It appears with the first use and then stays as long as anybody has the ledger open.
    this.#wal ??= wal;
    if (!isSame(wal, this.#wal))
      return ledgerError("ledger_lost_wal", `${this.#walPath} was replaced or removed while it was open.`);
    return undefined;
  }
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev);
}
