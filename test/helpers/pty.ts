// A real terminal for tests: a program under node-pty, its output read by @xterm/headless, so that a test sees what
// a person would see. Waiting is for what is on the screen, checked whenever output was drawn; never for time.
// Answers of the terminal (cursor position, device attributes) go back to the program as in a real one.
import xterm from "@xterm/headless";
import { type IPty, spawn } from "node-pty";
import { keepingErased, type Write } from "./erased-lines.ts";
import { useGraphemeWidths } from "./terminal-widths.ts";

export interface TerminalOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** On top of the environment of the test; undefined removes. `CI` is always removed: it turns off Ink's painting. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cols?: number;
  readonly rows?: number;
  /** As tmux: an erased screen goes into the scrollback. */
  readonly keepsErased?: boolean;
}

export interface Exit {
  readonly exitCode: number;
  /** 0 when the program ended by itself. */
  readonly signal: number;
}

export interface Modes {
  readonly bracketedPaste: boolean;
  readonly cursorHidden: boolean;
  readonly focusReports: boolean;
  readonly mouse: boolean;
  readonly alternateScreen: boolean;
  readonly synchronizedOutput: boolean;
  /** Depth of the stack of kitty keyboard flags. */
  readonly kittyKeyboard: number;
}

/** Words on the screen, a pattern over its lines joined by newlines, or any question about the terminal; between frames. */
export type Condition = string | RegExp | ((terminal: Terminal) => boolean);

export interface Terminal {
  readonly pid: number;
  write(text: string): void;
  /** When that was done last, in ms of `performance.now()`. */
  writtenAt(): number;
  resize(cols: number, rows: number): void;
  /** Rejects with the screen after `timeoutMs` (default 30,000), or as soon as the program has ended without it. */
  waitFor(condition: Condition, timeoutMs?: number): Promise<void>;
  /** The terminal takes nothing any more, until `resume`. */
  pause(): void;
  resume(): void;
  /** Visible lines, trimmed on the right. */
  screen(): readonly string[];
  /** All lines from the first one kept, the visible ones too, trimmed on the right. */
  scrollback(): readonly string[];
  /** The same, and which of them are no line of their own: the terminal wrapped the one before. */
  rows(): readonly { readonly text: string; readonly isWrapped: boolean }[];
  cursor(): { readonly x: number; readonly y: number };
  modes(): Modes;
  rawBytes(): number;
  /** Everything the program wrote. */
  raw(): string;
  readonly exit: Promise<Exit>;
  kill(signal?: NodeJS.Signals): void;
  /** Ends the program if it still runs; resolves when it is gone. */
  dispose(): Promise<void>;
}

export function openTerminal(options: TerminalOptions): Terminal {
  const { command, args = [], cwd = process.cwd(), env = {}, cols = 80, rows = 24, keepsErased = false } = options;
  const erased = { scrollOnEraseInDisplay: keepsErased };
  const emulator = new xterm.Terminal({ cols, rows, scrollback: 100_000, allowProposedApi: true, ...erased });
  const write: Write = keepsErased ? keepingErased(emulator) : (data, done) => emulator.write(data, done);
  useGraphemeWidths(emulator);
  const modes = watchModes(emulator);
  const own = environment(env);
  const pty = spawn(command, [...args], { name: own["TERM"] ?? "", cols, rows, cwd, env: own });
  const output: string[] = [];
  const checks = new Set<() => void>();
  let ended: Exit | undefined;
  let writtenAt = 0;

  emulator.onData((answer) => {
    if (ended === undefined) pty.write(answer);
  });
  pty.onData((data) => {
    output.push(data);
    // A frame is seen whole: a terminal that keeps to the mode shows nothing of it before its end.
    write(data, () => {
      if (!emulator.modes.synchronizedOutputMode) runAll(checks);
    });
  });
  const exit = new Promise<Exit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      // The empty write comes back when everything before it has been drawn.
      write("", () => {
        ended = { exitCode, signal: signal ?? 0 };
        runAll(checks);
        resolve(ended);
      });
    });
  });

  const terminal: Terminal = {
    pid: pty.pid,
    write: (text) => {
      writtenAt = performance.now();
      pty.write(text);
    },
    writtenAt: () => writtenAt,
    resize: (newCols, newRows) => {
      emulator.resize(newCols, newRows);
      pty.resize(newCols, newRows);
    },
    waitFor: (condition, timeoutMs = 30_000) =>
      new Promise((resolve, reject) => {
        const finish = (problem?: string): void => {
          clearTimeout(timer);
          checks.delete(check);
          if (problem === undefined) resolve();
          else reject(new Error(`${problem}: ${describe(condition)}\n${framed(terminal)}`));
        };
        const check = (): void => {
          if (holds(condition, terminal)) finish();
          else if (ended !== undefined)
            finish(`ended with exit code ${ended.exitCode}, signal ${ended.signal}, without`);
        };
        const timer = setTimeout(() => finish(`not seen within ${timeoutMs} ms`), timeoutMs);
        checks.add(check);
        if (!emulator.modes.synchronizedOutputMode || ended !== undefined) check();
      }),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    screen: () => lines(emulator, emulator.buffer.active.baseY, emulator.rows),
    scrollback: () => lines(emulator, 0, emulator.buffer.active.length),
    rows: () => {
      const { active } = emulator.buffer;
      return lines(emulator, 0, active.length).map((text, at) => ({
        text,
        isWrapped: active.getLine(at)?.isWrapped ?? false,
      }));
    },
    cursor: () => ({ x: emulator.buffer.active.cursorX, y: emulator.buffer.active.cursorY }),
    modes,
    rawBytes: () => output.reduce((sum, data) => sum + Buffer.byteLength(data), 0),
    raw: () => output.join(""),
    exit,
    kill: (signal = "SIGTERM") => killIfThere(pty, signal),
    dispose: async () => {
      if (ended === undefined) killIfThere(pty, "SIGKILL");
      await exit;
      emulator.dispose();
    },
  };
  return terminal;
}

const ownMark = /^(?:TMUX|STY|KITTY_|VTE_|ALACRITTY_|WEZTERM_|WT_|COLORTERM|COLORFGBG)/;

function environment(changes: TerminalOptions["env"] = {}): Record<string, string> {
  const merged: Record<string, string> = {};
  const wanted = {
    ...process.env,
    // Whatever terminal the tests are run in: theirs is xterm.js.
    ...Object.fromEntries(Object.keys(process.env).flatMap((name) => (ownMark.test(name) ? [[name, undefined]] : []))),
    TERM: "xterm-256color",
    TERM_PROGRAM: "vscode",
    ...changes,
    CI: undefined,
    CONTINUOUS_INTEGRATION: undefined,
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function lines(emulator: xterm.Terminal, from: number, count: number): readonly string[] {
  const { active } = emulator.buffer;
  return Array.from(
    { length: count },
    (_, index) =>
      active
        .getLine(from + index)
        ?.translateToString(true)
        .trimEnd() ?? "",
  );
}

/** What the emulator does not tell by itself is read from the sequences on their way in. */
function watchModes(emulator: xterm.Terminal): () => Modes {
  let cursorHidden = false;
  let kittyKeyboard = 0;
  for (const final of ["h", "l"] as const) {
    emulator.parser.registerCsiHandler({ prefix: "?", final }, (parameters) => {
      if (parameters.includes(25)) cursorHidden = final === "l";
      return false;
    });
  }
  emulator.parser.registerCsiHandler({ prefix: ">", final: "u" }, () => {
    kittyKeyboard += 1;
    return true;
  });
  emulator.parser.registerCsiHandler({ prefix: "<", final: "u" }, (parameters) => {
    kittyKeyboard = Math.max(0, kittyKeyboard - Math.max(1, Number(parameters[0] ?? 1)));
    return true;
  });
  return () => ({
    bracketedPaste: emulator.modes.bracketedPasteMode,
    cursorHidden,
    focusReports: emulator.modes.sendFocusMode,
    mouse: emulator.modes.mouseTrackingMode !== "none",
    alternateScreen: emulator.buffer.active.type === "alternate",
    synchronizedOutput: emulator.modes.synchronizedOutputMode,
    kittyKeyboard,
  });
}

function holds(condition: Condition, terminal: Terminal): boolean {
  if (typeof condition === "function") return condition(terminal);
  const shown = terminal.screen().join("\n");
  return typeof condition === "string" ? shown.includes(condition) : condition.test(shown);
}

function describe(condition: Condition): string {
  return typeof condition === "string" ? JSON.stringify(condition) : String(condition);
}

function framed(terminal: Terminal): string {
  const shown = terminal.screen().map((line) => `| ${line}`);
  return `screen, cursor at ${terminal.cursor().x},${terminal.cursor().y}:\n${shown.join("\n")}`;
}

function runAll(checks: ReadonlySet<() => void>): void {
  for (const check of checks) check();
}

function killIfThere(pty: IPty, signal: NodeJS.Signals): void {
  try {
    pty.kill(signal);
  } catch {
    // It ended between the question and the signal: that is what was wanted.
  }
}
