// Which of the stars, lines and tildes of a line belong together, as CommonMark says: a sign that closes looks back for
// the nearest one that opens. Works on pieces of the line, whose look it sets.
import type { Role } from "./theme.ts";

const strong = 1;
const emphasis = 2;
const struck = 4;
export const codeMark = 8;

export interface Piece {
  text: string;
  marks: number;
  /** Stronger than the marks. */
  role?: Role;
  href?: string;
}

/** A run of signs that may open or close. */
export interface Run {
  /** Of the pieces; -1 for one that an earlier line opened. */
  readonly piece: number;
  readonly char: string;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** So surely an opening that its look goes on after the line. */
  readonly isClear: boolean;
  /** Signs not used yet, and used ones that stay visible. */
  length: number;
  kept: number;
}

/** Runs from `bottom` on: what closes what, and what is between gets its look. */
export function emphasise(pieces: readonly Piece[], runs: readonly Run[], bottom: number): void {
  for (let at = bottom; at < runs.length; at += 1) {
    const closer = runs[at];
    if (!closer?.canClose) continue;
    while (closer.length > 0) {
      const from = openerOf(runs, at, bottom);
      if (from === undefined) break;
      join(pieces, runs.slice(from, at + 1));
    }
  }
}

function openerOf(runs: readonly Run[], at: number, bottom: number): number | undefined {
  const closer = runs[at];
  for (let index = at - 1; index >= bottom; index -= 1) {
    const opener = runs[index];
    if (!closer || !opener?.canOpen || opener.length === 0 || opener.char !== closer.char) continue;
    const isOdd = (opener.canClose || closer.canOpen) && (opener.length + closer.length) % 3 === 0;
    if (!isOdd || (opener.length % 3 === 0 && closer.length % 3 === 0)) return index;
  }
  return undefined;
}

/** The first of the runs with the last one. */
function join(pieces: readonly Piece[], runs: readonly Run[]): void {
  const [opener, closer] = [runs[0], runs.at(-1)];
  if (!opener || !closer) return;
  const used = opener.length >= 2 && closer.length >= 2 ? 2 : 1;
  // `__init__` is a name.
  const isName = closer.char === "_" && used === 2 && /^\w+$/.test(textBetween(pieces, opener, closer));
  for (const within of runs.slice(1, -1)) {
    within.kept += within.length;
    within.length = 0;
  }
  const stays = isName || opener.piece === -1;
  for (const run of [opener, closer]) {
    run.length -= used;
    if (stays) run.kept += used;
    const piece = pieces[run.piece];
    if (piece) piece.text = run.char.repeat(run.length + run.kept);
  }
  if (!isName) markPieces(pieces.slice(opener.piece + 1, closer.piece), marksOf(closer.char, used));
}

function textBetween(pieces: readonly Piece[], opener: Run, closer: Run): string {
  const within = pieces.slice(opener.piece + 1, closer.piece);
  return within.length > 8 ? "" : within.map(({ text }) => text).join("");
}

export function markPieces(pieces: readonly Piece[], marks: number): void {
  for (const piece of pieces) piece.marks |= marks;
}

export function marksOf(char: string, length: number): number {
  if (char === "~") return struck;
  return length >= 2 ? strong : emphasis;
}

export function roleOf(marks: number): Role {
  if (marks & codeMark) return "code";
  if (marks & struck) return "struck";
  if (marks & strong) return marks & emphasis ? "strong-emphasis" : "strong";
  return marks & emphasis ? "emphasis" : "plain";
}

/** So many of the same sign stand there. */
export function runLength(text: string, start: number): number {
  let end = start;
  while (text[end] === text[start]) end += 1;
  return end - start;
}

/** No blank behind it and something like a start before it. */
export function isOpening(text: string, start: number, end: number): boolean {
  return /^(?:\s|[([{"'“]|)$/.test(text[start - 1] ?? "") && /[\p{L}\p{N}"'“(`$./<]/u.test(text[end] ?? "");
}
