// Asks for what is wanted now, one question at a time: while one is on its way, only the newest that came meanwhile
// waits, and what is not wanted any more is never asked for. After `close` nothing is told.

export class LatestOnly<Key, Value> {
  readonly #load: (key: Key) => Promise<Value>;
  readonly #tell: (key: Key, value: Value) => void;
  #isAsking = false;
  #next: { readonly key: Key } | undefined;
  #isClosed = false;

  /** `load` never rejects: what can go wrong is part of its value. */
  constructor(load: (key: Key) => Promise<Value>, tell: (key: Key, value: Value) => void) {
    this.#load = load;
    this.#tell = tell;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  want(key: Key): void {
    this.#next = { key };
    if (!this.#isAsking) void this.#ask();
  }

  /** What was wanted last and not asked for yet is not wanted. */
  forget(): void {
    this.#next = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#next = undefined;
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    for (let wanted = this.#next; wanted; wanted = this.#next) {
      this.#next = undefined;
      const value = await this.#load(wanted.key);
      const isLast = this.#next === undefined;
      if (isLast) this.#isAsking = false;
      if (!this.#isClosed) this.#tell(wanted.key, value);
      if (isLast) return;
    }
  }
}
