// Conversations in which a word was said, for a list of conversations: behind those that are called so.
import type { SessionListing } from "../ledger/find-sessions.ts";
import type { SearchHit } from "../ledger/search-messages.ts";
import type { SessionFilter } from "../ledger/session-list.ts";
import type { ConversationId } from "../ledger/types.ts";
import type { FreeContext, PickItem, PickLook } from "./command.ts";
import { linesAround, snippetText } from "./hit-text.ts";
import { pickSession } from "./session-rows.ts";

/** Hits that are looked at, and conversations that are listed. */
const HITS = 60;
const LISTED = 10;

export class SessionsSaying {
  readonly #context: FreeContext;
  readonly #filter: SessionFilter;
  readonly #hits = new Map<string, SearchHit>();

  constructor(context: FreeContext, filter: SessionFilter) {
    this.#context = context;
    this.#filter = filter;
  }

  /** None of `without`. Choosing one opens it there. */
  async find(words: string, without: ReadonlySet<ConversationId | undefined>): Promise<readonly PickItem[]> {
    const { db } = this.#context;
    const { folder, all = false } = this.#filter;
    const place = folder === undefined ? {} : { folder };
    const { hits } = await db.searchMessages({ words, isTyping: true, all, limit: HITS, ...place });
    const best = new Map<ConversationId, SearchHit>();
    for (const hit of hits) {
      const { conversation } = hit.session;
      if (!without.has(conversation) && !best.has(conversation)) best.set(conversation, hit);
    }
    const items: PickItem[] = [];
    for (const hit of [...best.values()].slice(0, LISTED)) items.push(await this.#item(hit, words));
    return items;
  }

  /** Undefined: it was not found here. */
  async preview({ command }: PickItem): Promise<PickLook | undefined> {
    const hit = this.#hits.get(command);
    return hit && linesAround(this.#context.db, hit);
  }

  async #item(hit: SearchHit, typed: string): Promise<PickItem> {
    const { db, now } = this.#context;
    const listing: SessionListing = { session: hit.session, ...(await db.sessionState(hit.session.id)) };
    const { facts: _, ...item } = pickSession(listing, { now: now(), command: "/resume", here: undefined });
    const command = `${item.command} --at ${hit.message}`;
    this.#hits.set(command, hit);
    const detail = snippetText(hit.snippet);
    // It fits by what is said in it, which the list need not see.
    return { ...item, command, detail, search: `${item.search} ${typed} ${detail}` };
  }
}
