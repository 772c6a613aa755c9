// The word index, filled from behind: a batch of messages and the watermark over them move in one
// transaction. What lies above the watermark is not in the index yet; `search-messages.ts` looks at that itself.
import type { Database } from "./open.ts";
import type { Queries, Tx } from "./transaction.ts";

export interface AboveRow {
  readonly id: number;
  readonly text: string;
}

export function searchQueries(db: Database) {
  return {
    above: db.prepare<[number, number], AboveRow>("select id, text from messages where id > ? order by id limit ?"),
    newest: db.prepare<[], number | null>("select max(id) from messages").pluck(),
    insert: db.prepare<[number, string]>("insert into messages_fts (rowid, text) values (?, ?)"),
    check: db.prepare("insert into messages_fts (messages_fts, rank) values ('integrity-check', 1)"),
  };
}

/** More messages than these are for the index first: who searches waits for it. */
export const FRESH_ROWS = 500;

/** Read at once: a message may have megabytes. */
const CHUNK_ROWS = 20;
/** The commit takes about as long again. */
const BATCH_MS = 25;

/** Indexes for at most about 50 ms. True when there is nothing left above the watermark. */
export function indexBatch(tx: Tx, clock: () => number = Date.now): boolean {
  const watermark = watermarkOf(tx.q);
  const end = clock() + BATCH_MS;
  let last = watermark;
  let isWhole = false;
  while (!isWhole && clock() <= end) {
    const rows = tx.q.search.above.all(last, CHUNK_ROWS);
    let done = 0;
    for (const row of rows) {
      tx.q.search.insert.run(row.id, row.text);
      last = row.id;
      done += 1;
      if (clock() > end) break;
    }
    isWhole = rows.length < CHUNK_ROWS && done === rows.length;
  }
  if (last > watermark) tx.q.meta.put.run("fts_watermark", String(last));
  return isWhole;
}

export function watermarkOf(q: Queries): number {
  return Number(q.meta.get.get("fts_watermark") ?? 0);
}

/** How many messages at most are not in the index yet. Costs the same for any number. */
export function searchLag(q: Queries): number {
  return Math.max(0, (q.search.newest.get() ?? 0) - watermarkOf(q));
}
