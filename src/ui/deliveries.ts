// Marks answers as delivered, each once this terminal has taken its text. What is not marked is told again at the
// next start: a mark that was lost costs a repetition, a mark too early would cost the answer.
import type { MessageId } from "../ledger/types.ts";

export interface DeliveryOptions {
  readonly deliver: (message: MessageId, channel: string) => Promise<unknown>;
  /** All that was written up to now was taken. */
  readonly flushed: () => Promise<boolean>;
  /** The terminal's name. */
  readonly channel: string;
}

export class Deliveries {
  readonly #options: DeliveryOptions;
  #marked: Promise<void> = Promise.resolve();

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Their text was just written. */
  told(messages: readonly MessageId[]): void {
    if (messages.length === 0) return;
    const flushed = this.#options.flushed();
    this.#marked = this.#marked.then(async () => {
      if (await flushed) await this.#mark(messages);
    });
  }

  /** Resolves when nothing is left to mark. Never rejects. */
  settled(): Promise<void> {
    return this.#marked;
  }

  async #mark(messages: readonly MessageId[]): Promise<void> {
    const { deliver, channel } = this.#options;
    try {
      for (const message of messages) await deliver(message, channel);
    } catch {
      // Busy, full or closing: they are told again at the next start.
    }
  }
}
