// How many terminal cells text takes, and how it is cut and wrapped to fit, by grapheme.
// No result is ever wider than the width asked for; a width below 1 counts as 1.
// Text is taken as already sanitised: control characters have no width here.
// Plain text of one-cell characters never reaches string-width or the segmenter, whose first use is slow.
import stringWidth from "string-width";

const plainAscii = /^[\x20-\x7e]*$/;

/**
 * Characters that are one cell and one grapheme each, whatever stands beside them within these sets:
 * ASCII, Latin, dashes and quotes, arrows, box drawing, and the few signs the program itself draws.
 */
const single =
  "\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u2010-\\u2027\\u203a\\u2190-\\u21ff\\u23bf\\u2500-\\u259f\\u25cb\\u25cf\\u2713\\u2717\\u276f";

/** Likewise two cells and one grapheme each: kana, Han, Hangul syllables, full-width forms. */
const double = "\\u3041-\\u3096\\u30a1-\\u30fa\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60";

const singleCells = new RegExp(`^[${single}]*$`);
const plainCells = new RegExp(`^[${single}${double}]*$`);
const plainRun = new RegExp(`[${single}${double}]+`, "y");
const doubleCell = new RegExp(`[${double}]`, "g");
/** What has to be segmented: with the character before it, which a mark may sit on, and what a joiner joins. */
const otherRun = new RegExp(`[${single}${double}]?(?:[^${single}${double}]|(?<=\\u200d)[${single}${double}])+`, "y");

/** Widths of short texts that string-width was asked for: the same graphemes come again with every key. */
const knownWidths = new Map<string, number>();
const maxKnown = { count: 4_096, length: 32 };

let segmenter: Intl.Segmenter | undefined;

export function graphemes(text: string): readonly string[] {
  return plainCells.test(text) ? text.split("") : runsOf(text).flatMap(splitRun);
}

/** Every terminal gives it as many cells; of emoji, joined and combined characters terminals think differently. */
export function isSureWidth(text: string): boolean {
  return plainCells.test(text);
}

export function isPlainAscii(text: string): boolean {
  return plainAscii.test(text);
}

export function cellWidth(text: string): number {
  if (singleCells.test(text)) return text.length;
  if (plainCells.test(text)) return plainWidth(text);
  return runsOf(text).reduce((sum, run) => sum + (run.isPlain ? plainWidth(run.text) : slowWidth(run.text)), 0);
}

function plainWidth(text: string): number {
  return text.length + (text.match(doubleCell)?.length ?? 0);
}

interface Run {
  readonly text: string;
  readonly isPlain: boolean;
}

/** Most of a text with an emoji in it is plain: only the rest is looked at closely. */
function runsOf(text: string): readonly Run[] {
  const runs: Run[] = [];
  let at = 0;
  while (at < text.length) {
    plainRun.lastIndex = at;
    const plain = plainRun.exec(text)?.[0] ?? "";
    const end = at + plain.length;
    const own = end === text.length ? plain : plain.slice(0, -1);
    if (own !== "") runs.push({ text: own, isPlain: true });
    at += own.length;
    if (at === text.length) break;
    otherRun.lastIndex = at;
    const other = otherRun.exec(text)?.[0] ?? text.slice(at);
    runs.push({ text: other, isPlain: false });
    at += other.length;
  }
  return runs;
}

function splitRun({ text, isPlain }: Run): readonly string[] {
  if (isPlain) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

function slowWidth(text: string): number {
  if (text.length > maxKnown.length) return stringWidth(text);
  const known = knownWidths.get(text);
  if (known !== undefined) return known;
  if (knownWidths.size >= maxKnown.count) knownWidths.clear();
  const width = stringWidth(text);
  knownWidths.set(text, width);
  return width;
}

export interface WrapCell {
  readonly width: number;
  readonly space: boolean;
}

/**
 * Where rows start when `cells` are wrapped at words; the first is 0. Spaces that do not fit hang over the
 * end of their row and are the caller's to clip. A cell wider than the width gets a row of its own.
 */
export function wrapCells(cells: readonly WrapCell[], width: number): readonly number[] {
  const limit = Math.max(1, width);
  const starts = [0];
  let rowStart = 0;
  let used = 0;
  let wordStart = 0;
  let wordWidth = 0;
  cells.forEach((cell, index) => {
    // Wide characters may be parted from both neighbours, as CJK text is.
    if (cell.width > 1 && !cell.space) [wordStart, wordWidth] = [index, 0];
    while (!cell.space && used + cell.width > limit && index > rowStart) {
      const atWord = wordStart > rowStart;
      rowStart = atWord ? wordStart : index;
      used = atWord ? wordWidth : 0;
      starts.push(rowStart);
    }
    used += cell.width;
    wordWidth += cell.width;
    if (cell.space || cell.width > 1) [wordStart, wordWidth] = [index + 1, 0];
  });
  return starts;
}

/** Rows of one line of text; a newline in it starts a new row too. Spaces at a wrap are dropped. */
export function wrapLine(text: string, width: number): readonly string[] {
  if (text.includes("\n")) return text.split("\n").flatMap((line) => wrapLine(line, width));
  const limit = Math.max(1, width);
  if (cellWidth(text) <= limit) return [text];
  const parts = graphemes(text).map((part) => fitGrapheme(part, limit));
  const starts = wrapCells(
    parts.map((part) => ({ width: cellWidth(part), space: part === " " })),
    limit,
  );
  return starts.map((start, row) => {
    const line = parts.slice(start, starts[row + 1]).join("");
    return row + 1 < starts.length ? line.replace(/ +$/, "") : clip(line, limit);
  });
}

/** At most `width` cells; what is cut is marked by a final ellipsis (one cell) unless `ellipsis` says otherwise. */
export function truncate(text: string, width: number, ellipsis = "…"): string {
  if (cellWidth(text) <= width) return text;
  if (width <= 0) return "";
  const mark = cellWidth(ellipsis) <= width ? ellipsis : "";
  return clip(text, width - cellWidth(mark)) + mark;
}

/** The end of a text, at most `width` cells of it. */
export function truncateStart(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  const parts = graphemes(text);
  let used = 0;
  let start = parts.length;
  while (start > 0) {
    used += cellWidth(parts[start - 1] ?? "");
    if (used > width) break;
    start -= 1;
  }
  return parts.slice(start).join("");
}

/** Exactly `width` cells: cut or filled with spaces on the right. */
export function padCells(text: string, width: number): string {
  const cut = truncate(text, width);
  return cut + " ".repeat(Math.max(0, width - cellWidth(cut)));
}

/** What stands for a grapheme that is wider than the whole width. */
export function fitGrapheme(grapheme: string, width: number): string {
  return cellWidth(grapheme) <= Math.max(1, width) ? grapheme : "?";
}

function clip(text: string, width: number): string {
  if (singleCells.test(text)) return text.slice(0, Math.max(0, width));
  let used = 0;
  let result = "";
  for (const part of graphemes(text)) {
    used += cellWidth(part);
    if (used > width) break;
    result += part;
  }
  return result;
}
