// The alternate screen: entered, drawn on and left in whole writes. Only rows that changed are written. What was on the
// screen before is the terminal's to keep, and comes back with its scrollback when it is left.
import type { TerminalOutput } from "./frame-stream.ts";
import type { PagerPicture } from "./pager-view.ts";

const syncOn = "\x1b[?2026h";
const syncOff = "\x1b[?2026l";

export class PagerTerminal {
  readonly #stdout: TerminalOutput;
  #rows: readonly string[] = [];
  #cursor = "";

  constructor(stdout: TerminalOutput) {
    this.#stdout = stdout;
  }

  /** Nothing of it is on the terminal, or others have written over it. */
  forget(): void {
    this.#rows = [];
    this.#cursor = "";
  }

  draw({ rows, cursor }: PagerPicture): void {
    const isNew = this.#rows.length !== rows.length;
    const changed = rows.map((row, index) => (isNew || row !== this.#rows[index] ? rowAt(index, row) : "")).join("");
    const place = cursor === undefined ? "\x1b[?25l" : `\x1b[${rows.length};${cursor + 1}H\x1b[?25h`;
    // Every row that is written takes the cursor along.
    const end = changed === "" && place === this.#cursor ? "" : place;
    this.#rows = rows;
    this.#cursor = place;
    const text = (isNew ? "\x1b[2J" : "") + changed + end;
    if (text !== "") this.#stdout.write(syncOn + text + syncOff);
  }
}

/** Erased first: at the last column an erase after the text would take its last character. */
function rowAt(index: number, row: string): string {
  return `\x1b[${index + 1};1H\x1b[2K${row}`;
}
