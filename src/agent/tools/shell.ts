// shell: one command in its own process group, without input or terminal. A stop or the end of its time ends the whole
// group and returns only when none of it is left. What a command leaves in the background never holds the turn.
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { execa } from "execa";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import { createOutputCapture } from "./output-capture.ts";
import { endGroup, isGroupRunning, type Patience } from "./process-group.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;
const PATIENCE: Patience = { termMs: 5000, killMs: 5000 };
/** How long a finished command's pipe is still listened to when something it left behind holds it, in ms. */
const PIPE_GRACE_MS = 250;

const input = z.strictObject({
  command: z.string().min(1).describe("Run by bash -c (sh where there is no bash) in the session's folder."),
  timeout: z
    .number()
    .min(0.1)
    .max(MAX_TIMEOUT_S)
    .optional()
    .describe(`Seconds after which it is stopped; ${DEFAULT_TIMEOUT_S} without it.`),
});

export const shellTool = defineTool({
  name: "shell",
  description:
    "Run a shell command. Nothing can be typed into it: there is no input and no terminal, so use flags that ask no " +
    "questions. Output and errors come together. Each command starts in the session's folder with a fresh environment.",
  effect: "external",
  input,
  summarize: ({ command }) => command.trim().replace(/\s*\n\s*/g, " ⏎ "),
  subject: ({ command }) => command,
  preview: async ({ command }) => (command.trim().includes("\n") ? command : undefined),
  run: runCommand,
});

type Ending =
  | { readonly why: "exit"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly why: "not-started"; readonly problem: string }
  | { readonly why: "stop" }
  | { readonly why: "timeout" };

async function runCommand(asked: z.infer<typeof input>, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return { kind: "cancelled", output: "[stopped before it was started]" };
  const folder = await context.files.stat(context.cwd);
  if (!folder.ok) return { kind: "failed", output: `the session's folder cannot be used: ${folder.problem.message}` };
  const timeoutS = asked.timeout ?? DEFAULT_TIMEOUT_S;
  const child = start(asked.command, context);
  const output = collect(child, context.onOutput);
  const ending = await firstEnding(child, context.signal, timeoutS);
  if (ending.why === "not-started")
    return { kind: "failed", output: `the command could not be started: ${ending.problem}` };
  const notes = await cleanUp(child, ending, timeoutS);
  await output.closedWithin(PIPE_GRACE_MS);
  output.letGo();
  return toResult(ending, [output.text().trimEnd(), ...notes].filter((part) => part !== "").join("\n"));
}

function start(command: string, { cwd, effectKey }: ToolContext) {
  const shell = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find(existsSync) ?? "/bin/sh";
  // One pipe for both streams keeps their order; `exec` keeps the pid, which names the group.
  return execa("/bin/sh", ["-c", 'exec "$0" -c "$1" 2>&1', shell, command], {
    cwd,
    detached: true,
    stdin: "ignore",
    stderr: "ignore",
    buffer: false,
    reject: false,
    cleanup: false,
    env: {
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      CI: "1",
      TERM: "dumb",
      NO_COLOR: "1",
      DEBIAN_FRONTEND: "noninteractive",
      STELE_EFFECT_KEY: effectKey,
    },
  });
}

type Command = ReturnType<typeof start>;

interface Collected {
  closedWithin(ms: number): Promise<void>;
  /** Stops listening but keeps draining: a background process must not die of a closed pipe. */
  letGo(): void;
  text(): string;
}

function collect(child: Command, onOutput: (chunk: string) => void): Collected {
  const capture = createOutputCapture();
  const decoder = new TextDecoder();
  const pipe = child.stdout;
  const onData = (chunk: Uint8Array) => {
    capture.add(chunk);
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") onOutput(text);
  };
  pipe?.on("data", onData);
  const closed = new Promise<void>((resolve) => {
    if (pipe) pipe.once("close", resolve);
    else resolve();
  });
  return {
    closedWithin: (ms) => Promise.race([closed, new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())]),
    letGo() {
      pipe?.off("data", onData);
      pipe?.resume();
      if (pipe instanceof Socket) pipe.unref();
    },
    text: () => capture.text(),
  };
}

async function firstEnding(child: Command, signal: AbortSignal, timeoutS: number): Promise<Ending> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const ending = await Promise.race<Ending>([
    new Promise((resolve) => child.once("exit", (code, by) => resolve({ why: "exit", code, signal: by }))),
    // Without a pid there will be no exit event, only the result.
    child.pid === undefined
      ? child.then((result) => ({ why: "not-started", problem: result.originalMessage ?? result.shortMessage ?? "" }))
      : new Promise<never>(() => undefined),
    new Promise((resolve) => {
      onAbort = () => resolve({ why: "stop" });
      signal.addEventListener("abort", onAbort, { once: true });
    }),
    new Promise((resolve) => {
      timer = setTimeout(() => resolve({ why: "timeout" }), timeoutS * 1000);
    }),
  ]);
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  return ending;
}

async function cleanUp(child: Command, ending: Ending, timeoutS: number): Promise<readonly string[]> {
  const group = child.pid;
  if (group === undefined) return [];
  if (ending.why === "exit") {
    const by = ending.signal ? [`[ended by ${ending.signal}]`] : [];
    return (await isGroupRunning(group))
      ? [...by, `[it left processes running in the background: process group ${group}]`]
      : by;
  }
  const { survivors } = await endGroup(group, PATIENCE);
  const alive = survivors > 0 ? [`[${survivors} of its processes could not be ended]`] : [];
  return [ending.why === "timeout" ? `[stopped: it ran longer than ${timeoutS} s]` : "[stopped]", ...alive];
}

function toResult(ending: Ending, output: string): ToolResult {
  const some = output === "" ? {} : { output };
  if (ending.why === "stop") return { kind: "cancelled", ...some };
  if (ending.why !== "exit") return { kind: "failed", ...some };
  // As shells count it: 128 and the signal's number.
  const exitCode = ending.code ?? 128 + (ending.signal ? constants.signals[ending.signal] : 0);
  return { kind: exitCode === 0 ? "ok" : "failed", ...some, exitCode };
}
