// What is typed behind an `@` at a word's start: the path that is asked for, and the text that choosing one leaves.
// A path with blanks or quotes in it stands in double quotes, where a backslash takes `"` and `\`. Pure.
import { type Buffer, type Cell, lineText } from "./composer-buffer.ts";

export interface PathToken {
  /** The cell of the `@` in the cursor's line. */
  readonly from: number;
  /** Without `@` and quotes. */
  readonly query: string;
  /** As it stands there. */
  readonly text: string;
  /** White space stands behind it already. */
  readonly isFollowed: boolean;
}

/** No key looks back further, in cells; paths are shorter. */
const farthest = 400;

/** The path that ends at the cursor; undefined: none does. Where a quote is open, what is in it is one path. */
export function pathToken({ line, column }: Buffer): PathToken | undefined {
  const next = line[column];
  if (next !== undefined && !isBlank(next)) return undefined;
  let found: PathToken | undefined;
  for (let at = column - 1; at >= Math.max(0, column - farthest); at -= 1) {
    const cell = line[at];
    if (typeof cell === "object") break;
    if (cell !== "@" || !startsWord(line[at - 1])) continue;
    const text = lineText(line.slice(at + 1, column));
    const query = queryOf(text);
    if (query === undefined || (found && !text.startsWith('"'))) continue;
    found = { from: at, query, text: `@${text}`, isFollowed: next !== undefined };
    if (text.startsWith('"')) break;
  }
  return found;
}

/** Undefined: the word is over, or its quotes are closed. */
function queryOf(text: string): string | undefined {
  if (!text.startsWith('"')) return /[\s"]/u.test(text) ? undefined : text;
  const quoted = /^"((?:[^"\\]|\\.)*)\\?$/su.exec(text)?.[1];
  return quoted?.replace(/\\(.)/gsu, "$1");
}

function startsWord(before: Cell | undefined): boolean {
  return before === undefined || (typeof before === "string" && (isBlank(before) || before === "("));
}

function isBlank(cell: Cell): boolean {
  return typeof cell === "string" && /^\s/u.test(cell);
}

/** A folder goes on: its quotes stay open, and no blank follows. */
export function pathText(path: string): string {
  const isFolder = path.endsWith("/");
  if (!/[\s"\\]|\(@/u.test(path)) return `@${path}`;
  return `@"${path.replace(/["\\]/g, "\\$&")}${isFolder ? "" : '"'}`;
}
