// What runs in a child process of a ledger test: SessionDB verbs and raw SQL, asked over the IPC channel one
// at a time. `ledger-process.ts` bundles this file and is the other end. Two holders are two processes here,
// because two connections of one process prove nothing about locks.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { plainError } from "../../src/ledger/errors.ts";
import { currentProcess } from "../../src/ledger/identity.ts";
import { newHolderId } from "../../src/ledger/ids.ts";
import { OPEN_STEPS } from "../../src/ledger/open.ts";
import { SessionDB, type SessionDBOptions } from "../../src/ledger/session-db.ts";
import type { ConversationId, RequestId, SessionId } from "../../src/ledger/types.ts";

export interface SqlAnswer {
  readonly rows?: readonly unknown[];
  readonly error?: { readonly code: string; readonly message: string };
}

const require = createRequire(import.meta.url);
let db: SessionDB | undefined;

function handle(): SessionDB {
  if (!db) throw new Error("the child has no ledger open");
  return db;
}

const commands = {
  open(options: SessionDBOptions) {
    db = new SessionDB(options);
    return db.info();
  },
  close() {
    db?.close();
    db = undefined;
  },
  self: () => currentProcess("test"),
  becomeIn,
  verb(name: string, args: readonly unknown[]) {
    const method = handle()[name as keyof SessionDB] as (...args: readonly unknown[]) => unknown;
    return method.apply(handle(), [...args] as never);
  },
  sql,
  lock,
  unlockAfter,
  failAtEachStep,
  openAndClose,
  countOpenFiles,
  runTurns,
};
export type Commands = typeof commands;

/** Each statement by itself on one connection of its own; foreign keys are on. */
function sql(path: string, statements: readonly string[]): SqlAnswer[] {
  const Database = require("better-sqlite3") as typeof BetterSqlite3;
  const raw = new Database(path);
  raw.pragma("foreign_keys = on");
  try {
    return statements.map((text) => answerTo(raw, text));
  } finally {
    raw.close();
  }
}

function answerTo(raw: BetterSqlite3.Database, text: string): SqlAnswer {
  try {
    const statement = raw.prepare(text);
    if (statement.reader) return { rows: statement.all() };
    statement.run();
    return {};
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return { error: { code: code ?? "", message } };
  }
}

/** Another user from now on, standing in the folder: whether its parents may be entered is then no question. */
function becomeIn(uid: number, folder: string): void {
  const Database = require("better-sqlite3") as typeof BetterSqlite3;
  new Database(":memory:").close(); // loads the addon while that is still allowed
  process.chdir(folder);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

let locked: BetterSqlite3.Database | undefined;

/** Takes a database for itself, as repair and restore do. */
function lock(path: string): void {
  const Database = require("better-sqlite3") as typeof BetterSqlite3;
  locked = new Database(path);
  locked.exec("begin exclusive");
}

function unlockAfter(ms: number): void {
  breathe(ms);
  locked?.close();
}

function countOpenFiles(): { files: number; threads: number } {
  return { files: readdirSync("/proc/self/fd").length, threads: readdirSync("/proc/self/task").length };
}

/** An open that throws before each of its steps, `times` times; returns how many came through all the same. */
function failAtEachStep(path: string, times: number): number {
  let opened = 0;
  for (let at = 0; at < times; at += 1) {
    for (const failing of OPEN_STEPS) {
      try {
        new SessionDB({ path, onStep: (step) => failWhen(step === failing) }).close();
        opened += 1;
      } catch (error) {
        if (!(error as Error).message.includes("step fails")) throw error;
      }
    }
  }
  return opened;
}

function failWhen(isWanted: boolean): void {
  if (isWanted) throw new Error("step fails");
}

function openAndClose(path: string, times: number): void {
  for (let at = 0; at < times; at += 1) new SessionDB({ path }).close();
}

/** Whole turns of this process, each under a lease of its own; waits while another one holds the conversation. */
function runTurns(wanted: { session: SessionId; conversation: ConversationId; name: string; turns: number }): void {
  const ledger = handle();
  const route = { provider: "guide", model: "guide" };
  const envelope = { systemPrompt: ledger.putSystemPrompt("test"), tools: [], route, projection: 1, program: "test" };
  for (let n = 0; n < wanted.turns; n += 1) {
    const text = `${wanted.name} ${n}`;
    ledger.admit({
      request: `${wanted.name}-${n}` as RequestId,
      kind: "prompt",
      payload: { prompt: [{ kind: "text", text }], approval: "auto", cwd: "/" },
      target: { kind: "session", asked: wanted.session },
      session: wanted.session,
    });
    while (!oneTurn(ledger, { ...wanted, text, envelope })) breathe(2);
  }
}

function oneTurn(
  ledger: SessionDB,
  wanted: { conversation: ConversationId; text: string; envelope: Parameters<SessionDB["claim"]>[1]["envelope"] },
): boolean {
  const holder = newHolderId(process.pid);
  const acquired = ledger.acquireLease({ conversation: wanted.conversation, holder });
  if (acquired.kind === "held") return false;
  try {
    const claimed = ledger.claim(acquired.lease, { at: Date.now(), envelope: wanted.envelope });
    if (claimed.kind !== "claimed") return false;
    let parent = claimed.message?.id;
    for (const step of ["first", "second"]) {
      const parts = [{ kind: "text", text: `${wanted.text} ${step}` }] as const;
      parent = ledger.append(claimed.turn, { parent, role: "assistant", parts, at: Date.now() }).message.id;
    }
    const parts = [{ kind: "text", text: `${wanted.text} done` }] as const;
    ledger.settle(claimed.turn, {
      outcome: "completed",
      at: Date.now(),
      last: { parent, role: "assistant", parts, at: Date.now() },
    });
    return true;
  } finally {
    ledger.releaseLease(acquired.lease);
  }
}

function breathe(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

process.on("message", ({ id, command, args }: { id: number; command: keyof Commands; args: readonly never[] }) => {
  try {
    const action = commands[command] as (...args: readonly never[]) => unknown;
    process.send?.({ id, value: action(...args) });
  } catch (error) {
    process.send?.({ id, error: plainError(error) });
  }
});
process.on("disconnect", () => process.exit(0));
process.send?.({ id: 0 });
