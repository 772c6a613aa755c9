// How long the program takes beside a bare Node that writes one line: `--version` from start to end on pipes, and
// the first frame with a composer in a terminal of 80 x 24, each time in a home of its own that was empty.
import { spawn as spawnOnPipes } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn as spawnInTerminal } from "node-pty";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";

const BARE = "bare node";
const STELE = "stele";
const READY = "stele, ready";
const LINE = "one line";
/** A row that begins with the composer's sign; ASCII in the first frame. */
const COMPOSER = /^\s*[❯>] /m;
/** The status line once the ledger is open. */
const SAVED = /^\s*saved\b/m;
const GIVE_UP_MS = 20_000;

export async function benchVersion(bench: Bench): Promise<Figure[]> {
  const { program, bare } = programs(bench);
  const sides = [
    { name: BARE, measure: () => untilExit(bench, [bare]) },
    { name: STELE, measure: () => untilExit(bench, [program, "--version"]) },
  ];
  const measured = await interleave(sides, rounds(bench));
  return [compare(measured, { what: "stele --version", unit: "ms", side: STELE, base: BARE, target: 1.3 })];
}

export async function benchFrame(bench: Bench): Promise<Figure[]> {
  const { program, bare } = programs(bench);
  const sides = [
    { name: BARE, measure: () => untilPainted(bench, [bare], (text) => text.includes(LINE)) },
    { name: STELE, measure: () => untilPainted(bench, [program], (text) => COMPOSER.test(text)) },
    { name: READY, measure: () => untilPainted(bench, [program], (text) => SAVED.test(text)) },
  ];
  const measured = await interleave(sides, rounds(bench));
  const judged = { unit: "ms", side: STELE, base: BARE, target: 3.3, stretch: 2.4 } as const;
  return [
    compare(measured, { ...judged, what: "first frame in a terminal" }),
    compare(measured, { unit: "ms", side: READY, base: BARE, what: "new ledger open, screen ready" }),
  ];
}

function programs({ root, folder }: Bench): { program: string; bare: string } {
  const program = path.join(root, "bin", "stele");
  if (!existsSync(path.join(root, "dist", "stele.cjs"))) throw new Error("the program is not built: npm run build");
  const bare = path.join(folder, "bare.cjs");
  writeFileSync(bare, `process.stdout.write(${JSON.stringify(`${LINE}\n`)});\n`);
  return { program, bare };
}

function rounds({ isQuick }: Bench) {
  return { rounds: isQuick ? 11 : 31, warmUp: 2 };
}

async function untilExit(bench: Bench, args: readonly string[]): Promise<number> {
  const home = path.join(bench.folder, "home");
  mkdirSync(home, { recursive: true });
  const start = performance.now();
  const child = spawnOnPipes(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: environment(home) });
  child.stdout?.resume();
  const [code] = (await once(child, "close")) as [number | null];
  const took = performance.now() - start;
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  return took;
}

/** Milliseconds until what the program has written so far, without escape sequences, satisfies the question. */
async function untilPainted(
  bench: Bench,
  args: readonly string[],
  isPainted: (text: string) => boolean,
): Promise<number> {
  const home = mkdtempSync(path.join(bench.folder, "home-"));
  const env = environment(home);
  const start = performance.now();
  const terminal = spawnInTerminal(process.execPath, [...args], {
    name: "xterm-256color",
    cols: 80,
    rows: 24,
    cwd: home,
    env,
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  let written = "";
  const painted = new Promise<number>((resolve) => {
    terminal.onData((data) => {
      written += data;
      if (isPainted(stripVTControlCharacters(written))) resolve(performance.now() - start);
    });
  });
  const limit = setTimeout(() => terminal.kill("SIGKILL"), GIVE_UP_MS);
  const took = await Promise.race([painted, ended.then(() => undefined)]);
  clearTimeout(limit);
  // It may have ended by itself already; then there is nothing to end.
  if (took !== undefined) killIfThere(terminal.pid);
  await ended;
  rmSync(home, { recursive: true, force: true });
  if (took === undefined) throw new Error(`${args.join(" ")} ended without its frame:\n${written}`);
  return took;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * The person's own, because it is part of every start (an extra file of certificates alone may double that of Node),
 * but no other ledger, no key of a provider, and no CI variable, which would turn painting off.
 */
function environment(home: string): Record<string, string> {
  const isOurs = (name: string) =>
    /^(?:STELE_|CI$|CONTINUOUS_INTEGRATION$|NO_COLOR$|NODE_OPTIONS$)|_API_KEY$/.test(name);
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !isOurs(name));
  const own = { HOME: home, STELE_HOME: path.join(home, "stele"), LANG: "C.UTF-8", TERM: "xterm-256color" };
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...own };
}
