// The output of a tool as a text for the pager: a unit is a line of it, cleaned and cut into rows when it is looked at.
// Rows are cut by cells, not at words: columns of a table or of code stay under each other.
import { diffRole } from "./diff-line.ts";
import type { PagerSource } from "./pager-source.ts";
import { sanitize } from "./sanitize.ts";
import { type Line, span } from "./styled-line.ts";
import { cellWidth, fitGrapheme, graphemes, isPlainAscii, wrapCells } from "./text-width.ts";

/** A longer line is shown in pieces, each from the start of a row, so that no line makes the pager slow. */
const maxPiece = 8_192;
const maxCut = 1_000;

export function outputSource(title: string, text: string, options: { isDiff?: boolean } = {}): PagerSource {
  const lines = outputLines(text);
  /** The rows around the window: each key looks at them more than once. */
  let cut = { width: 0, rows: new Map<number, readonly Line[]>() };
  const clean = (unit: number): string => sanitize(lines[unit] ?? "", { tabs: 4 });
  return {
    title,
    noun: "line",
    units: lines.length,
    glue: "",
    searches: "down",
    rows: (unit, { width }) => {
      if (width !== cut.width || cut.rows.size > maxCut) cut = { width, rows: new Map() };
      const known = cut.rows.get(unit);
      if (known) return known;
      const line = clean(unit);
      const role = options.isDiff ? diffRole(line) : "plain";
      const rows = cellRows(line, width).map((row): Line => [span(row, role)]);
      cut.rows.set(unit, rows);
      return rows;
    },
    mayMatch: (unit, pattern) => clean(unit).search(pattern) !== -1,
    load: () => Promise.resolve(),
  };
}

/** Every line end that the sanitiser knows, so that cleaning each line is cleaning the whole. */
function outputLines(text: string): readonly string[] {
  const hasOthers = /[\r\u2028\u2029]/.test(text);
  const lines = hasOthers ? text.split(/\r\n|[\n\r\u2028\u2029]/) : text.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines.some((line) => line.length > maxPiece) ? lines.flatMap(pieces) : lines;
}

/** What acts on a terminal may lie across a cut: it is taken out before. */
function pieces(line: string): readonly string[] {
  if (line.length <= maxPiece) return [line];
  const clean = sanitize(line, { tabs: 4 });
  const cut: string[] = [];
  for (let at = 0; at < clean.length; ) {
    const end = at + maxPiece >= clean.length ? clean.length : cutBefore(clean, at + maxPiece);
    cut.push(clean.slice(at, end));
    at = end;
  }
  return cut;
}

/** Between two plain characters where there are any near: no grapheme is parted there. */
function cutBefore(text: string, at: number): number {
  for (let end = at; end > at - maxLookBack; end -= 1) if (isPlainAscii(text.slice(end - 1, end + 1))) return end;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

const maxLookBack = 256;

/** Rows of exactly `width` cells but for the last, where no wide character is in the way. */
export function cellRows(text: string, width: number): readonly string[] {
  const limit = Math.max(1, width);
  if (isPlainAscii(text)) return text.length <= limit ? [text] : slices(text, limit);
  const parts = graphemes(text).map((part) => fitGrapheme(part, limit));
  const starts = wrapCells(
    parts.map((part) => ({ width: cellWidth(part), space: false })),
    limit,
  );
  return starts.map((from, row) => parts.slice(from, starts[row + 1]).join(""));
}

function slices(text: string, width: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / width) }, (_, row) => text.slice(row * width, (row + 1) * width));
}
