// Ledgers to measure on: a conversation of any length, written in few transactions with the hashes and columns
// that `SessionDB` would give it (`verify` says so), and one with a turn that runs, ready for appends.
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { encodeParts, searchableText } from "../src/ledger/codec.ts";
import { messageHash, newHolderId, newRequestId } from "../src/ledger/ids.ts";
import { configure } from "../src/ledger/open.ts";
import { SessionDB } from "../src/ledger/session-db.ts";
import type { Hash, Message, MessageId, Part, Role, Session, SessionId, TurnRef } from "../src/ledger/types.ts";

export type Database = BetterSqlite3.Database;

const ROUTE = { provider: "bench", model: "bench" };
const TRANSACTION_ROWS = 4_000;
const require = createRequire(import.meta.url);

/** With the pragmas of `open.ts`, and nothing of SessionDB around it. */
export function openBare(file: string): Database {
  const Driver = require("better-sqlite3") as typeof BetterSqlite3;
  const db = new Driver(file, { fileMustExist: true, timeout: 250 });
  configure(db, file, false);
  return db;
}

const WORDS = Array.from({ length: 250 }, (_, at) => ((at + 1) * 2_654_435_761).toString(36).slice(-7)).join(" ");

/** About 2 KB of words, made at next to no cost, other ones for each seed. */
export function someText(seed: number): string {
  const from = (seed * 8) % WORDS.length;
  return Buffer.from(`${seed} ${WORDS.slice(from)} ${WORDS.slice(0, from)}`).toString("latin1");
}

export function someParts(seed: number): readonly Part[] {
  return [{ kind: "text", text: someText(seed) }];
}

/** One column each of table `messages`, in the order of `insertInto`. */
export interface NewRow {
  readonly hash: Hash;
  readonly session: SessionId;
  readonly parent: MessageId | null;
  readonly depth: number;
  readonly turn: number;
  readonly admission: number | null;
  readonly role: Role;
  readonly parts: string;
  readonly text: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly finishReason: string | null;
  readonly at: number;
}

export function insertInto(db: Database): BetterSqlite3.Statement<[NewRow]> {
  return db.prepare<[NewRow]>(
    `insert into messages (hash, session_id, parent_id, depth, turn, admission_id, role, parts, text, provider, model,
       finish_reason, usage, created_at)
     values (@hash, @session, @parent, @depth, @turn, @admission, @role, @parts, @text, @provider, @model,
       @finishReason, null, @at)`,
  );
}

export function touchSession(db: Database): BetterSqlite3.Statement<[number, number, string]> {
  return db.prepare<[number, number, string]>(
    `update sessions set head_id = ?, last_activity_at = max(last_activity_at, ?), revision = revision + 1 where id = ?`,
  );
}

type Parent = Pick<Message, "id" | "hash" | "depth" | "turn" | "at">;

export function rowUnder(
  parent: Parent | undefined,
  node: { session: SessionId; role: Role; parts: readonly Part[]; at: number; admission?: number },
): NewRow {
  const { session, role, at } = node;
  const parts = encodeParts(node.parts);
  const isAnswer = role === "assistant";
  return {
    hash: messageHash({ parentHash: parent?.hash, session, role, at, parts }),
    session,
    parent: parent?.id ?? null,
    depth: (parent?.depth ?? 0) + 1,
    turn: (parent?.turn ?? 0) + (role === "user" ? 1 : 0),
    admission: node.admission ?? null,
    role,
    parts,
    text: searchableText(node.parts),
    provider: isAnswer ? ROUTE.provider : null,
    model: isAnswer ? ROUTE.model : null,
    finishReason: isAnswer ? "stop" : null,
    at,
  };
}

/** A new ledger with one session: prompts and answers in turn, `count` messages of about 2 KB. */
export function buildConversation(file: string, count: number): SessionId {
  const { id, startedAt } = createLedger(file);
  const db = openBare(file);
  const insert = insertInto(db);
  const touch = touchSession(db);
  let head: Parent | undefined;
  const write = db.transaction((from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      const role = at % 2 === 0 ? "user" : "assistant";
      const row = rowUnder(head, { session: id, role, parts: someParts(at), at: startedAt + at + 1 });
      head = { ...row, id: Number(insert.run(row).lastInsertRowid) as MessageId };
    }
    if (head) touch.run(head.id, head.at, id);
  });
  for (let from = 0; from < count; from += TRANSACTION_ROWS) write(from, Math.min(count, from + TRANSACTION_ROWS));
  db.close();
  requireSound(file);
  return id;
}

/** Fails the bench when what it wrote is no ledger: then its figures would say nothing. */
export function requireSound(file: string): void {
  const db = new SessionDB({ path: file, program: "bench" });
  const violations = db.verify({ full: true });
  db.close();
  if (violations.length > 0) throw new Error(`${file}: ${violations.map((each) => each.detail).join("; ")}`);
}

function createLedger(file: string): Session {
  const db = new SessionDB({ path: file, program: "bench" });
  const session = db.createSession({ cwd: "/app", route: ROUTE, source: "bench" });
  db.close();
  return session;
}

export interface RunningTurn {
  readonly turn: TurnRef;
  /** The prompt: what the first append goes under. */
  readonly head: Message;
}

/** A new ledger with a turn that was claimed and not settled. The lease is a row: it outlives the closed handle. */
export function buildRunningTurn(file: string): RunningTurn {
  const { id, conversation } = createLedger(file);
  const db = new SessionDB({ path: file, program: "bench" });
  db.admit({
    request: newRequestId(),
    kind: "prompt",
    payload: { prompt: [{ kind: "text", text: someText(0) }], approval: "auto", cwd: "/app" },
    target: { kind: "session", asked: id },
    session: id,
  });
  const taken = db.acquireLease({ conversation, holder: newHolderId(process.pid) });
  if (taken.kind !== "acquired") throw new Error(`the lease is ${taken.kind}`);
  const systemPrompt = db.putSystemPrompt("You are measured.");
  const envelope = { systemPrompt, tools: [], route: ROUTE, projection: 1, program: "bench" };
  const claimed = db.claim(taken.lease, { at: Date.now(), envelope });
  if (claimed.kind !== "claimed" || !claimed.message) throw new Error(`the turn is ${claimed.kind}`);
  db.close();
  return { turn: claimed.turn, head: claimed.message };
}
