// Writes a frame's rows from where the cursor stands to where it shall stand, as text for the terminal.
// Hazard: a window changes before its program hears of it, up to a quarter of a second in tmux, and what was on the
// way is drawn at the new size. So nothing here relies on the window: it goes down by line feeds, which never stop at
// the last row as cursor-down does, and up by no more rows than it went down or the frame has. Finished lines are
// above the frame's first row: they cannot be written over.
import { type FrameRow, rowChange } from "./frame-row.ts";

const noWrap = "\x1b[?7l";
const wrap = "\x1b[?7h";
/**
 * From the start of a row on, all below it, in two steps: an erasure that begins in the window's first cell is taken by
 * tmux for that of a whole screen, and moves what it erases into the scrollback.
 */
export const eraseBelow = "\r\x1b[K\x1b[2G\x1b[J\r";

export class FramePen {
  #text = "";
  /** Of the frame, from 0. */
  #row: number;
  /** Undefined: not known. */
  #column: number | undefined;
  #wraps = true;
  #touched = 0;

  constructor(row: number, column?: number) {
    this.#row = row;
    this.#column = column;
  }

  /** More than one row looks another way, or stands elsewhere. */
  get hasManyChanges(): boolean {
    return this.#touched > 1;
  }

  toRow(row: number): void {
    if (row === this.#row) return;
    this.#text += row > this.#row ? "\n".repeat(row - this.#row) : `\x1b[${count(this.#row - row)}A`;
    // A line feed goes to the first column or stays in its own, as the terminal is set.
    if (row > this.#row) this.#column = undefined;
    this.#row = row;
  }

  #toColumn(column: number): void {
    if (column === this.#column) return;
    this.#text += column === 0 ? "\r" : `\x1b[${column + 1}G`;
    this.#column = column;
  }

  /** So that there are rows down to `row` to be moved into: what has no room scrolls up. */
  makeRoom(row: number): void {
    const from = this.#row;
    if (row <= from) return;
    this.toRow(row);
    this.toRow(from);
  }

  /** Off where a row must stay one, whatever the width is. */
  set wraps(wraps: boolean) {
    if (wraps === this.#wraps) return;
    this.#wraps = wraps;
    this.#text += wraps ? wrap : noWrap;
  }

  writeRow(row: number, painted: string, { erases = false } = {}): void {
    this.toRow(row);
    this.#toColumn(0);
    this.#touched += 1;
    this.#text += (erases ? "\x1b[K" : "") + painted;
    this.#column = undefined;
  }

  changeRow(row: number, { shown, next, wraps }: { shown: FrameRow; next: FrameRow; wraps: boolean }): void {
    const change = rowChange(shown, next);
    if (!change) return;
    this.toRow(row);
    this.#toColumn(change.column);
    this.wraps = wraps;
    this.#touched += 1;
    this.#text += change.text;
    this.#column = change.end;
  }

  /** Empty rows before `row`. */
  insertRows(row: number, rows: number): void {
    this.toRow(row);
    this.#text += `\x1b[${count(rows)}L`;
    this.#moved();
  }
  deleteRows(row: number, rows: number): void {
    this.toRow(row);
    this.#text += `\x1b[${count(rows)}M`;
    this.#moved();
  }

  /** All from the start of this row on. */
  eraseBelow(): void {
    this.#moved();
    this.#text += eraseBelow;
    this.#column = 0;
  }

  #moved(): void {
    this.#touched += 2;
    this.#column = undefined;
  }

  /** A line of the scrollback; the frame begins below it. */
  printLine(line: string): void {
    this.#toColumn(0);
    this.#text += `${line}\n`;
    this.#column = undefined;
  }
  /** The frame's first row is now the one that was `rows` lower. */
  leaveAbove(rows: number): void {
    this.#row -= rows;
  }

  restAt({ row, column }: { row: number; column: number }): void {
    this.wraps = true;
    this.toRow(row);
    this.#toColumn(column);
  }
  get text(): string {
    return this.#text;
  }
}

function count(rows: number): string {
  return rows === 1 ? "" : String(rows);
}
