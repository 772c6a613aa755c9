// The file of an export: one record a line, the first a header, the last the number of records, so that a file that was
// cut off is known. Lines stay short: a long record goes in chunks of its JSON, a content in chunks of base64.
import { randomUUID } from "node:crypto";
import type { NodeRecord, TransferRecord } from "../ledger/transfer.ts";
import type { Hash, SessionId } from "../ledger/types.ts";

export const FORMAT = "stele-export";
export const VERSION = 1;

export interface Header {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly program: string;
  readonly exportedAt: number;
  readonly session: SessionId;
  readonly redacted: boolean;
}

/** One of these an import takes; what an export writes is below all of them. */
export const LIMITS = {
  lineBytes: 5 * 1024 * 1024,
  /** Characters of one record. */
  record: 128 * 1024 * 1024,
  blobBytes: 512 * 1024 * 1024,
  /** Of a file that is one JSON object. */
  jsonBytes: 64 * 1024 * 1024,
  sessions: 10_000,
  messages: 200_000,
  /** Of a conversation that is here already, so that its end stays one short step. */
  messagesAdded: 10_000,
  files: 500,
} as const;

export interface Blob {
  readonly type: "blob";
  readonly hash: Hash;
  readonly bytes: Uint8Array;
}
export type Item = TransferRecord | Blob;

/** JSON escapes take at most six bytes a character. */
const CHUNK = 500_000;
const BLOB_CHUNK = 1024 * 1024;

/** Each without its line end. */
export function* linesOf(item: Item): Generator<string> {
  if (item.type === "blob") yield* blobLines(item);
  else yield* recordLines(item.type === "message" ? messageJson(item) : JSON.stringify(item));
}

function messageJson({ parts, ...rest }: NodeRecord): string {
  return `${JSON.stringify(rest).slice(0, -1)},"parts":${parts}}`;
}

function* recordLines(json: string): Generator<string> {
  if (json.length <= CHUNK) {
    yield json;
    return;
  }
  for (let at = 0; at < json.length; at += CHUNK) {
    const isLast = at + CHUNK >= json.length;
    yield JSON.stringify({ type: "chunk", data: json.slice(at, at + CHUNK), ...(isLast && { last: true }) });
  }
}

function* blobLines({ hash, bytes }: Blob): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  do {
    const data = buffer.subarray(at, at + BLOB_CHUNK).toString("base64");
    yield JSON.stringify({ type: "blob", hash, at, of: buffer.length, data });
    at += BLOB_CHUNK;
  } while (at < buffer.length);
}

/** Unlike every other word: of one import, of one temporary file. */
export function newToken(): string {
  return randomUUID();
}
