// A place to show the built program in: a home and a project folder with fixed names, a terminal of a fixed size, and
// what differs from run to run (ids, times, pids, ports) replaced by words of the same kind. Used by the recorder and
// by the test that compares: each says what happens at a shot.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { answer } from "../helpers/answer.ts";
import { killNow } from "../helpers/kill.ts";
import { openTerminal, type Terminal } from "../helpers/pty.ts";

export interface ShotSize {
  readonly cols: number;
  readonly rows: number;
}

/** One screen to keep: its name without size, and what must stand on it before it counts. */
export interface Shot {
  readonly name: string;
  readonly shows: RegExp;
  readonly terminal: Terminal;
  readonly size: ShotSize;
}

export interface StageOptions {
  /** The built program's start script. */
  readonly bin: string;
  readonly size: ShotSize;
  /** Called for each shot, in order; the scene goes on when it resolves. */
  readonly onShot: (shot: Shot) => Promise<void>;
}

export class Stage {
  readonly size: ShotSize;
  readonly folder: string;
  readonly home: string;
  /** Outside of TMPDIR: a folder is shown in full in places, and how long it is decides where it is cut. */
  readonly #root: string;
  readonly #options: StageOptions;
  readonly #terminals: Terminal[] = [];

  constructor(options: StageOptions) {
    this.#options = options;
    this.size = options.size;
    this.#root = realpathSync(mkdtempSync("/tmp/stele-screens-"));
    this.home = path.join(this.#root, "ada");
    this.folder = path.join(this.home, "code", "demo");
    for (const [name, text] of Object.entries(project)) this.write(name, text);
  }

  /** Below the project folder. */
  write(name: string, text: string): void {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  get ledgerFolder(): string {
    return path.join(this.home, ".local", "share", "stele");
  }

  configure(config: object): void {
    mkdirSync(this.ledgerFolder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(this.ledgerFolder, "config.json"), JSON.stringify(config), { mode: 0o600 });
  }

  /** Ready for input, unless `isReady` is false. */
  async open(args: readonly string[] = [], { isReady = true } = {}): Promise<Terminal> {
    const terminal = openTerminal({
      command: process.execPath,
      args: [this.#options.bin, ...args],
      cwd: this.folder,
      env: this.#environment(),
      ...this.size,
    });
    this.#terminals.push(terminal);
    if (isReady) await ready(terminal);
    return terminal;
  }

  /** A line, once the composer is free. */
  async say(terminal: Terminal, text: string): Promise<void> {
    await ready(terminal);
    const before = terminal.rawBytes();
    terminal.write(`${text}\r`);
    // What comes in one read with the next line would be a paste.
    await terminal.waitFor((each) => each.rawBytes() > before);
  }

  /** A prompt whose calls are allowed one by one, to its end. */
  async order(terminal: Terminal, text: string, { calls = 0 } = {}): Promise<void> {
    await this.say(terminal, text);
    for (let asked = 1; asked <= calls; asked++) {
      await allow(terminal);
    }
    await ready(terminal);
  }

  async shot(terminal: Terminal, name: string, shows: RegExp): Promise<void> {
    await this.#options.onShot({ name, shows, terminal, size: this.size });
  }

  /** Every process of this stage, as a crash of the machine would end them. */
  crash(): void {
    for (const pid of this.#processes()) killIfThere(pid);
  }

  async close(): Promise<void> {
    this.crash();
    await Promise.all(this.#terminals.map((terminal) => terminal.dispose()));
    this.crash();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  #environment(): Record<string, string | undefined> {
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    const own = { PATH: process.env["PATH"], HOME: this.home, STELE_HOME: this.ledgerFolder };
    // Also where the tests are run in a terminal that has another name.
    const terminal = { TERM: "xterm-256color", TERM_PROGRAM: "vscode" };
    return { ...none, ...own, ...terminal, LANG: "C.UTF-8", SHELL: "/bin/sh", TMPDIR: this.#root };
  }

  #processes(): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`STELE_HOME=${this.ledgerFolder}\0`))
      .map(Number);
  }
}

/** The composer is empty and all that is shown is saved. */
export async function ready(terminal: Terminal): Promise<void> {
  await terminal.waitFor(
    (each) => each.screen().some((line) => /^\s*saved\b/.test(line)) && each.screen().some(isEmptyComposer),
    30_000,
  );
}

function isEmptyComposer(line: string): boolean {
  return /^❯( Ask|$)/u.test(line.trim());
}

/** Where what is asked is cut, its end has to be seen first. */
export async function allow(terminal: Terminal): Promise<void> {
  await terminal.waitFor(isAsked);
  terminal.write("\x1b[6~\x1b[6~\x1b[6~");
  await terminal.waitFor(/\by( a)?( e)? n t\b/);
  await answer(terminal, "y");
  await terminal.waitFor((each) => !isAsked(each));
}

function isAsked(terminal: Terminal): boolean {
  return terminal.screen().some((line) => /^\W*y(?: {2}|=)yes/.test(line));
}

/**
 * What is visible without what differs from run to run, one text. When the live part has become lower, the terminal
 * keeps empty rows below it until something is printed: what had scrolled out meanwhile is shown in their place.
 */
export function shownText({ terminal }: Pick<Shot, "terminal">): string {
  const lines = maskIds(terminal.scrollback().join("\n")).split("\n").map(masked);
  while (lines.at(-1) === "") lines.pop();
  const rows = terminal.screen().length - (terminal.modes().alternateScreen ? 0 : 1);
  return lines.slice(-rows).join("\n");
}

/** Also where the terminal wrapped one. */
function maskIds(text: string): string {
  const id = "20300102-030405-abcdef";
  return text.replace(/\b\d{8}-\d{6}-(?:[0-9a-f]\n?){5}[0-9a-f]\b/g, (found) => {
    let at = 0;
    return found.replace(/[0-9a-f-]/g, () => id[at++] ?? "");
  });
}

function masked(line: string): string {
  return line
    .replace(/(exit 0) · \d+\.\d s · /, "$1 · ")
    .replace(/\bstele-screens-\w{6}/g, "stele-screens-000000")
    .replace(/\bpid (\d+)(.*?)( {2,}\S.*)?$/, (_, digits: string, words: string, right?: string) =>
      pidWords(digits, words, right),
    )
    .replace(/\b\d+(\.\d)? ms\b/g, "5 ms")
    .replace(/\b(since|at) \d\d:\d\d\b/g, "$1 12:00")
    .replace(/(\b(new|session|sessions)) {2}\d+\.\d s$/, "$1")
    .replace(/", \d s ago/g, '", 5 s ago')
    .replace(/\b(just now|\d+ seconds? ago)\b/g, "just now")
    .replace(/\brunning \d s\b/g, "running 1 s")
    .replace(/( {2,})exit 0 · \d+\.\d s$/, (_, gap: string, at: number) => exitWords(gap, at))
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080")
    .trimEnd();
}

/** What stands at the right edge stays there. */
function pidWords(digits: string, words: string, right: string | undefined): string {
  const end = right === undefined ? "" : " ".repeat(Math.max(0, digits.length - 4)) + right;
  return `pid 4242${words}${end}`;
}

/** A result stands in a column of its own, or at the right edge where the window has no room for that. */
function exitWords(gap: string, at: number): string {
  const isInColumn = at + gap.length >= 62;
  return `${gap}${isInColumn ? "" : " ".repeat(" · 0.0 s".length)}exit 0`;
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // it ended meanwhile, or is somebody else's
  }
}

function killIfThere(pid: number): void {
  try {
    killNow(pid);
  } catch {
    // It ended between the question and the signal: that is what was wanted.
  }
}

const project: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "demo", "version": "1.0.0", "type": "module" }\n`,
  "README.md": "# Demo\n\nTells the time.\n",
  "src/clock.ts": `export function now(): string {\n  return new Date().toISOString();\n}\n`,
  "src/main.ts": `import { now } from "./clock.ts";\n\nconsole.log(now());\n`,
  "test/clock.test.ts": `import { now } from "../src/clock.ts";\n`,
};
