// A ledger of its own for each test, and the few moves that most tests begin with.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect } from "vitest";
import { typedPrompt } from "../../src/agent/typed-command.ts";
import { newHolderId } from "../../src/ledger/ids.ts";
import type { LeaseRef } from "../../src/ledger/leases.ts";
import { SessionDB, type SessionDBOptions } from "../../src/ledger/session-db.ts";
import type {
  AdmissionId,
  Envelope,
  Hash,
  HolderId,
  Message,
  Payload,
  RequestId,
  Session,
  ToolCall,
  TurnRef,
} from "../../src/ledger/types.ts";

const open = new Set<SessionDB>();
const folders = new Set<string>();

afterEach(() => {
  for (const db of open) {
    const violations = db.verify({ full: true });
    db.close();
    expect(violations).toEqual([]);
  }
  open.clear();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
});

/** In memory where the system has such a place: for tests that a disk would only slow down. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Removed after the test. */
export function temporaryFolder(inside = tmpdir()): string {
  const folder = mkdtempSync(path.join(inside, "stele-test-"));
  folders.add(folder);
  return folder;
}

/** Verified in full and closed after the test. */
export function openLedger(options: Partial<SessionDBOptions> = {}): SessionDB {
  const db = new SessionDB({ path: path.join(temporaryFolder(), "state.db"), ...options });
  open.add(db);
  return db;
}

/** For a test that closes it itself. */
export function forget(db: SessionDB): void {
  open.delete(db);
}

export const ROUTE = { provider: "guide", model: "guide" } as const;

export function newSession(db: SessionDB, more: { cwd?: string; title?: string } = {}): Session {
  return db.createSession({
    cwd: more.cwd ?? "/work/app",
    route: ROUTE,
    source: "test",
    ...(more.title && { title: more.title }),
  });
}

export function prompt(text: string, cwd = "/work/app"): Payload {
  return { prompt: [{ kind: "text", text }], approval: "auto", cwd };
}

let requests = 0;
export function requestId(): RequestId {
  requests += 1;
  return `request-${requests}` as RequestId;
}

export function holder(): HolderId {
  return newHolderId(process.pid);
}

export function envelope(db: SessionDB): Envelope {
  const systemPrompt: Hash = db.putSystemPrompt("You are a test.");
  return { systemPrompt, tools: [], route: ROUTE, projection: 1, program: "test" };
}

export function acquire(db: SessionDB, session: Session, by: HolderId = holder()): LeaseRef {
  const result = db.acquireLease({ conversation: session.conversation, holder: by });
  if (result.kind !== "acquired") throw new Error(`lease is ${result.kind}`);
  return result.lease;
}

export interface StartedTurn {
  readonly lease: LeaseRef;
  readonly turn: TurnRef;
  readonly admission: AdmissionId;
  readonly message: Message;
}

/** Admitted, claimed and started. */
export function startTurn(db: SessionDB, session: Session, asked: string | Payload = "hello"): StartedTurn {
  const { admission } = db.admit({
    request: requestId(),
    kind: "prompt",
    payload: typeof asked === "string" ? prompt(asked) : asked,
    target: { kind: "session", asked: session.id },
    session: session.id,
  });
  const lease = acquire(db, session);
  const claimed = db.claim(lease, { at: Date.now(), envelope: envelope(db) });
  if (claimed.kind !== "claimed" || !claimed.message) throw new Error(`claim says ${claimed.kind}`);
  return { lease, turn: claimed.turn, admission: admission.id, message: claimed.message };
}

export interface StartedCommand extends StartedTurn {
  /** Allowed, and not started. */
  readonly call: ToolCall;
}

/** `!command` or `!!command`, claimed. */
export function startCommand(db: SessionDB, session: Session, text: string): StartedCommand {
  const { admission } = db.admit({
    request: requestId(),
    kind: "shell",
    payload: typed(text),
    target: { kind: "session", asked: session.id },
    session: session.id,
  });
  const lease = acquire(db, session);
  const claimed = db.claim(lease, { at: Date.now(), envelope: envelope(db) });
  if (claimed.kind !== "claimed" || !claimed.message) throw new Error(`claim says ${claimed.kind}`);
  const [call] = db.callsOf(admission.id);
  if (!call) throw new Error("a command has no call");
  return { lease, turn: claimed.turn, admission: admission.id, message: claimed.message, call };
}

export function typed(text: string): Payload {
  const asked = typedPrompt(text);
  if (!asked) throw new Error(`${text} is no command`);
  return { ...prompt(text), prompt: asked };
}

/** A whole turn: a prompt and its answer. Returns the answer. */
export function runTurn(db: SessionDB, session: Session, text = "hello", answer = "world"): Message {
  const { turn, message, lease } = startTurn(db, session, text);
  const settled = db.settle(turn, {
    outcome: "completed",
    at: Date.now(),
    last: {
      parent: message.id,
      role: "assistant",
      parts: [{ kind: "text", text: answer }],
      at: Date.now(),
      provider: "guide",
      model: "guide",
      usage: { inputTokens: 3, outputTokens: 2 },
    },
    usage: { inputTokens: 3, outputTokens: 2 },
  });
  db.releaseLease(lease);
  const last = settled.messages.at(-1);
  if (!last) throw new Error("no answer was stored");
  return last;
}
