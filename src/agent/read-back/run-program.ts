// Runs one program that only reads, for its output. It can ask nothing (no input, no terminal of its own), is ended
// with all it started when its time is over, and no failure of it is an exception.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the environment; `undefined` takes a variable out of it. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly signal?: AbortSignal;
  /** In ms. */
  readonly limit?: number;
}

export type ProgramEnd =
  | { readonly kind: "exit"; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** It could not be started, did not end in time or was ended from outside. */
  | { readonly kind: "no-answer"; readonly problem: string };

const LIMIT_MS = 10_000;
/** How long output is waited for after the exit: a connection kept open in the background may hold the pipes. */
const PIPE_GRACE_MS = 250;
const MAX_CHARS = 4_000_000;

export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { program, args, cwd, signal, limit = LIMIT_MS } = run;
  if (signal?.aborted) return Promise.resolve({ kind: "no-answer", problem: "stopped" });
  return new Promise((resolve) => {
    const env = { ...process.env, ...run.env };
    const child = spawn(program, [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const timers = [setTimeout(() => stop(`${program} did not answer within ${limit / 1000} s`), limit)];
    const stopByHand = () => stop("stopped");
    signal?.addEventListener("abort", stopByHand, { once: true });

    function end(ended: ProgramEnd): void {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener("abort", stopByHand);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(ended);
    }
    function stop(problem: string): void {
      endGroup(child.pid);
      end({ kind: "no-answer", problem });
    }
    function endAsExited(): void {
      const { exitCode, signalCode } = child;
      if (exitCode === null) return end({ kind: "no-answer", problem: `${program} was ended by ${signalCode}` });
      end({ kind: "exit", code: exitCode, stdout: stdout(), stderr: stderr() });
    }
    child.once("error", (error) => end({ kind: "no-answer", problem: whyNotStarted(run, error) }));
    child.once("exit", () => timers.push(setTimeout(endAsExited, PIPE_GRACE_MS)));
    child.once("close", endAsExited);
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    if (text.length < MAX_CHARS) text += chunk;
  });
  return () => text;
}

function endGroup(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // ESRCH: it ended by itself just now.
  }
}

function whyNotStarted({ program, cwd }: ProgramRun, error: Error): string {
  // A missing folder is reported like a missing program.
  if (!existsSync(cwd)) return `the folder ${cwd} is not there`;
  const isMissing = "code" in error && error.code === "ENOENT";
  return isMissing ? `${program} is not installed` : `${program} could not be started: ${error.message}`;
}
