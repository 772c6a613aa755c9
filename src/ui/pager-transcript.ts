// A whole conversation as a text for the pager: a unit is a message, read from the ledger a page at a time when it is
// looked at. Opening, scrolling and going to an end cost the same with 20 messages and with 20,000: few pages are kept,
// and the node that a page ends in is remembered, so that the one before it is found at once.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Message, MessageId, SessionId } from "../ledger/types.ts";
import { mayAsk, messageLines, messageText, type StoredMessage, storedMessages } from "./pager-messages.ts";
import type { PagerSource } from "./pager-source.ts";
import type { Line } from "./styled-line.ts";
import type { Look } from "./tool-lines.ts";

export type TranscriptReader = Pick<AsyncSessionDB, "path" | "callsOfMessages">;

const pageMessages = 50;
/** Read along with a page: the calls that its first results answer. */
const lookBack = 16;
const maxPages = 12;
/** Pages: a way longer than this is walked once, to a node this near. */
const stride = 8;

interface Page {
  readonly messages: readonly StoredMessage[];
  /** By message, at one width. */
  readonly rows: Map<number, readonly Line[]>;
  width: number;
}

export interface TranscriptOptions {
  readonly db: TranscriptReader;
  readonly session: SessionId;
  /** The newest message. */
  readonly head: Pick<Message, "id" | "depth">;
  readonly title: string;
}

export class Transcript implements PagerSource {
  readonly title: string;
  readonly noun = "message";
  readonly units: number;
  readonly glue = " ";
  readonly searches = "up";
  readonly head: MessageId;
  readonly #db: TranscriptReader;
  readonly #session: SessionId;
  /** Used last comes last. */
  readonly #pages = new Map<number, Page>();
  readonly #ends = new Map<number, MessageId>();

  constructor({ db, session, head, title }: TranscriptOptions) {
    this.#db = db;
    this.#session = session;
    this.title = title;
    this.head = head.id;
    this.units = head.depth;
    this.#ends.set(pageOf(head.depth - 1), head.id);
  }

  rows(unit: number, look: Look): readonly Line[] | undefined {
    const page = this.#page(unit);
    if (!page) return undefined;
    if (page.width !== look.width) page.rows.clear();
    page.width = look.width;
    const known = page.rows.get(unit);
    if (known) return known;
    const stored = page.messages[unit % pageMessages];
    const rows = stored ? messageLines(stored, look) : [];
    page.rows.set(unit, rows);
    return rows;
  }

  mayMatch(unit: number, pattern: RegExp): boolean | undefined {
    const page = this.#page(unit);
    if (!page) return undefined;
    const stored = page.messages[unit % pageMessages];
    return stored !== undefined && messageText(stored).search(pattern) !== -1;
  }

  async load(unit: number): Promise<void> {
    const index = pageOf(unit);
    if (this.#pages.has(index)) return;
    const last = Math.min(this.units, (index + 1) * pageMessages);
    const count = last - index * pageMessages;
    const from = await this.#nearEnd(index);
    const limit = count + lookBack;
    const { messages } = await this.#db.path(this.#session, { from, depth: last, limit });
    const calls = await this.#db.callsOfMessages(messages.filter(mayAsk).map(({ id }) => id));
    const before = Math.max(0, messages.length - count);
    this.#remember(index, messages[before], messages.at(-1));
    this.#pages.set(index, { messages: storedMessages(messages, calls, before), rows: new Map(), width: 0 });
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > maxPages && oldest !== undefined) this.#pages.delete(oldest);
  }

  #page(unit: number): Page | undefined {
    const index = pageOf(unit);
    const page = this.#pages.get(index);
    if (!page) return undefined;
    this.#pages.delete(index);
    this.#pages.set(index, page);
    return page;
  }

  /** The nearest node that is known at or after the end of this page. */
  async #nearEnd(index: number): Promise<MessageId> {
    const [near, from] = this.#known(index);
    const between = index + stride;
    if (near <= between) return from;
    const depth = (between + 1) * pageMessages;
    const { messages } = await this.#db.path(this.#session, { from, depth, limit: 1 });
    this.#remember(between, undefined, messages[0]);
    return messages[0]?.id ?? from;
  }

  #known(index: number): readonly [number, MessageId] {
    let near = pageOf(this.units - 1);
    for (const page of this.#ends.keys()) if (page >= index && page < near) near = page;
    return [near, this.#ends.get(near) ?? this.head];
  }

  #remember(index: number, first: Message | undefined, last: Message | undefined): void {
    if (last) this.#ends.set(index, last.id);
    if (first?.parent !== undefined) this.#ends.set(index - 1, first.parent);
  }
}

function pageOf(unit: number): number {
  return Math.floor(unit / pageMessages);
}
