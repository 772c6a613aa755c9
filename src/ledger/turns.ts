// Writing a running turn and ending it: appended answers, steers, and the settle that makes last node, call
// states, outcome and usage visible in one transaction. Ending an unknown turn needs a person's word.
import { type AdmissionRow, toAdmission } from "./admissions-table.ts";
import { draftsOf } from "./drafts.ts";
import { ledgerError } from "./errors.ts";
import { type LeaseRef, requireLease, requireStarted } from "./leases.ts";
import { messageOf, toMessage } from "./messages.ts";
import { closeRequest } from "./model-requests.ts";
import { admissionRow, finishAdmission } from "./queue.ts";
import { canonicalRow, writingRow } from "./sessions.ts";
import { toRoute } from "./sessions-table.ts";
import { closeOpenCalls, type ProposedCall, proposeCalls } from "./tool-calls.ts";
import { toCall } from "./tool-calls-table.ts";
import type { TurnTx, Tx } from "./transaction.ts";
import { extendHead } from "./tree.ts";
import type {
  Admission,
  AdmissionId,
  Message,
  MessageId,
  Outcome,
  Part,
  Refusal,
  ToolCall,
  TurnError,
  TurnRef,
  Usage,
} from "./types.ts";
import { addUsage } from "./usage.ts";

export interface NewMessage {
  readonly parent: MessageId | undefined;
  readonly role: "assistant" | "note";
  readonly parts: readonly Part[];
  readonly at: number;
  readonly provider?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

export interface Settlement {
  readonly outcome: Extract<Outcome, "completed" | "interrupted" | "failed" | "rejected">;
  /** The answer, what was streamed of it, or a note that says what happened. */
  readonly last?: NewMessage;
  readonly error?: TurnError;
  /** Of the whole turn. */
  readonly usage?: Usage;
  readonly at: number;
}

export interface Settled {
  readonly admission: Admission;
  /** Nodes written by this settle, in order: results of calls that were open, then the last node. */
  readonly messages: readonly Message[];
}

/** The end of a turn is one transaction: last nodes, call states, outcome, usage. Twice returns the first. */
export function settle(tx: TurnTx, settlement: Settlement): Settled {
  if (tx.admission.status === "terminal")
    return { admission: toAdmission(admissionRow(tx, tx.turn.admission)), messages: [] };
  requireStarted(tx);
  requireSettleable(tx, settlement);
  const reason = settlement.outcome === "interrupted" ? "the turn was stopped" : "the turn ended";
  const closed = closeOpenCalls(tx, tx.turn.admission, { at: settlement.at, reason });
  const messages = [...closed];
  if (settlement.last) {
    // The caller named the head it saw; results that were just written stand between.
    const parent = closed.at(-1)?.id ?? settlement.last.parent;
    messages.push(addTurnMessage(tx, { ...settlement.last, parent }).message);
  }
  closeRequest(tx, tx.turn.admission, { state: "failed" });
  const last = messages.at(-1)?.id ?? canonicalRow(tx.q, tx.turn.conversation).head_id;
  if (settlement.outcome === "completed") requireEnd(tx, last);
  finishAdmission(tx, tx.turn.admission, { ...settlement, last });
  tx.q.drafts.dropAnswer.run(tx.turn.conversation);
  tx.q.admissions.steersToPrompts.run(tx.turn.conversation);
  return { admission: toAdmission(admissionRow(tx, tx.turn.admission)), messages };
}

/** Nothing could answer a call of the last node; and results of calls that were open must not hide a stale head. */
function requireSettleable(tx: TurnTx, { last }: Settlement): void {
  if (!last) return;
  if (last.parts.some((part) => part.kind === "tool-call"))
    throw ledgerError("bad_input", "The last answer of a turn asks for no tools: append it, or leave its calls out.");
  const head = canonicalRow(tx.q, tx.turn.conversation).head_id ?? undefined;
  if (tx.q.calls.withoutResult.all(tx.turn.admission).length > 0 && last.parent !== head)
    throw ledgerError("stale_head", `The conversation moved on: its head is ${head}, not ${last.parent}.`);
}

/** A turn is complete exactly when it ends in what was asked for: an answer, a command's result, a summary. */
function requireEnd(tx: TurnTx, last: MessageId | null): void {
  const { kind } = tx.admission;
  const wanted = kind === "shell" ? "tool" : kind === "compact" ? "summary" : "assistant";
  const role = last === null ? undefined : tx.q.messages.get.get(last)?.role;
  if (role !== wanted)
    throw ledgerError("illegal_edge", `A completed ${kind} ends in a ${wanted} message, not in ${role ?? "nothing"}.`);
}

/** One more node of a running turn under the head it names, with what it cost. */
function addTurnMessage(
  tx: TurnTx,
  message: NewMessage,
  session = writingRow(tx.q, tx.turn.conversation),
): { message: Message; isFresh: boolean } {
  const { row, isFresh } = extendHead(tx, session, { ...message, admission: tx.turn.admission });
  if (!isFresh) return { message: toMessage(row), isFresh };
  if (tx.admission.has_draft === 1) tx.q.drafts.dropAnswer.run(tx.turn.conversation);
  if (message.role === "assistant" && message.provider !== undefined) {
    if (tx.admission.is_asking === 1) closeRequest(tx, tx.turn.admission, { state: "answered", usage: message.usage });
    if (message.usage) {
      const route = { ...toRoute(session), provider: message.provider, model: message.model ?? session.model };
      addUsage(tx, { session: session.id, route, usage: message.usage, at: message.at });
    }
  }
  return { message: messageOf(row, message.parts), isFresh };
}

export interface Appended {
  readonly message: Message;
  readonly calls: readonly ToolCall[];
}

/** An answer and the calls it asks for, in one transaction: intent before effect. */
export function append(tx: TurnTx, message: NewMessage, proposed: readonly ProposedCall[]): Appended {
  requireStarted(tx);
  requireSameCalls(message, proposed);
  // Nothing was written in this transaction yet: session and head are as the fence read them.
  const { message: node, isFresh } = addTurnMessage(tx, message, tx.admission);
  if (isFresh && proposed.length === 0) return { message: node, calls: [] };
  if (isFresh) proposeCalls(tx, node.id, proposed);
  return { message: node, calls: tx.q.calls.ofMessage.all(node.id).map(toCall) };
}

/** What the answer asks for and the rows that will be run are the same calls, each with a name of its own. */
function requireSameCalls(message: NewMessage, proposed: readonly ProposedCall[]): void {
  const asked = message.parts.flatMap((part) => (part.kind === "tool-call" ? [part.call] : []));
  const isSame = asked.length === proposed.length && proposed.every((each, at) => each.call === asked[at]);
  if (!isSame) throw ledgerError("bad_input", "The calls of an answer and the calls to be stored differ.");
  if (new Set(asked).size < asked.length)
    throw ledgerError("bad_input", "Two calls of one answer have the same id; the second could not be answered.");
  if (asked.some((call) => call === "" || !call.isWellFormed()))
    throw ledgerError(
      "bad_input",
      "A call needs an id of well-formed text, or its result could not be paired with it.",
    );
}

export interface Steered {
  readonly admission: Admission;
  readonly message: Message;
}

/** The next waiting steer becomes a user node of the running turn; undefined when none waits. */
export function takeSteer(tx: TurnTx, at: number): Steered | undefined {
  requireStarted(tx);
  const steer = tx.q.admissions.openOf
    .all(tx.turn.conversation)
    .find((row) => row.kind === "steer" && row.status === "queued" && row.held === null);
  if (!steer) return undefined;
  const { row } = extendHead(tx, canonicalRow(tx.q, tx.turn.conversation), {
    role: "user",
    parts: toAdmission(steer).payload.prompt,
    at,
    admission: tx.turn.admission,
  });
  tx.q.admissions.steer.run({ seq: steer.seq, taken_by: tx.turn.admission, user_message: row.id, now: tx.now });
  return { admission: toAdmission(admissionRow(tx, steer.seq)), message: toMessage(row) };
}

/** The owner's own settle failed: the turn is not known to be over. */
export function markUnknown(tx: TurnTx): void {
  if (tx.admission.status === "started") tx.q.admissions.setUnknown.run(tx.turn.admission);
}

export type ResumeResult =
  | { readonly kind: "resumed"; readonly turn: TurnRef; readonly admission: Admission }
  | Refusal;

export interface ResumeRequest {
  readonly id: AdmissionId;
  /** A person allowed that the next request is not the one that the crash cut off. */
  readonly mayDiffer?: boolean;
}

/** The same turn goes on from its last stored node: new owner and epoch, nothing inserted. */
export function resumeUnknown(tx: Tx, lease: LeaseRef, { id, mayDiffer = false }: ResumeRequest): ResumeResult {
  const row = admissionRow(tx, id);
  requireLease(tx, lease, row.conversation_id);
  if (row.status !== "unknown")
    return { kind: "conflict", why: `Admission ${id} is ${row.status}: there is nothing to resume.` };
  const undecided = tx.q.calls.withoutResult
    .all(id)
    .filter((call) => call.state === "running" || call.state === "unknown");
  if (undecided.length > 0) {
    const ids = undecided.map((call) => call.id).join(", ");
    return { kind: "conflict", why: `Decide about tool call ${ids} first: whether it happened is not known.` };
  }
  if (mayDiffer) closeRequest(tx, id, { state: "failed" });
  const { session_id: session, envelope_hash: envelope } = row;
  const fields = { owner: lease.holder, epoch: lease.epoch, envelope, session_id: session, user_message: null };
  tx.q.drafts.dropAnswer.run(row.conversation_id);
  tx.q.admissions.start.run({ seq: id, ...fields, now: tx.now });
  const turn: TurnRef = { ...lease, session, admission: id };
  return { kind: "resumed", turn, admission: toAdmission(admissionRow(tx, id)) };
}

/** Ends an unknown turn on a person's word; its open calls get results that say what is not known. */
export function settleUnknown(
  tx: Tx,
  lease: LeaseRef,
  settlement: {
    id: AdmissionId;
    outcome: "interrupted" | "failed";
    note: string;
    at: number;
    /** What had streamed of the answer becomes part of the conversation. */
    keepDraft?: boolean;
  },
): Settled {
  const row = admissionRow(tx, settlement.id);
  requireLease(tx, lease, row.conversation_id);
  if (row.status === "terminal") return { admission: toAdmission(row), messages: [] };
  if (row.status !== "unknown")
    throw ledgerError(
      "illegal_edge",
      `Admission ${row.seq} is ${row.status}; only an unknown one is settled by hand.`,
      {
        hint: "See: stele recover --json",
      },
    );
  const closed = closeOpenCalls(tx, row.seq, { at: settlement.at, reason: "the turn was interrupted" });
  const kept = settlement.keepDraft ? keepDraft(tx, row, settlement.at) : [];
  tx.q.drafts.dropAnswer.run(row.conversation_id);
  const { row: note } = extendHead(tx, canonicalRow(tx.q, row.conversation_id), {
    role: "note",
    parts: [{ kind: "note", text: settlement.note }],
    at: settlement.at,
    admission: row.seq,
  });
  closeRequest(tx, row.seq, { state: "failed" });
  finishAdmission(tx, row.seq, { outcome: settlement.outcome, last: note.id });
  tx.q.admissions.steersToPrompts.run(row.conversation_id);
  return { admission: toAdmission(admissionRow(tx, row.seq)), messages: [...closed, ...kept, toMessage(note)] };
}

/** The half answer of this turn, where nothing was stored after what it was an answer to. */
function keepDraft(tx: Tx, { seq, conversation_id }: AdmissionRow, at: number): Message[] {
  const session = canonicalRow(tx.q, conversation_id);
  const draft = draftsOf(tx.q, conversation_id, tx.process).find(
    ({ kind, admission }) => kind === "answer" && admission === seq,
  );
  if (!draft?.text || draft.parent !== (session.head_id ?? undefined)) return [];
  const { provider, model } = session;
  const parts = [{ kind: "text", text: draft.text } as const];
  const node = { role: "assistant", parts, at, admission: seq, provider, model, finishReason: "interrupted" } as const;
  return [toMessage(extendHead(tx, session, node).row)];
}
