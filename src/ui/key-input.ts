// Connects the decoder to a terminal: raw mode, bracketed paste, and the quiet times after which a lone ESC is a key
// and a paste that lost its end is over. Ink's own setRawMode must not be used beside it: that one makes stdin give
// strings and reads them itself. Everything switched on is off again after `close`.
import type { ReadStream } from "node:tty";
import type { KeyEvent } from "./key-event.ts";
import { createKeyDecoder } from "./keys.ts";

export interface KeyInputOptions {
  readonly stdin: Pick<ReadStream, "setRawMode" | "on" | "off" | "ref" | "unref" | "resume" | "pause">;
  readonly stdout: { write(text: string): unknown };
  /** One call a read: all keys of it can be one repaint. */
  readonly onKeys: (events: readonly KeyEvent[]) => void;
  /** All that comes, answers of the terminal too. */
  readonly onBytes?: ((bytes: Uint8Array) => void) | undefined;
  /** In ms: how long a terminal may take between an ESC and the rest of its sequence. Default 50. */
  readonly escapeMs?: number;
  /** In ms: how long a paste may pause. Keys are pasted text until it ends, so not short. Default 2,000. */
  readonly pasteMs?: number;
  /** Something may have been typed before raw mode: the terminal has made LF of its enter keys. */
  readonly hasTypedAhead?: boolean;
}

export interface KeyInput {
  /** Gives the terminal back; may be called again. */
  close(): void;
}

/** In ms: what was waiting has been read by then, and nobody has typed ctrl+j yet. */
const aheadMs = 100;

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";

export function openKeyInput(options: KeyInputOptions): KeyInput {
  const { stdin, stdout, onKeys, escapeMs = 50, pasteMs = 2_000 } = options;
  const decoder = createKeyDecoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let open = true;
  let isAhead = options.hasTypedAhead === true;
  // The immediate comes after a look at the input, also where loading has kept the timer waiting.
  const aheadTimer = isAhead && setTimeout(() => setImmediate(endAhead), aheadMs);

  function endAhead(): void {
    isAhead = false;
  }

  function tell(events: readonly KeyEvent[]): void {
    if (events.length > 0) onKeys(events);
  }

  function read(bytes: Uint8Array): void {
    options.onBytes?.(bytes);
    clearTimeout(timer);
    const events = decoder.push(isAhead ? bytes.map((byte) => (byte === 0x0a ? 0x0d : byte)) : bytes);
    if (decoder.pendingPaste) timer = setTimeout(quiet, pasteMs);
    else if (decoder.pendingEscape) timer = setTimeout(quiet, escapeMs);
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
    },
  };
}
