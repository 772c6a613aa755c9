// shell: one command in its own process group under a supervisor (agent/spool), without input or terminal. A stop ends
// all of it and returns only when none is left; the end of its time moves it to the background. What a command leaves
// in the background never holds the turn.
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as z from "zod";
import { markBackground, takeNews } from "../spool/background-jobs.ts";
import { type RunEnding, runInSpool } from "../spool/run-in-spool.ts";
import { isBackgroundJob, removeSpool } from "../spool/spool.ts";
import { readOutput } from "../spool/spool-output.ts";
import { spoolResult, withNotes } from "../spool/spool-result.ts";
import { defineTool } from "./define-tool.ts";
import type { CallSpool, ToolContext, ToolResult } from "./tool.ts";

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;
/** How long a command that is to run in the background is watched for an end at once, in ms. */
const FALSE_START_MS = 200;

const input = z.strictObject({
  command: z.string().min(1).describe("Run by bash -c (sh where there is no bash) in the session's folder."),
  timeout: z
    .number()
    .min(0.1)
    .max(MAX_TIMEOUT_S)
    .optional()
    .describe(`Seconds to wait for its end, ${DEFAULT_TIMEOUT_S} without it; then it goes on in the background.`),
  background: z.boolean().optional().describe("Do not wait for its end: for servers, watchers and long builds."),
});

type Input = z.infer<typeof input>;

export const shellTool = defineTool({
  name: "shell",
  description:
    "Run a shell command. Nothing can be typed into it: there is no input and no terminal, so use flags that ask no " +
    "questions. Output and errors come together. Each command starts in the session's folder with a fresh environment. " +
    "One that runs longer than its timeout, or with background set, goes on in the background: shell_output reads it, " +
    "shell_stop ends it.",
  effect: "external",
  spools: true,
  input,
  summarize,
  subject: ({ command }) => command,
  withSubject: (asked, command) => ({ ...asked, command }),
  preview: async ({ command }) => (command.trim().includes("\n") ? command : undefined),
  run: runCommand,
});

function summarize({ command }: Input): string {
  return command.trim().replace(/\s*\n\s*/g, " ⏎ ");
}

async function runCommand(asked: Input, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return { kind: "cancelled", output: "[stopped before it was started]" };
  const folder = await context.files.stat(context.cwd);
  if (!folder.ok) return { kind: "failed", output: `the session's folder cannot be used: ${folder.problem.message}` };
  if (context.spool) return runIn(context.spool, asked, context);
  // Nobody keeps the result's folder: it lasts as long as the command.
  const spool = { folder: await mkdtemp(join(tmpdir(), "stele-spool-")), onSupervisor: async () => undefined };
  await removeSpool(spool.folder);
  const result = await runIn(spool, asked, context);
  if (!(await isBackgroundJob(spool.folder))) await removeSpool(spool.folder);
  return result;
}

async function runIn({ folder, onSupervisor }: CallSpool, asked: Input, context: ToolContext): Promise<ToolResult> {
  const { cwd, effectKey, signal, onOutput } = context;
  const timeoutS = asked.timeout ?? DEFAULT_TIMEOUT_S;
  const ending = await runInSpool({
    folder,
    call: { effectKey, startedAt: Date.now(), summary: summarize(asked) },
    command: asked.command,
    cwd,
    shell: ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find(existsSync) ?? "/bin/sh",
    env: { ...process.env, ...QUIET, STELE_EFFECT_KEY: effectKey },
    onSupervisor,
    onOutput,
    signal,
    waitMs: asked.background === true ? FALSE_START_MS : timeoutS * 1000,
  });
  return ending.why === "left" ? moveToBackground(folder, asked, effectKey) : toResult(folder, ending);
}

/** Programs that would page, colour or ask do not. */
const QUIET = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  CI: "1",
  TERM: "dumb",
  NO_COLOR: "1",
  DEBIAN_FRONTEND: "noninteractive",
};

async function moveToBackground(folder: string, asked: Input, key: string): Promise<ToolResult> {
  const { text } = await takeNews(folder, key);
  markBackground(folder);
  const how =
    asked.background === true
      ? "running in the background"
      : `still running after ${asked.timeout ?? DEFAULT_TIMEOUT_S} s: moved to the background`;
  const note = `[${how} as job ${basename(folder)}; shell_output reads it, shell_stop ends it]`;
  return { kind: "ok", ...withNotes(text, [note]) };
}

async function toResult(folder: string, ending: Exclude<RunEnding, { readonly why: "left" }>): Promise<ToolResult> {
  switch (ending.why) {
    case "not-started":
      return { kind: "failed", output: `the command could not be started: ${ending.problem}` };
    case "stopped-before":
      return { kind: "cancelled", output: "[stopped before it was started]" };
    case "end":
      return spoolResult(folder, ending.state);
    case "stop": {
      const { survivors } = ending;
      const alive = survivors > 0 ? [`[${survivors} of its processes could not be ended]`] : [];
      return { kind: "cancelled", ...withNotes((await readOutput(folder)).text, ["[stopped]", ...alive]) };
    }
  }
}
