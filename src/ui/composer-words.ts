// Where words begin and end in a line of cells. A word is a run of letters, digits and underscores; a paste is one
// by itself; `space` words, as ctrl+w cuts them, are runs of anything but white space.
import type { Cell, Line } from "./composer-buffer.ts";

const wordCharacter = /^[\p{L}\p{N}\p{M}_]/u;
const whiteSpace = /^\s+$/;

export function previousWord(line: Line, column: number): number {
  let at = column;
  while (at > 0 && kindOf(line[at - 1]) === "gap") at -= 1;
  if (kindOf(line[at - 1]) === "paste") return at - 1;
  while (at > 0 && kindOf(line[at - 1]) === "word") at -= 1;
  return at;
}

export function nextWord(line: Line, column: number): number {
  let at = column;
  while (at < line.length && kindOf(line[at]) === "gap") at += 1;
  if (kindOf(line[at]) === "paste") return at + 1;
  while (at < line.length && kindOf(line[at]) === "word") at += 1;
  return at;
}

export function previousSpaceWord(line: Line, column: number): number {
  let at = column;
  while (at > 0 && isSpace(line[at - 1])) at -= 1;
  while (at > 0 && !isSpace(line[at - 1])) at -= 1;
  return at;
}

function kindOf(cell: Cell | undefined): "word" | "gap" | "paste" {
  if (typeof cell === "object") return "paste";
  return cell !== undefined && wordCharacter.test(cell) ? "word" : "gap";
}

function isSpace(cell: Cell | undefined): boolean {
  return typeof cell === "string" && whiteSpace.test(cell);
}
