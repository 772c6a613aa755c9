// The records of an export file as they stand in it, each with where: lines of JSON, or the list in one JSON object.
// Reads 64 KiB at a time, refuses what is no UTF-8, and remembers a digest, so that a second reading can be held to it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { FORMAT, LIMITS, VERSION } from "./export-format.ts";

/** What is wrong with a file, and where in it. */
export class BadFile extends Error {
  override readonly name = "BadFile";
  readonly file: string;
  readonly where: string;

  constructor(file: string, where: string, what: string) {
    super(`${file}${where === "" ? "" : `, ${where}`}: ${what}`);
    this.file = file;
    this.where = where;
  }
}

export interface RawRecord {
  /** `line 12` or `record 12`. */
  readonly where: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface Reading {
  readonly signal?: AbortSignal;
  /** Set when all was read. */
  digest?: string;
  /** Set with the header. */
  redacted?: boolean;
}

/** The header first. */
export async function* rawRecords(file: string, reading: Reading): AsyncGenerator<RawRecord> {
  let isFirst = true;
  for await (const { line, number } of linesIn(file, reading)) {
    const where = `line ${number}`;
    if (isFirst) {
      isFirst = false;
      const header = parsed(line);
      if (header === undefined || Array.isArray(header["records"])) {
        yield* recordsOfObject(file, reading);
        return;
      }
      reading.redacted = header["redacted"] === true;
      yield { where, value: checkHeader(file, where, header) };
      continue;
    }
    const value = parsed(line);
    if (value === undefined) throw new BadFile(file, where, `no JSON object: ${beginning(line)}`);
    yield { where, value };
  }
  if (isFirst) throw new BadFile(file, "", "it is empty.");
}

async function* recordsOfObject(file: string, reading: Reading): AsyncGenerator<RawRecord> {
  const lines: string[] = [];
  let size = 0;
  for await (const { line } of linesIn(file, reading)) {
    size += line.length;
    if (size > LIMITS.jsonBytes)
      throw new BadFile(
        file,
        "",
        `more than ${mib(LIMITS.jsonBytes)} in one JSON object; lines may have more: export with --format jsonl.`,
      );
    lines.push(line);
  }
  const whole = parsed(lines.join("\n"));
  if (whole === undefined) throw new BadFile(file, "line 1", `no export of stele: ${beginning(lines[0] ?? "")}`);
  const { records, ...header } = whole;
  reading.redacted = header["redacted"] === true;
  yield { where: "the beginning", value: checkHeader(file, "the beginning", header) };
  if (!Array.isArray(records)) throw new BadFile(file, "the beginning", "it has no list of records.");
  for (const [at, value] of (records as readonly unknown[]).entries()) {
    const where = `record ${at + 1}`;
    if (!isObject(value)) throw new BadFile(file, where, `no JSON object: ${beginning(JSON.stringify(value))}`);
    yield { where, value };
  }
}

function checkHeader(file: string, where: string, header: RawRecord["value"]): RawRecord["value"] {
  const { format, version } = header;
  if (format !== FORMAT) {
    const found =
      typeof format === "string"
        ? `format ${JSON.stringify(format)}`
        : `no export of stele: ${beginning(JSON.stringify(header))}`;
    throw new BadFile(file, where, found);
  }
  if (typeof version === "number" && version > VERSION)
    throw new BadFile(
      file,
      where,
      `version ${version} of the format; this stele reads up to ${VERSION}. Update stele.`,
    );
  if (version !== VERSION)
    throw new BadFile(file, where, `version ${beginning(JSON.stringify(version) ?? "none")} of the format is none.`);
  return header;
}

async function* linesIn(file: string, reading: Reading): AsyncGenerator<{ line: string; number: number }> {
  const hash = createHash("sha256");
  let pieces: Buffer[] = [];
  let size = 0;
  let number = 0;
  const take = (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
    if (size > LIMITS.lineBytes)
      throw new BadFile(
        file,
        `line ${number + 1}`,
        `it has more than ${mib(LIMITS.lineBytes)}, the most a line may have.`,
      );
  };
  const line = () => {
    number += 1;
    const bytes = Buffer.concat(pieces);
    pieces = [];
    size = 0;
    return { line: decoded(file, number, bytes), number };
  };
  const { signal } = reading;
  const stream = createReadStream(file, { highWaterMark: 64 * 1024, ...(signal && { signal }) });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      take(chunk.subarray(from, end));
      yield line();
      from = end + 1;
    }
    take(chunk.subarray(from));
  }
  if (size > 0) yield line();
  reading.digest = hash.digest("hex");
}

const LINE_FEED = 10;

function decoded(file: string, number: number, bytes: Buffer): string {
  if (bytes.includes(0)) throw new BadFile(file, `line ${number}`, "it has a NUL byte.");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BadFile(file, `line ${number}`, "it is no UTF-8 text.");
  }
}

function parsed(text: string): RawRecord["value"] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // told with its place by who asked
  }
}

export function isObject(value: unknown): value is RawRecord["value"] {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function beginning(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MiB`;
}
