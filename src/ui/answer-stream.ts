// An answer while it streams, pure: lines leave it once, as soon as they are complete, and only the line that is
// being written stays, with a table that is not whole yet. What a delta costs depends on that alone, never on what
// came before it.
import { settledRow, signWidth } from "./answer-rows.ts";
import { endMarkdown, type MarkdownState, openMarkdown, readMarkdown, withinLine } from "./markdown.ts";
import type { MarkdownLine } from "./markdown-line.ts";
import { quoteLead } from "./markdown-lists.ts";
import { sanitize } from "./sanitize.ts";
import { lineWidth } from "./styled-line.ts";
import { wrapLine } from "./text-width.ts";

export interface AnswerStream {
  /** All that came. Never read while it grows: appending to a string is cheap, looking into one that grew is not. */
  readonly text: string;
  /** The line being written. */
  readonly tail: string;
  readonly markdown: MarkdownState;
  readonly hasPrinted: boolean;
  /** An empty line that is shown only when something follows it: how deep it was quoted. */
  readonly blank?: number;
}

/** A line of an answer; the first one bears its sign. */
export interface AnswerLine {
  readonly line: MarkdownLine;
  readonly first: boolean;
}

export interface Streamed {
  readonly stream: AnswerStream;
  readonly lines: readonly AnswerLine[];
}

export const openAnswer: AnswerStream = { text: "", tail: "", markdown: openMarkdown, hasPrinted: false };

/** A line without end is let go in pieces of about this length, each a whole number of rows. */
const maxTail = 2_000;
/** Of a table that is not whole, in the live part. */
const maxShownRows = 8;

export function pushAnswer(stream: AnswerStream, delta: string, width: number): Streamed {
  const pieces = (stream.tail + delta).split("\n");
  const tail = pieces.pop() ?? "";
  const complete = readLines({ ...stream, text: stream.text + delta, tail: "" }, pieces);
  const settled = letRowsGo(letBlankGo(complete, tail), tail, width);
  return settled.stream.tail.length <= maxTail ? settled : letGo(settled, settled.stream.tail, width);
}

/** What is being written is not quoted, or not sure to be: an empty line before it is one in any case. */
function letBlankGo({ stream, lines }: Streamed, tail: string): Streamed {
  const { blank, ...rest } = stream;
  const { held, table } = stream.markdown;
  if (blank !== 0 || held || table || /^[\s>]*$/.test(sanitize(tail))) return { stream, lines };
  return { stream: rest, lines: [...lines, { line: { kind: "blank", lead: quoteLead(0) }, first: false }] };
}

/** The rows of the line being written that nothing can change any more. */
function letRowsGo({ stream, lines }: Streamed, tail: string, width: number): Streamed {
  const { markdown } = stream;
  const end = settledRow(tail, width, (source) => readMarkdown(markdown, source));
  if (end === 0) return { stream: { ...stream, tail }, lines };
  const row = readLines(stream, [tail.slice(0, end)]);
  const rest = { ...row.stream, markdown: withinLine(row.stream.markdown) };
  return letRowsGo({ stream: rest, lines: [...lines, ...row.lines] }, tail.slice(end), width);
}

/** The rest of it. `whole` is the stored text: what differs from what was streamed is shown whole. */
export function endAnswer(stream: AnswerStream, whole: string = stream.text): Streamed & { readonly differs: boolean } {
  const differs = !whole.startsWith(stream.text);
  if (differs) return { ...readAll(openAnswer, whole.split("\n")), differs };
  const rest = (stream.tail + whole.slice(stream.text.length)).split("\n");
  return { ...readAll({ ...stream, text: whole, tail: "" }, rest), differs };
}

/** What has not left it, as it would look if it ended here. */
export function tailLines(stream: AnswerStream): readonly AnswerLine[] {
  const isEmpty = stream.tail.trim() === "";
  const read = isEmpty ? { stream, lines: [] } : readLines(stream, [stream.tail]);
  const lines = [...read.lines, ...shown(read.stream, endMarkdown(read.stream.markdown)).lines];
  return lines.map(({ line, first }) => ({ line: line.kind === "table" ? lastRows(line) : line, first }));
}

function lastRows(line: Extract<MarkdownLine, { kind: "table" }>): MarkdownLine {
  const { table } = line;
  if (table.rows.length <= maxShownRows) return line;
  return { ...line, table: { ...table, rows: table.rows.slice(-maxShownRows), hasHead: false } };
}

function readAll(start: AnswerStream, sources: readonly string[]): Streamed {
  const read = readLines(start, sources);
  const end = shown({ ...read.stream, markdown: openMarkdown }, endMarkdown(read.stream.markdown));
  return { stream: end.stream, lines: [...read.lines, ...end.lines] };
}

function readLines(start: AnswerStream, sources: readonly string[]): Streamed {
  let stream = start;
  const lines: AnswerLine[] = [];
  for (const source of sources) {
    const read = readMarkdown(stream.markdown, source);
    const step = shown({ ...stream, markdown: read.state }, read.lines);
    lines.push(...step.lines);
    stream = step.stream;
  }
  return { stream, lines };
}

/** Empty lines are one, between others: none before the first line and none after the last. */
function shown(start: AnswerStream, read: readonly MarkdownLine[]): Streamed {
  let stream = start;
  const lines: AnswerLine[] = [];
  for (const line of read) {
    const quotes = line.lead.rest.filter(({ role }) => role === "quote").length;
    const { blank, ...rest } = stream;
    if (line.kind === "blank") {
      if (stream.hasPrinted) stream = { ...rest, blank: Math.min(blank ?? quotes, quotes) };
      continue;
    }
    if (blank !== undefined) {
      lines.push({ line: { kind: "blank", lead: quoteLead(Math.min(blank, quotes)) }, first: false });
    }
    lines.push({ line, first: !stream.hasPrinted });
    stream = { ...rest, hasPrinted: true };
  }
  return { stream, lines };
}

/** All but the last row of it; what follows goes on in the same line. */
function letGo({ stream, lines }: Streamed, tail: string, width: number): Streamed {
  const clean = sanitize(tail, { tabs: 4 });
  const text = clean.trimEnd();
  const lead = readLines(stream, [clean]).lines.at(-1)?.line.lead.rest ?? [];
  const last = wrapLine(text, Math.max(1, width - signWidth - lineWidth(lead))).at(-1) ?? "";
  const end = text.endsWith(last) ? text.length - last.length : text.length;
  const read = readLines(stream, [clean.slice(0, end)]);
  const markdown = withinLine(read.stream.markdown);
  return { lines: [...lines, ...read.lines], stream: { ...read.stream, markdown, tail: clean.slice(end) } };
}
