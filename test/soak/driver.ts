// The program as the soak drives it: each command line in one place, child processes whose printed lines are read
// as they come, and the processes that a run has left in the world.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Nothing of the soak takes longer; what does hangs. */
const LIMIT_MS = 30_000;

export type Verdict = "happened" | "not-happened" | "again";

export const commands = {
  run: (prompt: string, session?: string) => [
    "run",
    "--json",
    "--yes",
    ...(session === undefined ? [] : ["-r", session]),
    prompt,
  ],
  recover: () => ["recover", "--json"],
  resume: (turn: number) => ["recover", "resume", String(turn), "--yes", "--json"],
  settle: (turn: number) => ["recover", "settle", String(turn), "--json"],
  call: (call: number, verdict: Verdict | "wait" | "stop") => [
    "recover",
    "call",
    String(call),
    `--${verdict}`,
    "--json",
  ],
  undo: (session: string) => ["undo", "--yes", "--json", "-r", session],
  redo: (session: string) => ["redo", "--yes", "--json", "-r", session],
} as const;

/** One printed line, in JSON. */
export type Line = Readonly<Record<string, unknown>>;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Of stdout, those that are JSON. */
  readonly lines: readonly Line[];
  readonly text: string;
  readonly err: string;
  /** It took longer than anything may, and was killed for it. */
  readonly hung: boolean;
}

export interface Place {
  readonly bin: string;
  readonly home: string;
  readonly folder: string;
  readonly modelUrl: string;
  /** Of the run; the server knows by it whose script is asked. */
  readonly model: string;
}

export class Stele {
  readonly args: readonly string[];
  readonly lines: Line[] = [];
  err = "";
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  #text = "";
  #rest = "";
  #hasEnded = false;

  constructor(place: Place, args: readonly string[], crashAt = "") {
    this.args = args;
    const { PATH = "" } = process.env;
    this.#child = spawn(process.execPath, [place.bin, ...args], {
      cwd: place.folder,
      // A group of its own, which can be killed as a terminal's is.
      detached: true,
      env: {
        PATH,
        HOME: place.home,
        STELE_HOME: place.home,
        LANG: "C.UTF-8",
        OPENAI_BASE_URL: place.modelUrl,
        OPENAI_API_KEY: "none",
        STELE_MODEL: `openai/${place.model}`,
        STELE_CRASH_AT: crashAt,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.ended = this.#watch();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** With whatever of it is in its group. */
  killGroup(): void {
    sendSignal(-this.pid, "SIGKILL");
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    sendSignal(this.pid, name);
  }

  /** True as soon as a printed line matches; false when the process ended without one. */
  async until(matches: (line: Line) => boolean): Promise<boolean> {
    while (!this.lines.some(matches)) {
      if (this.#hasEnded) return false;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    return true;
  }

  #watch(): Promise<Ended> {
    let hung = false;
    const limit = setTimeout(() => {
      hung = true;
      this.killGroup();
    }, LIMIT_MS);
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
    });
    return new Promise((resolve, reject) => {
      this.#child.on("error", reject);
      this.#child.on("close", (code, signal) => {
        clearTimeout(limit);
        this.#hasEnded = true;
        this.#wake();
        resolve({ code, signal, lines: this.lines, text: this.#text, err: this.err, hung });
      });
    });
  }

  /** A line counts as told when all of it came. */
  #read(text: string): void {
    this.#text += text;
    const whole = `${this.#rest}${text}`.split("\n");
    this.#rest = whole.pop() ?? "";
    for (const line of whole) if (line.startsWith("{")) this.lines.push(JSON.parse(line) as Line);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it ended meanwhile
  }
}

/** What runs in this home besides stele itself: its commands, and who watches over them. Empty without a /proc. */
export function commandsOf(home: string): number[] {
  return processesOf(home).filter((pid) => !textOf(`/proc/${pid}/cmdline`).includes("/bin/stele\0"));
}

export function processesOf(home: string): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => textOf(`/proc/${pid}/environ`).includes(`STELE_HOME=${home}\0`))
      .map(Number);
  } catch {
    return []; // no /proc on this system
  }
}

export function killAll(pids: readonly number[]): void {
  for (const pid of pids) sendSignal(pid, "SIGKILL");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // it ended meanwhile
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
