// The selection: all cells between a place that was marked and the cursor. It is only there while the text stays as it
// is, so a place is a line counted from the top and a column of it. Pure; costs the lines that are above.
import { type Buffer, type Cut, insertText, type Line, type LineStack, lineDown, lineUp } from "./composer-buffer.ts";
import type { MoveType } from "./composer-moves.ts";

export interface Place {
  readonly row: number;
  readonly column: number;
}
export interface Mark extends Place {
  /** Set by a key of its own: every move selects, not only those with shift. */
  readonly stays: boolean;
}
/** `from` is before `to`. */
export interface Range {
  readonly from: Place;
  readonly to: Place;
}

export type SelectType = `select-${MoveType | "up" | "down"}`;

/** Which move it is that selects. */
export function selectMove(type: string): MoveType | "up" | "down" | undefined {
  return type.startsWith("select-") ? (type.slice("select-".length) as MoveType | "up" | "down") : undefined;
}

export function placeOf(buffer: Buffer): Place {
  let row = 0;
  for (let each = buffer.above; each !== undefined; each = each.rest) row += 1;
  return { row, column: buffer.column };
}

/** Undefined: nothing is selected. */
export function selectedRange(buffer: Buffer, mark: Place | undefined): Range | undefined {
  if (mark === undefined) return undefined;
  const cursor = placeOf(buffer);
  const byLine = mark.row - cursor.row || mark.column - cursor.column;
  if (byLine === 0) return undefined;
  return byLine < 0 ? { from: mark, to: cursor } : { from: cursor, to: mark };
}

export function cutRange(buffer: Buffer, { from, to }: Range): Cut {
  const end = atRow(buffer, to.row);
  const start = atRow(buffer, from.row);
  const line = [...start.line.slice(0, from.column), ...end.line.slice(to.column)];
  const left: Buffer = { above: start.above, line, column: from.column, below: end.below };
  // What came together at the cursor may be one grapheme now.
  return { buffer: insertText(left, ""), removed: linesBetween(start, { from, to }) };
}

function linesBetween(start: Buffer, { from, to }: Range): readonly Line[] {
  const lines: Line[] = [];
  let each: LineStack = { line: start.line, rest: start.below };
  for (let row = from.row; each !== undefined && row <= to.row; row += 1, each = each.rest) {
    lines.push(each.line.slice(row === from.row ? from.column : 0, row === to.row ? to.column : each.line.length));
  }
  return lines;
}

function atRow(buffer: Buffer, row: number): Buffer {
  let at = buffer;
  for (let away = row - placeOf(buffer).row; away !== 0; away -= Math.sign(away)) {
    at = away < 0 ? lineUp(at, 0) : lineDown(at, 0);
  }
  return at;
}
