// What waits (ledger.md §5): a prompt is admitted before a model is asked, and asking again under the same
// request id never does anything twice. Cancel, edit, reorder, hold and release concern queued rows only.
import { type AdmissionRow, toAdmission } from "./admissions-table.ts";
import { putBlob } from "./blobs.ts";
import { decodeProcess } from "./codec.ts";
import { ledgerError } from "./errors.ts";
import { livenessOf } from "./identity.ts";
import { canonicalJson, sha256 } from "./ids.ts";
import { isNamedIn, shownImages } from "./image-token.ts";
import type { Probe } from "./leases.ts";
import { toMessage } from "./messages.ts";
import { canonicalRow, createSession, type NewSession, reopen, sessionRow } from "./sessions.ts";
import type { SessionRow } from "./sessions-table.ts";
import type { Queries, Tx } from "./transaction.ts";
import { type HeadOptions, moveHead, moveRefusalOf, turnBegin } from "./tree.ts";
import type {
  Admission,
  AdmissionId,
  AdmissionKind,
  ApprovalMode,
  ConversationId,
  Hash,
  MessageId,
  Outcome,
  Payload,
  Refusal,
  RequestId,
  SessionId,
  Target,
  TurnError,
  Usage,
} from "./types.ts";

export interface AdmitRequest {
  readonly request: RequestId;
  readonly kind: Exclude<AdmissionKind, "retry">;
  readonly payload: Payload;
  /** As asked; the session found for it is not part of the digest. */
  readonly target: Target;
  /** Where it goes: a session that exists, or one that is made in the same transaction. */
  readonly session: SessionId | NewSession;
  /** Bytes of the payload's file parts. */
  readonly blobs?: readonly Uint8Array[];
  /** Before everything that waits. */
  readonly atFront?: boolean;
}

export interface Admitted {
  readonly admission: Admission;
  /** False: this request was admitted before; nothing was written. */
  readonly isNew: boolean;
}

/** Throws `admission_conflict` when the request id is taken by another content. */
export function admit(tx: Tx, request: AdmitRequest): Admitted {
  const digest = sha256(canonicalJson({ kind: request.kind, payload: request.payload, target: request.target }));
  const stored = storedRequest(tx, request.request, digest);
  if (stored) return { admission: toAdmission(stored), isNew: false };
  putBlobs(tx, request);
  const session =
    typeof request.session === "string"
      ? canonicalRow(tx.q, sessionRow(tx.q, request.session).conversation_id)
      : sessionRow(tx.q, createSession(tx, request.session).id);
  reopen(tx, session);
  const kind = request.kind === "steer" && !hasStarted(tx, session.conversation_id) ? "prompt" : request.kind;
  const row = insertAdmission(tx, session, { ...request, kind, digest, atFront: request.atFront ?? false });
  return { admission: toAdmission(row), isNew: true };
}

/** Each is named by a file part: a blob without a referrer would never go away again. */
function putBlobs(tx: Tx, { blobs = [], payload }: Pick<AdmitRequest, "blobs" | "payload">): void {
  const named = new Set(payload.prompt.flatMap((part) => (part.kind === "file" ? [part.blob] : [])));
  for (const blob of blobs) {
    if (!named.has(sha256(blob))) throw ledgerError("bad_input", "A file was given that no part of the prompt names.");
    putBlob(tx, blob);
  }
}

function storedRequest(tx: Tx, request: RequestId, digest: Hash): AdmissionRow | undefined {
  if (request.length < 1 || request.length > 1024)
    throw ledgerError("bad_input", "A request id has 1 to 1024 characters.");
  const stored = tx.q.admissions.byRequest.get(request);
  const gone = stored ? undefined : tx.q.admissions.tombstone.get(request);
  if (gone) throw ledgerError("admission_conflict", `Request ${request} belonged to a conversation that was deleted.`);
  if (stored && stored.digest !== digest)
    throw ledgerError(
      "admission_conflict",
      `Request ${request} was already used for another prompt, or in another folder or way: “${stored.summary}”.`,
    );
  return stored;
}

function insertAdmission(
  tx: Tx,
  session: SessionRow,
  wanted: {
    request: RequestId;
    kind: AdmissionKind;
    payload: Payload;
    digest: Hash;
    atFront: boolean;
    position?: number;
  },
): AdmissionRow {
  const open = tx.q.admissions.openOf.all(session.conversation_id);
  const positions = open.map((row) => row.position);
  const position = wanted.position ?? (wanted.atFront ? Math.min(1, ...positions) - 1 : Math.max(0, ...positions) + 1);
  const { lastInsertRowid } = tx.q.admissions.insert.run({
    request_id: wanted.request,
    conversation_id: session.conversation_id,
    session_id: session.id,
    kind: wanted.kind,
    payload: canonicalJson(wanted.payload),
    digest: wanted.digest,
    summary: summarize(wanted),
    position,
    submitter: JSON.stringify(tx.process),
    ledger_generation: tx.generation,
    base_head_id: session.head_id,
    queued_at: tx.now,
  });
  const id = Number(lastInsertRowid) as AdmissionId;
  for (const part of wanted.payload.prompt) if (part.kind === "file") tx.q.blobs.refAdmission.run(part.blob, id);
  return admissionRow(tx, id);
}

function summarize({ kind, payload }: { kind: AdmissionKind; payload: Payload }): string {
  const words = payload.prompt.map((part) => wordsOf(part, payload.prompt));
  const text = (kind === "compact" ? ["/compress", ...words] : words).join(" ");
  return [...text.toWellFormed().replace(/\s+/g, " ").trim()].slice(0, 80).join("");
}

function wordsOf(part: Payload["prompt"][number], prompt: Payload["prompt"]): string {
  if (part.kind === "file") return isNamedIn(part, prompt) ? "" : (part.name ?? part.mediaType);
  return part.kind === "text" ? shownImages(part.text) : "";
}

/** What a prompt consists of says what it is. */
function kindOf(payload: Payload, otherwise: AdmissionKind): AdmissionKind {
  if (payload.prompt.some((part) => part.kind === "shell")) return "shell";
  return otherwise === "shell" ? "prompt" : otherwise;
}

export type RetryResult =
  | { readonly kind: "retried"; readonly admission: Admission; readonly head?: MessageId; readonly isNew: boolean }
  | Refusal;

/** Undo of one turn and the same prompt again, in one transaction; it goes before everything that waits. */
export function retry(
  tx: Tx,
  session: SessionRow,
  wanted: HeadOptions & { request: RequestId; approval: ApprovalMode; cwd: string; probe?: Probe },
): RetryResult {
  const digest = sha256(canonicalJson({ kind: "retry", target: session.conversation_id }));
  const stored = storedRequest(tx, wanted.request, digest);
  if (stored) return { kind: "retried", admission: toAdmission(stored), isNew: false };
  const refused = moveRefusalOf(tx, session, wanted);
  if (refused) return refused;
  const begin = turnBegin(tx, session, 1);
  if (!begin) return { kind: "conflict", why: "There is no prompt to try again." };
  const prompt = toMessage(begin).parts.filter(
    (part): part is Payload["prompt"][number] => part.kind === "text" || part.kind === "file" || part.kind === "shell",
  );
  moveHead(tx, session, { to: begin.parent_id, kind: "undo", redoable: true });
  tx.q.sessions.countRewind.run(session.id);
  reopen(tx, session);
  const payload: Payload = { prompt, approval: wanted.approval, cwd: wanted.cwd };
  const row = insertAdmission(tx, sessionRow(tx.q, session.id), {
    request: wanted.request,
    kind: kindOf(payload, "retry"),
    payload,
    digest,
    atFront: true,
  });
  const head = begin.parent_id === null ? {} : { head: begin.parent_id };
  return { kind: "retried", admission: toAdmission(row), isNew: true, ...head };
}

/** queued → cancelled; a finished one is returned as it is. */
export function cancel(tx: Tx, id: AdmissionId): Admission {
  const row = admissionRow(tx, id);
  if (row.status === "started" || row.status === "unknown")
    throw ledgerError("illegal_edge", `Admission ${id} is ${row.status}; only what waits can be cancelled.`, {
      hint: row.status === "started" ? "Stop the turn instead." : `stele recover settle ${id}`,
    });
  if (row.status === "queued") finishAdmission(tx, id, { outcome: "cancelled", last: null });
  return toAdmission(admissionRow(tx, id));
}

export interface Edit {
  readonly request: RequestId;
  readonly payload: Payload;
  /** It goes into the turn that runs; without one it stays a prompt. */
  readonly steers?: boolean;
  /** Bytes of the payload's file parts that are not stored yet. */
  readonly blobs?: readonly Uint8Array[];
}

/** Cancel and a new admission with the new text at the same place, in one transaction. */
export function edit(tx: Tx, id: AdmissionId, wanted: Edit): Admission {
  const row = admissionRow(tx, id);
  const kind = editedKind(tx, row, wanted);
  const digest = sha256(canonicalJson({ payload: wanted.payload, edits: id, steers: wanted.steers ?? false }));
  const stored = storedRequest(tx, wanted.request, digest);
  if (stored) return toAdmission(stored);
  if (row.status !== "queued")
    throw ledgerError("illegal_edge", `Admission ${id} is ${row.status}; only what waits can be edited.`, {
      hint: "Send the new text as a prompt of its own.",
    });
  cancel(tx, id);
  putBlobs(tx, wanted);
  const session = canonicalRow(tx.q, row.conversation_id);
  return toAdmission(insertAdmission(tx, session, { ...wanted, kind, digest, atFront: false, position: row.position }));
}

function editedKind(tx: Tx, row: AdmissionRow, { payload, steers = false }: Edit): AdmissionKind {
  const kind = kindOf(payload, row.kind);
  if (!steers || (kind !== "prompt" && kind !== "retry")) return kind;
  return hasStarted(tx, row.conversation_id) ? "steer" : kind;
}

/** Puts a waiting row before another one of the same conversation, or at the end. */
export function reorder(tx: Tx, id: AdmissionId, before: AdmissionId | undefined): void {
  const row = admissionRow(tx, id);
  const queued = tx.q.admissions.openOf.all(row.conversation_id).filter((each) => each.status === "queued");
  const others = queued.filter((each) => each.seq !== id);
  const index = before === undefined ? others.length : others.findIndex((each) => each.seq === before);
  if (row.status !== "queued" || index < 0)
    throw ledgerError("illegal_edge", `Admission ${before ?? id} does not wait in that queue.`, {
      hint: "See: /queue",
    });
  const ordered = [...others.slice(0, index), row, ...others.slice(index)];
  for (const [at, each] of ordered.entries()) tx.q.admissions.setPosition.run(at + 1, each.seq);
}

/** Why a prompt is held whose text its submitter changes, and what is left of that once the submitter is dead. */
export const EDITED = "its text is being changed";
export const EDIT_LEFT = "its text was being changed when stele ended";

/** `takes`: this program is its submitter from now on. */
export function hold(tx: Tx, id: AdmissionId, { why, takes = false }: { why: string; takes?: boolean }): void {
  const row = admissionRow(tx, id);
  if (row.status !== "queued") return;
  if (takes) tx.q.admissions.adopt.run(JSON.stringify(tx.process), row.base_head_id, id);
  tx.q.admissions.setHeld.run(why, id);
}

export function orphans(q: Queries, at: Pick<Tx, "process">, probe?: Probe): AdmissionRow[] {
  return q.admissions.allOpen
    .all()
    .filter((row) => row.status === "queued" && (row.held === null || row.held === EDITED))
    .filter((row) => livenessOf(decodeProcess(row.submitter), at.process, probe) === "dead");
}

/** Nobody is left who would run them: they wait for a key, and what a loop asked is asked anew by its next slot. */
export function holdOrphans(tx: Tx, rows: readonly AdmissionRow[]): number {
  // They were read before this transaction: what started or ended meanwhile is left alone.
  const waiting = rows.map((row) => admissionRow(tx, row.seq)).filter((row) => row.status === "queued");
  for (const row of waiting) setAsideOrphan(tx, row);
  return waiting.length;
}

export function setAsideOrphan(tx: Tx, row: AdmissionRow): void {
  if (row.kind === "loop") cancel(tx, row.seq);
  else hold(tx, row.seq, { why: row.held === EDITED ? EDIT_LEFT : "the program that asked is gone" });
}

/** A key was pressed for it: this program is its submitter from now on, on the head as it is. */
export function release(tx: Tx, id: AdmissionId): Admission {
  const row = admissionRow(tx, id);
  if (row.status !== "queued")
    throw ledgerError("illegal_edge", `Admission ${id} is ${row.status}; it does not wait.`, { hint: "See: /queue" });
  tx.q.admissions.adopt.run(JSON.stringify(tx.process), canonicalRow(tx.q, row.conversation_id).head_id, id);
  return toAdmission(admissionRow(tx, id));
}

export function finishAdmission(
  tx: Tx,
  id: AdmissionId,
  end: { outcome: Outcome; last: MessageId | null; error?: TurnError; usage?: Usage },
): void {
  tx.q.admissions.settle.run({
    seq: id,
    outcome: end.outcome,
    last_message: end.last,
    error: end.error ? canonicalJson(end.error) : null,
    usage: end.usage ? canonicalJson(end.usage) : null,
    now: tx.now,
  });
}

function hasStarted(tx: Tx, conversation: ConversationId): boolean {
  return tx.q.admissions.openOf.all(conversation).some((row) => row.status === "started");
}

export function admissionRow(tx: Pick<Tx, "q">, id: AdmissionId): AdmissionRow {
  const row = tx.q.admissions.get.get(id);
  if (!row) throw ledgerError("not_found", `There is no admission ${id}.`, { hint: "See: stele recover --json" });
  return row;
}
