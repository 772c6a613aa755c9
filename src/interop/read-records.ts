// Whole records of an export file: chunks put together, the contents that a record is the first to name beside it. Checks
// the shape of each, and of a content that it is what its hash says.
import { canonicalJson, sha256 } from "../ledger/ids.ts";
import type { NewBlob, TransferRecord } from "../ledger/transfer.ts";
import type { Hash } from "../ledger/types.ts";
import { LIMITS } from "./export-format.ts";
import { BadFile, beginning, isObject, type RawRecord, type Reading, rawRecords } from "./read-lines.ts";
import { recordShape } from "./record-shapes.ts";

export interface ReadRecord {
  readonly where: string;
  readonly record: TransferRecord | { readonly type: "end"; readonly records: number };
  readonly blobs: readonly NewBlob[];
}

/** Throws `BadFile`; of a file that was read to its end the last record is the one that says so. */
export async function* readRecords(file: string, reading: Reading): AsyncGenerator<ReadRecord> {
  const parts = new Parts(file);
  let isHeader = true;
  for await (const raw of rawRecords(file, reading)) {
    if (!isHeader) yield* parts.take(raw);
    isHeader = false;
  }
  parts.end();
}

class Parts {
  readonly #file: string;
  #chunks: string[] = [];
  #size = 0;
  #blob: { readonly hash: Hash; readonly of: number; readonly pieces: Buffer[] } | undefined;
  #blobs: NewBlob[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  *take({ where, value }: RawRecord): Generator<ReadRecord> {
    if (value["type"] === "chunk") {
      const whole = this.#chunk(where, value);
      if (whole) yield this.#record(where, whole);
      return;
    }
    if (this.#chunks.length > 0) this.#fail(where, "a record in chunks is not finished.");
    if (value["type"] === "blob") this.#takeBlob(where, value);
    else yield this.#record(where, value);
  }

  end(): void {
    if (this.#chunks.length > 0 || this.#blob) this.#fail("the end", "it was cut off.");
  }

  #chunk(where: string, { data, last }: RawRecord["value"]): RawRecord["value"] | undefined {
    if (typeof data !== "string") this.#fail(where, "data of a chunk is no text.");
    this.#chunks.push(data);
    this.#size += data.length;
    if (this.#size > LIMITS.record) this.#fail(where, `a record has more than ${LIMITS.record} characters.`);
    if (last !== true) return undefined;
    const json = this.#chunks.join("");
    this.#chunks = [];
    this.#size = 0;
    try {
      const value: unknown = JSON.parse(json);
      if (isObject(value)) return value;
    } catch {
      // told below, with its place
    }
    return this.#fail(where, "the chunks up to here are no JSON object.");
  }

  #record(where: string, value: RawRecord["value"]): ReadRecord {
    if (this.#blob) this.#fail(where, `the content ${this.#blob.hash} is not finished.`);
    const problem = recordShape(value, "");
    if (problem !== undefined) this.#fail(where, `${problem}.`);
    const blobs = this.#blobs;
    this.#blobs = [];
    const record = value["type"] === "message" ? { ...value, parts: this.#canonical(where, value["parts"]) } : value;
    return { where, record: record as unknown as ReadRecord["record"], blobs };
  }

  #canonical(where: string, parts: unknown): string {
    try {
      return canonicalJson(parts);
    } catch (error) {
      return this.#fail(where, (error as Error).message);
    }
  }

  #takeBlob(where: string, { hash, at, of, data }: RawRecord["value"]): void {
    if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) this.#fail(where, "hash of a content is no hash.");
    if (typeof of !== "number" || !Number.isSafeInteger(of) || of < 0 || of > LIMITS.blobBytes)
      this.#fail(
        where,
        `a content has ${beginning(JSON.stringify(of) ?? "no")} bytes; up to ${LIMITS.blobBytes} are taken.`,
      );
    const blob = (this.#blob ??= { hash: hash as Hash, of, pieces: [] });
    const have = blob.pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (blob.hash !== hash || blob.of !== of || at !== have)
      this.#fail(where, `it does not go on with the content ${blob.hash}.`);
    if (typeof data !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
      this.#fail(where, "data of a content is no base64.");
    blob.pieces.push(Buffer.from(data, "base64"));
    if (have + (blob.pieces.at(-1)?.length ?? 0) < of) return;
    const bytes = Buffer.concat(blob.pieces);
    this.#blob = undefined;
    if (bytes.length !== of || sha256(bytes) !== hash)
      this.#fail(where, `the content ${hash} is not what its hash says.`);
    this.#blobs.push({ hash: hash as Hash, bytes });
  }

  #fail(where: string, what: string): never {
    throw new BadFile(this.#file, where, what);
  }
}
