// The text being written: lines of cells around a cursor, as a zipper, so that an edit costs what its line costs
// however much text is above and below. A cell is one grapheme or one paste, which moves and goes as a whole.
// Values are never changed in place: an older buffer is the undo step.
import { graphemes, isPlainAscii } from "./text-width.ts";

export interface PasteCell {
  readonly paste: string;
  /** What is shown for it: `[42 lines]`. */
  readonly label: string;
}
export type Cell = string | PasteCell;
export type Line = readonly Cell[];

/** Lines above or below the cursor's, nearest first. */
export type LineStack = { readonly line: Line; readonly rest: LineStack } | undefined;

export interface Buffer {
  readonly above: LineStack;
  readonly line: Line;
  /** Cells of `line` left of the cursor. */
  readonly column: number;
  readonly below: LineStack;
}

export const emptyBuffer: Buffer = { above: undefined, line: [], column: 0, below: undefined };

/** The whole text, pastes with their exact bytes. Costs what the text costs: not for every key. */
export function bufferText(buffer: Buffer): string {
  return bufferLines(buffer).map(lineText).join("\n");
}

/** From the first to the last. */
export function bufferLines(buffer: Buffer): readonly Line[] {
  const lines: Line[] = [buffer.line];
  for (let each = buffer.above; each !== undefined; each = each.rest) lines.push(each.line);
  lines.reverse();
  for (let each = buffer.below; each !== undefined; each = each.rest) lines.push(each.line);
  return lines;
}

/** With the cursor at its end. */
export function bufferOf(text: string): Buffer {
  return insertText(emptyBuffer, text);
}

export function isEmptyBuffer(buffer: Buffer): boolean {
  return buffer.above === undefined && buffer.below === undefined && buffer.line.length === 0;
}

export function lineText(line: Line): string {
  return line.map((cell) => (typeof cell === "string" ? cell : cell.paste)).join("");
}

export function insertText(buffer: Buffer, text: string): Buffer {
  const [first = "", ...others] = text.split("\n");
  let result = insertInLine(buffer, first);
  for (const other of others) result = insertInLine(breakLine(result), other);
  return result;
}

export function insertCells(buffer: Buffer, lines: readonly Line[]): Buffer {
  let result = buffer;
  lines.forEach((line, index) => {
    if (index > 0) result = breakLine(result);
    for (const part of textsAndPastes(line)) {
      result = typeof part === "string" ? insertInLine(result, part) : insertPasteCell(result, part);
    }
  });
  return result;
}

function textsAndPastes(line: Line): readonly Cell[] {
  const parts: Cell[] = [];
  for (const cell of line) {
    const last = parts.at(-1);
    if (typeof cell === "string" && typeof last === "string") parts[parts.length - 1] = last + cell;
    else parts.push(cell);
  }
  return parts;
}

function insertPasteCell(buffer: Buffer, cell: PasteCell): Buffer {
  return {
    ...buffer,
    line: spliceCells(buffer.line, { from: buffer.column, count: 0 }, [cell]),
    column: buffer.column + 1,
  };
}

export function breakLine(buffer: Buffer): Buffer {
  const above = { line: buffer.line.slice(0, buffer.column), rest: buffer.above };
  return { above, line: buffer.line.slice(buffer.column), column: 0, below: buffer.below };
}

export function moveTo(buffer: Buffer, column: number): Buffer {
  return { ...buffer, column: Math.max(0, Math.min(column, buffer.line.length)) };
}

/** To `column` of the line above; the same buffer when there is none. */
export function lineUp(buffer: Buffer, column: number): Buffer {
  if (buffer.above === undefined) return buffer;
  const below = { line: buffer.line, rest: buffer.below };
  return moveTo({ above: buffer.above.rest, line: buffer.above.line, column: 0, below }, column);
}

export function lineDown(buffer: Buffer, column: number): Buffer {
  if (buffer.below === undefined) return buffer;
  const above = { line: buffer.line, rest: buffer.above };
  return moveTo({ above, line: buffer.below.line, column: 0, below: buffer.below.rest }, column);
}

/** What was cut out, as lines: two empty ones are a line break. */
export interface Cut {
  readonly buffer: Buffer;
  readonly removed: readonly Line[];
}

/** Cuts from the cursor to `column`; one step beyond the line's end or start (-1) joins it with its neighbour. */
export function cutTo(buffer: Buffer, column: number): Cut {
  if (column < 0) return joinAbove(buffer);
  if (column > buffer.line.length) return joinBelow(buffer);
  const from = Math.min(column, buffer.column);
  const count = Math.abs(column - buffer.column);
  if (count === 0) return { buffer, removed: [] };
  const removed = [buffer.line.slice(from, from + count)];
  return { buffer: joinAt({ ...buffer, line: spliceCells(buffer.line, { from, count }, []), column: from }), removed };
}

function joinAbove(buffer: Buffer): Cut {
  if (buffer.above === undefined) return { buffer, removed: [] };
  const { line, rest } = buffer.above;
  const joined = { above: rest, line: [...line, ...buffer.line], column: line.length, below: buffer.below };
  return { buffer: joinAt(joined), removed: [[], []] };
}

function joinBelow(buffer: Buffer): Cut {
  if (buffer.below === undefined) return { buffer, removed: [] };
  const { line, rest } = buffer.below;
  return { buffer: joinAt({ ...buffer, line: [...buffer.line, ...line], below: rest }), removed: [[], []] };
}

/** What came together at the cursor may be one grapheme now: a letter and the accent that followed another. */
function joinAt(buffer: Buffer): Buffer {
  return insertInLine(buffer, "");
}

/** Graphemes are told anew from the cell before the text to the one behind it: a joiner may bind all three. */
function insertInLine(buffer: Buffer, text: string): Buffer {
  const { line, column } = buffer;
  const before = stringCell(line[column - 1]);
  const after = stringCell(line[column]);
  if (isPlainAscii(text) && isPlainAscii(before + after)) {
    const cells = text.split("");
    return { ...buffer, line: spliceCells(line, { from: column, count: 0 }, cells), column: column + cells.length };
  }
  const from = column - (before === "" ? 0 : 1);
  const to = column + (after === "" ? 0 : 1);
  const { cells, end } = settleSeam(line, to, graphemes(before + text + after));
  const left = cellsUpTo(cells, before.length + text.length);
  return { ...buffer, line: spliceCells(line, { from, count: end - from }, cells), column: from + left };
}

/** Goes on as long as the last cell and the next one are not two graphemes: half a flag regroups all that follow. */
function settleSeam(line: Line, to: number, cells: readonly string[]): { cells: readonly string[]; end: number } {
  const settled = [...cells];
  let end = to;
  for (let next = line[end]; typeof next === "string"; next = line[end]) {
    const last = settled.at(-1) ?? "";
    const seam = graphemes(last + next);
    if (last === "" || (seam.length === 2 && seam[0] === last)) break;
    settled.splice(-1, 1, ...seam);
    end += 1;
  }
  return { cells: settled, end };
}

/** How many cells hold the first `length` UTF-16 units, the one that is only partly inside too. */
function cellsUpTo(cells: readonly string[], length: number): number {
  let seen = 0;
  let count = 0;
  while (count < cells.length && seen < length) {
    seen += cells[count]?.length ?? 0;
    count += 1;
  }
  return count;
}

function stringCell(cell: Cell | undefined): string {
  return typeof cell === "string" ? cell : "";
}

function spliceCells(line: Line, { from, count }: { from: number; count: number }, cells: readonly Cell[]): Line {
  // Not toSpliced or spread as arguments: a pasted line may hold more cells than a call has room for.
  return line.slice(0, from).concat(cells, line.slice(from + count));
}
