// A conversation with one of everything that an export holds: every kind of part, a big output, an image, changed files,
// a typed command, a failed and an unknown call, an undone end, a branch, a compaction that kept a turn.
import { sha256 } from "../../src/ledger/ids.ts";
import type { SessionDB } from "../../src/ledger/session-db.ts";
import type { Message, Session } from "../../src/ledger/types.ts";
import { compactNow } from "./compaction.ts";
import { bytesOf, changeFiles, edit, hashOnly, onlyCall, side, startCalls } from "./file-changes.ts";
import { newSession, prompt, ROUTE, requestId, runTurn, startCommand, startTurn } from "./ledger.ts";

export interface RichConversation {
  readonly session: Session;
  readonly branch: Session;
}

export function richConversation(db: SessionDB): RichConversation {
  const session = newSession(db, { title: "one of everything" });
  allParts(db, session);
  withImage(db, session);
  changeFiles(db, session, [edit("/work/app/a.txt", "old", "new"), { path: "/work/app/b", after: side("made") }]);
  const secret = { path: "/work/app/.env", before: hashOnly("A=1"), after: hashOnly("A=2") };
  changeFiles(db, session, [secret]);
  endings(db, session);
  typedCommand(db, session);
  runTurn(db, session, "to be undone", "undone answer");
  moved(db.undo(session.id, 1));
  const branched = db.branch(session.id);
  if (branched.kind !== "branched") throw new Error(branched.why);
  runTurn(db, branched.session, "only in the branch", "branch answer");
  const kept = firstOf(db, session, runTurn(db, session, "kept", "kept answer"));
  compactNow(db, session, { keptFrom: kept.id });
  const newest = db.canonical(session.conversation);
  runTurn(db, newest, "after the compaction", "last answer");
  runTurn(db, newest, "undone too", "undone too");
  moved(db.undo(newest.id, 1));
  return { session: db.canonical(session.conversation), branch: db.session(branched.session.id) };
}

function moved(result: { kind: string }): void {
  if (result.kind !== "moved") throw new Error(JSON.stringify(result));
}

function firstOf(db: SessionDB, session: Session, answer: Message): Message {
  const message = answer.parent === undefined ? undefined : db.message(answer.parent);
  if (!message) throw new Error(`no prompt in ${session.id}`);
  return message;
}

function allParts(db: SessionDB, session: Session): void {
  const { turn, message, lease } = startTurn(db, session, "😀 a \u001b[31mprompt\u0000 \ud800");
  const opaque = { provider: "p", data: "c2lnbmVk" };
  const input = { 10: "ten", 9: "nine", text: "\u2028", deep: [[], {}, null, -0.5, 1e21] };
  const asked = { call: "c1", tool: "read_file", input } as const;
  const parts = [
    { kind: "reasoning", text: "thinking", opaque },
    { kind: "text", text: "let me see", opaque },
    { kind: "tool-call", ...asked, opaque },
  ] as const;
  const answer = { parent: message.id, role: "assistant", parts, at: Date.now(), ...ROUTE, usage: USAGE } as const;
  const { calls } = db.append(turn, { ...answer, finishReason: "tool-calls" }, [{ ...asked, effect: "none" }]);
  const id = onlyCall({ calls });
  db.approveCall(turn, id, { changedTo: { text: "changed" } });
  db.startCall(turn, id);
  const outcome = { kind: "ok", output: "head", exitCode: 0 } as const;
  const wholeOutput = bytesOf("whole output ".repeat(200_000));
  const { message: result } = db.finishCall(turn, { id, end: "succeeded", outcome, at: Date.now(), wholeOutput });
  const last = { parent: result.id, role: "assistant", at: Date.now(), ...ROUTE, usage: USAGE } as const;
  db.settle(turn, {
    outcome: "completed",
    at: Date.now(),
    last: { ...last, parts: [{ kind: "text", text: "done" }] },
    usage: USAGE,
  });
  db.releaseLease(lease);
  db.appendNote(session.id, { text: "a note", at: Date.now() });
}

const USAGE = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 };

function withImage(db: SessionDB, session: Session): void {
  const bytes = new Uint8Array([137, 80, 78, 71, 0, 255]);
  const file = {
    kind: "file",
    blob: sha256(bytes),
    mediaType: "image/png",
    name: "a.png",
    bytes: bytes.length,
  } as const;
  const asked = { ...prompt(""), prompt: [{ kind: "text", text: "look" }, file] } as const;
  const target = { kind: "session", asked: session.id } as const;
  db.admit({ request: requestId(), kind: "prompt", payload: asked, target, session: session.id, blobs: [bytes] });
  const { turn, lease } = claimed(db, session);
  db.settle(turn, { outcome: "failed", at: Date.now(), error: { code: "model_failed", message: "no", hint: "again" } });
  db.releaseLease(lease);
}

function claimed(db: SessionDB, session: Session) {
  const taken = db.acquireLease({ conversation: session.conversation, holder: `1:${session.id}` as never });
  if (taken.kind !== "acquired") throw new Error("held");
  const envelope = {
    systemPrompt: db.putSystemPrompt("You are a test."),
    tools: [],
    route: ROUTE,
    projection: 1,
    program: "test",
  };
  const result = db.claim(taken.lease, { at: Date.now(), envelope });
  if (result.kind !== "claimed") throw new Error(result.kind);
  return { turn: result.turn, lease: taken.lease };
}

/** A call that failed, one that was denied, one of which nobody knows. */
function endings(db: SessionDB, session: Session): void {
  const started = startCalls(db, session, { names: ["failed", "unknown", "cancelled"], effect: "external" });
  const [failed, unknown, cancelled] = started.calls;
  if (!failed || !unknown || !cancelled) throw new Error("no calls");
  const outcome = { kind: "failed", output: "no", exitCode: 1 } as const;
  db.finishCall(started.turn, { id: failed.id, end: "failed", outcome, at: Date.now(), evidence: "it says so" });
  db.finishCall(started.turn, { id: cancelled.id, end: "cancelled", outcome: { kind: "cancelled" }, at: Date.now() });
  db.settle(started.turn, { outcome: "interrupted", at: Date.now() });
  db.releaseLease(started.lease);
}

function typedCommand(db: SessionDB, session: Session): void {
  const { turn, call, lease } = startCommand(db, session, "!ls");
  db.startCall(turn, call.id);
  db.finishCall(turn, { id: call.id, end: "succeeded", outcome: { kind: "ok", output: "a.txt" }, at: Date.now() });
  db.settle(turn, { outcome: "completed", at: Date.now() });
  db.releaseLease(lease);
}
