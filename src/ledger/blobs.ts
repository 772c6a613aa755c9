// Tables `blobs` and `blob_refs`: big contents by hash, and who needs them. A blob is stored in the same
// transaction as its first referrer and goes with its last one, so neither is ever without the other.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ledgerError } from "./errors.ts";
import { sha256 } from "./ids.ts";
import type { Database } from "./open.ts";
import type { Tx } from "./transaction.ts";
import type { Hash } from "./types.ts";

interface BlobRow {
  readonly bytes: number;
  readonly encoding: "raw" | "deflate";
  readonly content: Buffer;
}

export function blobQueries(db: Database) {
  return {
    get: db.prepare<[string], BlobRow>("select bytes, encoding, content from blobs where hash = ?"),
    has: db.prepare<[string], number>("select exists (select 1 from blobs where hash = ?)").pluck(),
    put: db.prepare<[string, number, string, Uint8Array, number]>(
      "insert or ignore into blobs (hash, bytes, encoding, content, created_at) values (?, ?, ?, ?, ?)",
    ),
    refMessage: db.prepare<[string, number]>("insert into blob_refs (hash, message_id) values (?, ?)"),
    refChange: db.prepare<[string, number]>("insert into blob_refs (hash, change_id) values (?, ?)"),
    refRevert: db.prepare<[string, number]>("insert into blob_refs (hash, revert_id) values (?, ?)"),
    refAdmission: db.prepare<[string, number]>("insert into blob_refs (hash, admission_id) values (?, ?)"),
    ofChange: db.prepare<[number], Hash>("select hash from blob_refs where change_id = ?").pluck(),
    dropOfChange: db.prepare<[number]>("delete from blob_refs where change_id = ?"),
    sweepOf: db.prepare<[string]>(
      "delete from blobs where hash = ? and not exists (select 1 from blob_refs r where r.hash = blobs.hash)",
    ),
  };
}

/** Only inside the transaction that also stores a referrer. */
export function putBlob(tx: Tx, content: Uint8Array): Hash {
  const hash = sha256(content);
  if (tx.q.blobs.has.get(hash)) return hash;
  const packed = deflateRawSync(content, { level: 3 });
  const isSmaller = packed.length < content.length;
  tx.q.blobs.put.run(hash, content.length, isSmaller ? "deflate" : "raw", isSmaller ? packed : content, tx.now);
  return hash;
}

/** Throws `row_missing` for an unknown hash and `ledger_corrupt` for content that lost its hash. */
export function unpackBlob(row: BlobRow | undefined, hash: Hash): Uint8Array {
  if (!row) throw ledgerError("row_missing", `Blob ${hash} is not stored.`);
  const content = row.encoding === "raw" ? row.content : inflateRawSync(row.content);
  if (sha256(content) !== hash) throw ledgerError("ledger_corrupt", `Blob ${hash} does not have its content any more.`);
  return content;
}
