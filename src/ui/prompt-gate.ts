// Stands between the keyboard and a prompt that decides something: what was typed before anybody could have read it is
// no answer. A prompt takes keys once it was drawn and the keys of that read are over; when it was covered, or somebody
// else had the terminal, once it was drawn again and all that the terminal held at that moment has been read.
import { chord, type KeyEvent } from "./key-event.ts";
import { leastBurst } from "./paste-bytes.ts";

/** Of a prompt that decides something. */
export interface Guard {
  /** In fewer nobody can read it. Default 1. */
  readonly leastRows?: number;
  /** Text that is not for it is in the composer: enter alone is no answer from now on. */
  onStray?(): void;
  /** Now this key only moves what is seen of it. */
  isView?(event: KeyEvent): boolean;
}

export interface Guarded {
  readonly guard?: Guard;
}

/** In ms: a long read is held that long before its keys are told, with room to spare. */
const heldMs = 20;
/** In ms: lines that came meanwhile are told by then. */
const linesMs = 50;

export class PromptGate {
  readonly #isInLines: boolean;
  #prompt: Guarded | undefined;
  #wasCovered = false;
  #isArmed = false;
  /** Another object with each time it is drawn anew. */
  #arming: object | undefined;
  /** Of `performance.now()`. */
  #heldUntil = 0;

  constructor(options: { readonly isInLines: boolean }) {
    this.#isInLines = options.isInLines;
  }

  /** Before it is drawn. */
  show(prompt: Guarded | undefined, hasText: boolean): void {
    if (prompt === this.#prompt) return;
    this.#prompt = prompt;
    this.#disarm();
    if (hasText) prompt?.guard?.onStray?.();
  }

  /** What was shown is on the screen, in so many rows. */
  drawn(rows: number): void {
    if (rows < (this.#prompt?.guard?.leastRows ?? 1)) return this.#disarm();
    if (this.#isArmed || this.#arming) return;
    if (this.#wasCovered || performance.now() < this.#heldUntil) return void this.#arm();
    // A line is typed to the end after what it answers was told.
    if (this.#isInLines) this.#isArmed = true;
    else this.#armAfterRead();
  }

  /** It is not on the screen any more, or keys go elsewhere. */
  cover(): void {
    this.#wasCovered = true;
    this.#disarm();
  }

  /** So many bytes were read: of a long read the keys come later. */
  heard(bytes: number): void {
    if (bytes >= leastBurst) this.#heldUntil = performance.now() + heldMs;
  }

  takes(prompt: Guarded): boolean {
    return prompt.guard === undefined || (prompt === this.#prompt && this.#isArmed);
  }

  #disarm(): void {
    this.#isArmed = false;
    this.#arming = undefined;
  }

  /** The keys that came with the one that brought it up are over then. */
  #armAfterRead(): void {
    const arming = {};
    this.#arming = arming;
    queueMicrotask(() => {
      if (this.#arming !== arming) return;
      this.#arming = undefined;
      this.#isArmed = true;
    });
  }

  async #arm(): Promise<void> {
    const arming = {};
    this.#arming = arming;
    await terminalRead();
    if (this.#isInLines) await after(linesMs);
    while (performance.now() < this.#heldUntil) await after(heldMs);
    if (this.#arming !== arming) return;
    this.#arming = undefined;
    this.#isArmed = true;
    this.#wasCovered = false;
  }
}

export function isLeaving(event: KeyEvent): boolean {
  const name = chord(event);
  return name === "escape" || name === "ctrl+c";
}

/** What waits in the terminal by now has been read: of any two turns of the event loop one begins with that. */
export async function terminalRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), ms));
}
