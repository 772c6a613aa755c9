// Whether the terminal's background is dark or light, by its own word: asked once (OSC 11) behind the first frame, which
// never waits for it. The decoder of the keys swallows the answer whenever it comes; this looks at the same bytes.
import type { Background } from "./palette.ts";

type Env = Readonly<Record<string, string | undefined>>;

const question = "\x1b]11;?\x1b\\";
const answer = /\x1b\]11;(?:rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})|#([0-9a-f]{6}))/i;
/** Longer than any answer. */
const maxHeld = 64;
/** In ms: later than that nobody answers. */
const patience = 1_000;

/** Not where the question would be printed, or would go to whoever is outside. */
export function mayAsk(env: Env): boolean {
  return !/^(?:linux|screen|dumb|vt\d|cons\d|unknown|$)/.test(env["TERM"] ?? "");
}

export class BackgroundQuestion {
  readonly #onAnswer: (background: Background) => void;
  #askedAt: number | undefined;
  #held = "";
  #whenAnswered: () => void = () => {};

  constructor(onAnswer: (background: Background) => void) {
    this.#onAnswer = onAnswer;
  }

  ask(stdout: { write(text: string): unknown }): void {
    this.#askedAt = performance.now();
    stdout.write(question);
  }

  /** All that comes from the terminal. */
  see(bytes: Uint8Array): void {
    if (!this.#isOpen) return;
    const text = this.#held + Buffer.from(bytes).toString("latin1");
    const background = readBackground(text);
    this.#held = text.slice(-maxHeld);
    if (background === undefined) return;
    this.#askedAt = undefined;
    this.#onAnswer(background);
    this.#whenAnswered();
  }

  get #isOpen(): boolean {
    return this.#askedAt !== undefined && performance.now() - this.#askedAt < patience;
  }

  /** An answer that is on its way would be text to the shell: whoever leaves waits a moment for it. */
  settled(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenAnswered = resolve;
    });
  }
}

export function readBackground(text: string): Background | undefined {
  const found = answer.exec(text);
  if (!found) return undefined;
  const [, red = "", green = "", blue = "", hex = ""] = found;
  const parts = hex === "" ? [red, green, blue] : [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)];
  const [r = 0, g = 0, b = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.299 * r + 0.587 * g + 0.114 * b > 0.5 ? "light" : "dark";
}
