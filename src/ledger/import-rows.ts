// Importing a conversation in bounded steps: begin stages its sessions unseen, steps add rows, end shows all of it in one
// transaction. Records were checked by who reads the file; what could lie is checked again here, by hash and by schema.
import { putBlob } from "./blobs.ts";
import { decodeParts, searchableText } from "./codec.ts";
import { ledgerError } from "./errors.ts";
import { canonicalJson, effectKey, messageHash, sha256 } from "./ids.ts";
import { requireMark } from "./import-marks.ts";
import { blobsOf } from "./messages.ts";
import { storedParts } from "./portable-parts.ts";
import { freshId } from "./sessions.ts";
import type { Tx } from "./transaction.ts";
import type {
  CallRecord,
  ChangeRecord,
  MoveRecord,
  NewBlob,
  NodeRecord,
  SessionRecord,
  TurnRecord,
} from "./transfer.ts";
import type { AdmissionId, CallId, ConversationId, Hash, MessageId, Refusal, SessionId } from "./types.ts";
import { partedWords } from "./word-gaps.ts";

export interface ImportBegin {
  /** A word of the caller's that no other import has. */
  readonly token: string;
  /** Parents first. */
  readonly sessions: readonly SessionRecord[];
  /** Each with a node of it. */
  readonly turns: readonly { readonly conversation: ConversationId; readonly request: string; readonly node?: Hash }[];
}

export interface ImportBegun {
  readonly kind: "begun";
  /** Of the turns, in their order; `isHere`: its row is. */
  readonly turns: readonly { readonly seq: AdmissionId; readonly isHere: boolean }[];
  /** Id of the branch that takes what a conversation that is here does not have. */
  readonly branch: SessionId;
}

export function beginImport(tx: Tx, { token, sessions, turns }: ImportBegin): ImportBegun | Refusal {
  for (const { id } of sessions) {
    if (tx.q.meta.get.get(`import:${id}`) !== undefined)
      return { kind: "busy", why: `Conversation ${id} is being imported already.` };
    if (tx.q.meta.get.get(`purge:${id}`) !== undefined)
      return { kind: "busy", why: `Conversation ${id} is being deleted.` };
  }
  const here = turns.map(({ conversation, request }) => tx.q.imports.turnHere.get({ conversation, request }));
  const lost = turns.map(({ node }) => (node === undefined ? undefined : tx.q.imports.lostTurn.get(node)));
  const from = reserve(tx, turns.length) as number;
  const mark = JSON.stringify({ token, process: tx.process, from, to: from + turns.length - 1 });
  for (const session of sessions) {
    if (!tx.q.sessions.get.get(session.id)) tx.q.imports.stageSession.run({ ...columns(session), now: tx.now });
    tx.q.meta.put.run(`import:${session.id}`, mark);
  }
  return {
    kind: "begun",
    turns: here.map((seq, at) => ({ seq: seq ?? lost[at] ?? ((from + at) as AdmissionId), isHere: seq !== undefined })),
    branch: freshId(tx),
  };
}

/** The first of so many numbers. */
function reserve(tx: Tx, count: number): number {
  const newest = tx.q.imports.newestTurn.get();
  if (newest === undefined) tx.q.imports.firstTurns.run(count);
  else tx.q.imports.reserveTurns.run(newest + count);
  return (newest ?? 0) + 1;
}

export function columns(session: SessionRecord) {
  return {
    id: session.id,
    conversation: session.conversation,
    generation: session.generation,
    parent: session.parent ?? null,
    edge: session.edge ?? null,
    provider: session.provider,
    model: session.model,
    options: session.options === undefined ? null : canonicalJson(session.options),
    cwd: session.cwd,
    gitRoot: session.gitRoot ?? null,
    gitBranch: session.gitBranch ?? null,
    source: session.source,
    startedAt: session.startedAt,
    lastActivityAt: session.lastActivityAt,
    endedAt: session.endedAt ?? null,
    endReason: session.endedAt === undefined ? null : "compression",
    rewinds: session.rewinds,
  };
}

export type ImportRow =
  | {
      readonly kind: "message";
      readonly record: NodeRecord;
      readonly seq?: AdmissionId;
      readonly isLive: boolean;
      readonly blobs: readonly NewBlob[];
    }
  | {
      readonly kind: "turn";
      readonly record: TurnRecord;
      readonly seq: AdmissionId;
      /** Where it is counted, and where it comes from. */
      readonly conversation: ConversationId;
      readonly origin: ConversationId;
    }
  | {
      readonly kind: "call";
      readonly record: CallRecord;
      readonly seq: AdmissionId;
      readonly blobs: readonly NewBlob[];
    }
  | { readonly kind: "move"; readonly record: MoveRecord };

/** What is here already is left as it is, so a step may be asked again. */
export function importStep(tx: Tx, token: string, rows: readonly ImportRow[]): void {
  for (const row of rows) {
    switch (row.kind) {
      case "message":
        requireMark(tx, token, row.record.session);
        addNode(tx, row);
        break;
      case "turn":
        requireMark(tx, token, row.record.session);
        addTurn(tx, row);
        break;
      case "call":
        addCall(tx, row);
        break;
      case "move":
        requireMark(tx, token, row.record.session);
        addMove(tx, row.record);
        break;
    }
  }
}

function addNode(tx: Tx, { record, seq, isLive, blobs }: Extract<ImportRow, { kind: "message" }>): void {
  const { hash, parent: parentHash, session, role, at, turn } = record;
  if (tx.q.imports.idOf.get(hash) !== undefined) return;
  if (messageHash({ parentHash, session, role, at, parts: record.parts }) !== hash)
    throw ledgerError("bad_input", `Message ${hash} does not have its content.`);
  const parent = parentHash === undefined ? undefined : idOf(tx, parentHash);
  const parts = storedParts(role, record.parts, (kept) => tx.q.imports.idOf.get(kept));
  const list = decodeParts(parts);
  const { lastInsertRowid } = tx.q.imports.node.run({
    hash,
    session,
    parent: parent ?? null,
    depth: (parent === undefined ? 0 : (tx.q.messages.parent.get(parent)?.depth ?? 0)) + 1,
    turn,
    by: seq ?? null,
    role,
    parts,
    text: partedWords(searchableText(list)),
    provider: record.provider ?? null,
    model: record.model ?? null,
    finishReason: record.finishReason ?? null,
    usage: record.usage ? canonicalJson(record.usage) : null,
    at,
    live: isLive ? 1 : 0,
  });
  putBlobs(tx, blobs);
  for (const blob of blobsOf(list)) tx.q.blobs.refMessage.run(blob, Number(lastInsertRowid));
}

function putBlobs(tx: Tx, blobs: readonly NewBlob[]): void {
  for (const { hash, bytes } of blobs)
    if (putBlob(tx, bytes) !== hash) throw ledgerError("bad_input", `Blob ${hash} does not have its content.`);
}

export function idOf(tx: Tx, hash: Hash): MessageId {
  const id = tx.q.imports.idOf.get(hash);
  if (id === undefined) throw ledgerError("row_missing", `Message ${hash} is not there.`);
  return id;
}

function idOrNull(tx: Tx, hash: Hash | undefined): MessageId | null {
  return hash === undefined ? null : idOf(tx, hash);
}

/** Queued, started and ended in one transaction: nobody ever sees it open. */
function addTurn(tx: Tx, { record, seq, conversation, origin }: Extract<ImportRow, { kind: "turn" }>): void {
  if (tx.q.admissions.get.get(seq)) return;
  const { request, session, kind, summary, attempts, queuedAt, startedAt = queuedAt } = record;
  const payload = canonicalJson(record.payload);
  const outcome = record.outcome ?? "interrupted";
  tx.q.imports.lease.run(conversation);
  tx.q.imports.turn.run({
    ...{ seq, request, session, kind, summary, payload, conversation, queuedAt },
    principal: `import:${origin}`,
    digest: sha256(payload),
    submitter: JSON.stringify(tx.process),
    generation: tx.generation,
  });
  const user = idOrNull(tx, record.user);
  if (outcome !== "cancelled") tx.q.imports.startTurn.run({ seq, user, attempts, startedAt });
  const last = idOrNull(tx, record.last);
  tx.q.imports.endTurn.run({
    ...{ seq, outcome, last, attempts },
    error: record.error ? canonicalJson(record.error) : null,
    usage: record.usage ? canonicalJson(record.usage) : null,
    settledAt: record.settledAt ?? startedAt,
  });
  // Whoever made it has seen the answer.
  if (last !== null) tx.q.drafts.deliver.run(last, "import", tx.now);
}

/** Of a turn that is not here no call can be: its row went with a deleted conversation. */
function addCall(tx: Tx, { record, seq, blobs }: Extract<ImportRow, { kind: "call" }>): void {
  const message = idOf(tx, record.message);
  const { call, tool, effect, state, attempts } = record;
  if (tx.q.imports.hasCall.get(message, call) === 1 || !tx.q.admissions.get.get(seq)) return;
  const asked = { message, admission: seq, call, tool, input: JSON.stringify(record.input), effect };
  const key = effectKey({ ledger: tx.ledgerId, admission: seq, message, call });
  const id = Number(tx.q.calls.insert.run({ ...asked, effect_key: key }).lastInsertRowid) as CallId;
  if (state !== "denied" && state !== "skipped") {
    tx.q.calls.approve.run(record.approval ?? "", id);
    tx.q.imports.startCall.run(JSON.stringify(tx.process), id);
  }
  tx.q.imports.endCall.run({
    ...{ id, state, attempts },
    approval: record.approval ?? null,
    startedAt: record.startedAt ?? null,
    finishedAt: record.finishedAt ?? null,
    evidence: record.evidence ?? null,
    result: idOrNull(tx, record.result),
  });
  const bytes = new Map(blobs.map((blob) => [blob.hash, blob]));
  for (const change of record.changes) addChange(tx, { call: id, change, bytes });
}

function addChange(
  tx: Tx,
  { call, change, bytes }: { call: CallId; change: ChangeRecord; bytes: ReadonlyMap<Hash, NewBlob> },
): void {
  const { path, kind, before, after, origin, restorable, at } = change;
  const { lastInsertRowid } = tx.q.imports.change.run({
    ...{ call, path, kind, origin, at },
    before: before?.hash ?? null,
    beforeMode: before?.mode ?? null,
    after: after?.hash ?? null,
    afterMode: after?.mode ?? null,
    restorable: restorable ? 1 : 0,
  });
  for (const side of [before, after]) {
    if (!side?.kept) continue;
    const blob = bytes.get(side.hash);
    if (blob) putBlobs(tx, [blob]);
    tx.q.blobs.refChange.run(side.hash, Number(lastInsertRowid));
  }
}

function addMove(tx: Tx, { session, kind, from, to, at, redoneAt, redoable }: MoveRecord): void {
  const move = { session, kind, at, from: idOrNull(tx, from), to: idOrNull(tx, to) };
  if (tx.q.imports.hasMove.get(move) === 1) return;
  tx.q.imports.move.run({ ...move, redoneAt: redoneAt ?? null, redoable: redoable ? 1 : 0 });
}
