// One painted row as cells, so that what changed in it can be written alone. Pure.
import { cellWidth, graphemes, isSureWidth } from "./text-width.ts";

interface Cell {
  /** A grapheme. */
  readonly text: string;
  /** Parameters of the SGR sequence that brings its look about, "" for none. */
  readonly style: string;
}

export interface FrameRow {
  readonly painted: string;
  readonly cells: readonly Cell[];
  /** In terminal cells. */
  readonly width: number;
  /** Cells before the first one that some terminals give another width; all, where there is none. */
  readonly sure: number;
}

const sgrSequence = /\x1b\[([\d;]*)m/;

/** `painted` holds no sequence but SGR. */
export function frameRow(painted: string): FrameRow {
  // Split by a pattern with a group: text and parameters in turn.
  const parts = painted.split(sgrSequence);
  const looks = new Map<string, string>();
  let style = "";
  const cells = parts.flatMap((part, index) => {
    if (index % 2 === 0) return graphemes(part).map((text): Cell => ({ text, style }));
    applySgr(looks, part);
    style = [...looks.values()].join(";");
    return [];
  });
  const unsure = isSureWidth(parts.filter((_, index) => index % 2 === 0).join("")) ? -1 : cells.findIndex(isUnsure);
  return { painted, cells, width: widthOf(cells), sure: unsure === -1 ? cells.length : unsure };
}

function isUnsure({ text }: Cell): boolean {
  return !isSureWidth(text);
}

/** It takes as many cells on every terminal. */
export function isSureRow({ cells, sure }: FrameRow): boolean {
  return sure === cells.length;
}

/** Codes that end a look, by the looks they end. */
const endings: Readonly<Record<string, readonly string[]>> = {
  "22": ["1", "2"],
  "23": ["3"],
  "24": ["4"],
  "25": ["5"],
  "27": ["7"],
  "28": ["8"],
  "29": ["9"],
  "39": ["color"],
  "49": ["ground"],
};

function applySgr(looks: Map<string, string>, parameters: string): void {
  const codes = parameters.split(";");
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? "";
    if (code === "" || code === "0") looks.clear();
    else if (code === "38" || code === "48") {
      const count = codes[at + 1] === "2" ? 5 : 3;
      looks.set(code === "38" ? "color" : "ground", codes.slice(at, at + count).join(";"));
      at += count - 1;
    } else if (endings[code]) for (const ended of endings[code]) looks.delete(ended);
    else looks.set(nameOf(Number(code)), code);
  }
}

function nameOf(code: number): string {
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return "color";
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return "ground";
  return String(code);
}

export interface RowChange {
  /** Where it begins and ends, in terminal cells from the left; the end may be not sure. */
  readonly column: number;
  readonly end: number | undefined;
  /** What is to be written there, ending in the look of plain text. Erases first: at the edge that takes a cell. */
  readonly text: string;
}

/** What makes `next` of a row that shows `shown`; undefined: nothing. */
export function rowChange(shown: FrameRow, next: FrameRow): RowChange | undefined {
  if (shown.painted === next.painted) return undefined;
  const isSure = isSureRow(shown) && isSureRow(next);
  // From a character on whose width is not sure no column is.
  const most = Math.min(shown.sure, next.sure);
  let start = 0;
  while (start < most && alike(shown.cells[start], next.cells[start])) start += 1;
  if (isSure && start === next.cells.length && start === shown.cells.length) return undefined;
  const isAsWide = isSure && next.width === shown.width;
  const end = next.cells.length - (isAsWide ? sameEnd(shown.cells, next.cells, start) : 0);
  const [column, width] = [widthOf(next.cells.slice(0, start)), widthOf(next.cells.slice(start, end))];
  const erase = !isSure || next.width < shown.width ? "\x1b[K" : "";
  return { column, end: isSure ? column + width : undefined, text: erase + painted(next.cells.slice(start, end)) };
}

/** Cells that are alike at the end of rows that are as wide as each other, the first `start` not counted. */
function sameEnd(shown: readonly Cell[], next: readonly Cell[], start: number): number {
  const most = Math.min(shown.length, next.length) - start;
  let same = 0;
  while (same < most && alike(shown[shown.length - 1 - same], next[next.length - 1 - same])) same += 1;
  return same;
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { text }) => sum + cellWidth(text), 0);
}

function alike(one: Cell | undefined, other: Cell | undefined): boolean {
  return one !== undefined && other !== undefined && one.text === other.text && one.style === other.style;
}

function painted(cells: readonly Cell[]): string {
  let text = "";
  let style = "";
  for (const cell of cells) {
    if (cell.style !== style) text += `\x1b[${style === "" || cell.style === "" ? "" : "0;"}${cell.style}m`;
    style = cell.style;
    text += cell.text;
  }
  return style === "" ? text : `${text}\x1b[m`;
}
