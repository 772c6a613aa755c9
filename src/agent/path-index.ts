// The files and folders below a folder, for whoever types a path: read in the background when they are first asked
// for, again when they are old, and searched in memory. Asking never waits: while the first reading goes on there is
// what was found so far. Bounded, respects .gitignore, and leaves out names that no line of text can hold.
import { setImmediate } from "node:timers/promises";
import { PathList } from "./path-list.ts";
import type { FileGate } from "./tools/files.ts";
import { shownPath } from "./tools/shown-path.ts";
import { walk } from "./tools/walk.ts";

export interface FoundPaths {
  /** Best first, relative to the folder; those of folders end in a slash. */
  readonly paths: readonly string[];
  /** The first reading is not over: there may be more. */
  readonly isReading: boolean;
  /** There are more than are kept. */
  readonly isCut: boolean;
}

export interface PathIndexOptions {
  readonly folder: string;
  readonly files: FileGate;
  /** Another question would be answered differently now. */
  readonly onChange: () => void;
  readonly maxPaths?: number;
  readonly now?: () => number;
}

/** In ms. A reading that takes long is good for longer. */
const goodFor = { least: 10_000, timesItsReading: 20 };
/** In ms: how long reading may keep a key waiting, and how often it tells. */
const slice = 4;
const tellEvery = 150;
const controls = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;

export class PathIndex {
  readonly folder: string;
  readonly #options: PathIndexOptions;
  readonly #closing = new AbortController();
  #list = new PathList();
  #isCut = false;
  #isReading = false;
  #wasRead = false;
  #goodUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PathIndexOptions) {
    this.folder = options.folder;
    this.#options = options;
  }

  /** Costs a few ms at 100,000 paths. `limit` paths at most. */
  find(query: string, limit: number): FoundPaths {
    if (!this.#isReading && this.#now() >= this.#goodUntil) void this.#read();
    const paths = this.#list.find(query.replace(/^(?:\.\/)+/, ""), limit);
    return { paths, isReading: !this.#wasRead, isCut: this.#isCut };
  }

  close(): void {
    this.#closing.abort();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const began = performance.now();
    const list = this.#wasRead ? new PathList() : this.#list;
    try {
      this.#isCut = await this.#fill(list);
    } catch {
      // The folder went away while it was read: what was found stands until it is read again.
    }
    this.#list = list;
    this.#wasRead = true;
    this.#isReading = false;
    const took = performance.now() - began;
    this.#goodUntil = this.#now() + Math.max(goodFor.least, took * goodFor.timesItsReading);
    if (!this.#closing.signal.aborted) this.#options.onChange();
  }

  /** True: there was more than may be kept. */
  async #fill(list: PathList): Promise<boolean> {
    const { folder, files, onChange, maxPaths = 200_000 } = this.#options;
    const { signal } = this.#closing;
    let pausedAt = performance.now();
    let toldAt = pausedAt;
    for await (const path of walk(folder, { files, signal })) {
      const name = shownPath(folder, path);
      if (!controls.test(name)) list.add(name);
      if (list.size >= maxPaths) return true;
      if (performance.now() - pausedAt < slice) continue;
      await setImmediate();
      pausedAt = performance.now();
      if (list !== this.#list || pausedAt - toldAt < tellEvery) continue;
      toldAt = pausedAt;
      onChange();
    }
    return false;
  }
}
