// The starter's half of the handshake: folder, supervisor, its identity stored by the caller, and only then the word
// to go. Whatever breaks off before that word leaves a command that was never started.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ProcessIdentity } from "../../ledger/types.ts";
import { syncFolder } from "../tools/atomic-write.ts";
import {
  type CallRecord,
  GO,
  OUTPUT_CAP,
  SPOOL_FILES,
  type SpoolIdentity,
  type SupervisorOrder,
  type SupervisorWord,
} from "./records.ts";
import { readSpool, removeSpool } from "./spool.ts";

export interface SpoolStart {
  /** Absolute; made here. */
  readonly folder: string;
  readonly call: CallRecord;
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** The program that runs `-c command`. */
  readonly shell: string;
  /** The whole environment of the command. */
  readonly env: NodeJS.ProcessEnv;
  /** Bytes of output kept. */
  readonly cap?: number;
  /** Stores who will run the command; go is said when it resolves. */
  readonly onSupervisor: (identity: ProcessIdentity) => Promise<void>;
  readonly signal: AbortSignal;
}

export type Started =
  | StartedSpool
  /** The command did not run. */
  | { readonly kind: "not-started"; readonly problem: string }
  | { readonly kind: "stopped" };

export interface StartedSpool extends SpoolIdentity {
  readonly kind: "started";
  /** The exit is recorded, or the supervisor is gone without. */
  readonly ended: Promise<void>;
  /** This process may end before the command does. */
  readonly leave: () => void;
}

/** Rejects only with what `onSupervisor` rejected with; then the command was not started. */
export async function startInSpool(start: SpoolStart): Promise<Started> {
  const begun = await begin(start).catch((error: unknown) => ({ kind: "problem", problem: wordsOf(error) }) as const);
  if (begun.kind === "problem") return { kind: "not-started", problem: begun.problem };
  const { supervisor, identity } = begun;
  try {
    if (!start.signal.aborted) await start.onSupervisor(identity.identity);
  } catch (error) {
    await supervisor.giveUp();
    throw error;
  }
  if (start.signal.aborted) {
    await supervisor.giveUp();
    return { kind: "stopped" };
  }
  supervisor.go();
  return { kind: "started", ...identity, ended: supervisor.ended, leave: supervisor.leave };
}

type Begun =
  | { readonly kind: "begun"; readonly supervisor: Supervisor; readonly identity: SpoolIdentity }
  | { readonly kind: "problem"; readonly problem: string };

async function begin(start: SpoolStart): Promise<Begun> {
  await prepareFolder(start);
  const supervisor = runSupervisor(start);
  // While it starts.
  // So that a folder that is missing after a power cut means a command that was not started.
  const synced = syncFolder(dirname(start.folder)).then(
    () => undefined,
    (error: unknown) => wordsOf(error),
  );
  const heard = await supervisor.ready;
  if (heard.kind === "problem") return heard;
  const problem = await synced;
  if (problem === undefined) return { kind: "begun", supervisor, identity: heard.identity };
  await supervisor.giveUp();
  return { kind: "problem", problem };
}

async function prepareFolder({ folder, call }: SpoolStart): Promise<void> {
  if (existsSync(folder)) {
    const { kind } = await readSpool(folder);
    if (kind === "running" || kind === "starting") throw new Error("an earlier run of this call has not ended");
    if (!(await removeSpool(folder))) throw new Error(`${folder} is left of an earlier run and cannot be removed`);
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, SPOOL_FILES.call), JSON.stringify(call), { mode: 0o600 });
  await writeFile(join(folder, SPOOL_FILES.output), "", { mode: 0o600 });
}

type Supervisor = ReturnType<typeof runSupervisor>;
type Ready = Extract<SupervisorWord, { readonly kind: "ready" | "problem" }>;

function runSupervisor(start: SpoolStart) {
  const { own, forCommand } = splitEnv(start.env);
  const child = spawn(process.execPath, [supervisorFile(), start.folder], {
    cwd: "/",
    detached: true,
    env: own,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { ready, ended } = hear(child);
  const { command, cwd, shell, cap = OUTPUT_CAP } = start;
  const order: SupervisorOrder = { command, cwd, shell, cap, env: forCommand };
  child.stdin.on("error", () => undefined); // gone already: `ended` tells
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const leave = () => {
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref();
  };
  void ended.then(leave); // it stays with what the command left behind
  return {
    ready,
    ended,
    go: () => void child.stdin.end(`${GO}\n`),
    async giveUp() {
      child.stdin.end();
      await ended;
    },
    leave,
  };
}

function hear(child: ChildProcess): { readonly ready: Promise<Ready>; readonly ended: Promise<void> } {
  let tellReady: (heard: Ready) => void = () => undefined;
  let tellEnded: () => void = () => undefined;
  const ready = new Promise<Ready>((resolve) => (tellReady = resolve));
  const ended = new Promise<void>((resolve) => (tellEnded = resolve));
  const end = (problem: string) => {
    tellReady({ kind: "problem", problem });
    tellEnded();
  };
  child.once("error", (error) => end(error.message));
  // Not "exit": its last words may come after that.
  child.once("close", () => end("its supervisor ended at once"));
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const word = JSON.parse(line) as SupervisorWord;
      if (word.kind === "recorded") end("nothing said go");
      else tellReady(word);
    });
  }
  return { ready, ended };
}

/** Node's own variables are the command's business: in the supervisor they would load and print what they say. */
function splitEnv(env: NodeJS.ProcessEnv) {
  const own: NodeJS.ProcessEnv = {};
  const forCommand: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("NODE_") && value !== undefined) forCommand[name] = value;
    else own[name] = value;
  }
  return { own, forCommand };
}

/** Beside every chunk of the bundle; tests that run the sources take the last build. */
function supervisorFile(): string {
  const places = ["./supervisor.cjs", "../../../dist/supervisor.cjs"];
  const file = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((each) => existsSync(each));
  if (!file) throw new Error("the supervisor is not built: npm start");
  return file;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
