// What calls did to files: stored with both contents before an edit is made (ledger.md §7), and taken back by
// planned reverts that stand in the same transaction as the head move they belong to. Nothing here touches a file.
import { putBlob } from "./blobs.ts";
import { ledgerError } from "./errors.ts";
import { toChange, toRevert } from "./file-changes-table.ts";
import { sha256 } from "./ids.ts";
import { requireStarted } from "./leases.ts";
import type { CallRow } from "./tool-calls-table.ts";
import type { Queries, TurnTx, Tx } from "./transaction.ts";
import type {
  CallId,
  ChangeOrigin,
  ConversationId,
  FileChange,
  FileChangeId,
  FileRevert,
  FileRevertId,
  Hash,
  HeadMoveId,
  MessageId,
  RequestId,
  RevertDirection,
} from "./types.ts";

/** One side of a change: the content, or only its hash where it is too big, too many or secret. */
export interface FileSide {
  readonly hash: Hash;
  readonly mode: number;
  readonly bytes?: Uint8Array;
}

export interface NewChange {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly before?: FileSide;
  readonly after?: FileSide;
}

/** Before an edit is made, or after a command, while the call still runs. Asked again it stores nothing twice. */
export function recordChanges(
  tx: TurnTx,
  id: CallId,
  { changes, origin }: { changes: readonly NewChange[]; origin: ChangeOrigin },
): FileChange[] {
  const call = tx.q.calls.get.get(id);
  if (!call) throw ledgerError("not_found", `There is no tool call ${id}.`);
  if (call.admission_id !== tx.turn.admission)
    throw ledgerError("lease_lost", `Call ${id} belongs to another turn than ${tx.turn.admission}.`);
  requireStarted(tx);
  if (call.state !== "running") throw ledgerError("illegal_edge", `Call ${id} is ${call.state}: it changes no file.`);
  return changes.map((change) => recordChange(tx, call, { ...change, origin }));
}

type KnownChange = NewChange & { readonly origin: ChangeOrigin };

function recordChange(tx: TurnTx, { id: call, attempts }: CallRow, change: KnownChange): FileChange {
  const { path, before, after, origin } = change;
  if (!before && !after) throw ledgerError("bad_input", `${path} is there neither before nor after.`);
  const hashes = { before: before?.hash ?? null, after: after?.hash ?? null };
  const left = origin === "recorded" && attempts > 1 ? dropSuperseded(tx, { call, path, ...hashes }) : [];
  const stored = tx.q.files.same.get({ call, path, ...hashes });
  const row = stored === undefined ? insertChange(tx, call, change) : changeRow(tx, stored);
  for (const hash of left) tx.q.blobs.sweepOf.run(hash);
  return row;
}

/** An edit that a crash kept from happening, and that its call now makes anew. Returns the contents it named. */
function dropSuperseded(tx: Tx, by: { call: CallId; path: string; before: Hash | null; after: Hash | null }): Hash[] {
  return tx.q.files.superseded.all(by).flatMap((id) => {
    const hashes = tx.q.blobs.ofChange.all(id);
    tx.q.blobs.dropOfChange.run(id);
    tx.q.files.drop.run(id);
    return hashes;
  });
}

function insertChange(tx: Tx, call: CallId, { path, before, after, origin }: KnownChange): FileChange {
  const sides = [before, after].filter((side) => side !== undefined);
  if (sides.some(({ hash, bytes }) => bytes && sha256(bytes) !== hash))
    throw ledgerError("bad_input", `A content of ${path} is not what its hash says.`);
  const contents = sides.flatMap((side) => side.bytes ?? []);
  const isRestorable = contents.length === sides.length;
  const { lastInsertRowid } = tx.q.files.insert.run({
    call,
    path,
    kind: !before ? "created" : after ? "modified" : "deleted",
    hash_before: before?.hash ?? null,
    mode_before: before?.mode ?? null,
    hash_after: after?.hash ?? null,
    mode_after: after?.mode ?? null,
    origin,
    restorable: isRestorable ? 1 : 0,
    now: tx.now,
  });
  const id = Number(lastInsertRowid) as FileChangeId;
  if (isRestorable) for (const bytes of contents) tx.q.blobs.refChange.run(putBlob(tx, bytes), id);
  return changeRow(tx, id);
}

function changeRow(tx: Pick<Tx, "q">, id: FileChangeId): FileChange {
  const row = tx.q.files.get.get(id);
  if (!row) throw ledgerError("row_missing", `File change ${id} is not there.`);
  return toChange(row);
}

/** Of the calls that these messages asked for, oldest first. */
export function changesOf(q: Queries, messages: readonly MessageId[]): FileChange[] {
  return messages.flatMap((message) => q.files.ofMessage.all(message)).map(toChange);
}

/** What is to be written over what; bytes, because both are kept: so every revert can be reverted. */
export interface PlannedRevert {
  /** One of the changes of this path. */
  readonly change: FileChangeId;
  readonly direction: RevertDirection;
  /** On the disk now; absent: no file. */
  readonly now?: FileImage;
  /** Absent: the file is removed. */
  readonly target?: FileImage;
}

export interface FileImage {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

export type RevertOwner = { readonly move: HeadMoveId } | { readonly request: RequestId };

/** Only inside the transaction that moves the head, or as one of its own for a request. */
export function planReverts(
  tx: Tx,
  owner: RevertOwner & { readonly conversation: ConversationId },
  reverts: readonly PlannedRevert[],
): FileRevert[] {
  return reverts.map((revert) => {
    changeRow(tx, revert.change);
    const { now, target } = revert;
    const { lastInsertRowid } = tx.q.files.insertRevert.run({
      conversation: owner.conversation,
      move: "move" in owner ? owner.move : null,
      request: "request" in owner ? owner.request : null,
      change: revert.change,
      direction: revert.direction,
      expected: now ? sha256(now.bytes) : null,
      mode_expected: now?.mode ?? null,
      target: target ? sha256(target.bytes) : null,
      mode: target?.mode ?? null,
    });
    const id = Number(lastInsertRowid) as FileRevertId;
    for (const image of [now, target]) if (image) tx.q.blobs.refRevert.run(putBlob(tx, image.bytes), id);
    return revertRow(tx, id);
  });
}

function revertRow(tx: Pick<Tx, "q">, id: FileRevertId): FileRevert {
  const row = tx.q.files.revert.get(id);
  if (!row) throw ledgerError("row_missing", `File revert ${id} is not there.`);
  return toRevert(row);
}

export function revertsOf(q: Queries, owner: RevertOwner): FileRevert[] {
  const rows = "move" in owner ? q.files.revertsOfMove.all(owner.move) : q.files.revertsOfRequest.all(owner.request);
  return rows.map(toRevert);
}

/** Saying it twice is fine; the first word stays. */
export function markRevert(tx: Tx, id: FileRevertId, state: "done" | "conflict"): FileRevert {
  tx.q.files.mark.run(state, id);
  return revertRow(tx, id);
}
