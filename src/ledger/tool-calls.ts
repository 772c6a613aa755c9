// The states of a tool call (ledger.md §7), each step one transaction. The row `running` is committed before
// the tool runs; a call's end and its result node are one transaction, so there is never one without the other.

import { putBlob } from "./blobs.ts";
import { decodeProcess } from "./codec.ts";
import { ledgerError } from "./errors.ts";
import { isSameProcess } from "./identity.ts";
import { effectKey } from "./ids.ts";
import { type LeaseRef, requireLease, requireStarted } from "./leases.ts";
import { toMessage } from "./messages.ts";
import { admissionRow } from "./queue.ts";
import { canonicalRow, sessionRow } from "./sessions.ts";
import { type CallRow, toCall } from "./tool-calls-table.ts";
import type { TurnTx, Tx } from "./transaction.ts";
import { extendHead } from "./tree.ts";
import type {
  AdmissionId,
  CallId,
  Effect,
  Message,
  MessageId,
  ProcessIdentity,
  ShellPart,
  ToolCall,
  ToolOutcome,
} from "./types.ts";

export interface ProposedCall {
  readonly call: string;
  readonly tool: string;
  readonly input: ToolCall["input"];
  readonly effect: Effect;
}

export type CallEnd = "succeeded" | "failed" | "cancelled" | "denied" | "skipped";

export interface FinishedCall {
  readonly id: CallId;
  /** `unknown`: it began, and its own tool could not say how it ended. */
  readonly end: CallEnd | "unknown";
  readonly outcome: ToolOutcome;
  /** The whole output, when `outcome.output` is only a part of it; `outcome.blob` is set from it. */
  readonly wholeOutput?: Uint8Array;
  readonly at: number;
  /** What a person should know besides the outcome. */
  readonly evidence?: string;
}

export function proposeCalls(tx: TurnTx, message: MessageId, calls: readonly ProposedCall[]): void {
  for (const call of calls) insertCall(tx, { message, admission: tx.turn.admission }, call);
}

/** What a person typed is allowed by them; its message begins the turn in the same transaction. */
export function addTypedCall(
  tx: Tx,
  { message, admission, shell }: { message: MessageId; admission: AdmissionId; shell: ShellPart },
): void {
  const { command, timeout } = shell;
  const asked = { call: "typed", tool: "shell", input: { command, timeout }, effect: "external" } as const;
  tx.q.calls.approve.run("person", insertCall(tx, { message, admission }, asked));
}

function insertCall(
  tx: Tx,
  { message, admission }: { message: MessageId; admission: AdmissionId },
  { call, tool, input, effect }: ProposedCall,
): number {
  const { lastInsertRowid } = tx.q.calls.insert.run({
    message,
    admission,
    call,
    tool,
    input: JSON.stringify(input),
    effect,
    effect_key: effectKey({ ledger: tx.ledgerId, admission, message, call }),
  });
  return Number(lastInsertRowid);
}

/** A rule's text, `mode`, `person`, or the input that a person put in place of the one that was asked for. */
export type Approval = string | { readonly changedTo: ToolCall["input"] };

/** Saying it twice is fine, also when the call runs already; what has ended cannot be allowed any more. */
export function approveCall(tx: TurnTx, id: CallId, by: Approval): ToolCall {
  const row = openCall(tx, id);
  if (row.state === "proposed") {
    if (typeof by === "string") tx.q.calls.approve.run(by, id);
    else tx.q.calls.approveChanged.run(CHANGED, JSON.stringify(by.changedTo), id);
  } else if (row.state !== "approved" && row.state !== "running") throw wrongState(row, "allowed");
  return toCall(callRow(tx, id));
}

/** As `approval`: what runs is not what the model asked for. */
const CHANGED = "person, changed";

/** Whoever ends such a call, also recovery: the model is told what ran, whose own call in the path says otherwise. */
function withChange(row: CallRow, outcome: ToolOutcome): ToolOutcome {
  if (row.approval !== CHANGED) return outcome;
  const note = `[The person changed this call. Its input was: ${row.input}]`;
  return { ...outcome, output: outcome.output ? `${note}\n${outcome.output}` : note };
}

/** Committed before the tool runs. Asked again after a lost acknowledgement, it counts no second attempt. */
export function startCall(tx: TurnTx, id: CallId, spool?: string): ToolCall {
  const row = openCall(tx, id);
  const starter = decodeProcess(row.process);
  if (row.state === "running" && starter && isSameProcess(starter, tx.process)) return toCall(row);
  if (row.state !== "approved") throw wrongState(row, "started");
  tx.q.calls.start.run({ id, process: JSON.stringify(tx.process), spool: spool ?? null, now: tx.now });
  return toCall(callRow(tx, id));
}

/** Who runs the command, stored before it may start: recovery asks the kernel about that very process. */
export function setSupervisor(tx: TurnTx, id: CallId, supervisor: ProcessIdentity): ToolCall {
  const row = openCall(tx, id);
  if (row.state !== "running") throw wrongState(row, "given a supervisor");
  tx.q.calls.setProcess.run(JSON.stringify(supervisor), id);
  return toCall(callRow(tx, id));
}

/** Ends the call and appends its result under the head. A call that has its result returns it. */
export function finishCall(tx: TurnTx, finished: FinishedCall): { call: ToolCall; message: Message } {
  const row = ownCall(tx, finished.id);
  if (row.result_message_id !== null) return storedResult(tx, row);
  requireStarted(tx);
  if (finished.end === "unknown" && row.state !== "running" && row.state !== "unknown")
    throw wrongState(row, "ended as unknown");
  return endCall(tx, row, { ...finished, state: finished.end });
}

export function markCallUnknown(tx: TurnTx, id: CallId, evidence: string): ToolCall {
  const row = openCall(tx, id);
  if (row.state !== "running" && row.state !== "unknown") throw wrongState(row, "called unknown");
  tx.q.calls.setState.run("unknown", evidence, id);
  return toCall(callRow(tx, id));
}

interface End {
  readonly state: CallEnd | "unknown";
  readonly outcome: ToolOutcome;
  readonly wholeOutput?: Uint8Array;
  readonly at: number;
  readonly evidence?: string;
  /** When the call ended; without it now. */
  readonly finishedAt?: number;
}

/** The result node and the last state in one go; the node stands under the head of the canonical session. */
function endCall(tx: Tx, row: CallRow, end: End): { call: ToolCall; message: Message } {
  const asking = tx.q.messages.get.get(row.message_id);
  if (!asking) throw ledgerError("row_missing", `Message ${row.message_id} is not there.`);
  const conversation = sessionRow(tx.q, asking.session_id).conversation_id;
  const blob = end.wholeOutput && putBlob(tx, end.wholeOutput);
  const told = withChange(row, end.outcome);
  const outcome: ToolOutcome = blob ? { ...told, blob, truncated: true } : told;
  const { row: node } = extendHead(tx, canonicalRow(tx.q, conversation), {
    role: "tool",
    parts: [{ kind: "tool-result", call: row.call_id, outcome }],
    at: end.at,
    admission: row.admission_id,
  });
  tx.q.calls.finish.run({
    id: row.id,
    state: end.state,
    result: node.id,
    now: end.finishedAt ?? tx.now,
    evidence: end.evidence ?? null,
  });
  return { call: toCall(callRow(tx, row.id)), message: toMessage(node) };
}

function storedResult(tx: Tx, row: CallRow): { call: ToolCall; message: Message } {
  const node = tx.q.messages.get.get(row.result_message_id as MessageId);
  if (!node) throw ledgerError("row_missing", `The result of call ${row.id} is not there.`);
  return { call: toCall(row), message: toMessage(node) };
}

const NO_END = "it was started, and no end was recorded";

/**
 * Before an admission may end: every call of it gets its result. What never began is skipped; what began and
 * has no known end is `unknown`, and says so.
 */
export function closeOpenCalls(tx: Tx, admission: AdmissionId, why: { at: number; reason: string }): Message[] {
  return tx.q.calls.withoutResult.all(admission).map((row) => {
    // A person said that it may run again: whether it happened the first time is as unknown as before.
    const isDoubtful = row.state === "approved" && row.attempts > 0 && row.effect === "external";
    const isStarted = row.state === "running" || row.state === "unknown" || isDoubtful;
    if (isStarted && row.state !== "unknown") tx.q.calls.setState.run("unknown", null, row.id);
    const outcome: ToolOutcome = isStarted
      ? { kind: "unknown", output: `Whether this happened is not known: ${row.evidence ?? NO_END}.` }
      : { kind: "cancelled", output: `Not run: ${why.reason}.` };
    return endCall(tx, callRow(tx, row.id), { state: isStarted ? "unknown" : "skipped", outcome, at: why.at }).message;
  });
}

/** What was read back from the outside about a call that a crash left without an end. Evidence is shown to people. */
export type CallProof = { readonly id: CallId; readonly evidence: string } & (
  | {
      readonly kind: "ended";
      readonly end: Extract<CallEnd, "succeeded" | "failed" | "cancelled">;
      readonly outcome: ToolOutcome;
      readonly wholeOutput?: Uint8Array;
      /** When it ended, where that was recorded. */
      readonly finishedAt?: number;
    }
  /** It did not happen, and the resumed turn may run it. */
  | { readonly kind: "not-started" }
  /** Its command goes on without the program that started it. */
  | { readonly kind: "running" }
  | { readonly kind: "unknown" }
);

export interface FoundProofs {
  readonly proofs: readonly CallProof[];
  /** Time of the result nodes. */
  readonly at: number;
}

/**
 * Recovery: what a dead owner left `running`, and what was unknown and has a proof now. Without a proof reads and
 * repeatable calls may run again; the rest is unknown. A turn that is not unknown has an owner who knows better:
 * then nothing is changed.
 */
export function reconcileCalls(
  tx: Tx,
  lease: LeaseRef,
  { admission, proofs = [], at = tx.now }: { admission: AdmissionId } & Partial<FoundProofs>,
): ToolCall[] {
  const turn = admissionRow(tx, admission);
  requireLease(tx, lease, turn.conversation_id);
  if (turn.status === "unknown")
    for (const row of tx.q.calls.withoutResult.all(admission)) {
      const proof = proofs.find(({ id }) => id === row.id);
      if (row.state === "running" || (row.state === "unknown" && proof)) reconcile(tx, row, { proof, at });
    }
  return tx.q.calls.ofAdmission.all(admission).map(toCall);
}

function reconcile(tx: Tx, row: CallRow, { proof, at }: { proof: CallProof | undefined; at: number }): void {
  const { evidence } = proof ?? { evidence: "started, no end recorded" };
  switch (proof?.kind) {
    case "ended":
      return void endCall(tx, row, { ...proof, state: proof.end, at });
    case "not-started":
      return void tx.q.calls.setState.run("approved", evidence, row.id);
    case "running":
      return void tx.q.calls.setState.run(row.state, evidence, row.id);
    case "unknown":
      return void tx.q.calls.setState.run("unknown", evidence, row.id);
    case undefined: {
      const mayRunAgain = row.effect === "none" || row.effect === "idempotent";
      if (mayRunAgain) tx.q.calls.setState.run("approved", "interrupted; running it again changes nothing", row.id);
      else tx.q.calls.setState.run("unknown", evidence, row.id);
    }
  }
}

export type CallVerdict = "happened" | "not-happened" | "again";

/** A person's word about an unknown call. `again` leaves it open; the resumed turn runs it under the same key. */
export function resolveCall(tx: Tx, lease: LeaseRef, word: { id: CallId; verdict: CallVerdict; at: number }): ToolCall {
  const row = callRow(tx, word.id);
  requireLease(tx, lease, admissionRow(tx, row.admission_id).conversation_id);
  if (row.state !== "unknown" || row.result_message_id !== null)
    throw ledgerError("illegal_edge", `Call ${word.id} is ${row.state}: there is nothing to decide about it.`, {
      hint: "stele recover --json lists the calls that wait for a decision.",
    });
  if (word.verdict === "again") {
    tx.q.calls.setState.run("approved", "a person decided: run again", row.id);
    return toCall(callRow(tx, row.id));
  }
  const happened = word.verdict === "happened";
  return endCall(tx, row, {
    state: happened ? "succeeded" : "cancelled",
    at: word.at,
    evidence: `a person decided: it ${happened ? "happened" : "did not happen"}`,
    outcome: happened
      ? { kind: "ok", output: "It happened, says the person; its output was lost in a crash." }
      : { kind: "cancelled", output: "It did not happen, says the person." },
  }).call;
}

function ownCall(tx: TurnTx, id: CallId): CallRow {
  const row = callRow(tx, id);
  if (row.admission_id !== tx.turn.admission)
    throw ledgerError("lease_lost", `Call ${id} belongs to another turn than ${tx.turn.admission}.`);
  return row;
}

function openCall(tx: TurnTx, id: CallId): CallRow {
  const row = ownCall(tx, id);
  requireStarted(tx);
  return row;
}

function wrongState(row: CallRow, what: string) {
  return ledgerError("illegal_edge", `Call ${row.id} is ${row.state} and cannot be ${what}.`);
}

export function callRow(tx: Pick<Tx, "q">, id: CallId): CallRow {
  const row = tx.q.calls.get.get(id);
  if (!row) throw ledgerError("not_found", `There is no tool call ${id}.`, { hint: "See: stele recover --json" });
  return row;
}
