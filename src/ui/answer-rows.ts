// How much of a line that is still being written can be printed already: whole rows, once nothing that follows can
// change their look or where they end. A model writes a paragraph as one line: without this all of it would be drawn
// again with each of its words.
import type { MarkdownStep } from "./markdown.ts";
import type { MarkdownLine } from "./markdown-line.ts";
import { type Line, lineText, lineWidth, type Span, wrapSpans } from "./styled-line.ts";
import { cellWidth } from "./text-width.ts";

type Read = (source: string) => MarkdownStep;

/** Cells before a row of an answer, for its sign. */
export const signWidth = 2;

/** Characters of `source` that make its first row of `width` cells, the blanks after it too; 0: not sure yet. */
export function settledRow(source: string, width: number, read: Read): number {
  const line = textOf(read(source));
  if (!line) return 0;
  const indent = signWidth + lineWidth(line.lead.rest);
  const room = width - indent;
  // Where indents take much of the width they may be left out, and a row is another one.
  if (indent * 3 > width || source.length * 2 <= room) return 0;
  const [row, next] = wrapSpans(line.spans, room);
  if (!row || !next) return 0;
  const text = lineText(row);
  for (let end = nextBlank(source, text.length); end !== -1; end = nextBlank(source, end + 1)) {
    const step = read(source.slice(0, end));
    const start = textOf(step);
    if (!start || lineText(start.spans).length > text.length) return 0;
    if (lineText(start.spans) !== text) continue;
    const rest = source.slice(end).trimStart();
    const isFull = lineWidth(row) + 1 + leastWidth(rest) > room;
    return isFull && isSettled(step, start.spans) ? source.length - rest.length : 0;
  }
  return 0;
}

/** A line of a paragraph, a list or a quote; of what else there is a row can still become another one. */
function textOf({ state, lines }: MarkdownStep): Extract<MarkdownLine, { spans: Line }> | undefined {
  const line = lines.at(-1);
  return state.paragraph && !state.held && !state.table && line?.kind === "text" ? line : undefined;
}

function nextBlank(source: string, from: number): number {
  return source.indexOf(" ", from);
}

/** Cells of the first word, whatever of it turns out to be a mark. */
function leastWidth(rest: string): number {
  return cellWidth((rest.split(" ", 1)[0] ?? "").replace(/[\\`*_~[\]<>]|[(&].*/g, ""));
}

/** No mark is open, and none stands there that may still find its other end. */
function isSettled({ state }: MarkdownStep, spans: readonly Span[]): boolean {
  return state.open.length === 0 && spans.every(({ text, role }) => role === "code" || !/[`*_~[<\\]/.test(text));
}
