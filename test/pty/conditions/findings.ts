// Judges what the emulator holds at the end of a cell: each finished line once and in order, and nothing else.
import { cellWidth } from "../../../src/ui/text-width.ts";
import { bare, narrowed } from "./mixed-lines.ts";

export interface Row {
  readonly text: string;
  readonly isWrapped: boolean;
}

/** `missing`: a finished line is not there. `stray`: something is there that should not be. */
export type Kind = "missing" | "repeated" | "order" | "stray" | "wide" | "wrapped" | "hole" | "cursor" | "end";

export interface Finding {
  readonly kind: Kind;
  readonly words: string;
}

/** Text as `bare` leaves it, or what may stand there. */
export type Piece = string | RegExp;

export interface Expected {
  /** From the first row to the last, the frame or the farewell as well. */
  readonly pieces: readonly Piece[];
  readonly markers: readonly string[];
  /** Of the narrowest and widest window there was. */
  readonly width: { readonly least: number; readonly most: number };
  /** The terminal itself wraps lines when it is made narrower. */
  readonly isResized: boolean;
}

export function judge(rows: readonly Row[], expected: Expected): Finding[] {
  const fit = expected.width.least === 1 ? narrowed : (text: string) => text;
  const text = fit(bare(wholeLines(rows).join("\n")));
  const pieces = expected.pieces.map((piece) => (typeof piece === "string" ? fit(piece) : piece));
  return [...markerFindings(text, expected.markers), ...textFindings(text, pieces), ...rowFindings(rows, expected)];
}

/** As they were printed, but for the lines below the titles of tables. */
function wholeLines(rows: readonly Row[]): readonly string[] {
  const lines: string[] = [];
  for (const { text, isWrapped } of rows) {
    if (isWrapped) lines.push((lines.pop() ?? "") + text);
    else lines.push(text);
  }
  return lines.filter((line) => !/^\s*─+(?:┼─+)+$/u.test(line));
}

function markerFindings(text: string, wanted: readonly string[]): Finding[] {
  const found = text.match(/§\d{3}/gu) ?? [];
  const counts = new Map<string, number>();
  for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
  const missing = wanted.filter((each) => !counts.has(each));
  const repeated = wanted.filter((each) => (counts.get(each) ?? 0) > 1);
  const late = found.filter((each, at) => each < (found[at - 1] ?? ""));
  return [
    ...(missing.length > 0 ? [finding("missing", listed(missing))] : []),
    ...(repeated.length > 0 ? [finding("repeated", listed(repeated))] : []),
    ...(late.length > 0 ? [finding("order", listed(late))] : []),
  ];
}

function textFindings(text: string, pieces: readonly Piece[]): Finding[] {
  let at = 0;
  for (const piece of pieces) {
    const length = typeof piece === "string" ? sameLength(text, at, piece) : matchLength(text, at, piece);
    const isWhole = typeof piece === "string" ? length === piece.length : length !== undefined;
    if (!isWhole) {
      const from = at + (typeof piece === "string" ? (length ?? 0) : 0);
      const wanted = typeof piece === "string" ? piece.slice(length, (length ?? 0) + 40) : String(piece);
      const [before, there] = [quoted(text, from - 40, from), quoted(text, from, from + 120)];
      return [finding("stray", `${there} after ${before}, where ${JSON.stringify(wanted)} should be`)];
    }
    at += length ?? 0;
  }
  return at === text.length ? [] : [finding("stray", `${quoted(text, at, at + 120)} after the end`)];
}

function sameLength(text: string, at: number, piece: string): number {
  let length = 0;
  while (length < piece.length && text[at + length] === piece[length]) length += 1;
  return length;
}

function matchLength(text: string, at: number, piece: RegExp): number | undefined {
  const sticky = new RegExp(piece.source, "uy");
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0].length;
}

function rowFindings(all: readonly Row[], { width, isResized }: Expected): Finding[] {
  const rows = all.slice(0, drawnRows(all));
  const wide = rows.filter(({ text }) => cellWidth(text) > width.most);
  const wrapped = isResized ? [] : rows.filter(({ isWrapped }) => isWrapped);
  const lastUsed = rows.findLastIndex(({ text }) => text !== "");
  const isHole = ({ text }: Row, at: number) => at > 1 && at < lastUsed && text === "" && rows[at - 1]?.text === "";
  const holes = rows.filter(isHole);
  const texts = (some: readonly Row[]) => listed(some.map(({ text }) => JSON.stringify(text)));
  return [
    ...(wide.length > 0 ? [finding("wide", texts(wide))] : []),
    ...(wrapped.length > 0 ? [finding("wrapped", texts(wrapped))] : []),
    ...(holes.length > 0 ? [finding("hole", `${holes.length} empty rows beside empty ones`)] : []),
  ];
}

export function finding(kind: Kind, words: string): Finding {
  return { kind, words };
}

/** The farewell comes when nothing is drawn any more: one line, however long, so that it can be copied. */
function drawnRows(rows: readonly Row[]): number {
  const last = rows.findLastIndex(({ text, isWrapped }) => text !== "" && !isWrapped);
  const end = rows
    .slice(last)
    .map(({ text }) => text)
    .join("");
  return end.startsWith("resume") ? last : rows.length;
}

function listed(items: readonly string[]): string {
  return items.length > 8 ? `${items.slice(0, 8).join(" ")} … (${items.length})` : items.join(" ");
}

function quoted(text: string, from: number, to: number): string {
  return JSON.stringify(text.slice(Math.max(0, from), to));
}
