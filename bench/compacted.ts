// Does a conversation that was compacted a thousand times open as fast as one that was compacted once? By its first id:
// finding it, reading what a model gets of it, and its newest messages, on a fresh handle whose opening is not counted.
import { randomUUID } from "node:crypto";
import path from "node:path";
import { newHolderId, newRequestId } from "../src/ledger/ids.ts";
import type { LeaseRef } from "../src/ledger/leases.ts";
import { SessionDB } from "../src/ledger/session-db.ts";
import type { Envelope, Message, Session, TurnRef } from "../src/ledger/types.ts";
import type { Conversation } from "./conversations.ts";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";
import { requireSound, someParts, someText } from "./ledgers.ts";

const ONCE = "1 compaction";
const OFTEN = "1,000 compactions";
const WINDOW = 20;
const ROUTE = { provider: "bench", model: "bench" };

export async function benchCompacted(bench: Bench): Promise<Figure[]> {
  const often = bench.isQuick ? 200 : 1_000;
  // Both end in as many turns since the last compaction as fill the window.
  const sides = [
    { name: ONCE, ...compacted(bench, 1) },
    { name: OFTEN, ...compacted(bench, often) },
  ].map(({ name, ...conversation }) => ({ name, measure: () => open(conversation) }));
  const measured = await interleave(sides, { rounds: bench.isQuick ? 15 : 60, warmUp: 5 });
  return [
    compare(measured, {
      unit: "ms",
      side: OFTEN,
      base: ONCE,
      target: 1.5,
      what: "open what was compacted, fresh handle",
    }),
  ];
}

function open({ file, session }: Conversation): number {
  const db = new SessionDB({ path: file, program: "bench" });
  try {
    const start = performance.now();
    const resolved = db.resolveSession(session);
    if (resolved.kind !== "found") throw new Error(`the session is ${resolved.kind}`);
    const sent = db.contextPath(resolved.session.conversation);
    const { messages } = db.path(resolved.session.id, { limit: WINDOW });
    const took = performance.now() - start;
    if (messages.length !== WINDOW || sent.length !== WINDOW + 1)
      throw new Error("what was read is not what was meant");
    return took;
  } finally {
    db.close();
  }
}

function compacted(bench: Bench, times: number): Conversation {
  const file = path.join(bench.folder, "conversations", `compacted-${times}.db`);
  const db = new SessionDB({ path: file, program: "bench" });
  const session = db.createSession({ cwd: "/app", route: ROUTE, source: "bench" });
  const systemPrompt = db.putSystemPrompt("You are measured.");
  const envelope = { systemPrompt, tools: [], route: ROUTE, projection: 1, program: "bench" };
  const writer = new Writer(db, session, envelope);
  for (let n = 0; n < times; n += 1) {
    writer.turn(n);
    writer.compact();
  }
  for (let n = 0; n < WINDOW / 2; n += 1) writer.turn(times + n);
  db.close();
  requireSound(file);
  return { file, session: session.id };
}

class Writer {
  readonly #db: SessionDB;
  readonly #session: Session;
  readonly #envelope: Envelope;

  constructor(db: SessionDB, session: Session, envelope: Envelope) {
    this.#db = db;
    this.#session = session;
    this.#envelope = envelope;
  }

  turn(seed: number): void {
    const { lease, turn, message } = this.#start("prompt", seed);
    const at = Date.now();
    const last = { parent: message?.id, role: "assistant", parts: someParts(seed), at } as const;
    this.#db.settle(turn, { outcome: "completed", at, last: { ...last, ...ROUTE } });
    this.#db.releaseLease(lease);
  }

  compact(): void {
    const { lease, turn } = this.#start("compact", 0);
    const attempt = randomUUID();
    this.#db.beginCompaction(turn, { attempt, isAsked: true });
    const readUpTo = this.#db.canonical(this.#session.conversation).head;
    if (readUpTo === undefined) throw new Error("there is nothing to compact");
    const sizes = { folded: 2, before: 1_000, after: 100, isEffective: true, endsTurn: true };
    const summary = { attempt, text: "summed up", readUpTo, at: Date.now(), route: ROUTE, ...sizes };
    const made = this.#db.commitCompaction(turn, summary);
    if (made.kind !== "compacted") throw new Error(made.why);
    this.#db.releaseLease(lease);
  }

  #start(kind: "prompt" | "compact", seed: number): { lease: LeaseRef; turn: TurnRef; message?: Message } {
    const { id, conversation } = this.#session;
    this.#db.admit({
      request: newRequestId(),
      kind,
      payload: {
        prompt: kind === "compact" ? [] : [{ kind: "text", text: someText(seed) }],
        approval: "auto",
        cwd: "/app",
      },
      target: { kind: "session", asked: id },
      session: id,
    });
    const taken = this.#db.acquireLease({ conversation, holder: newHolderId(process.pid) });
    if (taken.kind !== "acquired") throw new Error(`the lease is ${taken.kind}`);
    const claimed = this.#db.claim(taken.lease, { at: Date.now(), envelope: this.#envelope });
    if (claimed.kind !== "claimed") throw new Error(`the turn is ${claimed.kind}`);
    return { lease: taken.lease, turn: claimed.turn, ...(claimed.message && { message: claimed.message }) };
  }
}
