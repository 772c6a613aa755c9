// Where the cells of the composer stand on the screen: rows of wrapped lines and the window of rows around the
// cursor. Looks only at the lines inside that window. One column is left free behind the text, for the cursor at a
// row's end and for spaces that hang over it.
import type { Buffer, Cell, Line, LineStack } from "./composer-buffer.ts";
import { placeOf, type Range } from "./composer-selection.ts";
import { reveal } from "./sanitize.ts";
import { cellWidth, fitGrapheme, truncate, wrapCells } from "./text-width.ts";

/** A row as drawn: `cursor` is there on the cursor's row only. */
export interface ComposerRow {
  readonly text: string;
  readonly cursor?: CursorCell;
  /** What is selected of it, with what stands before and behind; absent: nothing. */
  readonly selected?: { readonly before: string; readonly text: string; readonly after: string };
}

export interface CursorCell {
  /** In cells from the row's start. */
  readonly x: number;
  /** The row's text left of, at and right of the cursor; `at` is a space behind the text. */
  readonly before: string;
  readonly at: string;
  readonly after: string;
}

export interface ComposerWindow {
  readonly rows: readonly ComposerRow[];
  /** Index of the cursor's row in `rows`. */
  readonly cursorRow: number;
  readonly hiddenAbove: boolean;
  readonly hiddenBelow: boolean;
}

/** A line's rows as ranges of cells, `end` exclusive. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

export const defaultPrompt = "> ";
/** Below this many cells of text the prompt sign makes room. */
const narrow = 6;

/** Cells for the text itself in a composer `width` wide: what the state's `resize` wants. */
export function composerColumns(width: number, prompt: string = defaultPrompt): number {
  return Math.max(1, width - (width - prompt.length < narrow ? 0 : prompt.length));
}

export function rowRanges(line: Line, width: number): readonly RowRange[] {
  const limit = textWidth(width);
  const starts = wrapCells(
    line.map((cell) => ({ width: cellWidth(shownCell(cell, limit)), space: cell === " " })),
    limit,
  );
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? line.length }));
}

/** The row a cursor at `column` is drawn on: at a wrap it is the start of the next one. */
export function rowAt(ranges: readonly RowRange[], column: number): number {
  const found = ranges.findIndex((range) => column >= range.start && column < range.end);
  return found === -1 ? ranges.length - 1 : found;
}

interface RowPlace {
  readonly range: RowRange;
  readonly column: number;
}

/** Cells between a row's start and the cursor. */
export function cellsBefore(line: Line, { range, column }: RowPlace, width: number): number {
  return cellWidth(shownText(line.slice(range.start, column), textWidth(width)));
}

/** The column whose cell is nearest to `x` cells from the row's start; never the start of the next row. */
export function columnAt(line: Line, { range, x }: { range: RowRange; x: number }, width: number): number {
  let used = 0;
  let column = range.start;
  const last = range.end === line.length ? range.end : range.end - 1;
  while (column < last) {
    used += cellWidth(shownCell(line[column] ?? "", textWidth(width)));
    if (used > x) break;
    column += 1;
  }
  return column;
}

export function composerWindow(buffer: Buffer, width: number, maxRows: number): ComposerWindow {
  return selectionWindow(buffer, width, { maxRows, selection: undefined });
}

/** With what is selected in its rows. */
export function selectionWindow(
  buffer: Buffer,
  width: number,
  { maxRows, selection }: { readonly maxRows: number; readonly selection: Range | undefined },
): ComposerWindow {
  const limit = Math.max(1, maxRows);
  const own = rowRanges(buffer.line, width);
  const at = rowAt(own, buffer.column);
  const ownLine: PlacedLine = { line: buffer.line, row: selection ? placeOf(buffer).row : 0, selection };
  const ownRows = own.map((range, index) => ({
    ...plainRow(ownLine, range, width),
    ...(index === at && drawCursorRow(buffer, range, width)),
  }));
  const above = [
    ...stackRows({ ...ownLine, stack: buffer.above }, width, { limit: limit - at, direction: "up" }).reverse(),
    ...ownRows.slice(0, at),
  ];
  const below = [
    ...ownRows.slice(at + 1),
    ...stackRows({ ...ownLine, stack: buffer.below }, width, { limit, direction: "down" }),
  ];
  // Half of the window stays below the cursor while there is text for it.
  const cursorRow = Math.min(above.length, limit - 1 - Math.min(below.length, Math.floor((limit - 1) / 2)));
  const shownBelow = below.slice(0, limit - 1 - cursorRow);
  const shownAbove = above.slice(above.length - cursorRow);
  const current = ownRows[at];
  return {
    rows: [...shownAbove, ...(current === undefined ? [] : [current]), ...shownBelow],
    cursorRow,
    hiddenAbove: shownAbove.length < above.length,
    hiddenBelow: shownBelow.length < below.length,
  };
}

/** Rows of a stack, nearest first, one more than `limit` at most, which tells that there are more. */
function stackRows(
  { stack, row: ownRow, selection }: Omit<PlacedLine, "line"> & { readonly stack: LineStack },
  width: number,
  { limit, direction }: { limit: number; direction: "up" | "down" },
): ComposerRow[] {
  const rows: ComposerRow[] = [];
  let row = ownRow;
  for (let each = stack; each !== undefined && rows.length <= limit; each = each.rest) {
    const { line } = each;
    row += direction === "up" ? -1 : 1;
    const placed: PlacedLine = { line, row, selection };
    const lineRows = rowRanges(line, width).map((range) => plainRow(placed, range, width));
    rows.push(...(direction === "up" ? lineRows.reverse() : lineRows).slice(0, limit + 1));
  }
  return rows;
}

/** A line, counted from the top where something is selected. */
interface PlacedLine {
  readonly line: Line;
  readonly row: number;
  readonly selection: Range | undefined;
}

function plainRow(placed: PlacedLine, range: RowRange, width: number): ComposerRow {
  const selected = selectedPart(placed, range, width);
  return { text: rowText(placed.line, range, width), ...(selected && { selected }) };
}

/** A selected line end is a blank, so that an empty line is seen too. */
function selectedPart(
  { line, row, selection }: PlacedLine,
  { start, end }: RowRange,
  width: number,
): ComposerRow["selected"] {
  if (selection === undefined || row < selection.from.row || row > selection.to.row) return undefined;
  const from = row === selection.from.row ? Math.max(start, selection.from.column) : start;
  const to = row === selection.to.row ? Math.min(end, selection.to.column) : end;
  const hasEnd = row < selection.to.row && end === line.length;
  if (from > to || (from === to && !hasEnd)) return undefined;
  const limit = textWidth(width);
  const before = clipRow(shownText(line.slice(start, from), limit), limit);
  const inside = clipRow(shownText(line.slice(from, to), limit), limit - cellWidth(before));
  const text = hasEnd ? `${inside} ` : inside;
  return { before, text, after: clipRow(shownText(line.slice(to, end), limit), limit - cellWidth(before + inside)) };
}

function drawCursorRow(buffer: Buffer, range: RowRange, width: number): ComposerRow {
  const text = rowText(buffer.line, range, width);
  const limit = textWidth(width);
  const { line, column } = buffer;
  const last = Math.max(0, width - 1);
  const x = Math.min(last, cellsBefore(line, { range, column }, width));
  const before = truncate(shownText(line.slice(range.start, column), limit), last, "");
  const cell = column < range.end && x < limit ? line[column] : undefined;
  const at = cell === undefined ? " " : shownCell(cell, limit);
  const after =
    cell === undefined ? "" : clipRow(shownText(line.slice(column + 1, range.end), limit), width - x - cellWidth(at));
  return { text, cursor: { x, before, at, after } };
}

function rowText(line: Line, range: RowRange, width: number): string {
  return clipRow(shownText(line.slice(range.start, range.end), textWidth(width)), textWidth(width));
}

function clipRow(text: string, width: number): string {
  return truncate(text, Math.max(0, width), "");
}

function shownText(cells: readonly Cell[], limit: number): string {
  return cells.map((cell) => shownCell(cell, limit)).join("");
}

/** Control and invisible characters that came with a paste are spelled out; they are sent as they are. */
function shownCell(cell: Cell, limit: number): string {
  if (typeof cell !== "string") return truncate(cell.label, limit);
  if (cell === "\t") return " ".repeat(Math.min(4, limit));
  const shown = reveal(cell);
  return shown === cell ? fitGrapheme(cell, limit) : truncate(shown, limit);
}

function textWidth(width: number): number {
  return Math.max(1, width - 1);
}
