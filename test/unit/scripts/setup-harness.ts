// Runs the set-up in real processes over stand-in commands: a temporary tree, steps as data, and commands that are
// small Node scripts leaving marks in the tree.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const projectRoot = join(dirname(fileURLToPath(import.meta.url)), "../../..");

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly limitMs?: number;
}

export interface Step {
  readonly name: string;
  readonly title: string;
  readonly key: () => string;
  readonly outputs: readonly string[];
  readonly attempts: readonly (Command & { readonly note: string })[];
  readonly verify?: Command;
  readonly adopt?: () => boolean;
  readonly keep?: () => { readonly file: string; readonly kept: string };
  readonly advice?: () => string | undefined;
}

export interface RunModule {
  runSetup(options: { root: string; steps: readonly Step[]; stream: Writable }): Promise<number>;
}

export function temporaryTree(): string {
  const root = mkdtempSync(join(tmpdir(), "stele-setup-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

export function nodeCommand(cwd: string, source: string): Command {
  return { command: process.execPath, args: ["-e", source], cwd };
}

/** Appends one line to `ran` each time it runs. */
export function marking(root: string, then = ""): Command {
  return nodeCommand(root, `require("fs").appendFileSync("ran", process.pid + "\\n"); ${then}`);
}

export function pidsThatRan(root: string): readonly number[] {
  const file = join(root, "ran");
  // Only whole lines: the file is there a moment before its first one.
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1).map(Number) : [];
}

export function step(root: string, changes: Partial<Step> = {}): Step {
  return {
    name: "only",
    title: "the only step",
    key: () => "key",
    outputs: [],
    attempts: [{ note: "working", ...marking(root) }],
    ...changes,
  };
}

export class Captured extends Writable {
  text = "";
  readonly writes: string[] = [];
  isTTY = false;
  columns = 80;
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes.push(chunk.toString());
    this.text += chunk.toString();
    done();
  }
}

export interface SetupProcess {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A set-up of its own process whose one step marks that it ran and goes on until the file `go` is there. */
export function spawnBlockedSetup(root: string): SetupProcess {
  const wait = `const look = () => require("fs").existsSync("go") && process.exit(0); setInterval(look, 5);`;
  const source = `
    const { runSetup } = require(${JSON.stringify(join(projectRoot, "scripts/setup/run.cjs"))});
    const root = ${JSON.stringify(root)};
    const attempts = [{ note: "working", ...${JSON.stringify(marking(root, wait))} }];
    const steps = [{ name: "only", title: "the only step", key: () => "key", outputs: [], attempts }];
    runSetup({ root, steps, lockOptions: { pollMs: 5 } }).then((code) => (process.exitCode = code));
  `;
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "driver.cjs"), source);
  const child = spawn(process.execPath, [join(root, "driver.cjs")], { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    process: child,
    output: () => text,
    ended: new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal }))),
  };
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    // ESRCH: no such process.
    return false;
  }
}

function isZombie(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && /\) Z /.test(readFileSync(file, "latin1"));
}
