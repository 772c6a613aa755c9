// Steps of the model test about running turns: claim, append, steer, calls, settle, and the unknown ones.
import { expect } from "vitest";
import type { LeaseRef } from "../../src/ledger/leases.ts";
import type { CallProof } from "../../src/ledger/tool-calls.ts";
import type { NewMessage, Settled } from "../../src/ledger/turns.ts";
import type { CallState, ConversationId, Envelope, Message, TurnRef } from "../../src/ledger/types.ts";
import type { Expected, ModelAdmission, ModelCall, ModelSession, Who } from "./ledger-model.ts";
import { type LedgerWorld, ROUTE, textOf } from "./ledger-world.ts";
import { type Picks, QUEUE_STEPS, type Step, setAside } from "./queue-steps.ts";

const EFFECTS = ["none", "idempotent", "reversible", "external"] as const;

function envelopeOf(world: LedgerWorld): Envelope {
  const systemPrompt = world.dbs[0].putSystemPrompt("You are a test.");
  return { systemPrompt, tools: [], route: ROUTE, projection: 1, program: "test" };
}

const claim: Step = (world, { who, a }) => {
  const conversation = world.conversation(a);
  if (conversation === undefined) return;
  const { model } = world;
  const ref = world.lease(who, conversation);
  const session = model.sessionOf(conversation);
  const mine = model.mayWrite(who, ref);
  const expected = mine ? (session ? "ok" : "not_found") : "lease_lost";
  const envelope = envelopeOf(world);
  const result = world.agree("claim", expected, () => world.dbs[who].claim(ref, { at: model.now, envelope }));
  if (!session || !result) return;
  model.renewExpired(conversation);
  const stuck = model.open(conversation).find((row) => row.status !== "queued");
  const taken = stuck ? undefined : nextOf(world, who, conversation);
  const isRepeat = stuck?.status === "started" && stuck.owner === who && stuck.epoch === ref.epoch;
  const kind = isRepeat
    ? "claimed"
    : stuck
      ? "blocked"
      : taken === undefined
        ? "nothing"
        : taken.isLeft
          ? "left"
          : "claimed";
  expect({ kind: result.kind, id: "admission" in result ? result.admission.id : undefined }).toEqual({
    kind,
    id: (stuck ?? taken?.row)?.id,
  });
  if (result.kind !== "claimed" || !taken || !result.message) return;
  const { row } = taken;
  Object.assign(row, { status: "started", owner: who, epoch: ref.epoch });
  model.addNode(session, { id: result.message.id, role: "user", text: row.text }, true);
  if (session.title === undefined) Object.assign(session, { title: row.text, titleSource: "derived" });
  world.turns[who].set(conversation, result.turn);
};

/** The lowest row that is not held; what it sets aside on the way is set aside in the model too. */
function nextOf(world: LedgerWorld, who: Who, conversation: ConversationId) {
  const { model } = world;
  const session = model.sessionOf(conversation);
  for (const row of model.open(conversation)) {
    if (row.isHeld) continue;
    if (row.submitter !== who) {
      if (model.verdicts[row.submitter] !== "dead") return { row, isLeft: true };
      setAside(row);
    } else if (row.base !== undefined && session && !model.isOnPath(session, row.base)) row.isHeld = true;
    else return { row, isLeft: false };
  }
  return undefined;
}

export interface Running {
  readonly turn: TurnRef;
  readonly row: ModelAdmission | undefined;
  readonly session: ModelSession | undefined;
  /** What a verb of this turn must answer before it looks at anything else. */
  readonly fence: Expected;
}

export function running(world: LedgerWorld, { who, a }: Pick<Picks, "who" | "a">): Running | undefined {
  const conversation = world.conversation(a);
  const turn = conversation && world.turns[who].get(conversation);
  if (!turn) return undefined;
  const row = world.model.admissions.get(turn.admission);
  const fence = world.model.mayWriteTurn(who, turn) ? "ok" : "lease_lost";
  return { turn, row, session: world.model.sessionOf(turn.conversation), fence };
}

export function startedOnly({ fence, row }: Running): Expected {
  return fence === "ok" && row?.status !== "started" ? "lease_lost" : fence;
}

const append: Step = (world, { who, a, b, n }) => {
  const current = running(world, { who, a });
  if (!current) return;
  const { turn, session } = current;
  const { model } = world;
  const calls = Array.from({ length: n === 1 ? 2 : n === 2 ? 1 : 0 }, (_, at) => ({
    call: `c${at}`,
    tool: "shell",
    input: { at },
    effect: EFFECTS[(b + at) % 4] ?? "none",
  }));
  const head = session?.head;
  const isStale = b % 7 === 0;
  const parent = isStale ? (head === undefined ? undefined : model.nodes.get(head)?.parent) : head;
  const text = { kind: "text", text: world.unique("answer ") } as const;
  const parts = [text, ...calls.map(({ call, tool, input }) => ({ kind: "tool-call", call, tool, input }) as const)];
  const message: NewMessage = { parent, role: "assistant", parts, at: model.now, ...ROUTE, usage: USAGE };
  const allowed = startedOnly(current);
  const expected = allowed === "ok" && isStale ? "stale_head" : allowed;
  const added = world.agree("append", expected, () => world.dbs[who].append(turn, message, calls));
  if (!added || !session) return;
  model.renewExpired(turn.conversation);
  model.answers.delete(turn.conversation);
  model.addNode(session, { id: added.message.id, role: "assistant", text: textOf(parts) });
  for (const call of added.calls) {
    const { id, effect } = call;
    const fresh = { state: "proposed", attempts: 0, result: undefined } as const;
    model.calls.set(id, { id, message: added.message.id, admission: turn.admission, effect, ...fresh });
    world.allCalls.push(id);
  }
  world.appends.set(who, { turn, message, calls, id: added.message.id });
};

const USAGE = { inputTokens: 2, outputTokens: 1, cacheReadTokens: 1 } as const;

/** The acknowledgement got lost and the caller asks again: the same node, and nothing more. */
const appendAgain: Step = (world, { who }) => {
  const last = world.appends.get(who);
  if (!last) return;
  const { turn } = last;
  const row = world.model.admissions.get(turn.admission);
  const isOpen = world.model.mayWriteTurn(who, turn) && row?.status === "started";
  const again = world.agree("appendAgain", isOpen ? "ok" : "lease_lost", () =>
    world.dbs[who].append(turn, last.message, last.calls),
  );
  if (!again) return;
  world.model.renewExpired(turn.conversation);
  expect(again.message.id).toBe(last.id);
  expect(again.calls).toHaveLength(last.calls?.length ?? 0);
};

const takeSteer: Step = (world, { who, a }) => {
  const current = running(world, { who, a });
  if (!current) return;
  const { turn, session } = current;
  const { model } = world;
  const expected = startedOnly(current);
  const steered = world.agree("takeSteer", expected, () => world.dbs[who].takeSteer(turn, model.now));
  if (expected !== "ok" || !session) return;
  model.renewExpired(turn.conversation);
  const steer = model
    .open(turn.conversation)
    .find((row) => row.kind === "steer" && row.status === "queued" && !row.isHeld);
  expect(steered?.admission.id).toBe(steer?.id);
  if (!steered || !steer) return;
  Object.assign(steer, { status: "terminal", outcome: "steered" });
  model.addNode(session, { id: steered.message.id, role: "user", text: steer.text });
};

const settle: Step = (world, { who, a, b, n }) => {
  const current = running(world, { who, a });
  if (!current) return;
  const { turn, row, session } = current;
  const { model } = world;
  const outcome = n < 2 ? "completed" : n === 2 ? "failed" : "interrupted";
  const isAnswered = n !== 4 && n !== 1;
  const isStale = b % 7 === 0 && isAnswered;
  const head = session?.head;
  const parent = isStale ? (head === undefined ? undefined : model.nodes.get(head)?.parent) : head;
  const text = world.unique("last ");
  const last = { parent, role: "assistant", parts: [{ kind: "text", text }], at: model.now, ...ROUTE } as const;
  const expected = settleAnswer(world, current, { outcome, isAnswered, isStale });
  const settled = world.agree("settle", expected, () =>
    world.dbs[who].settle(turn, { outcome, at: model.now, ...(isAnswered && { last }) }),
  );
  if (!settled || !row || !session) return;
  model.renewExpired(turn.conversation);
  if (row.status === "terminal") {
    expect(settled).toMatchObject({ admission: { id: row.id, outcome: row.outcome }, messages: [] });
    return;
  }
  closeCalls(world, session, row, settled);
  if (isAnswered) addLast(world, session, settled.messages.at(-1));
  model.answers.delete(turn.conversation);
  Object.assign(row, { status: "terminal", outcome });
  model.steersBecomePrompts(turn.conversation);
};

function settleAnswer(
  world: LedgerWorld,
  current: Running,
  how: { outcome: string; isAnswered: boolean; isStale: boolean },
): Expected {
  const { row, session, fence } = current;
  if (fence !== "ok" || row?.status === "terminal") return fence;
  if (row?.status !== "started") return "lease_lost";
  if (how.isStale) return "stale_head";
  if (how.outcome !== "completed" || how.isAnswered) return "ok";
  const hasOpen = world.model.openCalls(row.id).length > 0;
  const role = session?.head === undefined ? undefined : world.model.nodes.get(session.head)?.role;
  return !hasOpen && role === "assistant" ? "ok" : "illegal_edge";
}

/** Every call without a result got one, in order; what began is unknown, what did not is skipped. */
function closeCalls(world: LedgerWorld, session: ModelSession, row: ModelAdmission, settled: Settled): void {
  for (const [at, call] of world.model.openCalls(row.id).entries()) {
    const node = settled.messages[at];
    const isDoubtful = call.state === "approved" && call.attempts > 0 && call.effect === "external";
    const isStarted = call.state === "running" || call.state === "unknown" || isDoubtful;
    expect(textOf(node?.parts ?? [])).toMatch(isStarted ? / unknown$/ : / cancelled$/);
    addLast(world, session, node);
    call.state = isStarted ? "unknown" : "skipped";
    call.result = node?.id;
  }
}

function addLast(world: LedgerWorld, session: ModelSession, node: Message | undefined): void {
  if (!node) throw new Error("a node is missing in the answer");
  world.model.addNode(session, { id: node.id, role: node.role, text: textOf(node.parts) });
}

const markUnknown: Step = (world, { who, a, n }) => {
  const current = running(world, { who, a });
  if (!current || n !== 0) return;
  world.agree("markUnknown", current.fence, () => world.dbs[who].markUnknown(current.turn));
  if (current.fence !== "ok") return;
  world.model.renewExpired(current.turn.conversation);
  if (current.row?.status === "started") current.row.status = "unknown";
};

/** Verbs of one call by its turn: the fence first, then whose call it is, then the state of the turn. */
export function callStep(
  name: string,
  act: (world: LedgerWorld, picks: Picks, call: ModelCall, turn: TurnRef) => void,
  allowed: (call: ModelCall, picks: Picks, row: ModelAdmission | undefined) => Expected,
): Step {
  return (world, picks) => {
    const id = world.callId(picks.b);
    const call = id === undefined ? undefined : world.model.calls.get(id);
    const row = call && world.model.admissions.get(call.admission);
    const turn = row && world.turns[picks.who].get(row.conversation);
    if (!call || !turn) return;
    const fence = world.model.mayWriteTurn(picks.who, turn) ? "ok" : "lease_lost";
    const isOwn = call.admission === turn.admission;
    const expected = fence === "ok" && isOwn ? allowed(call, picks, row) : "lease_lost";
    const done = world.agree(name, expected, () => {
      act(world, picks, call, turn);
      return true;
    });
    if (done) world.model.renewExpired(turn.conversation);
  };
}

export function whenStarted(row: ModelAdmission | undefined, states: readonly CallState[], call: ModelCall): Expected {
  if (row?.status !== "started") return "lease_lost";
  return states.includes(call.state) ? "ok" : "illegal_edge";
}

const approveCall = callStep(
  "approveCall",
  (world, { who }, call, turn) => {
    world.dbs[who].approveCall(turn, call.id, "mode");
    if (call.state === "proposed") call.state = "approved";
  },
  (call, _, row) => whenStarted(row, ["proposed", "approved", "running"], call),
);

const startCall = callStep(
  "startCall",
  (world, { who }, call, turn) => {
    world.dbs[who].startCall(turn, call.id);
    if (call.state === "approved") call.attempts += 1;
    call.state = "running";
  },
  (call, _, row) => whenStarted(row, ["approved", "running"], call),
);

const ENDS = ["succeeded", "failed", "cancelled", "denied", "skipped"] as const;
const FROM: { readonly [K in (typeof ENDS)[number]]: readonly CallState[] } = {
  succeeded: ["running", "unknown"],
  failed: ["running", "unknown"],
  cancelled: ["running", "unknown"],
  denied: ["proposed"],
  skipped: ["proposed", "approved"],
};

const finishCall = callStep(
  "finishCall",
  (world, { who, n }, call, turn) => {
    const { model } = world;
    const end = ENDS[n] ?? "succeeded";
    const outcome = { kind: "ok", output: world.unique("output ") } as const;
    const finished = world.dbs[who].finishCall(turn, { id: call.id, end, outcome, at: model.now });
    const session = model.sessionOf(turn.conversation);
    if (call.result !== undefined || !session) {
      expect(finished.message.id).toBe(call.result);
      return;
    }
    addLast(world, session, finished.message);
    Object.assign(call, { state: end, result: finished.message.id });
  },
  (call, { n }, row) => (call.result !== undefined ? "ok" : whenStarted(row, FROM[ENDS[n] ?? "succeeded"], call)),
);

const markCallUnknown = callStep(
  "markCallUnknown",
  (world, { who }, call, turn) => {
    world.dbs[who].markCallUnknown(turn, call.id, "a test");
    call.state = "unknown";
  },
  (call, _, row) => whenStarted(row, ["running", "unknown"], call),
);

function unknownRow(
  world: LedgerWorld,
  { who, a }: Picks,
): { row: ModelAdmission; ref: LeaseRef; mine: boolean } | undefined {
  const id = world.admission(a);
  const row = id === undefined ? undefined : world.model.admissions.get(id);
  if (!row) return undefined;
  const ref = world.lease(who, row.conversation);
  return { row, ref, mine: world.model.mayWrite(who, ref) };
}

const settleUnknown: Step = (world, picks) => {
  const found = unknownRow(world, picks);
  if (!found) return;
  const { row, ref, mine } = found;
  const { model } = world;
  const isFine = row.status === "unknown" || row.status === "terminal";
  const expected = mine ? (isFine ? "ok" : "illegal_edge") : "lease_lost";
  const keepDraft = picks.b % 2 === 0;
  const note = world.unique("over ");
  const settlement = { id: row.id, outcome: "interrupted", note, at: model.now, keepDraft } as const;
  const settled = world.agree("settleUnknown", expected, () => world.dbs[picks.who].settleUnknown(ref, settlement));
  const session = model.sessionOf(row.conversation);
  if (!settled || !session) return;
  model.renewExpired(row.conversation);
  if (row.status === "terminal") return;
  closeCalls(world, session, row, settled);
  const draft = model.answers.get(row.conversation);
  const isKept = keepDraft && draft?.admission === row.id && draft.text !== "" && draft.parent === session.head;
  expect(settled.messages.filter(({ role }) => role === "assistant").map(({ parts }) => textOf(parts))).toEqual(
    isKept ? [draft.text] : [],
  );
  if (isKept) addLast(world, session, settled.messages.at(-2));
  model.answers.delete(row.conversation);
  addLast(world, session, settled.messages.at(-1));
  Object.assign(row, { status: "terminal", outcome: "interrupted" });
  model.steersBecomePrompts(row.conversation);
};

const resumeUnknown: Step = (world, picks) => {
  const found = unknownRow(world, picks);
  if (!found) return;
  const { row, ref, mine } = found;
  const undecided = world.model.openCalls(row.id).some((call) => call.state === "running" || call.state === "unknown");
  const isOpen = row.status === "unknown" && !undecided;
  const expected = mine ? (isOpen ? "ok" : "conflict") : "lease_lost";
  const resumed = world.agree("resumeUnknown", expected, () => world.dbs[picks.who].resumeUnknown(ref, row.id));
  if (mine) world.model.renewExpired(row.conversation);
  if (resumed?.kind !== "resumed") return;
  Object.assign(row, { status: "started", owner: picks.who, epoch: ref.epoch, isHeld: false });
  world.model.answers.delete(row.conversation);
  world.turns[picks.who].set(row.conversation, resumed.turn);
};

const reconcileCalls: Step = (world, picks) => {
  const found = unknownRow(world, picks);
  if (!found) return;
  const { row, ref, mine } = found;
  const open = world.model.openCalls(row.id);
  const proven = picks.n === 0 ? undefined : open[picks.b % Math.max(1, open.length)];
  const proofs = proven ? [proofOf(proven.id, picks.n)] : [];
  const done = world.agree("reconcileCalls", mine ? "ok" : "lease_lost", () =>
    world.dbs[picks.who].reconcileCalls(ref, row.id, { proofs, at: world.model.now }),
  );
  if (!done) return;
  world.model.renewExpired(row.conversation);
  if (row.status !== "unknown") return;
  for (const call of open) {
    const proof = call === proven ? proofs[0] : undefined;
    if (call.state !== "running" && !(call.state === "unknown" && proof)) continue;
    call.state = judged(call, proof);
    call.result = done.find(({ id }) => id === call.id)?.result;
    const session = world.model.sessionOf(row.conversation);
    if (call.result !== undefined && session) addLast(world, session, world.dbs[picks.who].message(call.result));
  }
};

function proofOf(id: ModelCall["id"], n: number): CallProof {
  const evidence = "a test";
  if (n === 1) return { id, evidence, kind: "ended", end: "succeeded", outcome: { kind: "ok", output: "read back" } };
  return { id, evidence, kind: (["not-started", "running", "unknown"] as const)[n - 2] ?? "unknown" };
}

function judged(call: ModelCall, proof: CallProof | undefined): CallState {
  switch (proof?.kind) {
    case "ended":
      return proof.end;
    case "not-started":
      return "approved";
    case "running":
      return call.state;
    case "unknown":
      return "unknown";
    case undefined:
      return call.effect === "none" || call.effect === "idempotent" ? "approved" : "unknown";
  }
}

const resolveCall: Step = (world, { who, b, n }) => {
  const id = world.callId(b);
  const call = id === undefined ? undefined : world.model.calls.get(id);
  const row = call && world.model.admissions.get(call.admission);
  const session = row && world.model.sessionOf(row.conversation);
  if (!call || !row || !session) return;
  const ref = world.lease(who, row.conversation);
  const isOpen = call.state === "unknown" && call.result === undefined;
  const expected = world.model.mayWrite(who, ref) ? (isOpen ? "ok" : "illegal_edge") : "lease_lost";
  const verdict = (["happened", "not-happened", "again"] as const)[n % 3] ?? "again";
  const resolved = world.agree("resolveCall", expected, () =>
    world.dbs[who].resolveCall(ref, { id: call.id, verdict, at: world.model.now }),
  );
  if (!resolved) return;
  world.model.renewExpired(row.conversation);
  call.state = verdict === "again" ? "approved" : verdict === "happened" ? "succeeded" : "cancelled";
  call.result = resolved.result;
  if (resolved.result !== undefined) addLast(world, session, world.dbs[who].message(resolved.result));
};

/** History grows by this: a prompt, its answer, and everything given back. Each part may be refused. */
const wholeTurn: Step = (world, { who, a, b, n }) => {
  const { admit, acquire, releaseLease } = QUEUE_STEPS;
  for (const part of [admit, acquire, claim, settle, releaseLease])
    part(world, { who, a, b: 4 * b, n: n % 2 === 0 ? 0 : 3 });
};

/** The middle of a turn: a call that is asked for, allowed, started and now and then ended. */
const wholeCall: Step = (world, { who, a, n }) => {
  append(world, { who, a, b: 1, n: 2 });
  const last = { who, a, b: world.allCalls.length - 1, n: n % 3 };
  for (const part of [approveCall, startCall, ...(n === 0 ? [finishCall] : [])]) part(world, last);
};

export const TURN_STEPS = {
  wholeTurn,
  wholeCall,
  claim,
  append,
  appendAgain,
  takeSteer,
  settle,
  markUnknown,
  approveCall,
  startCall,
  finishCall,
  markCallUnknown,
  settleUnknown,
  resumeUnknown,
  reconcileCalls,
  resolveCall,
} satisfies { [name: string]: Step };
