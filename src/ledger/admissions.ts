// Claiming: the lowest waiting row becomes a started turn, with its user message, in one transaction under
// the lease (ledger.md §5). What another living program asked is left to it.
import { type AdmissionRow, toAdmission } from "./admissions-table.ts";
import { decodeProcess } from "./codec.ts";
import { isSameProcess, livenessOf } from "./identity.ts";
import { canonicalJson, sha256 } from "./ids.ts";
import { shownImages } from "./image-token.ts";
import { type LeaseRef, type Probe, requireLease } from "./leases.ts";
import { toMessage } from "./messages.ts";
import { admissionRow, setAsideOrphan } from "./queue.ts";
import { canonicalRow, deriveTitle } from "./sessions.ts";
import type { SessionRow } from "./sessions-table.ts";
import { addTypedCall } from "./tool-calls.ts";
import type { Tx } from "./transaction.ts";
import { extendHead, isOnPath } from "./tree.ts";
import type { Admission, Envelope, Hash, Message, Payload, TurnRef } from "./types.ts";

export type ClaimResult =
  | { readonly kind: "claimed"; readonly turn: TurnRef; readonly admission: Admission; readonly message?: Message }
  /** Nothing that this program may take waits. */
  | { readonly kind: "nothing" }
  /** The lowest row belongs to another living program. */
  | { readonly kind: "left"; readonly admission: Admission }
  /** An interrupted turn must be decided about first. */
  | { readonly kind: "blocked"; readonly admission: Admission };

export interface Claimer {
  readonly at: number;
  /** Stored by hash with the turn, so that its next request can be rebuilt. */
  readonly envelope: Envelope;
  readonly probe?: Probe;
}

/** Takes the lowest waiting row, writes its user message on the head as it is now, and starts it. */
export function claim(tx: Tx, lease: LeaseRef, claimer: Claimer): ClaimResult {
  requireLease(tx, lease);
  const open = tx.q.admissions.openOf.all(lease.conversation);
  const stuck = open.find((row) => row.status === "started" || row.status === "unknown");
  if (stuck?.status === "started" && stuck.owner === lease.holder && stuck.epoch === lease.epoch)
    return claimed(tx, lease, stuck); // the acknowledgement was lost, the claim was not
  if (stuck) return { kind: "blocked", admission: toAdmission(stuck) };
  const session = canonicalRow(tx.q, lease.conversation);
  for (const row of open) {
    if (row.held !== null) continue;
    const verdict = verdictOn(tx, { session, row, probe: claimer.probe });
    if (verdict === "left") return { kind: "left", admission: toAdmission(row) };
    if (verdict === "take") return start(tx, lease, { row, session, claimer });
    if (verdict === "orphan") setAsideOrphan(tx, row);
    else tx.q.admissions.setHeld.run("the conversation was rewound after this was asked", row.seq);
  }
  return { kind: "nothing" };
}

type Verdict = "take" | "left" | "orphan" | "rewound";

function verdictOn(
  tx: Tx,
  { session, row, probe }: { session: SessionRow; row: AdmissionRow; probe: Probe | undefined },
): Verdict {
  const submitter = decodeProcess(row.submitter);
  const isMine = submitter !== undefined && isSameProcess(submitter, tx.process);
  if (!isMine) return livenessOf(submitter, tx.process, probe) === "dead" ? "orphan" : "left";
  return row.base_head_id === null || isOnPath(tx, session.head_id, row.base_head_id) ? "take" : "rewound";
}

function start(
  tx: Tx,
  lease: LeaseRef,
  taken: { row: AdmissionRow; session: SessionRow; claimer: Claimer },
): ClaimResult {
  const { row, session, claimer } = taken;
  const envelope = putEnvelope(tx, claimer.envelope);
  const payload = toAdmission(row).payload;
  const message =
    row.kind === "compact"
      ? undefined
      : extendHead(tx, session, {
          role: "user",
          parts: payload.prompt,
          at: claimer.at,
          admission: row.seq,
          beginsTurn: true,
        }).row;
  // A command says nothing of what the conversation is about.
  if (message && row.kind !== "shell" && session.title === null) titleFrom(tx, session, payload);
  tx.q.admissions.start.run({
    seq: row.seq,
    owner: lease.holder,
    epoch: lease.epoch,
    envelope,
    session_id: session.id,
    user_message: message?.id ?? null,
    now: tx.now,
  });
  const shell = payload.prompt.find((part) => part.kind === "shell");
  if (message && shell) addTypedCall(tx, { message: message.id, admission: row.seq, shell });
  return claimed(tx, lease, admissionRow(tx, row.seq));
}

function claimed(tx: Tx, lease: LeaseRef, row: AdmissionRow): ClaimResult {
  const { conversation, holder, epoch } = lease;
  const turn: TurnRef = { conversation, holder, epoch, session: row.session_id, admission: row.seq };
  const message = row.user_message_id === null ? undefined : tx.q.messages.get.get(row.user_message_id);
  return { kind: "claimed", turn, admission: toAdmission(row), ...(message && { message: toMessage(message) }) };
}

function putEnvelope(tx: Tx, envelope: Envelope): Hash {
  const json = canonicalJson(envelope);
  const hash = sha256(json);
  tx.q.meta.putEnvelope.run(hash, json);
  return hash;
}

function titleFrom(tx: Tx, session: SessionRow, payload: Payload): void {
  const text = payload.prompt.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
  const title = deriveTitle(shownImages(text));
  if (title !== undefined) tx.q.sessions.setTitle.run(title, "derived", session.id);
}
