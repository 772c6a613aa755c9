// Takes the terminal for the screen and gives it back, on every way out that a program can see: a return, an error
// nobody caught, a signal, a hang-up, suspend and continue. What a killed predecessor left switched on is off first.
// From here to the end of the process no hang-up and no failed write to the terminal ends it: what has to be saved
// is saved first, and a closing terminal sends SIGHUP twice (the kernel, then the shell).

import type { KeyEvent } from "./key-event.ts";
import { type KeyInput, type KeyInputOptions, openKeyInput } from "./key-input.ts";
import { neverBlock } from "./output-pace.ts";

export interface GuardOptions {
  readonly onKeys: (events: readonly KeyEvent[]) => void;
  readonly onPasting: NonNullable<KeyInputOptions["onPasting"]>;
  readonly onResize: () => void;
  /** The terminal was lent to somebody, and is back. */
  readonly onContinue: () => void;
  readonly onSignal: (signal: "SIGTERM" | "SIGHUP" | "SIGINT") => void;
  readonly onCrash: (error: unknown) => void;
  readonly onBytes?: (bytes: Uint8Array) => void;
  /** Written after the terminal was taken back, and before it is given away. */
  readonly extras?: { on(): string; off(): string };
}

export interface TerminalGuard {
  /** Gives the keys back, stops the program, and takes them again when it goes on. */
  suspend(): void;
  /** Gives the terminal to another program until the result is called; keys of its signals are its own meanwhile. */
  lend(): () => void;
  /** May be called again. */
  close(): void;
}

/** Wrapping, synchronized output, bracketed paste, focus and mouse reports, and the cursor. */
const plainModes = "\x1b[?7h\x1b[?2026l\x1b[?2004l\x1b[?1004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?25h";

/**
 * All that a program may have left switched on, the alternate screen first. Each screen of a terminal keeps a saved
 * cursor of its own: saved before, it stays where it is when this is the normal screen already. Not so in tmux and
 * screen, which put it back to where the last alternate screen of the pane began: there only the screen is left.
 */
export function resetModesIn({ TMUX, STY, TERM = "" }: NodeJS.ProcessEnv): string {
  const isMultiplexed = TMUX !== undefined || STY !== undefined || /^(?:tmux|screen)/.test(TERM);
  return `${isMultiplexed ? "\x1b[?1047l" : "\x1b7\x1b[?1049l"}${plainModes}`;
}

/** Heard until the process is gone: without a listener each of these ends it, before it has saved. */
const lasting: ReadonlySet<string> = new Set(["error", "SIGHUP", "SIGTERM", "SIGINT"]);
/** A stop that does not come, as without job control, is over then. */
const stopMs = 100;

export function guardTerminal(options: GuardOptions): TerminalGuard {
  const { stdin, stdout } = process;
  const { onResize, onContinue, onSignal, onCrash, extras, ...keys } = options;
  const resetModes = resetModesIn(process.env);
  let isSuspended = false;
  let isLent = false;
  let isClosed = false;
  let isGone = false;

  // Whoever ends the program for a reader that went away must not while a turn has to be settled.
  stdout.removeAllListeners("error");
  stdout.on("error", hangUp);
  stdout.write(resetModes);
  let input: KeyInput = openKeyInput({ stdin, stdout, ...keys, hasTypedAhead: true });

  neverBlock();

  function takeBack(): void {
    neverBlock();
    input = openKeyInput({ stdin, stdout, ...keys });
    stdout.write(extras?.on() ?? "");
  }
  function giveBack(): void {
    input.close();
    stdout.write(extras?.off() ?? "");
  }
  function hangUp(): void {
    if (isGone) return;
    isGone = true;
    onSignal("SIGHUP");
  }
  const goOn = (): void => {
    // A hang-up brings a SIGCONT too.
    if (isClosed || isGone || isLent) return;
    isSuspended = false;
    input.close();
    takeBack();
    onContinue();
  };
  const listeners: readonly (readonly [NodeJS.EventEmitter, string, (reason: unknown) => void])[] = [
    [process, "SIGTERM", () => onSignal("SIGTERM")],
    [process, "SIGINT", () => !isLent && onSignal("SIGINT")],
    [process, "SIGHUP", hangUp],
    [process, "SIGCONT", goOn],
    [process, "uncaughtException", onCrash],
    [process, "unhandledRejection", onCrash],
    [process, "exit", () => close()],
    [stdout, "resize", onResize],
    // A terminal that went away: writes fail, reads end.
    [process.stderr, "error", hangUp],
    [stdin, "error", hangUp],
    [stdin, "end", hangUp],
  ];
  for (const [emitter, name, listener] of listeners) emitter.on(name, listener);

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    giveBack();
    stdout.write(resetModes);
    for (const [emitter, name, listener] of listeners) {
      if (!lasting.has(name)) emitter.off(name, listener);
    }
  }

  return {
    suspend() {
      isSuspended = true;
      giveBack();
      process.kill(0, "SIGTSTP");
      setTimeout(() => {
        if (isSuspended) goOn();
      }, stopMs);
    },
    lend() {
      isLent = true;
      giveBack();
      stdout.write(resetModes);
      return () => {
        isLent = false;
        if (isClosed || isGone) return;
        stdout.write(resetModes);
        takeBack();
      };
    },
    close,
  };
}
