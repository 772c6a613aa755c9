// Connects the decoder to a terminal: raw mode, bracketed paste, and the quiet times after which a lone ESC is a key
// and a paste that lost its end is over. Where a terminal marks no pastes, a read that no hand types is one, with all
// that follows it without a pause. Ink's own setRawMode must not be used beside it: that one makes stdin give
// strings and reads them itself. Everything switched on is off again after `close`.
import type { ReadStream } from "node:tty";
import type { KeyEvent } from "./key-event.ts";
import { createKeyDecoder } from "./keys.ts";
import { isBurst, leastBurst, pastedText } from "./paste-bytes.ts";

export interface KeyInputOptions {
  readonly stdin: Pick<ReadStream, "setRawMode" | "on" | "off" | "ref" | "unref" | "resume" | "pause">;
  readonly stdout: { write(text: string): unknown };
  /** One call a read: all keys of it can be one repaint. */
  readonly onKeys: (events: readonly KeyEvent[]) => void;
  /** All that comes, answers of the terminal too. */
  readonly onBytes?: ((bytes: Uint8Array) => void) | undefined;
  /** How much of a long paste has come, in bytes; undefined: it is over. */
  readonly onPasting?: (bytes: number | undefined) => void;
  /** In ms: how long a terminal may take between an ESC and the rest of its sequence. Default 50. */
  readonly escapeMs?: number;
  /** In ms: how long a paste may pause. Keys are pasted text until it ends, so not short. Default 2,000. */
  readonly pasteMs?: number;
  /** Something may have been typed before raw mode: the terminal has made LF of its enter keys. */
  readonly hasTypedAhead?: boolean;
}

export interface KeyInput {
  /** Gives the terminal back; what has come of a paste is told before. May be called again. */
  close(): void;
}

/** In ms: what was waiting has been read by then, and nobody has typed ctrl+j yet. */
const aheadMs = 100;
/** In ms: a read that may be the beginning of more waits this long for it. */
const heldMs = 5;
/** In ms: how long a paste without marks may pause, and a long one, which is sent in pieces. Keys are text until then. */
const burstMs = { short: 150, long: 700 };
/** In bytes: by then it is seen what it is. */
const mostHeld = 4_096;
/** In bytes: what is below comes faster than anybody reads. */
const longPaste = 200_000;

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";
const pasteStart = "\x1b[200~";

export function openKeyInput(options: KeyInputOptions): KeyInput {
  const { stdin, stdout, onKeys, onPasting = () => {}, escapeMs = 50, pasteMs = 2_000 } = options;
  const decoder = createKeyDecoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let open = true;
  let isAhead = options.hasTypedAhead === true;
  /** Reads that may be the beginning of a paste without marks. */
  let held: { readonly reads: Uint8Array[]; readonly isAhead: boolean } | undefined;
  /** A paste without marks, so far. */
  let burst: Uint8Array[] | undefined;
  let pasted = 0;
  let reads = 0;
  // The immediate comes after a look at the input, also where loading has kept the timer waiting.
  const aheadTimer = isAhead && setTimeout(() => setImmediate(endAhead), aheadMs);

  function endAhead(): void {
    isAhead = false;
  }

  /** Unless something is read before. The immediate looks at the input once more: a busy program reads late. */
  function later(ms: number, action: () => void): void {
    const seen = reads;
    timer = setTimeout(() => setImmediate(() => seen === reads && action()), ms);
  }

  function tell(events: readonly KeyEvent[]): void {
    if (burst === undefined && !decoder.pendingPaste) tellPasted(undefined);
    if (events.length > 0) onKeys(events);
  }

  function tellPasted(more: number | undefined): void {
    const before = pasted;
    pasted = more === undefined ? 0 : pasted + more;
    if (pasted > longPaste) onPasting(pasted);
    else if (before > longPaste) onPasting(undefined);
  }

  function read(bytes: Uint8Array): void {
    options.onBytes?.(bytes);
    clearTimeout(timer);
    reads += 1;
    if (burst !== undefined) goOn(burst, bytes);
    else if (held !== undefined) hold(held, bytes);
    else if (decoder.pendingPaste || decoder.pendingEscape) feed(bytes, isAhead);
    else if (bytes.length < leastBurst && !decoder.pendingEnd) feed(bytes, isAhead);
    else {
      // The end of a character whose beginning was read as a key.
      const begin = bytes.findIndex((byte) => byte < 0x80 || byte > 0xbf);
      if (begin > 0) feed(bytes.subarray(0, begin), isAhead);
      hold({ reads: [], isAhead }, bytes.subarray(Math.max(0, begin)));
    }
  }

  function hold(begun: NonNullable<typeof held>, bytes: Uint8Array): void {
    held = begun;
    held.reads.push(bytes);
    const isMarked = Buffer.from(bytes).includes(pasteStart);
    const isEnough = held.reads.reduce((sum, each) => sum + each.length, 0) >= mostHeld;
    if (isMarked || isEnough) settle();
    else later(heldMs, settle);
  }

  /** What was held is a paste, or keys. */
  function settle(): void {
    if (held === undefined) return;
    const { reads: pieces, isAhead: wasAhead } = held;
    held = undefined;
    const all = Buffer.concat(pieces);
    const start = all.indexOf(pasteStart);
    const unmarked = start === -1 ? all : all.subarray(0, start);
    if (!isBurst(unmarked.toString(), wasAhead)) return feed(all, wasAhead);
    if (decoder.pendingEnd) {
      // The rest of a paste that had paused: its end marker may come with it.
      tell(decoder.push(Buffer.from(pasteStart)));
      return feed(all, false);
    }
    burst = [];
    goOn(burst, all);
  }

  function goOn(pieces: Uint8Array[], bytes: Uint8Array): void {
    pieces.push(bytes);
    tellPasted(bytes.length);
    later(pasted > longPaste ? burstMs.long : burstMs.short, endBurst);
  }

  function endBurst(): void {
    if (burst === undefined) return;
    const text = pastedText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(burst)));
    burst = undefined;
    tell([{ kind: "paste", text }]);
  }

  function feed(bytes: Uint8Array, wasAhead: boolean): void {
    const events = decoder.push(wasAhead && !decoder.pendingPaste ? withEnters(bytes) : bytes);
    if (decoder.pendingPaste) {
      later(pasteMs, quiet);
      tellPasted(bytes.length);
    } else if (decoder.pendingEscape) later(escapeMs, quiet);
    tell(events);
  }

  function quiet(): void {
    tell(decoder.flush());
  }

  stdin.setRawMode(true);
  stdin.ref();
  stdin.on("data", read);
  stdin.resume();
  stdout.write(pasteOn);
  return {
    close: () => {
      if (!open) return;
      open = false;
      clearTimeout(timer);
      if (aheadTimer) clearTimeout(aheadTimer);
      stdin.off("data", read);
      stdin.pause();
      stdout.write(pasteOff);
      stdin.setRawMode(false);
      stdin.unref();
      settle();
      endBurst();
      if (decoder.pendingPaste) quiet();
      clearTimeout(timer);
      reads += 1;
    },
  };
}

/** LF as the enter key that was typed, but not in a paste, whose lines may end in either. */
function withEnters(bytes: Uint8Array): Uint8Array {
  const start = Buffer.from(bytes).indexOf(pasteStart);
  const end = start === -1 ? bytes.length : start;
  return bytes.map((byte, index) => (byte === 0x0a && index < end ? 0x0d : byte));
}
