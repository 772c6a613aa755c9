// Sessions: creating, titling, flagging, branching. A session is a head that moves over the tree.
import { ledgerError } from "./errors.ts";
import { withoutEscapes } from "./escapes.ts";
import { canonicalJson, newSessionId, sha256 } from "./ids.ts";
import { beginning, withoutInvisible } from "./invisible.ts";
import { type SessionRow, toSession, type WritingRow } from "./sessions-table.ts";
import type { Queries, Tx } from "./transaction.ts";
import { isOnPath, openCallsAt, raiseLive } from "./tree.ts";
import type { ConversationId, Hash, MessageId, ModelRoute, Refusal, Session, SessionId, TitleSource } from "./types.ts";

export interface NewSession {
  readonly cwd: string;
  readonly route: ModelRoute;
  readonly source: string;
  readonly title?: string;
  readonly gitRoot?: string;
  readonly gitBranch?: string;
  /** /new: worth continuing even while empty. */
  readonly openedByNew?: boolean;
}

export function createSession(tx: Tx, wanted: NewSession): Session {
  const id = freshId(tx);
  const title = wanted.title === undefined ? undefined : cleanTitle(wanted.title);
  if (title !== undefined) requireFreeTitle(tx, title, undefined);
  tx.q.sessions.insert.run({
    id,
    conversation_id: id,
    generation: 0,
    parent_id: null,
    edge: null,
    fork_message_id: null,
    head_id: null,
    title: title ?? null,
    title_source: title === undefined ? null : "person",
    provider: wanted.route.provider,
    model: wanted.route.model,
    model_options: wanted.route.options ? canonicalJson(wanted.route.options) : null,
    cwd: wanted.cwd,
    git_root: wanted.gitRoot ?? null,
    git_branch: wanted.gitBranch ?? null,
    source: wanted.source,
    started_at: tx.now,
    opened_by_new: wanted.openedByNew ? 1 : 0,
  });
  return toSession(sessionRow(tx.q, id));
}

export function sessionRow(q: Queries, id: SessionId): SessionRow {
  const row = q.sessions.get.get(id);
  if (!row || row.deleted_at !== null) throw ledgerError("not_found", `There is no session ${id}.`);
  return row;
}

/** The same conversation's newest session, where a compaction ended this one: who asks need not have heard of it. */
export function currentRow(q: Queries, id: SessionId): SessionRow {
  const row = sessionRow(q, id);
  return row.end_reason === "compression" ? canonicalRow(q, row.conversation_id) : row;
}

/** The session a conversation is written in now: its highest generation. */
export function canonicalRow(q: Queries, conversation: ConversationId): SessionRow {
  const row = q.sessions.canonical.get(conversation);
  if (!row) throw ledgerError("not_found", `There is no conversation ${conversation}.`);
  return row;
}

/** The same session, as much of it as an append needs. */
export function writingRow(q: Queries, conversation: ConversationId): WritingRow {
  const row = q.sessions.writing.get(conversation);
  if (!row) throw ledgerError("not_found", `There is no conversation ${conversation}.`);
  return row;
}

/** A closed session goes on. A title that somebody else got meanwhile stays as text, without the claim to it. */
export function reopen(tx: Tx, session: SessionRow): void {
  if (session.end_reason !== "closed") return;
  if (session.title_source === "person" && titleHolder(tx, session.title ?? "", session.conversation_id))
    tx.q.sessions.setTitle.run(session.title, "derived", session.id);
  tx.q.sessions.reopen.run(session.id);
}

export function setModel(tx: Tx, session: SessionRow, route: ModelRoute): void {
  tx.q.sessions.setRoute.run(
    route.provider,
    route.model,
    route.options ? canonicalJson(route.options) : null,
    session.id,
  );
}

const TITLE_RANK: Record<TitleSource, number> = { derived: 0, model: 1, person: 2 };

/** False when a title of the same or a higher rank stands already; a person's word always applies. */
export function setTitle(
  tx: Tx,
  session: SessionRow,
  { title, source }: { title: string; source: TitleSource },
): boolean {
  const clean = cleanTitle(title);
  const rank = session.title_source === null ? -1 : TITLE_RANK[session.title_source];
  if (source !== "person" && rank >= TITLE_RANK[source]) return false;
  if (source === "person") requireFreeTitle(tx, clean, session.conversation_id);
  tx.q.sessions.setTitle.run(clean, source, session.id);
  return true;
}

/** Escape sequences, control, zero-width and direction characters are removed, white space collapsed; at most 100 characters. */
function cleanTitle(title: string): string {
  const clean = withoutInvisible(withoutEscapes(title).toWellFormed())
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (clean === "") throw ledgerError("bad_input", "A title needs at least one visible character.");
  if ([...clean].length > 100)
    throw ledgerError("bad_input", `A title has at most 100 characters, this one ${[...clean].length}.`);
  return clean;
}

function requireFreeTitle(tx: Tx, title: string, own: ConversationId | undefined): void {
  const holder = titleHolder(tx, title, own);
  if (holder)
    throw ledgerError("bad_input", `The title “${title}” belongs to session ${holder.id}${placeOf(holder)}.`, {
      hint: `Choose another one, or rename that session: stele title NEW -r ${holder.id}`,
    });
}

/** Why a person may not find it in the list. */
function placeOf({ hidden, cwd }: SessionRow): string {
  return `${hidden === 1 ? ", which is hidden," : ""} in ${cwd}`;
}

/** Whose person gave it this title; looked up by index, whatever number of derived ones read the same. */
export function titleHolder(tx: Tx, title: string, own: ConversationId | undefined): SessionRow | undefined {
  const holder = tx.q.sessions.withPersonTitle.get(title);
  return holder?.conversation_id === own ? undefined : holder;
}

/** First line of the first prompt, at most 60 characters; undefined when it holds nothing visible. */
export function deriveTitle(prompt: string): string | undefined {
  const line = prompt.split("\n").find((each) => each.trim() !== "") ?? "";
  try {
    return cleanTitle(beginning(withoutInvisible(withoutEscapes(line.trim().slice(0, 1_000))), 60));
  } catch {
    return undefined; // nothing visible in it: the session stays untitled
  }
}

export function setFlags(
  tx: Tx,
  session: SessionRow,
  flags: { archived?: boolean; pinned?: boolean; hidden?: boolean },
): Session {
  const archived = flags.archived ?? session.archived === 1;
  if (!archived) reopen(tx, session);
  const wasClosed = session.end_reason === "closed";
  tx.q.sessions.setFlags.run({
    id: session.id,
    archived: archived ? 1 : 0,
    pinned: (flags.pinned ?? session.pinned === 1) ? 1 : 0,
    hidden: (flags.hidden ?? session.hidden === 1) ? 1 : 0,
    ended_at: archived ? (wasClosed ? session.ended_at : tx.now) : null,
    end_reason: archived ? "closed" : null,
  });
  return toSession(sessionRow(tx.q, session.id));
}

export type BranchResult = { readonly kind: "branched"; readonly session: Session } | Refusal;

/** A new session whose head is the chosen node; the parent is not touched, whatever runs in it. */
export function branch(tx: Tx, parent: SessionRow, wanted: { at?: MessageId; title?: string }): BranchResult {
  const at = wanted.at ?? parent.head_id;
  if (at !== null) {
    if (!tx.q.messages.get.get(at)) throw ledgerError("not_found", `There is no message ${at}.`);
    if (!isInTreeOf(tx, parent, at))
      throw ledgerError("not_found", `Message ${at} does not belong to session ${parent.id}.`);
    const open = openCallsAt(tx, at);
    if (open) return { kind: "conflict", why: openCallWords(at, open) };
  }
  const id = freshId(tx);
  tx.q.sessions.insert.run({
    ...parent,
    id,
    conversation_id: id,
    generation: 0,
    parent_id: parent.id,
    edge: "branch",
    fork_message_id: at,
    head_id: at,
    ...branchTitle(tx, parent, wanted.title),
    source: parent.source,
    started_at: tx.now,
    opened_by_new: 0,
  });
  if (at !== null) raiseLive(tx, at);
  return { kind: "branched", session: toSession(sessionRow(tx.q, id)) };
}

function openCallWords(at: MessageId, open: { before?: MessageId; after?: MessageId }): string {
  const near = [open.before, open.after].filter((id) => id !== undefined).join(" or ");
  return `At message ${at} a tool call has no result yet. Branch at ${near || "an earlier message"} instead.`;
}

/** On the path of the head, or an end that was undone: every node this session wrote or shows. */
export function isInTreeOf(tx: Tx, session: SessionRow, at: MessageId): boolean {
  const node = tx.q.messages.get.get(at);
  if (!node) return false;
  const writer = tx.q.sessions.get.get(node.session_id);
  return writer?.conversation_id === session.conversation_id || isOnPath(tx, session.head_id, at);
}

/** The given name, else the next number of the parent's: "fix" → "fix #2" (C 8.5). */
function branchTitle(tx: Tx, parent: SessionRow, title: string | undefined) {
  if (title !== undefined) {
    const clean = cleanTitle(title);
    requireFreeTitle(tx, clean, undefined);
    return { title: clean, title_source: "person" };
  }
  const base = beginning((parent.title ?? "branch").replace(/ #\d+$/, ""), 90);
  const taken = tx.q.sessions.titles.all(base, `${base}\u{10ffff}`).map((each) => {
    if (each === base) return 1;
    const rest = each.slice(base.length);
    return /^ #\d{1,9}$/.test(rest) ? Number(rest.slice(2)) : 0;
  });
  return { title: `${base} #${Math.max(1, ...taken) + 1}`, title_source: "derived" };
}

export function freshId(tx: Tx): SessionId {
  for (;;) {
    const id = newSessionId(tx.now);
    if (!tx.q.sessions.get.get(id)) return id;
  }
}

export function putPrompt(tx: Tx, text: string): Hash {
  const hash = sha256(text);
  tx.q.meta.putPrompt.run(hash, text);
  return hash;
}
