// What became of a call is found out after its turn was ended with nobody knowing: its result stays what it was, the
// proof is stored beside it and told by a note where the conversation is now. Once.
import { ledgerError } from "./errors.ts";
import type { Probe } from "./leases.ts";
import { toMessage } from "./messages.ts";
import { canonicalRow, sessionRow } from "./sessions.ts";
import { callRow } from "./tool-calls.ts";
import type { Tx } from "./transaction.ts";
import { extendHead, refusalOf } from "./tree.ts";
import type { CallId, Message, Refusal } from "./types.ts";

export interface LateProof {
  readonly id: CallId;
  /** Ends a sentence about the call. */
  readonly evidence: string;
  readonly at: number;
}

/** Undefined: it is known already, or the call is none of those. Refused while the conversation is not at rest. */
export function storeLateEvidence(
  tx: Tx,
  { id, evidence, at }: LateProof,
  probe?: Probe,
): Message | Refusal | undefined {
  const row = callRow(tx, id);
  if (row.state !== "unknown" || row.result_message_id === null || row.evidence === evidence) return undefined;
  const asking = tx.q.messages.get.get(row.message_id);
  if (!asking) throw ledgerError("row_missing", `Message ${row.message_id} is not there.`);
  const session = canonicalRow(tx.q, sessionRow(tx.q, asking.session_id).conversation_id);
  const refused = refusalOf(tx, session, probe ? { probe } : {});
  if (refused) return refused;
  tx.q.calls.setState.run("unknown", evidence, id);
  const { command = row.tool } = JSON.parse(row.input) as { command?: unknown };
  const text = `Found out later: ${String(command)} ${evidence}.`;
  return toMessage(extendHead(tx, session, { role: "note", parts: [{ kind: "note", text }], at }).row);
}
