// What a terminal is asked for beside its screen: a title, and word of whether its window is looked at. Both are off
// until they are wanted, off while somebody else has the terminal, and taken back on every way out: the title that was
// there before is put on the terminal's own stack, and where that has none it is emptied.
import { sanitize } from "./sanitize.ts";
import { truncate } from "./text-width.ts";

const pushTitle = "\x1b[22;0t";
const popTitle = "\x1b[23;0t";
const focusOn = "\x1b[?1004h";
const focusOff = "\x1b[?1004l";
/** Two bytes of a report may be in one read, the last in the next. */
const reportTail = 2;

export class TerminalExtras {
  readonly #write: (text: string) => unknown;
  #title: string | undefined;
  #wantsFocus = false;
  #isOn = true;
  #tail = "";
  /** Undefined: the terminal has not said. */
  isFocused: boolean | undefined;

  constructor(write: (text: string) => unknown) {
    this.#write = write;
  }

  setTitle(title: string): void {
    if (title === this.#title) return;
    const first = this.#title === undefined ? pushTitle : "";
    this.#title = title;
    if (this.#isOn) this.#write(first + titleSequence(title));
  }

  watchFocus(): void {
    this.#wantsFocus = true;
    if (this.#isOn) this.#write(focusOn);
  }

  /** What has to be written after the terminal came back. */
  on(): string {
    const push = this.#isOn ? "" : pushTitle;
    this.#isOn = true;
    const title = this.#title === undefined ? "" : push + titleSequence(this.#title);
    return title + (this.#wantsFocus ? focusOn : "");
  }

  /** What has to be written before it is given away. */
  off(): string {
    if (!this.#isOn) return "";
    this.#isOn = false;
    this.isFocused = undefined;
    return (this.#title === undefined ? "" : titleSequence("") + popTitle) + (this.#wantsFocus ? focusOff : "");
  }

  /** All that comes from the terminal. */
  see(bytes: Uint8Array): void {
    if (!this.#wantsFocus) return;
    const text = this.#tail + Buffer.from(bytes).toString("latin1");
    this.#tail = text.slice(-reportTail);
    const [came, went] = [text.lastIndexOf("\x1b[I"), text.lastIndexOf("\x1b[O")];
    if (came !== went) this.isFocused = came > went;
  }
}

function titleSequence(title: string): string {
  return `\x1b]2;${title}\x07`;
}

/** Not where a title is printed, or belongs to nobody. */
export function showsTitle(env: Readonly<Record<string, string | undefined>>): boolean {
  return !/^(?:linux|dumb|vt\d|cons\d|unknown|$)/.test(env["TERM"] ?? "");
}

const maxPart = 60;

/** `↻ stele · fix the parser · ~/code/app` */
export function titleText(parts: {
  readonly mark: string;
  readonly words: readonly string[];
  readonly dot: string;
}): string {
  const words = ["stele", ...parts.words.map((each) => truncate(sanitize(each).trim(), maxPart))];
  return (parts.mark === "" ? "" : `${parts.mark} `) + words.filter((each) => each !== "").join(parts.dot);
}
