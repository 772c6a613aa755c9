// Which commands can be judged at all: one simple command whose words are exactly what is written, perhaps after
// `cd DIR &&`. Anything the shell would still replace (variables, patterns, ~) makes the words another command's.
import { resolve } from "node:path";
import { splitCommand } from "../shell-words.ts";

export interface SimpleCommand {
  readonly words: readonly string[];
  /** Absolute. */
  readonly cwd: string;
}

export function simpleCommand(command: string, cwd: string): SimpleCommand | undefined {
  const { parts, doubts } = splitCommand(command);
  const [first, second, ...more] = parts;
  if (!first || more.length > 0 || doubts.length > 0 || isExpanded(command)) return undefined;
  const whole = command.trim();
  if (!second) return whole === first.text ? { words: first.words, cwd } : undefined;
  const folder = folderOf(first.words);
  const between = whole.slice(first.text.length, whole.length - second.text.length).trim();
  const isOnSuccess = whole.startsWith(first.text) && whole.endsWith(second.text) && between === "&&";
  return folder !== undefined && isOnSuccess ? { words: second.words, cwd: resolve(cwd, folder) } : undefined;
}

function folderOf(words: readonly string[]): string | undefined {
  const [name, folder, ...more] = words;
  if (name !== "cd" || !folder || folder.startsWith("-") || more.length > 0) return undefined;
  // With CDPATH a bare name may lead to somewhere else.
  return process.env["CDPATH"] && !/^\.{0,2}\//.test(folder) ? undefined : folder;
}

const PIECES = /\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|[^\\'"]+/g;

function isExpanded(command: string): boolean {
  return [...command.matchAll(PIECES)].some(([piece]) => {
    if (piece.startsWith("\\") || piece.startsWith("'")) return false;
    if (piece.startsWith('"')) return /\$/.test(piece.replace(/\\[\s\S]/g, ""));
    return /[$*?[{]|(^|[\s=:])~/.test(piece);
  });
}
