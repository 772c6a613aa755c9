// The word index, filled from behind: a batch of messages and the watermark over them move in one
// transaction. What lies above the watermark is not in the index yet; nothing else depends on it.
import type { Database } from "./open.ts";
import type { Tx } from "./transaction.ts";

export function searchQueries(db: Database) {
  return {
    above: db.prepare<[number, number], { id: number; text: string }>(
      "select id, text from messages where id > ? order by id limit ?",
    ),
    insert: db.prepare<[number, string]>("insert into messages_fts (rowid, text) values (?, ?)"),
    check: db.prepare("insert into messages_fts (messages_fts, rank) values ('integrity-check', 1)"),
  };
}

const BATCH_ROWS = 200;
const BATCH_MS = 50;

/** Indexes for at most about 50 ms. True when there is nothing left above the watermark. */
export function indexBatch(tx: Tx, clock: () => number = Date.now): boolean {
  const watermark = Number(tx.q.meta.get.get("fts_watermark") ?? 0);
  const rows = tx.q.search.above.all(watermark, BATCH_ROWS);
  const end = clock() + BATCH_MS;
  let last = watermark;
  for (const row of rows) {
    tx.q.search.insert.run(row.id, row.text);
    last = row.id;
    if (clock() > end) break;
  }
  if (last > watermark) tx.q.meta.put.run("fts_watermark", String(last));
  return rows.length < BATCH_ROWS && last === (rows.at(-1)?.id ?? watermark);
}
