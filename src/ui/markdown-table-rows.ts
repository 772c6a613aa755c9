// A table of Markdown as rows: columns as wide as their widest cell where there is room, else the widest ones give way
// and their cells are wrapped, so that nothing is cut. Where columns would be too narrow to read, each cell is a line.
import type { Align, Cell, Lead, TablePart } from "./markdown-line.ts";
import { linkedSpans } from "./markdown-links.ts";
import { widthOf } from "./markdown-table.ts";
import { type Line, lineWidth, span, wrapSpans } from "./styled-line.ts";
import type { Theme } from "./theme.ts";
import type { Look } from "./tool-lines.ts";

/** Less of a column is not read. */
const minColumn = 8;
const gap = 3;

export function tableRows(part: TablePart, lead: Lead, look: Look): readonly Line[] {
  const table = withLinks(part, look.theme);
  const widths = columnWidths(table, look.width - lineWidth(lead.rest));
  const rows = widths ? columnRows(table, widths, look.theme) : cellRows(table, look.width - lineWidth(lead.rest));
  return rows.map((row, index) => (row.length === 0 ? [] : [...(index === 0 ? lead.first : lead.rest), ...row]));
}

function withLinks(part: TablePart, theme: Theme): TablePart {
  const cells = (row: readonly Cell[]): readonly Cell[] =>
    row.map((cell) => cell.map((line) => linkedSpans(line, theme)));
  return { ...part, head: cells(part.head), measured: part.measured.map(cells), rows: part.rows.map(cells) };
}

function columnWidths({ head, measured, goesOn }: TablePart, room: number): readonly number[] | undefined {
  const natural = head.map((title, column) =>
    Math.max(1, widthOf(title), ...measured.map((row) => widthOf(row[column] ?? []))),
  );
  const left = room - gap * (natural.length - 1);
  if (natural.reduce((sum, width) => sum + Math.min(width, minColumn), 0) > left) return undefined;
  return shared(goesOn ? natural.map((width) => width + (width >> 2) + 2) : natural, left);
}

/** The narrow ones get what they need, the others the same each. */
function shared(natural: readonly number[], room: number): readonly number[] {
  const widths = natural.map(() => 0);
  let left = room;
  const rising = natural.map((width, index) => ({ width, index })).sort((a, b) => a.width - b.width);
  for (const [place, { width, index }] of rising.entries()) {
    const own = Math.min(width, Math.floor(left / (rising.length - place)));
    widths[index] = own;
    left -= own;
  }
  return widths;
}

// ---- as columns ----

function columnRows(table: TablePart, widths: readonly number[], theme: Theme): readonly Line[] {
  const { rule, bar, cross } = theme.glyphs;
  const draw = (row: readonly Cell[]): readonly Line[] => rowLines(row, { widths, aligns: table.aligns, bar });
  const underline = span(widths.map((width) => rule.repeat(width)).join(`${rule}${cross}${rule}`), "muted");
  const head = table.hasHead ? [...draw(table.head.map((cell) => cell.map(asTitle))), [underline]] : [];
  return [...head, ...table.rows.flatMap(draw)];
}

interface Columns {
  readonly widths: readonly number[];
  readonly aligns: readonly Align[];
  readonly bar: string;
}

function rowLines(row: readonly Cell[], { widths, aligns, bar }: Columns): readonly Line[] {
  const columns = widths.map((width, column) => (row[column] ?? []).flatMap((line) => wrapSpans(line, width)));
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    widths.flatMap((width, column): Line => {
      const isLast = column === widths.length - 1;
      const cell = aligned(columns[column]?.[index] ?? [], width, aligns[column] ?? "left");
      return isLast
        ? cell.slice(0, cell.at(-1)?.text.trim() === "" ? -1 : undefined)
        : [...cell, span(` ${bar} `, "muted")];
    }),
  );
}

/** Filled up to the width. */
function aligned(line: Line, width: number, align: Align): Line {
  const free = Math.max(0, width - lineWidth(line));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return [...blanks(before), ...line, ...blanks(free - before)];
}

function blanks(count: number): Line {
  return count > 0 ? [span(" ".repeat(count))] : [];
}

function asTitle(line: Line): Line {
  return line.map((each) => (each.role === "plain" ? { ...each, role: "strong" } : each));
}

// ---- as lines ----

function cellRows({ head, rows, hasHead }: TablePart, room: number): readonly Line[] {
  const width = Math.max(1, room);
  if (rows.length === 0) return head.flatMap((title) => title.flatMap((line) => wrapSpans(asTitle(line), width)));
  return rows.flatMap((row, index) => [
    ...(index === 0 && hasHead ? [] : [[]]),
    ...row.flatMap((cell, column) => cellLines(head[column] ?? [], cell, width)),
  ]);
}

/** `Title: what stands in it` */
function cellLines(title: Cell, cell: Cell, width: number): readonly Line[] {
  if (widthOf(cell) === 0) return [];
  const name = title.flatMap(asTitle);
  const text = cell.flatMap((line, index) => (index === 0 ? line : [span(" "), ...line]));
  const line = lineWidth(name) === 0 ? text : [...name, span(": ", "muted"), ...text];
  return wrapSpans(line, width, { first: [], rest: [span("  ")] });
}
