// What there is to show of one conversation: its outputs, one of them being the one at hand, and itself as a whole.
import type { MessageId, Session } from "../ledger/types.ts";
import { OutputList, type OutputReader, outputItems } from "./pager-outputs.ts";
import type { PagerSource } from "./pager-source.ts";
import { Transcript } from "./pager-transcript.ts";
import type { PickerItem } from "./picker-state.ts";
import { sanitize } from "./sanitize.ts";

export interface ShelfOptions {
  readonly db: OutputReader;
  readonly session: Session;
  /** The newest message. */
  readonly head: MessageId;
}

/** A text, or why there is none. */
export type Taken = { readonly source: PagerSource } | { readonly why: string };

export class PagerShelf {
  readonly #options: ShelfOptions;
  readonly #outputs: OutputList;
  /** Of the output that is shown, or was last. */
  #index = 0;

  constructor(options: ShelfOptions) {
    const { db, session, head } = options;
    this.#options = options;
    this.#outputs = new OutputList({ db, session: session.id, head });
  }

  /** The newest output that is not whole in the scrollback; without any output, the conversation. */
  async first(): Promise<Taken> {
    const newest = await this.#outputs.newestFolded();
    return newest === undefined ? this.transcript() : this.output(newest);
  }

  /** `by`: older ones come after newer ones. */
  beside(by: number): Promise<Taken> {
    return this.output(this.#index + by);
  }

  async output(index: number): Promise<Taken> {
    if (index >= this.#outputs.found.length) await this.#outputs.more();
    const { found } = this.#outputs;
    const output = found[index];
    if (!output && found.length === 0) return { why: "no tool has put anything out here" };
    if (!output) return { why: index < 0 ? "this is the newest output" : "there is no older output" };
    const source = await this.#outputs.source(output);
    this.#index = index;
    return { source };
  }

  async transcript(): Promise<Taken> {
    const { db, session, head } = this.#options;
    const [newest] = (await db.path(session.id, { from: head, limit: 1 })).messages;
    if (!newest) return { why: "the conversation is empty now" };
    const title = sanitize(session.title ?? "the conversation");
    return { source: new Transcript({ db, session: session.id, head: newest, title }) };
  }

  /** With the unit of this message; where it was undone, the conversation as it ended in it. */
  async transcriptWith(
    message: MessageId,
  ): Promise<(Taken & { readonly source: PagerSource; readonly unit: number }) | { readonly why: string }> {
    const { db, session, head } = this.#options;
    const [wanted] = (await db.path(session.id, { from: message, limit: 1 })).messages;
    if (!wanted) return { why: "the message is not there any more" };
    const [shown] = (await db.path(session.id, { from: head, depth: wanted.depth, limit: 1 })).messages;
    if (shown?.id === message) {
      const taken = await this.transcript();
      return "why" in taken ? taken : { ...taken, unit: wanted.depth - 1 };
    }
    const title = `${sanitize(session.title ?? "the conversation")} (undone)`;
    return { source: new Transcript({ db, session: session.id, head: wanted, title }), unit: wanted.depth - 1 };
  }

  /** Of the outputs read so far; older ones too when that many are not enough. */
  async items(wanted: number): Promise<readonly PickerItem[]> {
    if (this.#outputs.found.length < wanted && !this.#outputs.isWhole) await this.#outputs.more();
    return outputItems(this.#outputs.found);
  }

  get isWhole(): boolean {
    return this.#outputs.isWhole;
  }
}
