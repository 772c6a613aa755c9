// The stream Ink draws on: what it writes within one drawing goes out as one write, and what stands on the screen
// is remembered, so that it can be taken away also after the terminal has wrapped it anew. It never tells Ink how
// high the window is: Ink clears the whole scrollback when its frame is as high, and whether it is, is planned elsewhere.
// Hazard: a window changes before its program hears of it, up to a quarter of a second in tmux. Rows below the cursor
// are gone then, and Ink's way down to its last row and up again would end in finished lines. So what Ink erases is
// erased from here, straight up from the cursor and never by more rows than the frame has: a row of it may stay
// behind, and nothing above it is ever lost.
import { EventEmitter } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { cellWidth } from "./text-width.ts";

/** What is needed of the terminal's stdout. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const syncOn = "\x1b[?2026h";
const syncOff = "\x1b[?2026l";
const hideCursor = "\x1b[?25l";
const eraseLine = "\x1b[2K";
/** How Ink gets from the cursor to the first row of its frame, erasing, and back to the cursor. */
const prefix = /^(?:\x1b\[(?:\?25l|2K|\d*[ABG]))+/;
const suffix = /(?:\x1b\[(\d*)A)?\x1b\[\d+G\x1b\[\?25h$/;

export class FrameStream extends EventEmitter {
  readonly isTTY = true;
  readonly rows = Number.MAX_SAFE_INTEGER;
  readonly writable = true;
  readonly #terminal: TerminalOutput;
  readonly #columns: number;
  #pending: string[] | undefined;
  #isMuted = false;
  /** Lines of the frame that is shown. */
  #lines: readonly string[] = [];
  #frame = "";
  /** Rows from the line below the frame up to the cursor. */
  #up = 0;
  #printed: string | undefined;

  constructor(terminal: TerminalOutput, columns: number) {
    super();
    this.#terminal = terminal;
    this.#columns = columns;
  }

  get columns(): number {
    return this.#columns;
  }

  write(text: string, encodingOrDone?: unknown, done?: unknown): boolean {
    if (!this.#isMuted && text !== "") {
      const own = text === this.#printed ? text : this.#redirect(text);
      if (this.#pending) this.#pending.push(own);
      else this.#terminal.write(own);
    }
    const callback = typeof encodingOrDone === "function" ? encodingOrDone : done;
    if (typeof callback === "function") setImmediate(callback as () => void);
    return true;
  }

  /** All that is written meanwhile goes out at once. `print` is text for the scrollback, which is no frame. */
  batch(print: string | undefined, action: () => void): void {
    this.#pending = [];
    this.#printed = print;
    try {
      action();
    } finally {
      const text = this.#pending.join("").replaceAll(syncOn, "").replaceAll(syncOff, "");
      this.#pending = undefined;
      this.#printed = undefined;
      if (text !== "") this.#terminal.write(syncOn + text + syncOff);
    }
  }

  /** Nothing more of what Ink writes reaches the terminal. */
  mute(): void {
    this.#isMuted = true;
  }

  /**
   * Takes the frame away at the width the terminal has now, where its lines may take more rows than they did. The line
   * of the cursor counts as one: not every terminal wraps that one anew.
   */
  erase(columns: number): string {
    const width = Math.max(1, columns);
    const rows = this.#above().reduce((sum, line) => sum + Math.max(1, Math.ceil(cellWidth(line) / width)), 0);
    return `${this.#clear(rows)}\x1b[?25h`;
  }

  #above(): readonly string[] {
    return this.#lines.slice(0, Math.max(0, this.#lines.length - this.#up));
  }

  #clear(rows = this.#above().length): string {
    const isShown = this.#lines.length > 0;
    this.#lines = [];
    this.#up = 0;
    return isShown ? `\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[J` : "";
  }

  /** The same to see as what Ink wrote. */
  #redirect(text: string): string {
    const cursor = suffix.exec(text);
    const shown = stripVTControlCharacters(text);
    if (shown === "" && !cursor) return text.includes(eraseLine) ? this.#clear() : text;
    if (shown !== "") this.#frame = text.slice(0, cursor?.index).replace(prefix, "");
    const erased = this.#clear();
    this.#lines = stripVTControlCharacters(this.#frame).replace(/\n$/, "").split("\n");
    this.#up = cursor ? Number(cursor[1] ?? "0") : 0;
    return hideCursor + erased + this.#frame + (cursor?.[0] ?? "");
  }
}
