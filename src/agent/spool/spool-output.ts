// A command's output as text or bytes, in bounded memory: what is too long, and what the cap took out, is said in its
// place. Places count from the command's first byte, also where bytes are no longer in the file.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { overprinted } from "./overprint.ts";
import { type OutputCut, readExit, readRecord, SPOOL_FILES } from "./records.ts";

/** Kept of a text: head and tail. */
export const TEXT_LIMIT = 8 * 1024 * 1024;
/** Kept of the bytes that a blob takes. */
const BLOB_LIMIT = 64 * 1024 * 1024;

export interface SpoolOutput {
  /** UTF-8, damaged bytes replaced, as it stands when it was written over; head and tail of what is longer than 8 MB. */
  readonly text: string;
  /** All that the command wrote. */
  readonly bytes: number;
  /** Of them no longer in the file. */
  readonly dropped: number;
}

/** Up to the command's end, when that is recorded; else up to now. Empty where there is no output. */
export async function readOutput(folder: string): Promise<SpoolOutput> {
  const slice = await readSlice(folder, { from: 0, limit: TEXT_LIMIT });
  const { bytes, dropped, to } = slice;
  const isOther = dropped === 0 && bytes.length === to && !isAsRecorded(folder, bytes);
  const warning = isOther ? "\n[this output is not the one that was recorded at the command's end]" : "";
  return { text: overprinted(bytes.toString("utf8")) + warning, bytes: to, dropped };
}

/** The whole output, for a blob; head and tail of what is longer than 64 MB. */
export async function readWholeOutput(folder: string, limit = BLOB_LIMIT): Promise<Uint8Array> {
  return (await readSlice(folder, { from: 0, limit })).bytes;
}

export interface Slice {
  readonly bytes: Buffer;
  /** Where the next one begins. */
  readonly to: number;
  readonly dropped: number;
}

export interface Asked {
  readonly from: number;
  /** In bytes. */
  readonly limit: number;
}

export async function readSlice(folder: string, { from, limit }: Asked): Promise<Slice> {
  const exit = readExit(folder);
  const ended = exit?.kind === "exited" ? exit : undefined;
  const cut = (ended ? ended.dropped : readRecord<OutputCut>(folder, SPOOL_FILES.cut)) ?? { at: 0, bytes: 0 };
  const handle = await open(join(folder, SPOOL_FILES.output), "r").catch(() => undefined);
  if (!handle) return { bytes: Buffer.alloc(0), to: from, dropped: 0 };
  try {
    const { size } = await handle.stat();
    const end = Math.min(size, ended?.bytes ?? size);
    const pieces = piecesOf({ from, end, cut }, limit);
    const bytes = await readPieces(handle, pieces);
    // Of a command that runs, a character may be there in part: it belongs to the next slice.
    const partial = ended ? 0 : partialCharacter(bytes);
    const to = Math.max(from, end + cut.bytes - partial);
    return { bytes: bytes.subarray(0, bytes.length - partial), to, dropped: cut.bytes };
  } finally {
    await handle.close();
  }
}

/** Two ranges of the file, end excluded, and how many bytes are missing between them. */
interface Pieces {
  readonly head: Range;
  readonly lost: number;
  readonly tail: Range;
}
type Range = readonly [start: number, end: number];

interface Place {
  readonly from: number;
  /** Of the file. */
  readonly end: number;
  readonly cut: OutputCut;
}

function piecesOf(place: Place, limit: number): Pieces {
  const all = wholePieces(place);
  const kept = lengthOf(all.head) + lengthOf(all.tail);
  if (kept <= limit) return all;
  const half = Math.floor(limit / 2);
  const [start, headEnd] = all.head;
  const head: Range = [start, Math.min(headEnd, start + half)];
  const [tailStart] = all.lost > 0 ? all.tail : all.head;
  const tail: Range = [Math.max(tailStart, place.end - half), place.end];
  return { head, lost: all.lost + kept - lengthOf(head) - lengthOf(tail), tail };
}

function wholePieces({ from, end, cut }: Place): Pieces {
  const { at, bytes } = cut;
  if (bytes > 0 && from < at) return { head: [from, at], lost: bytes, tail: [at, end] };
  if (bytes > 0 && from < at + bytes) return { head: [at, at], lost: at + bytes - from, tail: [at, end] };
  return { head: [Math.min(from - bytes, end), end], lost: 0, tail: [end, end] };
}

function lengthOf([start, end]: Range): number {
  return Math.max(0, end - start);
}

async function readPieces(handle: FileHandle, { head, lost, tail }: Pieces): Promise<Buffer> {
  const note = lost > 0 ? `\n[${lost} bytes of output dropped here]\n` : "";
  return Buffer.concat([await readRange(handle, head), Buffer.from(note), await readRange(handle, tail)]);
}

async function readRange(handle: FileHandle, range: Range): Promise<Buffer> {
  const found = Buffer.alloc(lengthOf(range));
  let filled = 0;
  while (filled < found.length) {
    const { bytesRead } = await handle.read(found, filled, found.length - filled, range[0] + filled);
    if (bytesRead === 0) break; // cut meanwhile
    filled += bytesRead;
  }
  return found.subarray(0, filled);
}

/** Bytes at the end that begin a character of UTF-8 and do not end it. */
function partialCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

function isAsRecorded(folder: string, bytes: Uint8Array): boolean {
  const exit = readExit(folder);
  if (exit?.kind !== "exited" || exit.sha256 === undefined) return true;
  return createHash("sha256").update(bytes).digest("hex") === exit.sha256;
}
