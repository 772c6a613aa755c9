// Keeps the unsent text of this window in the ledger: half a second after the last change, three seconds after the
// first one while somebody types on, and at once when it is asked to; later where what is stored is long, for it is
// written as a whole. Writes only what differs from what is stored, and nothing while the ledger cannot be written.
// Never rejects: a draft is a convenience, and its loss no news.
import type { ComposerText } from "../ledger/drafts.ts";
import type { ConversationId, Draft } from "../ledger/types.ts";

export interface DraftKeeperOptions {
  readonly save: (conversation: ConversationId, draft: ComposerText) => Promise<unknown>;
  readonly window: string;
  /** What is unsent now. Costs what the text costs: asked only when it is to be written. */
  readonly text: () => string;
  readonly mayWrite: () => boolean;
}

/** In ms. */
const quiet = 500;
const longest = 3_000;
/** More of each for every so many characters that are stored: with 10 MB 5 s and 25 s. */
const slower = { quiet: 2_000, longest: 400 };
const afterFailure = 5_000;

export class DraftKeeper {
  readonly #options: DraftKeeperOptions;
  #conversation: ConversationId | undefined;
  /** What the ledger has of this window, or of the window that the text was taken over from; absent: not known. */
  #stored: string | undefined = "";
  #takenFrom: string | undefined;
  #hasChanged = false;
  #changedAt = 0;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: DraftKeeperOptions) {
    this.#options = options;
  }

  /**
   * Drafts are of this conversation from now on; `stored` is its draft, where one was restored. Taken over from a window
   * that is gone, it is written at once as this one's: nobody else may restore it too.
   */
  open(conversation: ConversationId, stored: Pick<Draft, "text" | "key" | "holder"> | undefined): void {
    this.#conversation = conversation;
    this.#takenFrom = stored?.holder === "self" ? undefined : stored?.key;
    this.#stored = this.#takenFrom === undefined ? (stored?.text ?? "") : undefined;
    this.#hasChanged = true;
    void this.flush();
  }

  /** The text goes along to another conversation: here nothing is left unsent. */
  leave(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#stored !== "") this.#write("");
    this.#conversation = undefined;
    return this.#writing;
  }

  /** Something was typed, sent or taken away. Cheap. */
  changed(): void {
    const now = performance.now();
    if (!this.#hasChanged) this.#changedAt = now;
    this.#hasChanged = true;
    clearTimeout(this.#timer);
    const length = this.#stored?.length ?? 0;
    const still = quiet + length / slower.quiet;
    const left = this.#changedAt + longest + length / slower.longest - now;
    const wait = Math.max(0, Math.min(still, left), this.#pausedUntil - now);
    this.#timer = setTimeout(() => void this.flush(), wait).unref();
  }

  /** Something may be unsaved. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Saves at once; resolves when it is saved, or could not be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#hasChanged || !this.#options.mayWrite()) return this.#writing;
    this.#hasChanged = false;
    const text = this.#options.text();
    if (text !== this.#stored) this.#write(text);
    return this.#writing;
  }

  #write(text: string): void {
    const { save, window } = this.#options;
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    const takenFrom = this.#takenFrom;
    this.#stored = text;
    this.#takenFrom = undefined;
    this.#writing = this.#writing.then(async () => {
      try {
        // In one write: a text that is in two rows is seen twice, one that is in none is lost.
        await save(conversation, { window, text, ...(takenFrom !== undefined && { from: takenFrom }) });
      } catch {
        // Busy, full or closing: it is tried again with the next change.
        this.#failed(conversation, takenFrom);
      }
    });
  }

  #failed(conversation: ConversationId, takenFrom: string | undefined): void {
    if (this.#conversation !== conversation) return;
    this.#stored = undefined;
    this.#takenFrom ??= takenFrom;
    this.#hasChanged = true;
    this.#changedAt = performance.now();
    this.#pausedUntil = performance.now() + afterFailure;
  }
}
