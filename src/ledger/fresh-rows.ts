// Messages above the index's watermark, in an index of the same kind that lives in memory alone: so a search finds the
// same in them, with the same snippets, as it will when they are in the file's. Kept from one search to the next, as
// messages never change; one that is deleted meanwhile is for the caller to leave out.
import { loadDriver } from "./driver.ts";
import type { Database } from "./open.ts";
import { FTS_TOKENIZER } from "./schema.ts";
import { FRESH_ROWS, watermarkOf } from "./search.ts";
import { markedText, type SnippetPart, snippetParts } from "./snippet.ts";
import type { Queries } from "./transaction.ts";
import type { MessageId } from "./types.ts";

const FRESH_CHARACTERS = 4_000_000;

export interface FreshHit {
  readonly id: MessageId;
  readonly snippet: readonly SnippetPart[];
}

export class FreshRows {
  #db: Database | undefined;
  #statements: ReturnType<typeof statementsOf> | undefined;
  /** Ids above the first and up to the last are here. */
  #first = 0;
  #last = 0;
  #rows = 0;
  #characters = 0;

  /** Best first. `rest`: at most so many messages are in neither index. */
  search(q: Queries, match: string): { readonly hits: readonly FreshHit[]; readonly rest: number } {
    const rest = this.#follow(q);
    const hits: FreshHit[] = [];
    if (this.#rows === 0) return { hits, rest };
    for (const { id, marked } of this.#open().find.iterate(match))
      hits.push({ id, snippet: snippetParts(marked, match) });
    return { hits, rest };
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#statements = undefined;
  }

  /** Takes what came since, and begins anew when the index of the file has all that is here, or was made anew. */
  #follow(q: Queries): number {
    const watermark = watermarkOf(q);
    if (watermark < this.#first || watermark >= this.#last) this.#begin(watermark);
    const newest = q.search.newest.get() ?? 0;
    if (newest > this.#last) {
      for (const { id, text } of q.search.above.iterate(this.#last, FRESH_ROWS)) {
        if (this.#rows >= FRESH_ROWS || this.#characters >= FRESH_CHARACTERS) break;
        this.#open().insert.run(id, text);
        this.#last = id;
        this.#rows += 1;
        this.#characters += text.length;
      }
    }
    return Math.max(0, newest - this.#last);
  }

  #begin(watermark: number): void {
    if (this.#rows > 0) this.#statements?.clear.run();
    this.#first = watermark;
    this.#last = watermark;
    this.#rows = 0;
    this.#characters = 0;
  }

  #open(): ReturnType<typeof statementsOf> {
    if (this.#statements) return this.#statements;
    const Driver = loadDriver();
    this.#db = new Driver(":memory:");
    this.#db.exec(`create virtual table fresh using fts5 (text, tokenize = '${FTS_TOKENIZER}')`);
    this.#statements = statementsOf(this.#db);
    return this.#statements;
  }
}

function statementsOf(db: Database) {
  return {
    insert: db.prepare<[number, string]>("insert into fresh (rowid, text) values (?, ?)"),
    clear: db.prepare("delete from fresh"),
    find: db.prepare<[string], { id: MessageId; marked: string }>(
      `select rowid as id, ${markedText("fresh", "text")} from fresh where fresh match ? order by rank`,
    ),
  };
}
