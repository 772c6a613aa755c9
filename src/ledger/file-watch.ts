// Is the file under the open connection still the file at its path, with the log and the index of the log that belong to
// it? Compared by device and inode with what was there at open, by stat alone (a descriptor opened and closed here would
// drop SQLite's locks). The files beside it are looked at through their folder: nobody removes, moves or replaces one
// without changing the folder's time. A stat of the log itself makes the next commit dearer by a tenth: a kernel that was
// asked for a file's time gives its next write a time of its own, and each commit then stores the inode as well.
import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { type LedgerError, ledgerError } from "./errors.ts";
import { LOG_LIMIT_BYTES, type OpenedFile } from "./open.ts";

/** Two changes of a folder may bear the same time within what a file system counts in: 2 s on the coarsest. */
export const SETTLED_MS = 2_100;

/** Between two looks at the size of the log, in ms: what follows each other closely is not paid for twice. */
const LOOK_MS = 1_000;

/** A file that appears with the first use and then stays as long as anybody has the ledger open. */
interface Beside {
  readonly path: string;
  first: Stats | undefined;
}

export interface WatchClock {
  /** Gives files their times, in ms. */
  readonly now: () => number;
  /** Only goes forward, in ms. */
  readonly elapsed: () => number;
}

export class FileWatch {
  readonly #path: string;
  /** As it was asked for: a link may be led elsewhere without a change of the folder that the file lies in. */
  readonly #asked: string;
  readonly #main: Stats | undefined;
  readonly #folderPath: string;
  readonly #log: Beside | undefined;
  readonly #index: Beside | undefined;
  readonly #clock: WatchClock;
  #size: number;
  #logSize = 0;
  #isLogOfOthers = false;
  #lookedAt: number;
  /** As it was before all of them were last seen in it, its last change long enough ago. */
  #folder: Stats | undefined;

  constructor(
    file: Pick<OpenedFile, "path" | "askedPath" | "journal">,
    clock: WatchClock = { now: Date.now, elapsed: () => performance.now() },
  ) {
    this.#path = file.path;
    this.#asked = file.askedPath;
    this.#folderPath = path.dirname(file.path);
    this.#main = statsOf(file.path);
    this.#size = this.#main?.size ?? 0;
    const hasLog = file.journal === "wal";
    this.#log = hasLog ? beside(`${file.path}-wal`) : undefined;
    this.#index = hasLog ? beside(`${file.path}-shm`) : undefined;
    this.#logSize = this.#log?.first?.size ?? 0;
    this.#clock = clock;
    this.#lookedAt = clock.elapsed();
  }

  /**
   * Before the close: the log is not, or may not be, what this connection takes it for. Copying it into the file and
   * removing it, as the last one to close does, would take away what others wrote. A log that is only gone from its
   * place is still ours.
   */
  isLogOfOthers(): boolean {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.problem();
    return this.#isLogOfOthers;
  }

  /** Before a commit: also whether the file or its log was cut. */
  problem(): LedgerError | undefined {
    const main = statsOf(this.#asked);
    if (!main || !isSame(main, this.#main))
      return ledgerError("ledger_replaced", `${this.#asked} was replaced or removed while it was open.`);
    // Nothing shrinks a ledger that is open: somebody cut it, and SQLite would go on from what it remembers.
    if (main.size < this.#size) return ledgerError("ledger_corrupt", `${this.#path} was cut short while it was open.`);
    this.#size = main.size;
    return this.#lostLog() ?? this.#cutLog();
  }

  /** After it: whether all are still in their places, which one look at the folder tells nearly always. */
  problemSince(): LedgerError | undefined {
    if (this.#asked !== this.#path) return this.problem();
    return this.#isUntouched(this.#folder && statsOf(this.#folderPath)) ? undefined : this.problem();
  }

  #lostLog(): LedgerError | undefined {
    if (!this.#log || !this.#index) return undefined;
    const folder = statsOf(this.#folderPath);
    if (this.#isUntouched(folder)) return undefined;
    for (const each of [this.#log, this.#index]) {
      const now = statsOf(each.path);
      each.first ??= now;
      if (isSame(now, each.first)) continue;
      // Without the index the next program makes another one, and both write over each other in the log.
      this.#isLogOfOthers ||= each === this.#index;
      return ledgerError("ledger_lost_wal", `${each.path} was replaced or removed while it was open.`);
    }
    // A clock that was set back only means that they are looked at.
    const isSettled = folder !== undefined && this.#clock.now() - folder.ctimeMs > SETTLED_MS;
    this.#folder = this.#log.first && this.#index.first && isSettled ? folder : undefined;
    return undefined;
  }

  /** SQLite itself only cuts a log that had grown beyond its limit. */
  #cutLog(): LedgerError | undefined {
    const elapsed = this.#clock.elapsed();
    if (!this.#log || elapsed - this.#lookedAt < LOOK_MS) return undefined;
    this.#lookedAt = elapsed;
    const { size = 0 } = statsOf(this.#log.path) ?? {};
    if (size < Math.min(this.#logSize, LOG_LIMIT_BYTES)) {
      this.#isLogOfOthers = true;
      return ledgerError("ledger_lost_wal", `${this.#log.path} was cut short while it was open.`);
    }
    this.#logSize = size;
    return undefined;
  }

  #isUntouched(folder: Stats | undefined): boolean {
    const before = this.#folder;
    if (!folder || !before || !isSame(folder, before)) return false;
    return folder.ctimeMs === before.ctimeMs && folder.mtimeMs === before.mtimeMs;
  }
}

function beside(path: string): Beside {
  return { path, first: statsOf(path) };
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev);
}
