// Puts an image in the place of the text that named it, wherever the cursor has gone since. Pure.
import type { ImageToken } from "../agent/images/image-text.ts";
import { type Buffer, bufferLines, type Line, type LineStack } from "./composer-buffer.ts";
import { imageCell } from "./composer-paste.ts";

/** The same buffer when the text is not there any more. The last place counts: it was written last. */
export function replaceWithImage(buffer: Buffer, text: string, image: ImageToken): Buffer {
  const lines = bufferLines(buffer);
  for (let row = lines.length - 1; row >= 0; row -= 1) {
    const line = lines[row] ?? [];
    const place = findCells(line, text);
    if (!place) continue;
    const changed = [...line.slice(0, place.from), imageCell(image), ...line.slice(place.to)];
    const cursor = cursorRow(buffer);
    const column = row === cursor ? columnAfter(buffer.column, place) : buffer.column;
    return bufferAt(lines.with(row, changed), { row: cursor, column });
  }
  return buffer;
}

/** Cells that are just typed, from the last on; a paste that is folded is a text of its own. */
function findCells(line: Line, text: string): { from: number; to: number } | undefined {
  for (let from = line.length - 1; from >= 0; from -= 1) {
    let spelled = "";
    for (let to = from; to < line.length; to += 1) {
      const cell = line[to];
      if (typeof cell !== "string") break;
      spelled += cell;
      if (spelled === text) return { from, to: to + 1 };
      if (!text.startsWith(spelled)) break;
    }
  }
  return undefined;
}

function columnAfter(column: number, { from, to }: { from: number; to: number }): number {
  if (column <= from) return column;
  return column < to ? from + 1 : column - (to - from) + 1;
}

function cursorRow({ above }: Buffer): number {
  let row = 0;
  for (let each = above; each !== undefined; each = each.rest) row += 1;
  return row;
}

function bufferAt(lines: readonly Line[], { row, column }: { row: number; column: number }): Buffer {
  let above: LineStack;
  for (const line of lines.slice(0, row)) above = { line, rest: above };
  let below: LineStack;
  for (const line of lines.slice(row + 1).reverse()) below = { line, rest: below };
  return { above, line: lines[row] ?? [], column, below };
}
