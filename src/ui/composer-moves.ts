// Where the keys that move the cursor put it, but for up and down, which know the rows of the screen.
import { type Buffer, lineDown, lineUp, moveTo } from "./composer-buffer.ts";
import { nextWord, previousWord } from "./composer-words.ts";

export type MoveType = "left" | "right" | "word-left" | "word-right" | "home" | "end" | "text-start" | "text-end";

export function moveCursor(buffer: Buffer, action: MoveType): Buffer {
  const { line, column } = buffer;
  switch (action) {
    case "left":
      return column === 0 ? lineUp(buffer, Number.POSITIVE_INFINITY) : moveTo(buffer, column - 1);
    case "right":
      return column === line.length ? lineDown(buffer, 0) : moveTo(buffer, column + 1);
    case "word-left":
      return column === 0 ? lineUp(buffer, Number.POSITIVE_INFINITY) : moveTo(buffer, previousWord(line, column));
    case "word-right":
      return column === line.length ? lineDown(buffer, 0) : moveTo(buffer, nextWord(line, column));
    case "home":
      return moveTo(buffer, 0);
    case "end":
      return moveTo(buffer, line.length);
    case "text-start":
      return toEnd(buffer, (each) => lineUp(each, 0), 0);
    case "text-end":
      return toEnd(buffer, (each) => lineDown(each, Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
  }
}

/** Costs what is between: one step a line. */
function toEnd(buffer: Buffer, step: (buffer: Buffer) => Buffer, column: number): Buffer {
  let at = buffer;
  for (let next = step(at); next !== at; next = step(at)) at = next;
  return moveTo(at, column);
}
