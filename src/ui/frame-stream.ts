// The stream Ink draws on. Ink writes its whole frame each time; here it becomes rows, and what changed in them goes
// out as one write, below whatever is printed for the scrollback. It never tells Ink how high the window is: Ink
// clears the whole scrollback when its frame is as high, and whether it is, is planned elsewhere.
// The cursor rests where the frame shows it. A frame without one has it, hidden, at the end of its first row: there
// nothing has to be gone up for, so a finished row costs its own text, and no late news of a window's size can touch
// what is finished. With the cursor inside of the frame what is printed draws all rows anew, so that the rows above
// the cursor are as many as they are counted, however the terminal wrapped them.
import { EventEmitter } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { eraseBelow, FramePen } from "./frame-pen.ts";
import { type FrameRow, frameRow, isSureRow } from "./frame-row.ts";
import type { Reflow } from "./terminal-reflow.ts";

/** What is needed of the terminal's stdout. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface FrameStreamOptions {
  readonly terminal: TerminalOutput;
  readonly columns: number;
  readonly reflow: Reflow;
}

const syncOn = "\x1b[?2026h";
const syncOff = "\x1b[?2026l";
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
/** How Ink gets from the cursor to the first row of its frame, erasing, and back to the cursor. */
const prefix = /^(?:\x1b\[(?:\?25l|2K|\d*[ABG]))+/;
const suffix = /(?:\x1b\[(\d*)A)?\x1b\[(\d+)G\x1b\[\?25h$/;

interface Place {
  readonly row: number;
  readonly column: number;
}

interface Drawing {
  readonly printed: readonly string[];
  readonly next: readonly FrameRow[];
  /** Undefined: at the end of the first row, hidden. */
  readonly cursor: Place | undefined;
}

const blank = frameRow("");

/** What was written less long ago may have met a window that had changed already. */
const onTheWayMs = 50;

export class FrameStream extends EventEmitter {
  readonly isTTY = true;
  readonly rows = Number.MAX_SAFE_INTEGER;
  readonly writable = true;
  readonly columns: number;
  readonly #terminal: TerminalOutput;
  readonly #reflow: Reflow;
  #isBatching = false;
  #isMuted = false;
  /** What Ink wants to be seen. */
  #frame: readonly string[] = [];
  #cursor: Place | undefined;
  /** What the terminal shows; no rows: nothing. */
  #shown: readonly FrameRow[] = [];
  #at: Place = { row: 0, column: 0 };
  #isHidden = false;
  /** Rows of the window it was drawn in. */
  #height = 0;
  /** When its first row was put where it is. */
  #placedAt = 0;

  constructor({ terminal, columns, reflow }: FrameStreamOptions) {
    super();
    this.#terminal = terminal;
    this.columns = columns;
    this.#reflow = reflow;
  }

  write(text: string, encodingOrDone?: unknown, done?: unknown): boolean {
    if (!this.#isMuted) this.#read(text);
    if (!this.#isBatching) this.#show([]);
    const callback = typeof encodingOrDone === "function" ? encodingOrDone : done;
    if (typeof callback === "function") setImmediate(callback as () => void);
    return true;
  }

  /** All that is drawn meanwhile goes out at once, below `print`: text for the scrollback that ends in a newline. */
  batch(print: string | undefined, action: () => void): void {
    this.#isBatching = true;
    try {
      action();
    } finally {
      this.#isBatching = false;
      this.#show(print === undefined ? [] : print.replace(/\n$/, "").split("\n"));
    }
  }

  /** Nothing more of what Ink writes reaches the terminal. */
  mute(): void {
    this.#isMuted = true;
  }

  /** Takes the frame away at the size the terminal has now, where its rows may take more than they did. */
  erase(): string {
    if (this.#shown.length === 0) return "";
    const rows = this.#rowsAbove();
    this.#shown = [];
    this.#isHidden = false;
    return `${rows > 0 ? `\x1b[${rows}A` : ""}${eraseBelow}${showCursor}`;
  }

  /** From the frame's first row to the cursor, as the terminal wrapped them. */
  #rowsAbove(): number {
    const { row: at, column } = this.#at;
    const width = Math.max(1, this.#terminal.columns || 80);
    const added = this.#shown.map((row) => rowsAt(row.width, width) - 1);
    const isSettled = performance.now() - this.#placedAt > onTheWayMs;
    if (this.#reflow === "but-cursor-row" && isSettled) {
      // A window that gets lower loses rows from below the cursor first. Empty ones below the frame are not known of.
      const lost = Math.max(0, this.#height - this.#terminalHeight);
      return cursorAfter(added.slice(0, Math.max(at + 1, added.length - lost)), at);
    }
    const above = added.slice(0, at).reduce((all, rows) => all + 1 + rows, 0);
    const isSure = isSureRow(this.#shown[at] ?? blank);
    return this.#reflow === "whole" && isSure ? above + rowsAt(column, width) - 1 : above;
  }

  get #terminalHeight(): number {
    return this.#terminal.rows || 24;
  }

  #read(text: string): void {
    const cursor = suffix.exec(text);
    const hasFrame = stripVTControlCharacters(text) !== "";
    if (hasFrame) {
      const frame = text.slice(0, cursor?.index).replace(prefix, "");
      this.#frame = frame.replace(/\n$/, "").split("\n");
    }
    if (cursor) {
      this.#cursor = { row: this.#frame.length - Number(cursor[1] ?? "0"), column: Number(cursor[2]) - 1 };
    } else if (hasFrame || text.includes(hideCursor)) this.#cursor = undefined;
  }

  #show(printed: readonly string[]): void {
    if (this.#isMuted || this.#frame.length === 0) return;
    const known = new Map(this.#shown.map((row) => [row.painted, row]));
    const next = this.#frame.map((painted) => known.get(painted) ?? frameRow(painted));
    const cursor = this.#cursor;
    const drawing: Drawing = { printed, next, cursor };
    const isWhole = this.#isWhole(drawing);
    const pen = isWhole ? this.#drawWhole(drawing) : this.#drawChanges(drawing);
    if (isWhole || printed.length > 0) this.#placedAt = performance.now();
    this.#at = cursor ?? { row: 0, column: next[0]?.width ?? 0 };
    this.#shown = next;
    this.#height = this.#terminalHeight;
    pen.restAt(this.#at);
    if (pen.text !== "") this.#terminal.write(this.#framed(pen, cursor === undefined));
  }

  #isWhole({ printed, next, cursor }: Drawing): boolean {
    const isSameRest = this.#shown.length > 0 && this.#isHidden === (cursor === undefined);
    if (!isSameRest) return true;
    if (printed.length === 0) return false;
    const height = Math.max(this.#shown.length, next.length);
    // A window may be lower by now, and has to have the rows that are gone up. With one row there are none.
    const rows = Math.floor(this.#terminalHeight / 2);
    return cursor !== undefined || height === 1 || printed.length + height > rows;
  }

  #drawWhole({ printed, next, cursor }: Drawing): FramePen {
    const pen = new FramePen(this.#at.row);
    pen.toRow(0);
    pen.eraseBelow();
    for (const line of printed) pen.printLine(line);
    for (const [index, row] of next.entries()) {
      pen.wraps = this.#mayWrap(index, row, cursor);
      pen.writeRow(index, row.painted);
    }
    return pen;
  }

  #drawChanges({ printed, next, cursor }: Drawing): FramePen {
    let shown = this.#shown;
    const pen = new FramePen(this.#at.row, isSureRow(shown[this.#at.row] ?? blank) ? this.#at.column : undefined);
    if (printed.length > 0) {
      shown = [next[0] ?? blank, ...shown.slice(1)];
      this.#printAbove(pen, printed, shown);
    }
    const same = sameEnd(shown, next);
    const [before, after] = [shown.length - same, next.length - same];
    if (after > before) {
      pen.makeRoom(next.length - 1);
      pen.insertRows(before, after - before);
    } else if (after < before) pen.deleteRows(after, before - after);
    for (let row = 0; row < after; row += 1) {
      const change = { shown: (row < before ? shown[row] : undefined) ?? blank, next: next[row] ?? blank };
      // What is added to the first row fits it, but in a moment of another width: to say so each time costs more.
      const wraps = row === 0 ? isSureRow(change.next) : this.#mayWrap(row, change.next, cursor);
      pen.changeRow(row, { ...change, wraps });
    }
    return pen;
  }

  /** From the first row of the frame, which becomes the first that is printed; `shown` is the frame after it. */
  #printAbove(pen: FramePen, [line = "", ...lines]: readonly string[], shown: readonly FrameRow[]): void {
    const first = shown[0] ?? blank;
    pen.makeRoom(shown.length + lines.length);
    // What is finished is written whole, whatever of it is shown: a window that changed may have cut it.
    pen.writeRow(0, line, { erases: true });
    pen.insertRows(1, 1 + lines.length);
    for (const [index, each] of lines.entries()) pen.writeRow(1 + index, each);
    pen.wraps = this.#mayWrap(0, first, undefined);
    pen.writeRow(1 + lines.length, first.painted);
    pen.leaveAbove(1 + lines.length);
    pen.wraps = true;
  }

  /**
   * Rows down to the cursor are counted: where all rows are wrapped anew, what they take is what they need at the width
   * they were drawn at. A row that some terminals believe to be wider is one row on all of them.
   */
  #mayWrap(index: number, row: FrameRow, cursor: Place | undefined): boolean {
    if (!isSureRow(row)) return false;
    const isShort = row.width * 2 <= this.columns;
    return cursor !== undefined || (index === 0 && (isShort || this.#reflow === "whole"));
  }

  /** What changes in one row is written in one go anyway, and nobody sees a hidden cursor go there and back. */
  #framed({ text, hasManyChanges }: FramePen, isHidden: boolean): string {
    const isOneGo = isHidden === this.#isHidden && !hasManyChanges && (isHidden || !text.includes("\n"));
    const before = isOneGo ? "" : syncOn + (this.#isHidden ? "" : hideCursor);
    const after = isOneGo ? "" : (isHidden ? "" : showCursor) + syncOff;
    this.#isHidden = isHidden;
    return before + text + after;
  }
}

/**
 * The row of the cursor where each row that is added moves it down, also one below it, and where the row that it is in
 * by then is cut instead. It goes from the last row to the first.
 */
function cursorAfter(added: readonly number[], at: number): number {
  return added.reduceRight((cursor, rows, row) => (row === cursor ? cursor : cursor + rows), at);
}

function rowsAt(cells: number, width: number): number {
  return Math.max(1, Math.ceil(cells / width));
}

/** Rows at the end that are alike, the first one never counted. */
function sameEnd(shown: readonly FrameRow[], next: readonly FrameRow[]): number {
  const most = Math.min(shown.length, next.length) - 1;
  let same = 0;
  while (same < most && shown[shown.length - 1 - same]?.painted === next[next.length - 1 - same]?.painted) same += 1;
  return same;
}
