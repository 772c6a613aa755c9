// One screen without a screen: a real ledger, a real runner with the guide model, and a command line to type in.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { LoopKeeper } from "../../../src/agent/loop/loop-keeper.ts";
import { type ModelRegistry, modelRegistry } from "../../../src/agent/models/registry.ts";
import { recoveryWorld } from "../../../src/agent/recovery-world.ts";
import { Runner } from "../../../src/agent/runner.ts";
import { listJobs } from "../../../src/agent/spool/background-jobs.ts";
import { createFileGate } from "../../../src/agent/tools/files.ts";
import type { CommandContext, CommandResult, Settings } from "../../../src/commands/command.ts";
import { parseCommand } from "../../../src/commands/parse-command.ts";
import { registry } from "../../../src/commands/registry.ts";
import { runCommand } from "../../../src/commands/run-command.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import { currentProcess } from "../../../src/ledger/identity.ts";
import { newHolderId } from "../../../src/ledger/ids.ts";
import { recover, type World } from "../../../src/ledger/recovery.ts";
import type { ApprovalMode, ModelRoute, Session } from "../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { ROUTE, temporaryFolder } from "../../helpers/ledger.ts";

/** Where nothing listens. */
export const NO_SERVERS = { OLLAMA_HOST: "http://127.0.0.1:9", LMSTUDIO_BASE_URL: "http://127.0.0.1:9/v1" };

/** `local/a` and `local/b` can be opened, `locked/c` lacks its key. */
const PROVIDERS = {
  local: { kind: "openai-compatible", baseURL: "http://127.0.0.1:9/v1", models: ["a", "b"] },
  locked: { kind: "openai-compatible", baseURL: "http://127.0.0.1:9/v1", apiKeyEnv: "LOCKED_KEY", models: ["c"] },
} as const;

export interface Desk {
  readonly db: AsyncSessionDB;
  readonly runner: Runner;
  readonly context: CommandContext;
  readonly folder: string;
  readonly events: SessionEvent[];
  /** Types a command; what it returned. */
  type(text: string): Promise<CommandResult>;
  /** A whole turn of the guide. */
  say(text: string): Promise<void>;
  newSession(more?: { title?: string; cwd?: string }): Promise<Session>;
}

export async function openDesk(
  options: {
    surface?: CommandContext["surface"];
    mayBeAuto?: boolean;
    mode?: ApprovalMode;
    file?: string;
    /** Instead of `local` and `locked`. */
    models?: ModelRegistry;
    route?: ModelRoute;
    isWatched?: boolean;
  } = {},
): Promise<Desk> {
  const folder = temporaryFolder();
  const db = await openAsyncLedger(options.file);
  const newSession = (more: { title?: string; cwd?: string } = {}) =>
    db.createSession({ cwd: folder, route: options.route ?? ROUTE, source: "test", ...more });
  const models = options.models ?? modelRegistry({ env: NO_SERVERS, providers: PROVIDERS });
  const files = createFileGate({ ledgerFiles: [] });
  const spoolRoot = path.join(temporaryFolder(), "spool");
  const world = recoveryWorld({ db, files, spoolRoot });
  const runner = new Runner({
    db,
    session: await newSession(),
    models,
    files,
    spoolRoot,
    rules: () => ({ allow: [], deny: [] }),
    mode: options.mode ?? "auto",
    ask: () => Promise.resolve({ kind: "no" }),
    program: "stele test",
    ...(options.isWatched && { isWatched: true }),
  });
  onTestFinished(() => runner.close());
  const events: SessionEvent[] = [];
  runner.listen((event) => events.push(event));
  const loop = new LoopKeeper({
    ...{ db, models, runner, self: currentProcess("stele test"), isFree: () => true, now: Date.now },
    costOf: () => 0,
  });
  // The ledger may be closed by then.
  onTestFinished(() => loop.close().catch(() => undefined));
  const context: CommandContext = {
    db,
    runner,
    loop,
    runnerFor: async (session) => {
      if (session.conversation !== runner.session.conversation) await runner.open(session, true);
      return runner;
    },
    models,
    files,
    jobs: () => listJobs(spoolRoot),
    world,
    settings: memorySettings(options.mayBeAuto ?? false),
    surface: options.surface ?? "screen",
    now: Date.now,
    lastList: { sessions: [] },
    recover: () => recoverAll(db, world),
    newSession: (more) => Promise.resolve({ cwd: folder, route: ROUTE, source: "test", ...more }),
    ...folderAccess(folder),
  };
  runner.runCommand = async (text) => words(await typeIn({ ...context, surface: "argv" }, text));
  const say = async (text: string) => {
    await runner.submit([{ kind: "text", text }]);
    await runner.idle();
  };
  return { db, runner, context, folder, events, type: (text) => typeIn(context, text), say, newSession };
}

async function typeIn(context: CommandContext, text: string): Promise<CommandResult> {
  const parsed = parseCommand(text, registry);
  if (!parsed.ok) return parsed.usage;
  const result = await runCommand(parsed, context);
  const isThere = result.kind === "open-session" && result.session.conversation === context.runner.session.conversation;
  if (result.kind === "open-session" && !isThere) await context.runner.open(result.session, result.resumed);
  if (result.kind === "turn") await result.runner.idle();
  return result;
}

async function recoverAll(db: AsyncSessionDB, world: World): ReturnType<CommandContext["recover"]> {
  const steps = [];
  for await (const event of recover(db, { holder: newHolderId(process.pid), world })) {
    if (event.type === "done") return { ...event, steps };
    steps.push(event.step);
  }
  throw new Error("the checklist did not end");
}

function folderAccess(folder: string): Pick<CommandContext, "createFile" | "readFile" | "hasFolder"> {
  return {
    createFile: (name, text) => {
      const file = path.join(folder, name);
      if (existsSync(file)) return Promise.resolve({ ok: false, problem: `${file} is there already.` });
      writeFileSync(file, text);
      return Promise.resolve({ ok: true, path: file });
    },
    readFile: (name) => {
      const file = path.join(folder, name);
      return Promise.resolve(existsSync(file) ? readFileSync(file, "utf8") : undefined);
    },
    hasFolder: (name) => Promise.resolve(statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false),
  };
}

function memorySettings(mayBeAuto: boolean): Settings {
  const rules = { allow: ["read_file"], deny: ["shell(git push)"] };
  return {
    configFile: "/home/me/config.json",
    mayBeAuto,
    list: () => [{ key: "theme", value: '"auto"', from: "default" }],
    models: () => ({}),
    loops: () => ({ minIntervalMs: 30_000, floorMs: 60_000, ceilingMs: 900_000, maxTicks: 100 }),
    limits: () => ({}),
    nameProblems: () => [],
    rules: () => rules,
    addRule: (kind, rule) => {
      rules[kind].push(rule);
      return Promise.resolve({ ok: true });
    },
    removeRule: (rule) => {
      for (const list of [rules.allow, rules.deny]) if (list.includes(rule)) list.splice(list.indexOf(rule), 1);
      return Promise.resolve({ ok: true });
    },
  };
}

/** A list as it is printed where nothing is drawn. */
export async function printed(result: CommandResult): Promise<CommandResult> {
  if (result.kind !== "pick" || !result.printed) throw new Error(`${result.kind} has no printed form`);
  return result.printed();
}

/** What the result says, as one text. */
export function words(result: CommandResult): string {
  if ("lines" in result) return result.lines.join("\n");
  if (result.kind === "usage") return `${result.message} ${result.hint ?? ""}`;
  if (result.kind === "refused") return result.why;
  if (result.kind === "rows") return result.rows.map((row) => row.join("  ")).join("\n");
  throw new Error(`${result.kind} says nothing in words`);
}

export function jsonOf(result: CommandResult): Record<string, unknown> {
  if (!("json" in result) || result.json === undefined || Array.isArray(result.json))
    throw new Error(`${result.kind} has no JSON object`);
  return { ...result.json };
}

export function jsonLines(result: CommandResult): readonly Record<string, unknown>[] {
  if (!("json" in result) || !Array.isArray(result.json)) throw new Error(`${result.kind} has no JSON lines`);
  return result.json as Record<string, unknown>[];
}
