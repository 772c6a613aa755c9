// Runs one cell of the matrix: the built program in a terminal of that size, a model that streams numbered lines, what
// the condition wants, and a person who types and leaves. Tells what is wrong on the screen before and after leaving.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { answer } from "../../helpers/answer.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../../helpers/model-server.ts";
import { openTerminal, type Terminal } from "../../helpers/pty.ts";
import type { ScriptedFault } from "../../helpers/stream-server.ts";
import type { Cell } from "./cells.ts";
import { type Expected, type Finding, finding, judge, type Piece } from "./findings.ts";
import { deltas, type MixedLines, mixedLines } from "./mixed-lines.ts";

export interface Outcome {
  /** Empty: all is as it should be. */
  readonly findings: readonly Finding[];
  /** Before the person left, and after. */
  readonly pictures: readonly string[];
}

export interface Place {
  readonly bin: string;
  /** Empty, and of this cell alone. */
  readonly folder: string;
}

const LIMIT_MS = 25_000;
const RESIZE_MS = 50;
/** Deltas between two looks at whether the screen has followed. */
const PACE = { slow: 24, quick: 60 };

export async function runCell(cell: Cell, place: Place): Promise<Outcome> {
  const run = new CellRun(cell, place);
  try {
    return await run.outcome();
  } catch (error) {
    return { findings: [finding("end", (error as Error).message)], pictures: [] };
  } finally {
    await run.end();
  }
}

class CellRun {
  readonly #cell: Cell;
  readonly #place: Place;
  readonly #answers: readonly MixedLines[];
  #server: ModelServer | undefined;
  #terminal: Terminal | undefined;
  #resizes: NodeJS.Timeout | undefined;
  /** The picker is open. */
  readonly #opened = deferred();
  /** The model was asked for each of its answers. */
  readonly #asked: readonly Deferred[];

  constructor(cell: Cell, place: Place) {
    this.#cell = cell;
    this.#place = place;
    this.#answers = answersOf(cell);
    this.#asked = this.#answers.map(() => deferred());
  }

  async outcome(): Promise<Outcome> {
    const replies = this.#replies();
    this.#server = await startModelServer((_body, n) => {
      this.#asked[n]?.resolve();
      return replies[n] ?? { status: 500 };
    });
    const terminal = this.#start(this.#server.url);
    await this.#act(terminal);
    clearInterval(this.#resizes);
    terminal.resize(this.#cell.cols, this.#cell.rows);
    const before = await this.#look(terminal);
    terminal.write("\x15/quit\r");
    const exitCode = await this.#exitCode(terminal);
    const after = judge(terminal.rows(), this.#expected(farewell));
    const left = after.map(({ kind, words }) => finding(kind, `after leaving: ${words}`));
    const end = exitCode === 0 ? [] : [finding("end", `exit code ${exitCode}`)];
    return { findings: [...before.findings, ...left, ...end], pictures: [before.picture, pictureOf(terminal)] };
  }

  async #exitCode(terminal: Terminal): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`still there after /quit: ${joined(terminal)}`)), LIMIT_MS);
    });
    const { exitCode } = await Promise.race([terminal.exit, late]).finally(() => clearTimeout(timer));
    return exitCode;
  }

  async end(): Promise<void> {
    clearInterval(this.#resizes);
    await this.#terminal?.dispose();
    await this.#server?.close();
  }

  #start(baseURL: string): Terminal {
    const [home, work] = [path.join(this.#place.folder, "home"), path.join(this.#place.folder, "work")];
    mkdirSync(home, { recursive: true, mode: 0o700 });
    mkdirSync(work);
    const models = Array.from({ length: 12 }, (_, at) => `m${at + 1}`);
    const providers = { local: { kind: "openai-compatible", baseURL, models } };
    writeFileSync(path.join(home, "config.json"), JSON.stringify({ model: "local/m1", providers, titles: "off" }));
    const { cols, rows, condition } = this.#cell;
    this.#terminal = openTerminal({
      command: process.execPath,
      args: [this.#place.bin, ...(condition === "idle" ? [] : ["go"])],
      cwd: work,
      env: environment(home),
      cols,
      rows,
    });
    return this.#terminal;
  }

  // ---- what the model says ----

  #replies(): readonly ModelReply[] {
    const [first, second] = this.#answers;
    if (first === undefined) return [];
    const text = deltas(first.source);
    if (second !== undefined) {
      const calls = [{ name: "shell", arguments: { command: "touch made-by-the-model" } }];
      return [{ text, calls, faults: this.#pace(text.length) }, this.#reply(second)];
    }
    return [this.#reply(first)];
  }

  #reply({ source }: MixedLines): ModelReply {
    const text = deltas(source);
    const middle: ScriptedFault = { kind: "hold", after: Math.floor(text.length / 2), until: this.#opened.promise };
    return { text, faults: [...this.#pace(text.length), ...(this.#cell.condition === "picker" ? [middle] : [])] };
  }

  /**
   * Every few deltas until something was drawn: the model is as fast as the screen, on any machine. In the smallest
   * windows a delta may change nothing to be drawn: there it is as fast as it is read.
   */
  #pace(count: number): readonly ScriptedFault[] {
    const { cols, rows, condition } = this.#cell;
    if (condition !== "resize" && (cols < 20 || rows < 10)) return [];
    const step = condition === "resize" ? PACE.slow : PACE.quick;
    return Array.from({ length: Math.floor(count / step) }, (_, at) => ({
      kind: "hold",
      after: at * step,
      until: async () => {
        if (this.#terminal) await drawn(this.#terminal);
      },
    }));
  }

  // ---- what the person does ----

  async #act(terminal: Terminal): Promise<void> {
    const { condition } = this.#cell;
    if (condition === "idle") return await terminal.waitFor((each) => /✓.*ledger/su.test(joined(each)), LIMIT_MS);
    if (condition === "resize") {
      await this.#asked[0]?.promise;
      this.#resizes = resizing(terminal, this.#cell);
    }
    if (condition === "approval") await this.#approve(terminal);
    if (condition === "picker") await this.#pick(terminal);
    await this.#answered(this.#lastRequest());
    await this.#idle(terminal);
    // Left by ctrl+c: an escape and what is typed right behind it would be one key.
    const before = terminal.rawBytes();
    if (condition === "picker") terminal.write("\x03");
    const isLeft = (each: Terminal) => condition !== "picker" || each.rawBytes() > before;
    await terminal.waitFor((each) => isLeft(each) && !each.modes().cursorHidden, LIMIT_MS);
  }

  /** Pages until yes counts; where the window is too low to show what is asked there is only no. */
  async #approve(terminal: Terminal): Promise<void> {
    await this.#answered(0);
    await terminal.waitFor(isAsking, LIMIT_MS);
    if (isTooLow(this.#cell)) return terminal.write("\x1b");
    while (isAsking(terminal)) {
      terminal.write("\x1b[6~y");
      await drawn(terminal);
    }
  }

  async #pick(terminal: Terminal): Promise<void> {
    await this.#asked[0]?.promise;
    // The model holds its breath: what is drawn last is the list, at whatever size.
    await answer(terminal, "/model\r");
    await answer(terminal, "m1\x1b[B");
    this.#opened.resolve();
  }

  #lastRequest(): number {
    return isTooLow(this.#cell) ? 0 : this.#answers.length - 1;
  }

  async #answered(n: number): Promise<void> {
    await this.#asked[n]?.promise;
    await this.#server?.requests[n]?.closed;
  }

  /** Asked of the ledger: at some sizes nothing on the screen tells. */
  async #idle(terminal: Terminal): Promise<void> {
    const options = { cwd: this.#place.folder, env: environment(path.join(this.#place.folder, "home")) };
    const asked = [this.#place.bin, "sessions", "--json"];
    const until = performance.now() + LIMIT_MS;
    for (let state = "running"; state === "running"; ) {
      if (performance.now() > until) throw new Error(`the conversation is ${state}: ${joined(terminal)}`);
      const { stdout } = await promisify(execFile)(process.execPath, asked, options);
      state = String((JSON.parse(stdout.split("\n")[0] ?? "{}") as { state?: string }).state);
    }
  }

  // ---- what is on the screen ----

  /** A letter is typed: it has to appear where the cursor is, and tells that all before it was drawn. */
  async #look(terminal: Terminal): Promise<{ findings: readonly Finding[]; picture: string }> {
    terminal.write("\x15q");
    await terminal.waitFor((each) => isTypedAtCursor(each, this.#cell), LIMIT_MS);
    const { y } = terminal.cursor();
    const below = terminal.screen().filter((line, at) => at > y && line !== "").length;
    // A rule and the status line.
    const cursor = below > 2 ? [finding("cursor", `${below} rows below the composer`)] : [];
    const findings = [...judge(terminal.rows(), this.#expected(frameWithLetter)), ...cursor];
    return { findings, picture: pictureOf(terminal) };
  }

  #expected(end: RegExp): Expected {
    const { cols, condition } = this.#cell;
    const widths = condition === "resize" ? steps(this.#cell).map((size) => size.cols) : [cols];
    const [first, second] = this.#answers;
    const called: readonly Piece[] =
      second === undefined ? [] : isTooLow(this.#cell) ? [refused] : [call, second.shown];
    return {
      pieces: [start, ...(first === undefined ? [] : [prompt, first.shown, ...called]), end],
      markers: isTooLow(this.#cell) ? (first?.markers ?? []) : this.#answers.flatMap(({ markers }) => markers),
      width: { least: Math.min(...widths), most: Math.max(...widths) },
      isResized: condition === "resize",
    };
  }
}

/** No part of a frame is in any of these. */
const start = /stele[\d.]+[^─❯]*?✓ledger[^─❯]*?·new(?:[\d.]+s)?/u;
const prompt = /›?go/u;
const call = /[⎿…][^─❯§]*/u;
const refused = /[⎿…][^─❯§]*Stopped\./u;
const frameWithLetter = /─*❯?q─*(?:saved[^─❯]*|s?…)?$/u;
const farewell = /(?:resumewith:stele-r[\d-]+[\da-f]+)?$/u;

function answersOf({ condition }: Cell): readonly MixedLines[] {
  switch (condition) {
    case "idle":
      return [];
    case "streaming":
    case "resize":
      return [mixedLines(1, 300)];
    case "approval":
      return [mixedLines(1, 40), mixedLines(101, 40)];
    case "picker":
      return [mixedLines(1, 80)];
  }
}

/** An approval takes two rows, and one is always free. */
function isTooLow({ condition, rows }: Cell): boolean {
  return condition === "approval" && rows < 3;
}

function steps({ cols, rows }: Cell): readonly { readonly cols: number; readonly rows: number }[] {
  const [narrower, wider] = [Math.max(1, Math.floor((cols * 2) / 3)), cols + Math.ceil(cols / 4) + 1];
  const lower = Math.max(2, Math.floor(rows / 2));
  return [
    { cols: narrower, rows },
    { cols, rows: lower },
    { cols: wider, rows },
    { cols: narrower, rows: lower },
    { cols, rows: rows + 5 },
    { cols, rows },
  ];
}

/**
 * The first one comes when a frame has stood for a moment, and is waited for: of two at once, or of a frame that was on
 * its way, nobody can tell how the terminal wrapped it (terminal-reflow.ts).
 */
function resizing(terminal: Terminal, cell: Cell): NodeJS.Timeout {
  const sizes = steps(cell);
  let count = -2;
  let isHeard = true;
  return setInterval(() => {
    if (!isHeard) return;
    count += 1;
    const size = sizes[count % sizes.length];
    if (!size) return;
    if (count === 0 && size.cols !== cell.cols) {
      isHeard = false;
      void drawn(terminal).then(() => {
        isHeard = true;
      });
    }
    terminal.resize(size.cols, size.rows);
  }, RESIZE_MS);
}

/** What takes the composer's place has no cursor; a frame that is half drawn has none either. */
/** By its title, for there may be no row that says so. */
function isAsking(terminal: Terminal): boolean {
  const titles = terminal.raw().split("\x1b]2;").slice(1);
  return titles.at(-1)?.startsWith("?") === true && isReplaced(terminal);
}

function isReplaced(terminal: Terminal): boolean {
  const { cursorHidden, synchronizedOutput } = terminal.modes();
  return cursorHidden && !synchronizedOutput;
}

async function drawn(terminal: Terminal): Promise<void> {
  const seen = terminal.rawBytes();
  await terminal.waitFor((each) => each.rawBytes() > seen && !each.modes().synchronizedOutput, LIMIT_MS);
}

function isTypedAtCursor(terminal: Terminal, { cols }: Cell): boolean {
  const { x, y } = terminal.cursor();
  const row = terminal.screen()[y] ?? "";
  // In one column there is no room beside it.
  const typed = cols === 1 ? row : row.slice(0, x);
  return !terminal.modes().cursorHidden && /^(?:❯ )?q$/u.test(typed);
}

function joined(terminal: Terminal): string {
  return terminal.scrollback().join("");
}

/** The rows around the end of the scrollback are those that tell most. */
function pictureOf(terminal: Terminal): string {
  const rows = terminal.rows();
  const last = rows.findLastIndex(({ text }) => text !== "");
  const shown = rows.slice(Math.max(0, last - 40), last + 1);
  const { x, y } = terminal.cursor();
  return [`cursor ${x},${y}`, ...shown.map(({ text, isWrapped }) => `${isWrapped ? "+" : "|"}${text}`)].join("\n");
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function deferred(): Deferred {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function environment(home: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: home, STELE_HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8" };
}
