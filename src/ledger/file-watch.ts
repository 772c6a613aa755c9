// Is the file under the open connection still the file at its path? Compared by device and inode with what
// was there at open, by stat alone (a descriptor opened and closed here would drop SQLite's locks).
import { statSync } from "node:fs";
import { type LedgerError, ledgerError } from "./errors.ts";
import type { OpenedFile } from "./open.ts";

export class FileWatch {
  readonly #path: string;
  readonly #walPath: string;
  readonly #main: string | undefined;
  #wal: string | undefined;
  readonly #hasWal: boolean;

  constructor(file: OpenedFile) {
    this.#path = file.path;
    this.#walPath = `${file.path}-wal`;
    this.#hasWal = file.journal === "wal";
    this.#main = identityOf(file.path);
    this.#wal = this.#hasWal ? identityOf(this.#walPath) : undefined;
  }

  problem(): LedgerError | undefined {
    if (identityOf(this.#path) !== this.#main)
      return ledgerError("ledger_replaced", `${this.#path} was replaced or removed while it was open.`);
    if (!this.#hasWal) return undefined;
    const wal = identityOf(this.#walPath);
    // It appears with the first use and then stays as long as anybody has the ledger open.
    this.#wal ??= wal;
    if (wal !== this.#wal)
      return ledgerError("ledger_lost_wal", `${this.#walPath} was replaced or removed while it was open.`);
    return undefined;
  }
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
