// What each deleting key takes out of the text, and whether yank may bring it back.
import { type Buffer, type Cut, cutTo } from "./composer-buffer.ts";
import { nextWord, previousSpaceWord, previousWord } from "./composer-words.ts";

export type CutType =
  | "backspace"
  | "delete"
  | "cut-to-start"
  | "cut-to-end"
  | "cut-space-word-left"
  | "cut-word-left"
  | "cut-word-right";

export interface CutResult extends Cut {
  /** Which side of the cursor it stood on, for what yank keeps; undefined: yank does not keep it. */
  readonly side?: "before" | "after";
}

/** At a line's end or start the line break itself is what goes. */
export function cutAction(buffer: Buffer, action: CutType): CutResult {
  const { line, column } = buffer;
  const before = (target: number): CutResult => ({ ...cutTo(buffer, column === 0 ? -1 : target), side: "before" });
  const after = (target: number): CutResult => ({
    ...cutTo(buffer, column === line.length ? column + 1 : target),
    side: "after",
  });
  switch (action) {
    case "backspace":
      return cutTo(buffer, column - 1);
    case "delete":
      return cutTo(buffer, column + 1);
    case "cut-to-start":
      return before(0);
    case "cut-to-end":
      return after(line.length);
    case "cut-word-left":
      return before(previousWord(line, column));
    case "cut-space-word-left":
      return before(previousSpaceWord(line, column));
    case "cut-word-right":
      return after(nextWord(line, column));
  }
}
