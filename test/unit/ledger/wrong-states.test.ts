// One table: every verb in every state it must not be used in. The answer is the right error or refusal, and
// not one byte of any table is different afterwards.
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import type { LeaseRef } from "../../../src/ledger/leases.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { FinishedCall } from "../../../src/ledger/tool-calls.ts";
import type {
  AdmissionId,
  CallId,
  FileChangeId,
  FileRevertId,
  HolderId,
  MessageId,
  RequestId,
  Session,
  TurnRef,
} from "../../../src/ledger/types.ts";
import { edit, side } from "../../helpers/file-changes.ts";
import {
  acquire,
  envelope,
  forget,
  holder,
  newSession,
  openLedger,
  prompt,
  ROUTE,
  requestId,
  runTurn,
  type StartedTurn,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";

const require = createRequire(import.meta.url);
const Database = require("better-sqlite3") as typeof BetterSqlite3;
const AT = 1_900_000_000_000;
const CLOCK = 1_800_000_000_000;

let raw: BetterSqlite3.Database | undefined;
afterEach(() => {
  raw?.close();
  raw = undefined;
});

/** Read through a second connection of the same process, which is open as long as the first one. */
function dump(path: string): string {
  raw ??= new Database(path, { readonly: true });
  const reader = raw;
  const tables = reader
    .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
    .pluck()
    .all();
  return JSON.stringify(
    tables.map((name) => [name, reader.prepare(`select * from "${name}"`).raw().all()]),
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
}

interface Stage {
  readonly db: SessionDB;
  readonly session: Session;
  readonly other: Session;
  readonly started: StartedTurn;
  readonly turn: TurnRef;
  readonly lease: LeaseRef;
  readonly head: MessageId;
  readonly calls: readonly CallId[];
  readonly change?: FileChangeId;
  readonly revert?: FileRevertId;
}

/** A conversation with one settled turn and one that runs, with four proposed calls; and another conversation. */
function stage(db: SessionDB): Stage {
  const session = newSession(db);
  const other = newSession(db);
  runTurn(db, session, "before");
  const started = startTurn(db, session, "now");
  const names = ["c0", "c1", "c2", "c3"];
  const parts = names.map((call) => ({ kind: "tool-call", call, tool: "shell", input: null }) as const);
  const proposed = names.map((call) => ({ call, tool: "shell", input: null, effect: "external" }) as const);
  const message = { parent: started.message.id, role: "assistant", parts, at: AT } as const;
  const appended = db.append(started.turn, message, proposed);
  const { turn, lease } = started;
  return {
    db,
    session,
    other,
    started,
    turn,
    lease,
    head: appended.message.id,
    calls: appended.calls.map((each) => each.id),
  };
}

const callOf = ({ calls }: Stage, at: number): CallId => calls[at] as CallId;
const text = (parent: MessageId, words = "hi") =>
  ({ parent, role: "assistant", parts: [{ kind: "text", text: words }], at: AT + 5 }) as const;
const ok = { kind: "ok" } as const;
const finish = (id: CallId, end: FinishedCall["end"]) => ({ id, end, outcome: ok, at: AT + 5 }) as const;

function queue(db: SessionDB, session: Session, kind: "prompt" | "loop" = "prompt"): AdmissionId {
  const asked = { kind: "session", asked: session.id } as const;
  return db.admit({ request: requestId(), kind, payload: prompt("queued"), target: asked, session: session.id })
    .admission.id;
}

/** Every verb that needs the lease of a running turn. */
const TURN_VERBS: { readonly [name: string]: (s: Stage) => unknown } = {
  append: (s) => s.db.append(s.turn, text(s.head)),
  settle: (s) => s.db.settle(s.turn, { outcome: "completed", last: text(s.head), at: AT + 5 }),
  takeSteer: (s) => s.db.takeSteer(s.turn, AT),
  markUnknown: (s) => s.db.markUnknown(s.turn),
  approveCall: (s) => s.db.approveCall(s.turn, callOf(s, 0), "mode"),
  startCall: (s) => s.db.startCall(s.turn, callOf(s, 0)),
  finishCall: (s) => s.db.finishCall(s.turn, finish(callOf(s, 0), "denied")),
  markCallUnknown: (s) => s.db.markCallUnknown(s.turn, callOf(s, 0), "x"),
  askModel: (s) => s.db.askModel(s.turn, { parent: s.head, digest: "d" as never }),
  failRequest: (s) => s.db.failRequest(s.turn),
  setSupervisor: (s) => s.db.setSupervisor(s.turn, callOf(s, 0), SUPERVISOR),
  planChange: (s) => s.db.planChange(s.turn, callOf(s, 0), edit("/f", "1", "2")),
  suspectChanges: (s) => s.db.suspectChanges(s.turn, callOf(s, 0), [edit("/f", "1", "2")]),
  saveAnswer: (s) => s.db.saveAnswer(s.turn, { text: "half", parent: s.head }),
};
const SUPERVISOR = { pid: 4711, start: "1", host: "h", program: "test" };
/** Every verb that needs a lease and no running turn. */
const LEASE_VERBS: { readonly [name: string]: (s: Stage) => unknown } = {
  claim: (s) => s.db.claim(s.lease, { at: AT, envelope: ENVELOPE }),
  resumeUnknown: (s) => s.db.resumeUnknown(s.lease, s.turn.admission),
  settleUnknown: (s) => s.db.settleUnknown(s.lease, { id: s.turn.admission, outcome: "failed", note: "x", at: AT }),
  reconcileCalls: (s) => s.db.reconcileCalls(s.lease, s.turn.admission),
  resolveCall: (s) => s.db.resolveCall(s.lease, { id: callOf(s, 0), verdict: "again", at: AT }),
};
const ENVELOPE = { systemPrompt: "h" as never, tools: [], route: ROUTE, projection: 1, program: "test" };
/** Every verb that moves a head, or must not race a turn. */
const HEAD_VERBS: { readonly [name: string]: (s: Stage) => unknown } = {
  undo: (s) => s.db.undo(s.session.id, 1),
  redo: (s) => s.db.redo(s.session.id),
  retry: (s) => s.db.retry(s.session.id, { request: requestId(), approval: "auto", cwd: "/" }),
  setModel: (s) => s.db.setModel(s.session.id, ROUTE, { text: "x", at: AT }),
  appendNote: (s) => s.db.appendNote(s.session.id, { text: "x", at: AT }),
  deleteConversation: (s) => s.db.deleteConversation(s.session.id),
  planReverts: (s) => s.db.planReverts(s.session.id, { request: requestId() }),
};
const NO_SESSION = "20000101-000000-000000" as Session["id"];
const NO_ADMISSION = 999 as AdmissionId;
const NO_CALL = 999 as CallId;
const NO_MESSAGE = 999 as MessageId;

interface Case {
  readonly when: string;
  readonly prepare?: (s: Stage) => Stage | undefined;
  readonly verbs: { readonly [name: string]: (s: Stage) => unknown };
  /** Code of the error or kind of the refusal; `same` for a verb that answers and changes nothing. */
  readonly answer: string;
}

function lose(s: Stage): undefined {
  s.db.releaseLease(s.lease);
  acquire(s.db, s.session);
}
function settled(s: Stage): undefined {
  s.db.settle(s.turn, { outcome: "failed", at: AT + 1 });
}
function unknown(s: Stage): undefined {
  s.db.markUnknown(s.turn);
}
function run(s: Stage, at: number): void {
  s.db.approveCall(s.turn, callOf(s, at), "mode");
  s.db.startCall(s.turn, callOf(s, at));
}
function only(names: string, from: Case["verbs"]): Case["verbs"] {
  return Object.fromEntries(names.split(" ").map((name) => [name, from[name] ?? missing(name)]));
}
function missing(name: string): never {
  throw new Error(`no verb ${name}`);
}
const TURN_BUT_REPEATS =
  "append takeSteer approveCall startCall finishCall markCallUnknown askModel setSupervisor planChange suspectChanges saveAnswer";

/** A running call that changed a file, and a conversation whose last turn was undone with its files. */
function changed(s: Stage): Stage {
  run(s, 0);
  const [change] = s.db.planChange(s.turn, callOf(s, 0), edit("/f", "1", "2"));
  if (!change) throw new Error("no change was stored");
  runTurn(s.db, s.other, "to be undone");
  const undone = s.db.undo(s.other.id, 1, { reverts: [{ change: change.id, direction: "undo" }] });
  if (undone.kind !== "moved") throw new Error(undone.why);
  const [revert] = undone.reverts;
  if (!revert) throw new Error("no revert was planned");
  return { ...s, change: change.id, revert: revert.id };
}

const CASES: readonly Case[] = [
  { when: "another one took the lease", prepare: lose, verbs: { ...TURN_VERBS, ...LEASE_VERBS }, answer: "lease_lost" },
  {
    when: "the lease was given back",
    prepare: (s) => void s.db.releaseLease(s.lease),
    verbs: { ...TURN_VERBS, ...LEASE_VERBS },
    answer: "lease_lost",
  },
  {
    when: "another one took the lease and asks to keep it",
    prepare: lose,
    verbs: {
      renewLease: (s) => (s.db.renewLease(s.lease) ? "kept" : undefined),
      releaseLease: (s) => s.db.releaseLease(s.lease),
    },
    answer: "same",
  },
  {
    when: "the turn is settled",
    prepare: settled,
    verbs: only(
      "append takeSteer askModel approveCall startCall markCallUnknown setSupervisor planChange suspectChanges saveAnswer",
      TURN_VERBS,
    ),
    answer: "lease_lost",
  },
  {
    when: "the turn is settled",
    prepare: settled,
    verbs: only("settle markUnknown finishCall failRequest", TURN_VERBS),
    answer: "same",
  },
  {
    when: "the turn is settled",
    prepare: settled,
    verbs: {
      settleUnknown: LEASE_VERBS["settleUnknown"] as never,
      reconcileCalls: LEASE_VERBS["reconcileCalls"] as never,
    },
    answer: "same",
  },
  { when: "the turn is settled", prepare: settled, verbs: only("resumeUnknown", LEASE_VERBS), answer: "conflict" },
  { when: "the turn is settled", prepare: settled, verbs: only("resolveCall", LEASE_VERBS), answer: "illegal_edge" },
  {
    when: "the turn is unknown",
    prepare: unknown,
    verbs: only(`${TURN_BUT_REPEATS} settle`, TURN_VERBS),
    answer: "lease_lost",
  },
  { when: "the turn is unknown", prepare: unknown, verbs: only("markUnknown failRequest", TURN_VERBS), answer: "same" },
  { when: "the turn is unknown", prepare: unknown, verbs: HEAD_VERBS, answer: "busy" },
  {
    when: "the turn is unknown and the claimer asks for the next",
    prepare: unknown,
    verbs: { claim: (s) => expectKind(s.db.claim(s.lease, { at: AT, envelope: envelope(s.db) }), "blocked") },
    answer: "same",
  },
  {
    when: "the turn is unknown and a call of it runs",
    prepare: (s) => {
      run(s, 0);
      return unknown(s);
    },
    verbs: only("resumeUnknown", LEASE_VERBS),
    answer: "conflict",
  },
  { when: "the turn runs here", verbs: HEAD_VERBS, answer: "busy" },
  {
    when: "its acknowledgement was lost and it is asked again",
    prepare: (s) => askedOnce(changed(s)),
    verbs: {
      planChange: (s) => s.db.planChange(s.turn, callOf(s, 0), edit("/f", "1", "2")),
      suspectChanges: (s) => s.db.suspectChanges(s.turn, callOf(s, 0), [edit("/g", "1", "2"), edit("/h", "3", "4")]),
      setSupervisor: (s) => s.db.setSupervisor(s.turn, callOf(s, 0), SUPERVISOR),
      saveComposer: (s) => s.db.saveComposer(s.session.conversation, { window: "w", text: "unsent" }),
      emptyComposer: (s) => s.db.saveComposer(s.session.conversation, { window: "w2", text: "" }),
      saveAnswer: (s) => s.db.saveAnswer(s.turn, { text: "half", parent: s.head }),
      deliver: (s) => s.db.deliver(s.head, "tty1"),
      planReverts: (s) => s.db.planReverts(s.other.id, REVERTS_ASKED),
      markRevert: (s) => s.db.markRevert(s.revert ?? missing("revert"), "done"),
      markRevertOtherwise: (s) => s.db.markRevert(s.revert ?? missing("revert"), "conflict"),
    },
    answer: "same",
  },
  {
    when: "a proof was stored and is found again",
    prepare: (s) => {
      run(s, 0);
      unknown(s);
      s.db.reconcileCalls(s.lease, s.turn.admission, proven(s));
      return undefined;
    },
    verbs: { reconcileCalls: (s) => s.db.reconcileCalls(s.lease, s.turn.admission, proven(s)) },
    answer: "same",
  },
  {
    when: "the content is not what its hash says, or there is none",
    prepare: (s) => void run(s, 0),
    verbs: {
      planChange: (s) =>
        s.db.planChange(s.turn, callOf(s, 0), { path: "/f", after: { ...side("x"), hash: "0".repeat(64) as never } }),
      planNothing: (s) => s.db.planChange(s.turn, callOf(s, 0), { path: "/f" }),
      suspectChanges: (s) => s.db.suspectChanges(s.turn, callOf(s, 0), [edit("/f", "1", "2"), { path: "/g" }]),
    },
    answer: "bad_input",
  },
  {
    when: "the file change is not there",
    verbs: {
      undo: (s) => s.db.undo(s.other.id, 1, { reverts: [NO_REVERT] }),
      planReverts: (s) => s.db.planReverts(s.other.id, { request: requestId(), reverts: [NO_REVERT] }),
      markRevert: (s) => s.db.markRevert(999 as FileRevertId, "done"),
    },
    prepare: (s) => void runTurn(s.db, s.other),
    answer: "row_missing",
  },
  {
    when: "an undo of files is not finished",
    prepare: (s) => ({ ...changed(s), session: s.other }),
    verbs: only("undo redo retry deleteConversation planReverts", HEAD_VERBS),
    answer: "busy",
  },
  {
    when: "the turn runs and its own holder moves the head",
    verbs: {
      undo: (s) => s.db.undo(s.session.id, 1, { holder: s.lease.holder }),
      deleteConversation: (s) => s.db.deleteConversation(s.session.id, { holder: s.lease.holder }),
    },
    answer: "busy",
  },
  { when: "the turn runs", verbs: only("settleUnknown resolveCall", LEASE_VERBS), answer: "illegal_edge" },
  { when: "the turn runs", verbs: only("resumeUnknown", LEASE_VERBS), answer: "conflict" },
  { when: "the turn runs", prepare: (s) => void run(s, 0), verbs: only("reconcileCalls", LEASE_VERBS), answer: "same" },
  {
    when: "the turn runs",
    verbs: {
      cancel: (s) => s.db.cancel(s.turn.admission),
      edit: (s) => s.db.edit(s.turn.admission, { request: requestId(), payload: prompt("x") }),
      reorder: (s) => s.db.reorder(s.turn.admission),
      release: (s) => s.db.release(s.turn.admission),
    },
    answer: "illegal_edge",
  },
  {
    when: "the turn runs",
    verbs: { hold: (s) => s.db.hold(s.turn.admission, "x"), holdOrphans: (s) => s.db.holdOrphans() },
    answer: "same",
  },
  {
    when: "the turn is unknown",
    prepare: unknown,
    verbs: {
      cancel: (s) => s.db.cancel(s.turn.admission),
      edit: (s) => s.db.edit(s.turn.admission, { request: requestId(), payload: prompt("x") }),
      reorder: (s) => s.db.reorder(s.turn.admission),
      release: (s) => s.db.release(s.turn.admission),
    },
    answer: "illegal_edge",
  },
  {
    when: "the admission is over",
    prepare: settled,
    verbs: {
      edit: (s) => s.db.edit(s.turn.admission, { request: requestId(), payload: prompt("x") }),
      reorder: (s) => s.db.reorder(s.turn.admission),
      release: (s) => s.db.release(s.turn.admission),
    },
    answer: "illegal_edge",
  },
  {
    when: "the admission is over",
    prepare: settled,
    verbs: { cancel: (s) => s.db.cancel(s.turn.admission), hold: (s) => s.db.hold(s.turn.admission, "x") },
    answer: "same",
  },
  {
    when: "the admission waits",
    prepare: (s) => ({ ...s, turn: { ...s.turn, admission: queue(s.db, s.session) } }),
    verbs: only(`${TURN_BUT_REPEATS} settle markUnknown failRequest`, TURN_VERBS),
    answer: "lease_lost",
  },
  {
    when: "the admission waits",
    prepare: (s) => ({ ...s, turn: { ...s.turn, admission: queue(s.db, s.session) } }),
    verbs: only("settleUnknown", LEASE_VERBS),
    answer: "illegal_edge",
  },
  {
    when: "the admission waits",
    prepare: (s) => ({ ...s, turn: { ...s.turn, admission: queue(s.db, s.session) } }),
    verbs: only("resumeUnknown", LEASE_VERBS),
    answer: "conflict",
  },
  {
    when: "the admission waits in another queue",
    prepare: (s) => ({ ...s, turn: { ...s.turn, admission: queue(s.db, s.other) } }),
    verbs: { reorder: (s) => s.db.reorder(queuedOf(s), s.turn.admission) },
    answer: "illegal_edge",
  },
  {
    when: "the lease is for another conversation",
    prepare: (s) => ({ ...s, lease: acquire(s.db, s.other, s.lease.holder) }),
    verbs: only("resumeUnknown settleUnknown reconcileCalls resolveCall", LEASE_VERBS),
    answer: "lease_lost",
  },
  {
    when: "the turn names another conversation",
    prepare: (s) => ({ ...s, turn: { ...s.turn, ...acquire(s.db, s.other, s.lease.holder) } }),
    verbs: TURN_VERBS,
    answer: "lease_lost",
  },
  {
    when: "the parent is not the head",
    verbs: {
      append: (s) => s.db.append(s.turn, text(s.started.message.id)),
      settle: (s) => s.db.settle(s.turn, { outcome: "failed", last: text(s.started.message.id), at: AT }),
    },
    answer: "stale_head",
  },
  {
    when: "the parent is not there",
    verbs: { append: (s) => s.db.append(s.turn, text(NO_MESSAGE)) },
    answer: "row_missing",
  },
  {
    when: "the answer is not what it says",
    verbs: {
      appendWithoutRows: (s) => s.db.append(s.turn, callMessage(s, ["x"]), []),
      appendWithoutParts: (s) => s.db.append(s.turn, text(s.head), [proposal("x")]),
      appendTwins: (s) => s.db.append(s.turn, callMessage(s, ["x", "x"]), [proposal("x"), proposal("x")]),
      appendNameless: (s) => s.db.append(s.turn, callMessage(s, [""]), [proposal("")]),
      appendBroken: (s) => s.db.append(s.turn, callMessage(s, ["\ud800"]), [proposal("\ud800")]),
      settleWithCalls: (s) => s.db.settle(s.turn, { outcome: "failed", last: callMessage(s, ["x"]), at: AT }),
      usageOfNothing: (s) =>
        s.db.append(s.turn, { ...text(s.head), usage: { inputTokens: Number.NaN, outputTokens: 1 } }),
      timeOfNothing: (s) => s.db.append(s.turn, { ...text(s.head), at: Number.NaN }),
      halfATime: (s) => s.db.append(s.turn, { ...text(s.head), at: AT + 5.5 }),
      undoHalf: (s) => s.db.undo(s.other.id, 0.5),
      undoNothing: (s) => s.db.undo(s.other.id, 0),
      undoNaN: (s) => s.db.undo(s.other.id, Number.NaN),
      emptyTitle: (s) => s.db.setTitle(s.session.id, "\u200b ", "person"),
      longTitle: (s) => s.db.setTitle(s.session.id, "x".repeat(101), "person"),
      emptyRequest: (s) =>
        s.db.admit({
          request: "" as RequestId,
          kind: "prompt",
          payload: prompt("x"),
          target: { kind: "new" },
          session: s.session.id,
        }),
      longRequest: (s) =>
        s.db.admit({
          request: "x".repeat(1025) as RequestId,
          kind: "prompt",
          payload: prompt("x"),
          target: { kind: "new" },
          session: s.session.id,
        }),
    },
    answer: "bad_input",
  },
  {
    when: "a turn without an answer is called complete",
    verbs: {
      completedWithoutAnswer: (s) => s.db.settle(s.turn, { outcome: "completed", at: AT }),
      completedWithNote: (s) =>
        s.db.settle(s.turn, {
          outcome: "completed",
          at: AT,
          last: { parent: s.head, role: "note", parts: [{ kind: "note", text: "x" }], at: AT + 5 },
        }),
    },
    answer: "illegal_edge",
  },
  {
    when: "a file is named that is not stored",
    verbs: {
      admit: (s) =>
        s.db.admit({
          request: requestId(),
          kind: "prompt",
          payload: {
            prompt: [{ kind: "file", blob: "0".repeat(64) as never, mediaType: "x/y", bytes: 1 }],
            approval: "auto",
            cwd: "/",
          },
          target: { kind: "new" },
          session: s.session.id,
        }),
    },
    answer: "row_missing",
  },
  {
    when: "the session is not there",
    verbs: {
      session: (s) => s.db.session(NO_SESSION),
      undo: (s) => s.db.undo(NO_SESSION, 1),
      redo: (s) => s.db.redo(NO_SESSION),
      retry: (s) => s.db.retry(NO_SESSION, { request: requestId(), approval: "auto", cwd: "/" }),
      branch: (s) => s.db.branch(NO_SESSION),
      delete: (s) => s.db.deleteConversation(NO_SESSION),
      setModel: (s) => s.db.setModel(NO_SESSION, ROUTE, { text: "x", at: AT }),
      setTitle: (s) => s.db.setTitle(NO_SESSION, "x", "person"),
      setFlags: (s) => s.db.setFlags(NO_SESSION, { pinned: true }),
      appendNote: (s) => s.db.appendNote(NO_SESSION, { text: "x", at: AT }),
      sessionState: (s) => s.db.sessionState(NO_SESSION),
      canonical: (s) => s.db.canonical(NO_SESSION as never),
      path: (s) => s.db.path(NO_SESSION, { limit: 1 }),
      admit: (s) =>
        s.db.admit({
          request: requestId(),
          kind: "prompt",
          payload: prompt("x"),
          target: { kind: "new" },
          session: NO_SESSION,
        }),
      acquireLease: (s) => s.db.acquireLease({ conversation: NO_SESSION as never, holder: holder() }),
      planReverts: (s) => s.db.planReverts(NO_SESSION, { request: requestId() }),
      saveComposer: (s) => s.db.saveComposer(NO_SESSION as never, { window: "w", text: "x" }),
      emptyComposer: (s) => s.db.saveComposer(NO_SESSION as never, { window: "w", text: "" }),
    },
    answer: "not_found",
  },
  {
    when: "the row is not there",
    verbs: {
      admission: (s) => s.db.admission(NO_ADMISSION),
      cancel: (s) => s.db.cancel(NO_ADMISSION),
      hold: (s) => s.db.hold(NO_ADMISSION, "x"),
      release: (s) => s.db.release(NO_ADMISSION),
      reorder: (s) => s.db.reorder(NO_ADMISSION),
      edit: (s) => s.db.edit(NO_ADMISSION, { request: requestId(), payload: prompt("x") }),
      resumeUnknown: (s) => s.db.resumeUnknown(s.lease, NO_ADMISSION),
      settleUnknown: (s) => s.db.settleUnknown(s.lease, { id: NO_ADMISSION, outcome: "failed", note: "x", at: AT }),
      reconcileCalls: (s) => s.db.reconcileCalls(s.lease, NO_ADMISSION),
      call: (s) => s.db.call(NO_CALL),
      resolveCall: (s) => s.db.resolveCall(s.lease, { id: NO_CALL, verdict: "again", at: AT }),
      approveCall: (s) => s.db.approveCall(s.turn, NO_CALL, "x"),
      startCall: (s) => s.db.startCall(s.turn, NO_CALL),
      finishCall: (s) => s.db.finishCall(s.turn, finish(NO_CALL, "failed")),
      markCallUnknown: (s) => s.db.markCallUnknown(s.turn, NO_CALL, "x"),
      setSupervisor: (s) => s.db.setSupervisor(s.turn, NO_CALL, SUPERVISOR),
      planChange: (s) => s.db.planChange(s.turn, NO_CALL, edit("/f", "1", "2")),
      suspectChanges: (s) => s.db.suspectChanges(s.turn, NO_CALL, []),
      deliver: (s) => s.db.deliver(NO_MESSAGE, "tty1"),
      branch: (s) => s.db.branch(s.session.id, { at: NO_MESSAGE }),
      branchElsewhere: (s) => s.db.branch(s.other.id, { at: s.head }),
    },
    answer: "not_found",
  },
  {
    when: "the turn is not there",
    prepare: (s) => ({ ...s, turn: { ...s.turn, admission: NO_ADMISSION } }),
    verbs: TURN_VERBS,
    answer: "lease_lost",
  },
  { when: "the blob is not there", verbs: { blob: (s) => s.db.blob("0".repeat(64) as never) }, answer: "row_missing" },
  {
    when: "a call on the path has no result",
    verbs: { branch: (s) => s.db.branch(s.session.id), branchAt: (s) => s.db.branch(s.session.id, { at: s.head }) },
    answer: "conflict",
  },
  {
    when: "the revision is an older one",
    prepare: (s) => {
      for (const id of s.calls) s.db.finishCall(s.turn, finish(id, "denied"));
      s.db.settle(s.turn, { outcome: "failed", at: AT });
      s.db.releaseLease(s.lease);
      return undefined;
    },
    verbs: {
      undo: (s) => s.db.undo(s.session.id, 1, { expectedRevision: 0 }),
      redo: (s) => s.db.redo(s.session.id, { expectedRevision: 0 }),
      delete: (s) => s.db.deleteConversation(s.session.id, { expectedRevision: 0 }),
      planReverts: (s) => s.db.planReverts(s.session.id, { request: requestId(), expectedRevision: 0 }),
    },
    answer: "conflict",
  },
  {
    when: "there is nothing to take back",
    verbs: {
      undo: (s) => s.db.undo(s.other.id, 1),
      redo: (s) => s.db.redo(s.other.id),
      retry: (s) => s.db.retry(s.other.id, { request: requestId(), approval: "auto", cwd: "/" }),
    },
    answer: "conflict",
  },
  {
    when: "the title is somebody's",
    prepare: (s) => void s.db.setTitle(s.other.id, "mine", "person"),
    verbs: {
      setTitle: (s) => s.db.setTitle(s.session.id, "mine", "person"),
      create: (s) => newSession(s.db, { title: "mine" }),
      branch: (s) => s.db.branch(s.other.id, { title: "mine" }),
    },
    answer: "bad_input",
  },
];

const NO_REVERT = { change: 999 as FileChangeId, direction: "undo" } as const;
const REVERTS_ASKED = { request: "files" as RequestId };
const proven = (s: Stage) => {
  const proof = { id: callOf(s, 0), kind: "ended", end: "succeeded", outcome: ok, evidence: "x" } as const;
  return { proofs: [proof], at: AT + 5 };
};
function askedOnce(s: Stage): Stage {
  const { change } = s;
  if (change === undefined) throw new Error("no change");
  s.db.suspectChanges(s.turn, callOf(s, 0), [edit("/g", "1", "2"), edit("/h", "3", "4")]);
  s.db.setSupervisor(s.turn, callOf(s, 0), SUPERVISOR);
  s.db.saveComposer(s.session.conversation, { window: "w", text: "unsent" });
  s.db.saveAnswer(s.turn, { text: "half", parent: s.head });
  s.db.deliver(s.head, "tty1");
  if (s.revert !== undefined) s.db.markRevert(s.revert, "done");
  s.db.planReverts(s.other.id, { ...REVERTS_ASKED, reverts: [{ change, direction: "undo" }] });
  return s;
}
const proposal = (call: string) => ({ call, tool: "shell", input: null, effect: "none" }) as const;
const callMessage = (s: Stage, calls: readonly string[]) =>
  ({
    parent: s.head,
    role: "assistant",
    parts: calls.map((call) => ({ kind: "tool-call", call, tool: "shell", input: null }) as const),
    at: AT + 5,
  }) as const;
const queuedOf = (s: Stage) =>
  s.db.openAdmissions(s.session.conversation).find((each) => each.status === "queued")?.id ?? queue(s.db, s.session);

function expectKind(result: { readonly kind: string }, kind: string): void {
  expect(result.kind).toBe(kind);
}

function answerOf(action: () => unknown): string {
  try {
    const kind = (action() as { kind?: unknown } | undefined)?.kind;
    return kind === "busy" || kind === "conflict" ? kind : "same";
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    expect(error.hint).not.toBe("");
    return error.code;
  }
}

describe("nothing is written", () => {
  for (const { when, prepare, verbs, answer } of CASES)
    it(`by ${Object.keys(verbs).join(", ")} when ${when}: ${answer}`, () => {
      const path = `${temporaryFolder()}/state.db`;
      const db = openLedger({ path, now: () => CLOCK });
      const first = stage(db);
      const staged = prepare?.(first) ?? first;
      if (when.includes("another queue")) queue(db, first.session);
      envelope(db);
      const before = dump(path);
      for (const [name, verb] of Object.entries(verbs)) {
        expect([name, answerOf(() => verb(staged))]).toEqual([name, answer]);
        expect(dump(path) === before, `${name} wrote something`).toBe(true);
      }
    });

  /** States a call can be in, how it gets there, and what each verb says about it. */
  const reach: { readonly [state: string]: (s: Stage) => void } = {
    proposed: () => {},
    approved: (s) => void s.db.approveCall(s.turn, callOf(s, 0), "mode"),
    running: (s) => run(s, 0),
    unknown: (s) => {
      run(s, 0);
      s.db.markCallUnknown(s.turn, callOf(s, 0), "x");
    },
    succeeded: (s) => {
      run(s, 0);
      s.db.finishCall(s.turn, finish(callOf(s, 0), "succeeded"));
    },
    failed: (s) => {
      run(s, 0);
      s.db.finishCall(s.turn, finish(callOf(s, 0), "failed"));
    },
    cancelled: (s) => {
      run(s, 0);
      s.db.finishCall(s.turn, finish(callOf(s, 0), "cancelled"));
    },
    denied: (s) => void s.db.finishCall(s.turn, finish(callOf(s, 0), "denied")),
    skipped: (s) => void s.db.finishCall(s.turn, finish(callOf(s, 0), "skipped")),
  };
  const isOver = (state: string) => ["succeeded", "failed", "cancelled", "denied", "skipped"].includes(state);
  const ends = ["succeeded", "failed", "cancelled", "denied", "skipped", "unknown"] as const;
  const legal: { readonly [state: string]: readonly string[] } = {
    proposed: ["approveCall", "denied", "skipped"],
    approved: ["startCall", "skipped"],
    running: [
      "markCallUnknown",
      "succeeded",
      "failed",
      "cancelled",
      "unknown",
      "setSupervisor",
      "planChange",
      "suspectChanges",
      "suspectNothing",
    ],
    unknown: ["resolveCall", "succeeded", "failed", "cancelled", "unknown", "markCallUnknown"],
  };
  for (const [state, prepare] of Object.entries(reach))
    it(`by a verb that does not fit a call that is ${state}`, () => {
      const path = `${temporaryFolder()}/state.db`;
      const s = stage(openLedger({ path, now: () => CLOCK }));
      prepare(s);
      const id = callOf(s, 0);
      const verbs: { readonly [name: string]: () => unknown } = {
        approveCall: () => s.db.approveCall(s.turn, id, "again"),
        startCall: () => s.db.startCall(s.turn, id),
        markCallUnknown: () => s.db.markCallUnknown(s.turn, id, "x"),
        resolveCall: () => s.db.resolveCall(s.lease, { id, verdict: "happened", at: AT }),
        setSupervisor: () => s.db.setSupervisor(s.turn, id, SUPERVISOR),
        planChange: () => s.db.planChange(s.turn, id, edit("/f", "1", "2")),
        suspectChanges: () => s.db.suspectChanges(s.turn, id, [edit("/f", "1", "2")]),
        suspectNothing: () => s.db.suspectChanges(s.turn, id, []),
        ...Object.fromEntries(ends.map((end) => [end, () => s.db.finishCall(s.turn, finish(id, end))])),
      };
      const before = dump(path);
      for (const [name, verb] of Object.entries(verbs)) {
        if (legal[state]?.includes(name)) continue;
        const isRepeat =
          (isOver(state) && (ends as readonly string[]).includes(name)) ||
          (name === "approveCall" && (state === "approved" || state === "running")) ||
          (name === "startCall" && state === "running");
        expect([name, answerOf(verb)]).toEqual([name, isRepeat ? "same" : "illegal_edge"]);
        expect(dump(path) === before, `${name} wrote something`).toBe(true);
      }
    });

  it("by any verb of a closed ledger", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path, now: () => CLOCK });
    const s = stage(db);
    const before = dump(path);
    forget(db);
    db.close();
    const verbs: Case["verbs"] = {
      ...TURN_VERBS,
      ...LEASE_VERBS,
      ...HEAD_VERBS,
      acquireLease: () => db.acquireLease({ conversation: s.session.conversation, holder: "x" as HolderId }),
      changesOf: () => db.changesOf([s.head]),
      changesOfCall: () => db.changesOfCall(callOf(s, 0)),
      revertsOf: () => db.revertsOf({ request: requestId() }),
      plannedReverts: () => db.plannedReverts(),
      redoableMove: () => db.redoableMove(s.session.id),
      markRevert: () => db.markRevert(1 as FileRevertId, "done"),
      saveComposer: () => db.saveComposer(s.session.conversation, { window: "w", text: "x" }),
      drafts: () => db.drafts(s.session.conversation),
      deliver: () => db.deliver(s.head, "tty1"),
      undelivered: () => db.undelivered(0),
      path: () => db.path(s.session.id, { limit: 1 }),
      verify: () => db.verify(),
      stats: () => db.stats(),
      info: () => db.info(),
      dataVersion: () => db.dataVersion(),
      quickCheck: () => db.quickCheck(),
      indexStep: () => db.indexStep(),
      purgeStep: () => db.purgeStep(),
    };
    for (const [name, verb] of Object.entries(verbs))
      expect([name, answerOf(() => verb(s))]).toEqual([name, "ledger_closed"]);
    expect(dump(path)).toBe(before);
  });

  it("by any verb on a conversation that is deleted, but its own lease", () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path, now: () => CLOCK });
    const s = stage(db);
    settled(s);
    const request = requestId();
    const asked = {
      kind: "prompt",
      payload: prompt("x"),
      target: { kind: "new" },
      session: s.session.id,
      request,
    } as const;
    db.admit(asked);
    expect(db.deleteConversation(s.session.id, { holder: s.lease.holder })).toMatchObject({ kind: "deleted" });
    while (!db.purgeStep());
    const before = dump(path);
    const verbs: Case["verbs"] = {
      ...HEAD_VERBS,
      claim: LEASE_VERBS["claim"] as never,
      branch: () => db.branch(s.session.id),
      title: () => db.setTitle(s.session.id, "x", "person"),
      acquire: () => db.acquireLease({ conversation: s.session.conversation, holder: holder() }),
      saveComposer: () => db.saveComposer(s.session.conversation, { window: "w", text: "x" }),
      deliver: () => db.deliver(s.head, "tty1"),
      admit: () => db.admit({ ...asked, request: requestId() }),
    };
    for (const [name, verb] of Object.entries(verbs))
      expect([name, answerOf(() => verb(s))]).toEqual([name, "not_found"]);
    expect(answerOf(() => db.admit(asked))).toBe("admission_conflict");
    for (const [name, verb] of Object.entries(TURN_VERBS))
      expect([name, answerOf(() => verb(s))]).toEqual([name, "lease_lost"]);
    expect(dump(path) === before).toBe(true);
  });
});
