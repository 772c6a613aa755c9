// An answer while it streams, pure: lines leave it once, as soon as they are complete, and only the line that is
// being written stays. What a delta costs depends on that line alone, never on what came before it.
import { type MarkdownLine, type MarkdownState, openMarkdown, readMarkdown } from "./markdown.ts";
import { sanitize } from "./sanitize.ts";
import { wrapLine } from "./text-width.ts";

export interface AnswerStream {
  /** All that came. Never read while it grows: appending to a string is cheap, looking into one that grew is not. */
  readonly text: string;
  /** The line being written. */
  readonly tail: string;
  readonly markdown: MarkdownState;
  readonly hasPrinted: boolean;
  /** An empty line that is shown only when something follows it. */
  readonly blank: boolean;
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

export const openAnswer: AnswerStream = { text: "", tail: "", markdown: openMarkdown, hasPrinted: false, blank: false };

/** A line without end is let go in pieces of about this length, each a whole number of rows. */
const maxTail = 2_000;

export function pushAnswer(stream: AnswerStream, delta: string, width: number): Streamed {
  const pieces = (stream.tail + delta).split("\n");
  const tail = pieces.pop() ?? "";
  const complete = readLines({ ...stream, text: stream.text + delta, tail: "" }, pieces);
  if (tail.length <= maxTail) return { ...complete, stream: { ...complete.stream, tail } };
  return letGo(complete, tail, width);
}

/** The rest of it. `whole` is the stored text: what differs from what was streamed is shown whole. */
export function endAnswer(stream: AnswerStream, whole: string = stream.text): Streamed & { readonly differs: boolean } {
  const differs = !whole.startsWith(stream.text);
  if (differs) return { ...readLines(openAnswer, whole.split("\n")), differs };
  const rest = (stream.tail + whole.slice(stream.text.length)).split("\n");
  return { ...readLines({ ...stream, text: whole, tail: "" }, rest), differs };
}

/** The line being written as it would look if it ended here. */
export function tailLine(stream: AnswerStream): AnswerLine | undefined {
  if (stream.tail.trim() === "") return undefined;
  return { line: readMarkdown(stream.markdown, stream.tail).line, first: !stream.hasPrinted };
}

function readLines(start: AnswerStream, sources: readonly string[]): Streamed {
  let stream = start;
  const lines: AnswerLine[] = [];
  for (const source of sources) {
    const { state, line } = readMarkdown(stream.markdown, source);
    if (line.kind === "blank") {
      stream = { ...stream, markdown: state, blank: stream.hasPrinted };
      continue;
    }
    if (stream.blank) lines.push({ line: { kind: "blank", spans: [], hang: 0 }, first: false });
    lines.push({ line, first: !stream.hasPrinted });
    stream = { ...stream, markdown: state, hasPrinted: true, blank: false };
  }
  return { stream, lines };
}

function letGo({ stream, lines }: Streamed, tail: string, width: number): Streamed {
  const rows = wrapLine(sanitize(tail), Math.max(1, width));
  const read = readLines(stream, [rows.slice(0, -1).join(" ")]);
  return { lines: [...lines, ...read.lines], stream: { ...read.stream, tail: rows.at(-1) ?? "" } };
}
