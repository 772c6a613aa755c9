// One script over every write verb of the ledger, and what it was told on the way: the promises that a
// killed process leaves behind. A verb that is missing here makes its crash points fail.
import { copyFileSync, renameSync } from "node:fs";
import type { PlannedRevert } from "../../src/ledger/file-changes.ts";
import { messageHash, newHolderId } from "../../src/ledger/ids.ts";
import type { LeaseRef } from "../../src/ledger/leases.ts";
import type { SessionRecord } from "../../src/ledger/transfer.ts";
import type {
  AdmissionId,
  ConversationId,
  Envelope,
  FileChange,
  FileRevert,
  Message,
  Outcome,
  Payload,
  RequestId,
  Session,
  SessionId,
  ToolCall,
  TurnRef,
} from "../../src/ledger/types.ts";
import { bytesOf, edit, side } from "../helpers/file-changes.ts";
import type { LedgerProcess } from "../helpers/ledger-process.ts";

export interface Told {
  readonly messages: Message[];
  readonly settled: [AdmissionId, Outcome | undefined][];
  readonly calls: ToolCall[];
  readonly sessions: SessionId[];
  readonly changes: FileChange[];
  /** The newest word about each. */
  readonly reverts: FileRevert[];
  /** A window's unsent text; the script never empties it. */
  readonly unsent: [ConversationId, string][];
}

export function nothingTold(): Told {
  return { messages: [], settled: [], calls: [], sessions: [], changes: [], reverts: [], unsent: [] };
}

const ROUTE = { provider: "guide", model: "guide" };
let requests = 0;

export async function everyVerb(db: LedgerProcess, path: string, told: Told): Promise<void> {
  await db.ask("open", { path });
  const session = await db.verb("createSession", { cwd: "/", route: ROUTE, source: "test" });
  told.sessions.push(session.id);
  const script = new Script(db, told, session);
  await script.flags();
  await script.turnWithCalls();
  await script.steeredTurn();
  await script.queue();
  await script.unknownTurn();
  await script.headMoves();
  await script.compaction();
  await script.loop();
  await script.deletion();
  await script.transfer();
  await db.verb("indexStep");
  await reopenCopied(db, path);
}

/** Another inode than at the last open is a finding, and raises the generation. */
async function reopenCopied(db: LedgerProcess, path: string): Promise<void> {
  await db.ask("close");
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
  await db.ask("open", { path });
}

class Script {
  readonly #db: LedgerProcess;
  readonly #told: Told;
  readonly #session: Session;

  constructor(db: LedgerProcess, told: Told, session: Session) {
    this.#db = db;
    this.#told = told;
    this.#session = session;
  }

  async flags(): Promise<void> {
    const { id } = this.#session;
    await this.#db.verb("setTitle", id, "every verb", "person");
    await this.#db.verb("improveTitle", this.#session.conversation, { was: "something else", title: "better" });
    await this.#db.verb("setFlags", id, { pinned: true });
    await this.#db.verb("rememberTerminal", "tty:1", this.#session.conversation);
    await this.#db.verb("setModel", id, ROUTE, { text: "model", at: Date.now() });
    await this.#db.verb("appendNote", id, { text: "a note", at: Date.now() });
    const { conversation } = this.#session;
    await this.#db.verb("saveComposer", conversation, { window: "w", text: "unsent" });
    this.#told.unsent.push([conversation, "unsent"]);
  }

  async turnWithCalls(): Promise<void> {
    const { turn, lease, head } = await this.#claim("calls");
    await this.#db.verb("renewLease", lease);
    const { message, calls } = await this.#ask(turn, head, ["a", "b"]);
    const [first, second] = calls;
    if (!first || !second) throw new Error("no calls were stored");
    await this.#db.verb("approveCall", turn, first.id, "person");
    this.#told.calls.push(await this.#db.verb("startCall", turn, first.id, "/spool"));
    this.#told.calls.push(await this.#db.verb("setSupervisor", turn, first.id, await this.#db.ask("self")));
    await this.#change(turn, first.id);
    const outcome = { kind: "ok", output: "done" } as const;
    const end = await this.#db.verb("finishCall", turn, { id: first.id, end: "succeeded", outcome, at: Date.now() });
    this.#tell(end.message);
    this.#told.calls.push(end.call);
    await this.#db.verb("approveCall", turn, second.id, "person");
    await this.#db.verb("startCall", turn, second.id);
    this.#told.calls.push(await this.#db.verb("markCallUnknown", turn, second.id, "the test says so"));
    await this.#db.verb("failRequest", turn);
    await this.#settle(turn, "interrupted");
    await this.#db.verb("deliver", message.id, "terminal");
    await this.#db.verb("releaseLease", lease);
    const late = await this.#db.verb("lateEvidence", { id: second.id, evidence: "ended after all", at: Date.now() });
    if (!late || "kind" in late) throw new Error("the late evidence was not stored");
    this.#tell(late);
    if (message.id === end.message.id) throw new Error("a result is its own question");
  }

  async #change(turn: TurnRef, id: ToolCall["id"]): Promise<void> {
    this.#told.changes.push(...(await this.#db.verb("planChange", turn, id, edit("/a", "old", "new"))));
    const found = [edit("/b", "", "x".repeat(100_000)), { path: "/c", before: side("gone") }];
    this.#told.changes.push(...(await this.#db.verb("suspectChanges", turn, id, found)));
  }

  async steeredTurn(): Promise<void> {
    const { turn, lease } = await this.#claim("steered");
    await this.#admit("steer", "steer");
    const steer = await this.#db.verb("takeSteer", turn, Date.now());
    if (!steer) throw new Error("no steer was taken");
    this.#tell(steer.message);
    await this.#settle(turn, "failed");
    await this.#db.verb("releaseLease", lease);
  }

  async queue(): Promise<void> {
    const first = await this.#admit("first");
    const second = await this.#admit("second");
    await this.#db.verb("hold", first, "the test says so");
    await this.#db.verb("release", first);
    await this.#db.verb("reorder", second, first);
    const edited = await this.#db.verb("edit", second, { request: requestId(), payload: payload("edited") });
    await this.#db.verb("cancel", edited.id);
    await this.#db.verb("cancel", first);
    this.#told.settled.push([first, "cancelled"]);
  }

  async unknownTurn(): Promise<void> {
    const { turn, lease, head } = await this.#claim("unknown");
    const { calls } = await this.#ask(turn, head, ["c"]);
    const [call] = calls;
    if (!call) throw new Error("no call was stored");
    await this.#db.verb("approveCall", turn, call.id, "person");
    await this.#db.verb("startCall", turn, call.id);
    await this.#db.verb("markUnknown", turn);
    await this.#db.verb("reconcileCalls", lease, turn.admission);
    this.#told.calls.push(
      await this.#db.verb("resolveCall", lease, { id: call.id, verdict: "happened", at: Date.now() }),
    );
    const resumed = await this.#db.verb("resumeUnknown", lease, turn.admission);
    if (resumed.kind !== "resumed") throw new Error(resumed.why);
    await this.#db.verb("markUnknown", resumed.turn);
    const note = "settled by hand";
    const settlement = { id: turn.admission, outcome: "interrupted", note, at: Date.now() } as const;
    await this.#db.verb("settleUnknown", lease, settlement);
    this.#told.settled.push([turn.admission, "interrupted"]);
    await this.#db.verb("releaseLease", lease);
  }

  async headMoves(): Promise<void> {
    const { id } = this.#session;
    const undone = await this.#db.verb("undo", id, 1, { reverts: this.#backTo("undo") });
    if (undone.kind !== "moved") throw new Error(undone.why);
    await this.#mark(undone.reverts);
    const redone = await this.#db.verb("redo", id, { reverts: this.#backTo("redo") });
    if (redone.kind !== "moved") throw new Error(redone.why);
    await this.#mark(redone.reverts);
    const asked = { request: requestId(), reverts: this.#backTo("undo") };
    const planned = await this.#db.verb("planReverts", id, asked);
    if ("kind" in planned) throw new Error(planned.why);
    await this.#mark(planned);
    const branched = await this.#db.verb("branch", id, { title: "a branch" });
    if (branched.kind !== "branched") throw new Error(branched.why);
    this.#told.sessions.push(branched.session.id);
    const retried = await this.#db.verb("retry", id, { request: requestId(), approval: "ask", cwd: "/" });
    if (retried.kind !== "retried") throw new Error(retried.why);
    await this.#db.verb("cancel", retried.admission.id);
    if (redone.head === undefined) throw new Error("the conversation was empty");
    const went = await this.#db.verb("goTo", id, { to: redone.head, reverts: this.#backTo("undo") });
    if (went.kind !== "went") throw new Error(went.why);
    await this.#mark(went.reverts);
  }

  #backTo(direction: "undo" | "redo"): PlannedRevert[] {
    const change = this.#told.changes[0]?.id;
    if (change === undefined) throw new Error("no change was stored");
    const now = { bytes: bytesOf(`${direction} of this`), mode: 0o600 };
    const target = { bytes: bytesOf("to that"), mode: 0o755 };
    return [{ change, direction, now, target }];
  }

  /** What is told is replaced by the newer word about it. */
  async #mark(reverts: readonly FileRevert[]): Promise<void> {
    const first = this.#told.reverts.push(...reverts) - reverts.length;
    for (const [at, { id }] of reverts.entries())
      this.#told.reverts[first + at] = await this.#db.verb("markRevert", id, "done");
  }

  async compaction(): Promise<void> {
    const { id, conversation } = this.#session;
    await this.#admit("", "compact");
    const { turn, lease } = await this.#take();
    const begin = async (attempt: string) => {
      await this.#db.verb("beginCompaction", turn, { attempt, isAsked: true });
      await this.#db.verb("renewCompaction", { conversation, attempt });
    };
    await begin("failed");
    await this.#db.verb("failCompaction", turn, "failed", { error: "the test says so", cooldownMs: 1 });
    await begin("cancelled");
    await this.#db.verb("cancelCompaction", { conversation, attempt: "cancelled" });
    await begin("made");
    const { head } = await this.#db.verb("session", id);
    if (head === undefined) throw new Error("the conversation is empty");
    const sizes = { folded: 1, before: 2, after: 1, isEffective: true, endsTurn: true };
    const summary = { attempt: "made", text: "summary", readUpTo: head, at: Date.now(), route: ROUTE, ...sizes };
    const compacted = await this.#db.verb("commitCompaction", turn, summary);
    if (compacted.kind !== "compacted") throw new Error(compacted.why);
    this.#tell(compacted.message);
    this.#told.sessions.push(compacted.session.id);
    this.#told.settled.push([turn.admission, "completed"]);
    await this.#db.verb("releaseLease", lease);
  }

  async loop(): Promise<void> {
    const { id, conversation } = this.#session;
    const pace = { everyMs: 60_000, floorMs: 60_000, ceilingMs: 900_000, maxTicks: 100 };
    const loop = await this.#db.verb("startLoop", id, { text: "tick", approval: "ask", cwd: "/", ...pace });
    if ("kind" in loop) throw new Error(loop.why);
    const tick = { id: loop.id, slot: loop.nextSlot };
    const fired = await this.#db.verb("fireLoop", tick, payload("tick"));
    if (fired.kind !== "fired") throw new Error(fired.kind);
    const { turn, lease } = await this.#take();
    await this.#settle(turn, "interrupted");
    await this.#db.verb("releaseLease", lease);
    await this.#db.verb("endTick", tick, { next: { state: "paused", why: "the test says so" } });
    await this.#db.verb("resumeLoop", conversation);
    await this.#db.verb("pauseOrphanLoops");
    await this.#db.verb("pauseLoop", conversation, "the test says so");
    await this.#db.verb("stopLoop", conversation);
  }

  async deletion(): Promise<void> {
    const wanted = { cwd: "/", route: ROUTE, source: "test" };
    await this.#db.verb("discardEmpty", (await this.#db.verb("createSession", wanted)).id);
    const { id, conversation } = await this.#db.verb("createSession", wanted);
    await this.#db.ask("runTurns", { session: id, conversation, name: `delete-${id}`, turns: 1 });
    await this.#db.verb("deleteConversation", id);
    while (!(await this.#db.verb("purgeStep")));
  }

  /** One import comes to its end, one is given up. */
  async transfer(): Promise<void> {
    const { id } = await this.#db.verb("createSession", { cwd: "/", route: ROUTE, source: "test" });
    const session = elsewhere(id);
    const node = { type: "message", session, role: "user", at: 1, turn: 1, by: 1, parts: TYPED } as const;
    const hash = messageHash({ parentHash: undefined, session, role: "user", at: 1, parts: TYPED });
    const rows = { record: { ...node, hash }, kind: "message", isLive: true, blobs: [] } as const;
    const record: SessionRecord = { ...SESSION, id: session, conversation: session as string as ConversationId };
    const turns = [{ conversation: record.conversation, request: "asked elsewhere" }];
    const begin = async (token: string) => {
      const begun = await this.#db.verb("beginImport", { token, sessions: [record], turns });
      if (begun.kind !== "begun") throw new Error(begun.why);
      const [turn] = begun.turns;
      await this.#db.verb("importStep", token, [{ ...rows, ...(turn && { seq: turn.seq }) }]);
    };
    await begin("given up");
    await this.#db.verb("abandonImport", "given up");
    while (!(await this.#db.verb("purgeStep")));
    await begin("made");
    await this.#db.verb("endImport", { token: "made", sessions: [{ ...record, head: hash }], usage: [], raise: [] });
    this.#told.sessions.push(session);
  }

  async #admit(text: string, kind: "prompt" | "steer" | "compact" = "prompt"): Promise<AdmissionId> {
    const { id } = this.#session;
    const target = { kind: "session", asked: id } as const;
    const request = { request: requestId(), kind, payload: payload(text), target, session: id };
    return (await this.#db.verb("admit", request)).admission.id;
  }

  async #claim(text: string): Promise<{ turn: TurnRef; lease: LeaseRef; head: Message }> {
    await this.#admit(text);
    const { turn, lease, message } = await this.#take();
    if (!message) throw new Error("a prompt was claimed without its message");
    this.#tell(message);
    return { turn, lease, head: message };
  }

  async #take() {
    const { conversation } = this.#session;
    const taken = await this.#db.verb("acquireLease", { conversation, holder: newHolderId(this.#db.pid) });
    if (taken.kind !== "acquired") throw new Error("the conversation is held");
    const claimed = await this.#db.verb("claim", taken.lease, { at: Date.now(), envelope: await this.#envelope() });
    if (claimed.kind !== "claimed") throw new Error(`claim says ${claimed.kind}`);
    return { turn: claimed.turn, lease: taken.lease, message: claimed.message };
  }

  async #ask(turn: TurnRef, head: Message, names: readonly string[]) {
    await this.#db.verb("askModel", turn, { parent: head.id, digest: head.hash });
    await this.#db.verb("saveAnswer", turn, { text: "half an ans", parent: head.id });
    const input = { command: "true" };
    const parts = names.map((call) => ({ kind: "tool-call", call, tool: "shell", input }) as const);
    const calls = names.map((call) => ({ call, tool: "shell", input, effect: "external" }) as const);
    const message = { parent: head.id, role: "assistant", parts, at: Date.now() } as const;
    const appended = await this.#db.verb("append", turn, message, calls);
    this.#tell(appended.message);
    this.#told.calls.push(...appended.calls);
    return appended;
  }

  async #settle(turn: TurnRef, outcome: "interrupted" | "failed"): Promise<void> {
    const { admission, messages } = await this.#db.verb("settle", turn, { outcome, at: Date.now() });
    for (const message of messages) this.#tell(message);
    this.#told.settled.push([admission.id, admission.outcome]);
  }

  async #envelope(): Promise<Envelope> {
    const systemPrompt = await this.#db.verb("putSystemPrompt", "test");
    return { systemPrompt, tools: [], route: ROUTE, projection: 1, program: "test" };
  }

  #tell(message: Message): void {
    this.#told.messages.push(message);
  }
}

const TYPED = '[{"kind":"text","text":"typed elsewhere"}]';
const SESSION = {
  type: "session",
  generation: 0,
  ...ROUTE,
  cwd: "/",
  source: "test",
  startedAt: 1,
  lastActivityAt: 1,
  rewinds: 0,
} as const;

/** An id that this ledger does not have. */
function elsewhere(id: SessionId): SessionId {
  return `19700101-000000-${id.slice(-6)}` as SessionId;
}

function requestId(): RequestId {
  requests += 1;
  return `every-verb-${requests}` as RequestId;
}

function payload(text: string): Payload {
  return { prompt: [{ kind: "text", text }], approval: "auto", cwd: "/" };
}
