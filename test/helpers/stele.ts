// The built program as a black box: a home and a folder of its own, argv in, lines and an exit code out.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import { killNow } from "./kill.ts";
import { temporaryFolder } from "./ledger.ts";

const BIN = fileURLToPath(new URL("../../bin/stele", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  /** Of stdout, in JSON mode. */
  readonly events: readonly Record<string, unknown>[];
}

const homes = new Set<string>();
afterEach(() => {
  for (const home of homes) killAllOf(home);
  homes.clear();
});

/** A killed stele leaves its commands running, as it must: they end with the test. */
function killAllOf(home: string): void {
  if (!existsSync("/proc/self/environ")) return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (environmentOf(pid).includes(`STELE_HOME=${home}\0`)) killNow(pid);
  }
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // it ended meanwhile, or is somebody else's
  }
}

export interface Workplace {
  readonly home: string;
  readonly folder: string;
  /** Resolves when the program ended; never rejects for its exit code. */
  stele(args: readonly string[], options?: SteleOptions): Promise<Ended>;
}

export interface SteleOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** A file that stdout goes to; `out` is then empty. */
  readonly stdoutTo?: string;
  /** Default: the workplace's folder. */
  readonly cwd?: string;
  /** Without the rights of root, where the test runs with them. */
  readonly asNobody?: boolean;
  /** Told the process once it runs. */
  readonly onStart?: (child: ReturnType<typeof spawn>) => void;
}

export function workplace(): Workplace {
  const root = temporaryFolder();
  const home = path.join(root, "home");
  const folder = path.join(root, "work");
  mkdirSync(folder);
  homes.add(home);
  return { home, folder, stele: (args, options = {}) => run({ home, folder }, args, options) };
}

/** Nothing of the person's own shell reaches the program but what it needs to start. */
export function cleanEnvironment(home: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: home, STELE_HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8" };
}

function run(
  { home, folder }: { home: string; folder: string },
  args: readonly string[],
  options: SteleOptions,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const nobody =
      options.asNobody && process.getuid?.() === 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const [command = process.execPath, ...before] = nobody.length > 0 ? ["setpriv", ...nobody, process.execPath] : [];
    const stdout = options.stdoutTo === undefined ? undefined : openSync(options.stdoutTo, "w");
    const child = spawn(command, [...before, BIN, ...args], {
      cwd: options.cwd ?? folder,
      env: { ...cleanEnvironment(home), ...options.env },
      stdio: ["pipe", stdout ?? "pipe", "pipe"],
    });
    if (stdout !== undefined) closeSync(stdout);
    let out = "";
    let err = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk;
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      err += chunk;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, out, err, events: jsonLines(out) }));
    child.stdin?.on("error", () => {
      // The program may end before it read everything.
    });
    child.stdin?.end(options.stdin ?? "");
    options.onStart?.(child);
  });
}

function jsonLines(out: string): Record<string, unknown>[] {
  return out
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
