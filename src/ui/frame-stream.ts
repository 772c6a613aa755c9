// The stream Ink draws on: what it writes within one drawing goes out as one write, and what stands on the screen
// is remembered, so that it can be taken away also after the terminal has wrapped it anew. It never tells Ink how
// high the window is: Ink clears the whole scrollback when its frame is as high, and whether it is, is planned elsewhere.
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
  /** Rows from the line below the frame up to the cursor, and its column. */
  #cursor = { up: 0, x: 0 };
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
      if (text !== this.#printed) this.#watch(text);
      if (this.#pending) this.#pending.push(text);
      else this.#terminal.write(text);
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

  /** Takes the frame away at the width the terminal has now, where its lines may take more rows than they did. */
  erase(columns: number): string {
    const width = Math.max(1, columns);
    const above = this.#lines.slice(0, Math.max(0, this.#lines.length - this.#cursor.up));
    const rows = above.reduce((sum, line) => sum + Math.max(1, Math.ceil(cellWidth(line) / width)), 0);
    const up = rows + (this.#cursor.up > 0 ? Math.floor(this.#cursor.x / width) : 0);
    this.#lines = [];
    this.#cursor = { up: 0, x: 0 };
    return `\r${up > 0 ? `\x1b[${up}A` : ""}\x1b[J\x1b[?25h`;
  }

  #watch(text: string): void {
    const cursor = /(?:\x1b\[(\d*)A)?\x1b\[(\d+)G\x1b\[\?25h$/.exec(text);
    const shown = stripVTControlCharacters(text);
    const isFrame = shown !== "" || text.includes("\x1b[2K");
    if (!isFrame && !cursor && !text.includes("\x1b[?25l")) return;
    if (isFrame) this.#lines = shown === "" ? [] : shown.replace(/\n$/, "").split("\n");
    this.#cursor = cursor ? { up: Number(cursor[1] ?? "0"), x: Number(cursor[2]) - 1 } : { up: 0, x: 0 };
  }
}
