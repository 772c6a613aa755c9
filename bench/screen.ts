// How the built program feels in a terminal of 80 × 24, whatever lies behind: how long a key takes to the screen while
// an answer streams, and how long a resumed conversation takes to its first whole frame.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { type IPty, spawn } from "node-pty";
import { type ModelReply, startModelServer } from "../test/helpers/model-server.ts";
import { type Bench, compare, type Figure, interleave, type Side } from "./harness.ts";
import { buildConversation } from "./ledgers.ts";

const EMPTY = "an empty conversation";
const LONG = "20,000 messages";
const OUTPUT = "5 MB of output";
const BUDGET = "a frame at 30 Hz";
/** One letter a key, none of them in anything else that is drawn: what is seen is that key. */
const LETTERS = Array.from({ length: 60 }, (_, at) => String.fromCodePoint(0x410 + at));
/** Digits only, so that no letter is in it. About a hundred tokens a second. */
const ANSWER = Array.from({ length: 3_000 }, (_, at) => (at % 15 === 14 ? `${at}\n\n` : `${at} `));
const TOKEN_MS = 10;
/** The status line when nothing is left to be saved. */
export const SAVED = /^\s*saved\b(?!.*running)/m;
const GIVE_UP_MS = 30_000;

export async function benchScreen(bench: Bench): Promise<Figure[]> {
  if (!existsSync(path.join(bench.root, "dist", "stele.cjs"))) throw new Error("the program is not built");
  const server = await startModelServer((body) => replyTo(JSON.stringify(body.messages.at(-1))));
  try {
    const homes = new Homes(bench, server.url);
    return [...(await keys(bench, homes)), ...(await resumes(bench, homes))];
  } finally {
    await server.close();
  }
}

function replyTo(last: string): ModelReply {
  if (last.includes("count far")) return { calls: [{ name: "shell", arguments: { command: "seq 1000000 1650000" } }] };
  if (!last.includes("go on")) return { text: "done" };
  const wait = () => new Promise((resolve) => setTimeout(resolve, TOKEN_MS));
  return { text: ANSWER, faults: ANSWER.map((_, after) => ({ kind: "hold", after, until: wait })) };
}

// ---- keys ----

async function keys(bench: Bench, homes: Homes): Promise<Figure[]> {
  const places = [
    [EMPTY, homes.of(0)],
    [LONG, homes.of(20_000)],
    [OUTPUT, await homes.withOutput()],
  ] as const;
  const sides: Side[] = places.map(([name, each]) => ({ name, measure: () => slowKey(homes, each) }));
  const measured = await interleave(sides, { rounds: bench.isQuick ? 3 : 7, warmUp: 0 });
  measured.set(BUDGET, [1_000 / 30]);
  const figure = (side: string, base: string, target: number) =>
    compare(measured, { what: `key to screen, p95, ${side}`, unit: "ms", side, base, target });
  return [
    ...places.map(([name]) => figure(name, BUDGET, 1)),
    ...[LONG, OUTPUT].map((name) => figure(name, EMPTY, 1.2)),
  ];
}

/** In ms: of 20 keys 19 are quicker. */
async function slowKey(homes: Homes, conversation: Conversation): Promise<number> {
  const screen = new Screen(homes.open(conversation));
  try {
    await screen.until((text) => SAVED.test(text));
    screen.forget();
    screen.pty.write("go on\r");
    await screen.until((text) => /\b29\b/.test(text));
    const took: number[] = [];
    for (const letter of LETTERS) {
      // At any moment between two paints, not always right behind one.
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 50));
      screen.forget();
      const start = performance.now();
      screen.pty.write(letter);
      await screen.until((text) => text.includes(letter));
      took.push(performance.now() - start);
    }
    return took.sort((a, b) => a - b)[Math.ceil(took.length * 0.95) - 1] ?? Number.NaN;
  } finally {
    await screen.end();
  }
}

// ---- resuming ----

async function resumes(bench: Bench, homes: Homes): Promise<Figure[]> {
  const sides = [20, 200, 20_000].map((count) => ({
    name: `${count.toLocaleString("en")} messages`,
    measure: () => untilWhole(homes, homes.of(count)),
  }));
  const measured = await interleave(sides, { rounds: bench.isQuick ? 5 : 15, warmUp: 1 });
  const judged = { what: "resume to the first whole frame", unit: "ms", side: LONG } as const;
  return [
    compare(measured, { ...judged, base: "20 messages", target: 1.2 }),
    // As many of its messages are printed: what the length alone costs.
    compare(measured, { ...judged, base: "200 messages", target: 1.2 }),
  ];
}

async function untilWhole(homes: Homes, conversation: Conversation): Promise<number> {
  const start = performance.now();
  const screen = new Screen(homes.open(conversation));
  try {
    await screen.until((text) => SAVED.test(text));
    return performance.now() - start;
  } finally {
    await screen.end();
  }
}

// ---- programs and their homes ----

export interface Conversation {
  readonly home: string;
  /** Arguments that open it. */
  readonly asked: readonly string[];
}

/** A home for each length, each with one conversation, built once. */
export class Homes {
  readonly #bench: Bench;
  readonly #url: string;
  readonly #built = new Map<number, Conversation>();

  constructor(bench: Bench, url: string) {
    this.#bench = bench;
    this.#url = url;
  }

  of(messages: number): Conversation {
    const known = this.#built.get(messages);
    if (known) return known;
    const home = this.#make();
    const id = buildConversation(path.join(home, "stele", "state.db"), messages);
    const built = { home, asked: ["-r", id] };
    this.#built.set(messages, built);
    return built;
  }

  async withOutput(): Promise<Conversation> {
    const home = this.#make();
    const args = [path.join(this.#bench.root, "bin", "stele"), "run", "--yes", "count far"];
    await promisify(execFile)(process.execPath, args, { cwd: home, env: environment(home) });
    return { home, asked: ["-c"] };
  }

  open({ home, asked }: Conversation): IPty {
    const args = [path.join(this.#bench.root, "bin", "stele"), ...asked];
    const size = { name: "xterm-256color", cols: 80, rows: 24 };
    return spawn(process.execPath, args, { ...size, cwd: home, env: environment(home) });
  }

  #make(): string {
    const home = mkdtempSync(path.join(this.#bench.folder, "screen-"));
    mkdirSync(path.join(home, "stele"), { mode: 0o700 });
    const providers = { bench: { kind: "openai-compatible", baseURL: this.#url, models: ["bench"] } };
    writeFileSync(path.join(home, "stele", "config.json"), JSON.stringify({ model: "bench/bench", providers }));
    return home;
  }
}

export class Screen {
  readonly pty: IPty;
  readonly #ended: Promise<void>;
  #written = "";
  #check: () => void = () => {};

  constructor(pty: IPty) {
    this.pty = pty;
    this.#ended = new Promise((resolve) => pty.onExit(() => resolve()));
    pty.onData((data) => {
      this.#written += data;
      this.#check();
    });
  }

  /** What was written so far does not count any more. */
  forget(): void {
    this.#written = "";
  }

  async until(isSeen: (text: string) => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`not drawn:\n${this.#written.slice(-2_000)}`)), GIVE_UP_MS);
      this.#check = () => {
        if (!isSeen(stripVTControlCharacters(this.#written))) return;
        clearTimeout(limit);
        this.#check = () => {};
        resolve();
      };
      this.#check();
    });
  }

  async end(): Promise<void> {
    this.pty.write("\x15/quit\r");
    const limit = setTimeout(() => this.pty.kill("SIGKILL"), GIVE_UP_MS);
    await this.#ended;
    clearTimeout(limit);
  }
}

/** Of the person only what starting needs: no other ledger, no key, no CI variable, which would turn painting off. */
function environment(home: string): Record<string, string> {
  const own = { HOME: home, STELE_HOME: path.join(home, "stele"), LANG: "C.UTF-8", TERM: "xterm-256color" };
  return { PATH: process.env["PATH"] ?? "", ...own };
}
