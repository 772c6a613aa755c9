// Steps of the model test about compaction: an attempt of a running turn that is begun, kept, given up, failed or
// committed, by the holder it belongs to or a late one. In the model a conversation is one session whatever its generation.
import { expect } from "vitest";
import type { NewSummary } from "../../src/ledger/compaction.ts";
import type { ConversationId, MessageId } from "../../src/ledger/types.ts";
import { type Expected, type LedgerModel, type ModelSession, type Node, TTL } from "./ledger-model.ts";
import { type LedgerWorld, ROUTE } from "./ledger-world.ts";
import { QUEUE_STEPS, type Step } from "./queue-steps.ts";
import { type Running, running, startedOnly, TURN_STEPS } from "./turn-steps.ts";

/** Few, so that a late one often meets the lock of another. */
const attemptOf = (n: number) => `attempt ${n % 2}`;

const beginCompaction: Step = (world, { who, a, b, n }) => {
  const current = running(world, { who, a });
  if (!current) return;
  const { turn } = current;
  const attempt = b % 3 === 0 ? world.unique("attempt of ") : attemptOf(n);
  const isAsked = b % 2 === 0;
  const begun = world.agree("beginCompaction", startedOnly(current), () =>
    world.dbs[who].beginCompaction(turn, { attempt, isAsked }),
  );
  if (!begun) return;
  const { model } = world;
  model.renewExpired(turn.conversation);
  const why = skipOf(model, turn.conversation, { who, isAsked });
  expect(begun).toMatchObject(why === undefined ? { kind: "began" } : { kind: "skipped", why });
  if (why === undefined) model.locks.set(turn.conversation, { who, attempt, expires: model.now + TTL });
};

function skipOf(model: LedgerModel, conversation: ConversationId, by: { who: 0 | 1; isAsked: boolean }) {
  const lock = model.locks.get(conversation);
  const isLocked = lock && lock.who !== by.who && lock.expires >= model.now && model.verdicts[lock.who] !== "dead";
  if (isLocked) return "locked";
  const { until, ineffective } = model.reluctances.get(conversation) ?? { until: 0, ineffective: 0 };
  if (by.isAsked) return undefined;
  return until > model.now ? "cooldown" : ineffective >= 3 ? "ineffective" : undefined;
}

const renewCompaction: Step = (world, { who, a, n }) => {
  const conversation = world.conversation(a);
  if (conversation === undefined) return;
  const attempt = lockedOr(world, conversation, n);
  const lock = world.model.locks.get(conversation);
  expect(world.dbs[who].renewCompaction({ conversation, attempt })).toBe(lock?.attempt === attempt);
  if (lock?.attempt === attempt) lock.expires = world.model.now + TTL;
};

const cancelCompaction: Step = (world, { who, a, n }) => {
  const conversation = world.conversation(a);
  if (conversation === undefined) return;
  const attempt = lockedOr(world, conversation, n);
  world.dbs[who].cancelCompaction({ conversation, attempt });
  if (world.model.locks.get(conversation)?.attempt === attempt) world.model.locks.delete(conversation);
};

const failCompaction: Step = (world, { who, a, b, n }) => {
  const current = running(world, { who, a });
  if (!current) return;
  const { conversation } = current.turn;
  const attempt = lockedOr(world, conversation, n);
  const failure = { error: "a test", cooldownMs: 1_000 * (1 + b), isIneffective: b % 2 === 0 };
  const failed = world.agree("failCompaction", current.fence, () => {
    world.dbs[who].failCompaction(current.turn, attempt, failure);
    return true;
  });
  const { model } = world;
  if (!failed) return;
  model.renewExpired(conversation);
  if (model.locks.get(conversation)?.attempt !== attempt) return;
  model.locks.delete(conversation);
  const { until, ineffective } = model.reluctances.get(conversation) ?? { until: 0, ineffective: 0 };
  model.reluctances.set(conversation, {
    until: Math.max(until, model.now + failure.cooldownMs),
    ineffective: ineffective + (failure.isIneffective ? 1 : 0),
  });
};

/** Mostly the one that holds the lock. */
function lockedOr(world: LedgerWorld, conversation: ConversationId, n: number): string {
  return (n < 3 ? world.model.locks.get(conversation)?.attempt : undefined) ?? attemptOf(n);
}

const commitCompaction: Step = (world, { who, a, b, n }) => {
  const current = running(world, { who, a });
  const { model } = world;
  const session = current?.session;
  const nodes = session ? model.path(session.head) : [];
  const head = nodes.at(-1);
  if (!current || !session || !head) return;
  const { conversation } = current.turn;
  const picked = nodes[b % nodes.length] ?? head;
  const known = [...model.nodes.keys()];
  const prompts = nodes.filter(({ role }) => role === "user");
  const kept = b % 3 === 0 ? picked : (prompts[b % prompts.length] ?? picked);
  const summary: NewSummary = {
    attempt: lockedOr(world, conversation, n),
    text: world.unique("summary "),
    readUpTo: b % 7 === 0 ? (known[b % known.length] ?? head.id) : b % 5 === 0 ? picked.id : head.id,
    ...(b % 2 === 0 && { keptFrom: b % 11 === 0 ? (known[b % known.length] ?? kept.id) : kept.id }),
    folded: 1,
    before: 10,
    after: b % 13 === 0 ? 10 : 1,
    isEffective: b % 3 > 0,
    at: model.now,
    route: ROUTE,
    endsTurn: false,
  };
  const stored = model.compacted.get(conversation);
  const isRepeat = stored !== undefined && stored.attempt === summary.attempt;
  const expected = isRepeat ? current.fence : commitAnswer(world, { current, session, summary });
  const made = world.agree("commitCompaction", expected, () => world.dbs[who].commitCompaction(current.turn, summary));
  if (current.fence === "ok" && (isRepeat || expected !== "lease_lost")) model.renewExpired(conversation);
  if (made?.kind !== "compacted") return;
  if (isRepeat) {
    expect(made.message.id).toBe(stored.message);
    return;
  }
  session.undone.length = 0;
  model.addNode(session, { id: made.message.id, role: "summary", text: summary.text });
  model.locks.delete(conversation);
  model.compacted.set(conversation, { attempt: summary.attempt, message: made.message.id });
  const ineffective = model.reluctances.get(conversation)?.ineffective ?? 0;
  model.reluctances.set(conversation, { until: 0, ineffective: summary.isEffective ? 0 : ineffective + 1 });
  expectContext(world, session, summary);
};

/** What a model gets: what is kept, and what came from the summary on. */
function expectContext(world: LedgerWorld, session: ModelSession, { keptFrom }: NewSummary): void {
  const path = world.model.path(session.head).map(({ id }) => id);
  const kept = keptFrom === undefined ? path.slice(-1) : path.slice(path.indexOf(keptFrom));
  for (const db of world.dbs)
    expect(db.contextPath(session.id as string as ConversationId).map(({ id }) => id)).toEqual(kept);
}

function commitAnswer(
  { model }: LedgerWorld,
  { current, session, summary }: { current: Running; session: ModelSession; summary: NewSummary },
): Expected {
  const started = startedOnly(current);
  if (started !== "ok") return started;
  const { readUpTo, keptFrom, attempt, after, before } = summary;
  const lock = model.locks.get(current.turn.conversation);
  const read = model.nodes.get(readUpTo);
  const isMine = lock?.attempt === attempt && lock.expires >= model.now;
  if (!isMine || after >= before || !read || !model.isOnPath(session, readUpTo)) return "conflict";
  if (session.head === undefined || model.hasOpenCallAt(session.head)) return "conflict";
  if (keptFrom === undefined) return session.head === readUpTo ? "ok" : "conflict";
  return mayBeginAt(model, session, { kept: model.nodes.get(keptFrom), read }) ? "ok" : "conflict";
}

function mayBeginAt(model: LedgerModel, session: ModelSession, at: { kept: Node | undefined; read: Node }): boolean {
  const { kept, read } = at;
  if (!kept || kept.role !== "user" || !model.isOnPath(session, kept.id)) return false;
  const depth = (id: MessageId) => model.path(id).length;
  if (depth(kept.id) > depth(read.id) + 1) return false;
  return kept.parent === undefined || !model.hasOpenCallAt(kept.parent);
}

/** A turn in which it works, where nothing is in the way; and now and then an undo of it. */
const wholeCompaction: Step = (world, { who, a, b, n }) => {
  const { admit, acquire, releaseLease, setTitle, setArchived, undo, redo } = QUEUE_STEPS;
  const { claim, settle } = TURN_STEPS;
  for (const part of [admit, acquire, claim]) part(world, { who, a, b: 4 * b, n: 0 });
  // What is put away while it runs stays away, and another one may have its title then.
  if (n === 1) for (const part of [setTitle, setArchived]) part(world, { who, a, b, n: 0 });
  if (n === 1) setTitle(world, { who, a: a + 1, b, n: 0 });
  beginCompaction(world, { who, a, b: 6 * b, n });
  commitCompaction(world, { who, a, b, n: 0 });
  for (const part of [settle, releaseLease]) part(world, { who, a, b: 1, n: b % 2 === 0 ? 4 : 0 });
  if (n > 1) undo(world, { who, a, b, n: 0 });
  if (n > 3) redo(world, { who, a, b, n: 0 });
};

export const COMPACTION_STEPS = {
  beginCompaction,
  renewCompaction,
  cancelCompaction,
  failCompaction,
  commitCompaction,
  wholeCompaction,
} satisfies { [name: string]: Step };
