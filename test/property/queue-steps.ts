// Steps of the model test about sessions, the queue, head moves and leases: each says what must happen, lets
// it happen, and changes the model the same way.
import { expect } from "vitest";
import type { PlannedRevert } from "../../src/ledger/file-changes.ts";
import type { Went } from "../../src/ledger/go-to.ts";
import type { Moved } from "../../src/ledger/tree.ts";
import type { ConversationId, MessageId, Refusal, RevertDirection, SessionId } from "../../src/ledger/types.ts";
import { type Expected, type ModelAdmission, type ModelSession, TTL, type Who } from "./ledger-model.ts";
import { type LedgerWorld, ROUTE, textOf } from "./ledger-world.ts";

/** `a`, `b` pick among what exists; `n` is a small number. */
export interface Picks {
  readonly who: Who;
  readonly a: number;
  readonly b: number;
  readonly n: number;
}
export type Step = (world: LedgerWorld, picks: Picks) => void;

/** Few texts and a clock that may stand still: equal prompts under equal parents do happen. */
const promptText = (n: number) => `prompt ${n % 3}`;

const createSession: Step = (world, { who }) => {
  if (world.model.sessions.size > 2) return;
  const session = world.dbs[who].createSession({ cwd: "/", route: ROUTE, source: "test" });
  addSession(world, session.id, { head: undefined });
};

function addSession(world: LedgerWorld, id: SessionId, more: Pick<ModelSession, "head"> & Partial<ModelSession>): void {
  const fresh = {
    id,
    undone: [],
    left: new Set<MessageId>(),
    title: undefined,
    titleSource: undefined,
    archived: false,
  };
  world.model.sessions.set(id, { ...fresh, ...more });
  world.allSessions.push(id);
}

const admit: Step = (world, { who, a, b, n }) => {
  const id = world.session(a);
  if (id === undefined) return;
  const { model } = world;
  const session = world.modelOf(id);
  const kind = (["prompt", "steer", "loop", "prompt"] as const)[b % 4] ?? "prompt";
  const text = promptText(n);
  const wanted = {
    request: world.request(),
    kind,
    payload: { prompt: [{ kind: "text", text }], approval: "auto", cwd: "/" },
    target: { kind: "session", asked: id },
    session: id,
    atFront: n === 4,
  } as const;
  const admitted = world.agree("admit", session ? "ok" : "not_found", () => world.dbs[who].admit(wanted));
  if (!session || !admitted) return;
  const conversation = id as string as ConversationId;
  model.reopen(session);
  world.addAdmission({
    id: admitted.admission.id,
    conversation,
    kind: kind === "steer" && !model.started(conversation) ? "prompt" : kind,
    text,
    position: model.position(conversation, wanted.atFront),
    submitter: who,
    base: session.head,
  });
  const other = who === 0 ? world.dbs[1] : world.dbs[0];
  expect(other.admit(wanted)).toEqual({ admission: admitted.admission, isNew: false });
  world.agree("admit", "admission_conflict", () =>
    other.admit({ ...wanted, payload: { ...wanted.payload, approval: "plan" } }),
  );
};

const acquire: Step = (world, { who, a }) => {
  const conversation = world.conversation(a);
  const holder = world.model.holders[who];
  if (conversation === undefined || holder === undefined) return;
  const { model } = world;
  const lease = model.leases.get(conversation);
  const expected = model.sessionOf(conversation) ? "ok" : "not_found";
  const result = world.agree("acquire", expected, () => world.dbs[who].acquireLease({ conversation, holder }));
  if (!result) return;
  const isMine = lease?.holder === who;
  expect(result.kind).toBe(!isMine && model.isHeld(lease) ? "held" : "acquired");
  if (result.kind !== "acquired") return;
  const epoch = isMine ? lease.epoch : (lease?.epoch ?? 0) + 1;
  const orphan = isMine ? undefined : model.started(conversation);
  if (orphan) orphan.status = "unknown";
  expect(result).toMatchObject({ lease: { conversation, holder, epoch }, becameUnknown: orphan ? [orphan.id] : [] });
  model.leases.set(conversation, { holder: who, epoch, expires: model.now + TTL });
  world.leases[who].set(conversation, result.lease);
};

const renew: Step = (world, { who, a }) => {
  const conversation = world.conversation(a);
  if (conversation === undefined) return;
  const ref = world.lease(who, conversation);
  const mine = world.model.mayWrite(who, ref);
  expect(world.dbs[who].renewLease(ref)).toBe(mine);
  const lease = world.model.leases.get(conversation);
  if (mine && lease) lease.expires = world.model.now + TTL;
};

const releaseLease: Step = (world, { who, a }) => {
  const conversation = world.conversation(a);
  if (conversation === undefined) return;
  const ref = world.lease(who, conversation);
  world.dbs[who].releaseLease(ref);
  const lease = world.model.leases.get(conversation);
  if (lease && world.model.mayWrite(who, ref)) lease.holder = undefined;
};

const cancel: Step = (world, { who, a }) => {
  const id = world.admission(a);
  if (id === undefined) return;
  const row = world.model.admissions.get(id);
  const isStuck = row?.status === "started" || row?.status === "unknown";
  world.agree("cancel", row ? (isStuck ? "illegal_edge" : "ok") : "not_found", () => world.dbs[who].cancel(id));
  if (row?.status === "queued") endQueued(row);
};

function endQueued(row: ModelAdmission): void {
  Object.assign(row, { status: "terminal", outcome: "cancelled", isHeld: false });
}

const edit: Step = (world, { who, a, b, n }) => {
  const id = world.admission(a);
  if (id === undefined) return;
  const row = world.model.admissions.get(id);
  const text = promptText(n);
  const payload = { prompt: [{ kind: "text", text }], approval: "auto", cwd: "/" } as const;
  const steers = b % 3 === 0;
  const edited = world.agree("edit", queuedOnly(row), () =>
    world.dbs[who].edit(id, { request: world.request(), payload, steers }),
  );
  if (!row || !edited) return;
  endQueued(row);
  const { conversation, position } = row;
  const maySteer = steers && (row.kind === "prompt" || row.kind === "retry") && world.model.started(conversation);
  const kind = maySteer ? "steer" : row.kind;
  expect(edited.kind).toBe(kind);
  const base = world.model.sessionOf(conversation)?.head;
  world.addAdmission({ id: edited.id, conversation, kind, text, position, submitter: who, base });
};

function queuedOnly(row: ModelAdmission | undefined): Expected {
  if (!row) return "not_found";
  return row.status === "queued" ? "ok" : "illegal_edge";
}

const reorder: Step = (world, { who, a, b, n }) => {
  const id = world.admission(a);
  const before = n === 0 ? undefined : world.admission(b);
  if (id === undefined) return;
  const row = world.model.admissions.get(id);
  const queued = row ? world.model.open(row.conversation).filter((each) => each.status === "queued") : [];
  const others = queued.filter((each) => each !== row);
  const at = before === undefined ? others.length : others.findIndex((each) => each.id === before);
  const expected = queuedOnly(row);
  world.agree("reorder", expected === "ok" && at < 0 ? "illegal_edge" : expected, () =>
    world.dbs[who].reorder(id, before),
  );
  if (!row || expected !== "ok" || at < 0) return;
  others.splice(at, 0, row);
  for (const [index, each] of others.entries()) each.position = index + 1;
};

const hold: Step = (world, { who, a }) => {
  const id = world.admission(a);
  if (id === undefined) return;
  const row = world.model.admissions.get(id);
  world.agree("hold", row ? "ok" : "not_found", () => world.dbs[who].hold(id, "a test"));
  if (row?.status === "queued") row.isHeld = true;
};

const release: Step = (world, { who, a }) => {
  const id = world.admission(a);
  if (id === undefined) return;
  const row = world.model.admissions.get(id);
  const released = world.agree("release", queuedOnly(row), () => world.dbs[who].release(id));
  if (!row || !released) return;
  Object.assign(row, { isHeld: false, submitter: who, base: world.model.sessionOf(row.conversation)?.head });
};

const holdOrphans: Step = (world, { who }) => {
  const { model } = world;
  const orphans = [...model.admissions.values()].filter(
    (row) => row.status === "queued" && !row.isHeld && model.verdicts[row.submitter] === "dead",
  );
  expect(world.dbs[who].holdOrphans()).toBe(orphans.length);
  for (const row of orphans) setAside(row);
};

export function setAside(row: ModelAdmission): void {
  if (row.kind === "loop") endQueued(row);
  else row.isHeld = true;
}

const undo: Step = (world, { who, a, b, n }) => {
  const id = world.session(a);
  const holder = world.model.holders[who];
  if (id === undefined || holder === undefined) return;
  const session = world.modelOf(id);
  const summary = session && n === 0 ? world.model.summaryAtEnd(session) : undefined;
  const begin = summary ?? (session && world.model.turnBegin(session, n + 1));
  const refusal = session ? world.model.moveRefusal(session, who) : "not_found";
  const expected = refusal === "ok" && !begin ? "conflict" : refusal;
  const reverts = revertsFrom(world, session?.head, { b, direction: "undo" });
  const moved = world.agree("undo", expected, () => world.dbs[who].undo(id, n + 1, { holder, reverts }));
  if (!moved || !session || !begin) return;
  addReverts(world, session, moved);
  takeBack(session, begin.parent);
};

/** Up to two files that calls on the path changed, each with something of its own on the disk. */
function revertsFrom(
  world: LedgerWorld,
  head: MessageId | undefined,
  { b, direction }: { b: number; direction: RevertDirection },
): PlannedRevert[] {
  const changes = world.model.changesOn(head);
  return changes
    .slice(b % 3)
    .slice(0, 2)
    .map((change, at) => ({
      change,
      direction,
      ...((b + at) % 4 !== 0 && { now: { bytes: Buffer.from(world.unique("now ")), mode: 0o600 + (b % 8) } }),
      ...((b + at) % 5 !== 0 && { target: { bytes: Buffer.from(`content ${b % 2}`), mode: 0o640 } }),
    }));
}

function addReverts(world: LedgerWorld, session: ModelSession, moved: Moved | Went | Refusal): void {
  if (!("reverts" in moved)) throw new Error(moved.why);
  for (const { id, change } of moved.reverts) {
    world.model.reverts.set(id, { id, change, session: session.id, state: "planned" });
    world.allReverts.push(id);
  }
}

function takeBack(session: ModelSession, to: MessageId | undefined): void {
  if (session.head !== undefined) session.undone.push(session.head);
  leave(session);
  session.head = to;
}

function leave(session: ModelSession): void {
  if (session.head !== undefined) session.left.add(session.head);
}

const redo: Step = (world, { who, a, b }) => {
  const id = world.session(a);
  const holder = world.model.holders[who];
  if (id === undefined || holder === undefined) return;
  const session = world.modelOf(id);
  const refusal = session ? world.model.moveRefusal(session, who) : "not_found";
  const expected = refusal === "ok" && session?.undone.length === 0 ? "conflict" : refusal;
  const reverts = revertsFrom(world, session?.undone.at(-1), { b, direction: "redo" });
  const moved = world.agree("redo", expected, () => world.dbs[who].redo(id, { holder, reverts }));
  if (!moved || !session) return;
  addReverts(world, session, moved);
  leave(session);
  session.head = session.undone.pop();
};

/** Any node there ever was: an undone end, one on the path, one of somebody else. */
const goTo: Step = (world, { who, a, b, n }) => {
  const id = world.session(a);
  const holder = world.model.holders[who];
  if (id === undefined || holder === undefined) return;
  const { model } = world;
  const session = world.modelOf(id);
  const known = n > 2 && session ? [...session.left] : [...model.nodes.keys()];
  const to = known[b % Math.max(1, known.length)] ?? (4711 as MessageId);
  const expected = session ? wayTo(world, session, { to, who }) : "not_found";
  const reverts = revertsFrom(world, session?.head, { b, direction: "undo" });
  const went = world.agree("goTo", expected, () => world.dbs[who].goTo(id, { to, holder, reverts }));
  if (!went || !session) return;
  addReverts(world, session, went);
  const [path, other] = [model.path(session.head), model.path(to)];
  const fork = path.findLast(({ id: each }) => other.some((node) => node.id === each));
  const turnOf = (nodes: typeof path) => nodes.at(-1)?.turn ?? 0;
  expect(went).toMatchObject({ left: turnOf(path) - (fork?.turn ?? 0), brought: turnOf(other) - (fork?.turn ?? 0) });
  if (fork?.id === to) return takeBack(session, to);
  leave(session);
  if (fork) session.left.add(fork.id);
  session.undone.length = 0;
  session.head = to;
};

function wayTo(world: LedgerWorld, session: ModelSession, { to, who }: { to: MessageId; who: Who }): Expected {
  const { model } = world;
  // What nobody shows any more may be gone with the conversation that wrote it.
  const isThere = model.nodes.has(to) && world.dbs[who].message(to) !== undefined;
  if (!isThere || !(belongsTo(world, session, to) || session.left.has(to))) return "not_found";
  const refusal = model.moveRefusal(session, who);
  if (refusal !== "ok") return refusal;
  return session.head === to || model.hasOpenCallAt(to) ? "conflict" : "ok";
}

const retry: Step = (world, { who, a }) => {
  const id = world.session(a);
  const holder = world.model.holders[who];
  if (id === undefined || holder === undefined) return;
  const { model } = world;
  const session = world.modelOf(id);
  const begin = session && model.turnBegin(session, 1);
  const refusal = session ? model.moveRefusal(session, who) : "not_found";
  const expected = refusal === "ok" && !begin ? "conflict" : refusal;
  const wanted = { request: world.request(), approval: "auto", cwd: "/", holder } as const;
  const result = world.agree("retry", expected, () => world.dbs[who].retry(id, wanted));
  if (result?.kind !== "retried" || !session || !begin) return;
  const conversation = id as string as ConversationId;
  takeBack(session, begin.parent);
  model.reopen(session);
  const position = model.position(conversation, true);
  const admission = { id: result.admission.id, conversation, kind: "retry", text: begin.text, position } as const;
  world.addAdmission({ ...admission, submitter: who, base: session.head });
  const again = world.dbs[who].retry(id, wanted);
  expect(again).toEqual({ kind: "retried", admission: result.admission, isNew: false });
};

const branch: Step = (world, { who, a, b, n }) => {
  const id = world.session(a);
  if (id === undefined || world.model.sessions.size > 4) return;
  const { model } = world;
  const session = world.modelOf(id);
  const known = [...model.nodes.keys()];
  const at = n === 0 ? undefined : known[b % Math.max(1, known.length)];
  const point = at ?? session?.head;
  const isOurs = point === undefined || (session !== undefined && belongsTo(world, session, point));
  const isClosed = point === undefined || !model.hasOpenCallAt(point);
  const expected = session && isOurs ? (isClosed ? "ok" : "conflict") : "not_found";
  const result = world.agree("branch", expected, () => world.dbs[who].branch(id, at === undefined ? {} : { at }));
  if (result?.kind !== "branched") return;
  addSession(world, result.session.id, { head: point, title: result.session.title, titleSource: "derived" });
};

function belongsTo(world: LedgerWorld, session: ModelSession, at: MessageId): boolean {
  return world.model.nodes.get(at)?.session === session.id || world.model.isOnPath(session, at);
}

const deleteConversation: Step = (world, { who, a, n }) => {
  const id = world.session(a);
  const holder = world.model.holders[who];
  if (id === undefined || holder === undefined || n !== 0) return;
  const session = world.modelOf(id);
  const expected = session ? world.model.moveRefusal(session, who) : "not_found";
  world.agree("delete", expected, () => world.dbs[who].deleteConversation(id, { holder }));
  if (expected === "ok") world.model.forgetConversation(id as string as ConversationId);
};

const purgeStep: Step = (world, { who }) => {
  world.dbs[who].purgeStep();
};

const setModel: Step = (world, { who, a }) => {
  const id = world.session(a);
  if (id === undefined) return;
  const session = world.modelOf(id);
  const expected = session ? world.model.refusal(session, undefined) : "not_found";
  const text = world.unique("model ");
  const changed = world.agree("setModel", expected, () =>
    world.dbs[who].setModel(id, { provider: "guide", model: text }, { text, at: world.model.now }),
  );
  if (session && changed && "head" in changed && changed.head !== undefined && session.head !== undefined)
    world.model.addNode(session, { id: changed.head, role: "note", text });
};

const appendNote: Step = (world, { who, a }) => {
  const id = world.session(a);
  if (id === undefined) return;
  const session = world.modelOf(id);
  const expected = session ? world.model.refusal(session, undefined) : "not_found";
  const note = { text: world.unique("note "), at: world.model.now };
  const added = world.agree("appendNote", expected, () => world.dbs[who].appendNote(id, note));
  if (!session || !added || !("role" in added)) return;
  world.model.addNode(session, { id: added.id, role: "note", text: textOf(added.parts) });
};

const setTitle: Step = (world, { who, a, b, n }) => {
  const id = world.session(a);
  if (id === undefined) return;
  const session = world.modelOf(id);
  const title = `title ${b % 2}`;
  const source = (["person", "model", "derived"] as const)[n % 3] ?? "person";
  const isTaken = source === "person" && session !== undefined && world.model.hasTitle(title, session);
  const expected = session ? (isTaken ? "bad_input" : "ok") : "not_found";
  const isSet = world.agree("setTitle", expected, () => world.dbs[who].setTitle(id, title, source));
  if (!session || isSet === undefined) return;
  const rank = { derived: 0, model: 1, person: 2 } as const;
  const wins = source === "person" || !session.titleSource || rank[session.titleSource] < rank[source];
  expect(isSet).toBe(wins);
  if (wins) Object.assign(session, { title, titleSource: source });
};

const setArchived: Step = (world, { who, a, n }) => {
  const id = world.session(a);
  if (id === undefined) return;
  const session = world.modelOf(id);
  const archived = n % 2 === 0;
  world.agree("setFlags", session ? "ok" : "not_found", () => world.dbs[who].setFlags(id, { archived }));
  if (!session) return;
  if (archived) session.archived = true;
  else world.model.reopen(session);
};

const moveClock: Step = (world, { n }) => {
  world.model.now += [1, 1_000, 400_000, -500_000, 60_000][n] ?? 1;
};

const changeVerdict: Step = (world, { who, n }) => {
  world.model.verdicts[who] = (["alive", "dead", "unproven", "alive", "alive"] as const)[n] ?? "alive";
};

export const QUEUE_STEPS = {
  createSession,
  admit,
  acquire,
  renew,
  releaseLease,
  cancel,
  edit,
  reorder,
  hold,
  release,
  holdOrphans,
  undo,
  redo,
  goTo,
  retry,
  branch,
  deleteConversation,
  purgeStep,
  setModel,
  appendNote,
  setTitle,
  setArchived,
  moveClock,
  changeVerdict,
} satisfies { [name: string]: Step };
