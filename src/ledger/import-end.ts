// The last step of an import: heads, titles and totals of its sessions, and a branch for what a conversation that is here
// already did not have. One transaction; before it nothing is seen, after it everything.
import { ledgerError } from "./errors.ts";
import { importsOf, rememberTurns } from "./import-marks.ts";
import { columns, idOf } from "./import-rows.ts";
import { beginning } from "./invisible.ts";
import { freshId, sessionRow, titleHolder } from "./sessions.ts";
import type { Tx } from "./transaction.ts";
import type { SessionRecord, UsageRecord } from "./transfer.ts";
import { raiseLive } from "./tree.ts";
import type { ConversationId, Hash, SessionId } from "./types.ts";

export interface ImportEnd {
  readonly token: string;
  /** Sessions that were staged; those of the conversation are shown from now on. */
  readonly sessions: readonly SessionRecord[];
  readonly usage: readonly UsageRecord[];
  /** Nodes that stand on what was not staged: from them up to the root all is shown from now on. */
  readonly raise: readonly Hash[];
  /** New ends of a conversation that is here: each becomes a branch, the first under the id that begin gave. */
  readonly tips?: { readonly of: SessionId; readonly branch: SessionId; readonly hashes: readonly Hash[] };
}

export interface Imported {
  /** Branches that were made. */
  readonly branches: readonly SessionId[];
}

/** Asked again after its answer was lost it finds its work done. */
export function endImport(tx: Tx, { token, sessions, usage, raise, tips }: ImportEnd): Imported {
  const marked = importsOf(tx.q, token);
  if (marked.length === 0) {
    const isDone = sessions.every(({ id, isWriter }) => isWriter || tx.q.sessions.get.get(id)?.deleted_at === null);
    if (isDone && (!tips || tx.q.sessions.get.get(tips.branch))) return { branches: tips ? [tips.branch] : [] };
    throw ledgerError("row_missing", "This import was given up meanwhile; nothing of it is shown.", {
      hint: "Import the file again.",
    });
  }
  for (const session of sessions) {
    if (session.isWriter) tx.q.imports.nameWriter.run(columns(session));
    else show(tx, session);
  }
  for (const row of usage) {
    tx.q.imports.usage.run({ ...row, costUsd: row.costUsd ?? null });
    tx.q.imports.addTotals.run({ ...row });
  }
  for (const hash of raise) raiseLive(tx, idOf(tx, hash));
  const branches = tips ? addBranches(tx, tips) : [];
  for (const id of marked) {
    rememberTurns(tx, id);
    tx.q.meta.drop.run(`import:${id}`);
  }
  return { branches };
}

function show(tx: Tx, session: SessionRecord): void {
  const head = session.head === undefined ? null : idOf(tx, session.head);
  const fork = session.fork === undefined ? null : idOf(tx, session.fork);
  tx.q.imports.showSession.run({ ...columns(session), ...titleFor(tx, session), head, fork });
  if (head !== null && session.endedAt === undefined) raiseLive(tx, head);
}

/** A title that a person gave to another conversation here stays as text, without the claim to it. */
function titleFor(tx: Tx, { title, titleSource, endedAt, conversation }: SessionRecord) {
  if (title === undefined) return { title: null, titleSource: null };
  const isTaken =
    titleSource === "person" && endedAt === undefined && titleHolder(tx, title, conversation) !== undefined;
  return { title, titleSource: isTaken ? "derived" : (titleSource ?? "derived") };
}

function addBranches(tx: Tx, { of, branch, hashes }: NonNullable<ImportEnd["tips"]>): SessionId[] {
  return hashes.map((tip, at) => addBranch(tx, { of, tip, id: at === 0 ? branch : freshId(tx) }));
}

function addBranch(tx: Tx, { of, id, tip }: { of: SessionId; id: SessionId; tip: Hash }): SessionId {
  const parent = sessionRow(tx.q, of);
  const head = idOf(tx, tip);
  tx.q.sessions.insert.run({
    ...parent,
    id,
    conversation_id: id as string as ConversationId,
    generation: 0,
    parent_id: parent.id,
    edge: "import",
    fork_message_id: null,
    head_id: head,
    title: `${beginning(parent.title ?? "imported", 88)} (imported)`,
    title_source: "derived",
    started_at: tx.now,
    opened_by_new: 0,
  });
  raiseLive(tx, head);
  return id;
}
