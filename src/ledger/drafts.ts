// Tables `drafts` and `deliveries`: what is not part of a conversation yet, and which answers somebody has seen.
import { type AdmissionRow, toAdmission } from "./admissions-table.ts";
import { holderOf, terminalOf, windowKey } from "./draft-windows.ts";
import { ledgerError } from "./errors.ts";
import { requireStarted } from "./leases.ts";
import type { Database } from "./open.ts";
import { CANONICAL_OF } from "./sessions-table.ts";
import type { Queries, TurnTx, Tx } from "./transaction.ts";
import type {
  Admission,
  AdmissionId,
  ConversationId,
  Draft,
  MessageId,
  ProcessIdentity,
  SessionId,
  UnsentBeginning,
} from "./types.ts";

interface DraftRow {
  readonly kind: Draft["kind"];
  readonly window: string;
  readonly text: string;
  readonly admission_id: AdmissionId | null;
  readonly parent_id: MessageId | null;
  readonly updated_at: number;
}

/** How far back an answer that nobody saw is looked for: a start must not grow with the history. */
const RECENT_TURNS = 200;
const RECENT_TEXTS = 50;

interface UnsentRow {
  readonly window: string;
  readonly beginning: string;
  readonly updated_at: number;
  readonly session: SessionId;
  readonly conversation_id: ConversationId;
}

export function draftQueries(db: Database) {
  return {
    put: db.prepare(
      `insert into drafts (conversation_id, kind, window, text, admission_id, parent_id, epoch, updated_at)
       values (@conversation, @kind, @window, @text, @admission, @parent, @epoch, @now)
       on conflict (conversation_id, kind, window) do update set text = excluded.text,
         admission_id = excluded.admission_id, parent_id = excluded.parent_id, epoch = excluded.epoch,
         updated_at = excluded.updated_at`,
    ),
    ofConversation: db.prepare<[string], DraftRow>(
      "select * from drafts where conversation_id = ? order by updated_at desc",
    ),
    /** What was sent already, which a crash leaves behind, is among the newest prompts of its conversation. */
    unsent: db.prepare<[], UnsentRow>(
      `select d.window, substr(d.text, 1, 200) as beginning, d.updated_at, s.id as session, d.conversation_id
       from drafts d join sessions s on s.id = ${CANONICAL_OF("d.conversation_id")}
       where d.kind = 'composer' and s.archived = 0 and s.hidden = 0 and trim(d.text) <> ''
         and not exists (select 1 from (select a.payload, a.queued_at from admissions a
             where a.conversation_id = d.conversation_id order by a.seq desc limit 20) a
           where a.queued_at >= d.updated_at and json_extract(a.payload, '$.prompt[0].text') = d.text)
       order by d.updated_at desc limit ${RECENT_TEXTS}`,
    ),
    drop: db.prepare<[string, string, string]>(
      "delete from drafts where conversation_id = ? and kind = ? and window = ?",
    ),
    dropAnswer: db.prepare<[string]>("delete from drafts where conversation_id = ? and kind = 'answer'"),
    deliver: db.prepare<[number, string, number]>(
      "insert or ignore into deliveries (message_id, channel, delivered_at) values (?, ?, ?)",
    ),
    undelivered: db.prepare<[number], AdmissionRow>(
      `select a.* from (select * from admissions order by seq desc limit ${RECENT_TURNS}) a
       where a.outcome = 'completed' and a.kind not in ('shell', 'compact') and a.settled_at > ?
         and not exists (select 1 from deliveries d where d.message_id = a.last_message_id)
       order by a.seq`,
    ),
  };
}

export interface ComposerText {
  readonly window: string;
  readonly text: string;
  /** The key of the row that it was taken over from, which goes with the same write. */
  readonly from?: string;
}

/** The unsent text of a window; empty text leaves none. A conversation that is deleted takes no text any more. */
export function saveComposer(tx: Tx, conversation: ConversationId, { window, text, from }: ComposerText): void {
  if (!tx.q.sessions.canonical.get(conversation))
    throw ledgerError("not_found", `There is no conversation ${conversation}.`);
  const key = windowKey(window, tx.process);
  if (from !== undefined && from !== key) tx.q.drafts.drop.run(conversation, "composer", from);
  if (text === "") tx.q.drafts.drop.run(conversation, "composer", key);
  else
    tx.q.drafts.put.run({
      text,
      window: key,
      conversation,
      kind: "composer",
      admission: null,
      parent: null,
      epoch: null,
      now: tx.now,
    });
}

/** What has streamed of the answer to come under `parent`; a part of no transcript. */
export function saveAnswer(tx: TurnTx, answer: { text: string; parent: MessageId | undefined }): void {
  requireStarted(tx);
  const { conversation, admission, epoch } = tx.turn;
  const { text, parent = null } = answer;
  tx.q.drafts.put.run({ conversation, kind: "answer", window: "", text, admission, parent, epoch, now: tx.now });
}

export function draftsOf(q: Queries, conversation: ConversationId, self: ProcessIdentity): Draft[] {
  return q.drafts.ofConversation.all(conversation).map((row) => ({
    kind: row.kind,
    window: terminalOf(row.window),
    ...(row.kind === "composer" && { key: row.window, holder: holderOf(row.window, self) }),
    text: row.text,
    at: row.updated_at,
    ...(row.admission_id !== null && { admission: row.admission_id }),
    ...(row.parent_id !== null && { parent: row.parent_id }),
  }));
}

/** What windows that are gone left unsent, newest first; of each its beginning. */
export function unsentTexts(q: Queries, self: ProcessIdentity): UnsentBeginning[] {
  return q.drafts.unsent
    .all()
    .filter(({ window }) => holderOf(window, self) === "dead")
    .map((row) => ({
      session: row.session,
      conversation: row.conversation_id,
      beginning: row.beginning,
      at: row.updated_at,
    }));
}

/** Twice is fine: the first time counts. */
export function deliver(tx: Tx, message: MessageId, channel: string): void {
  if (!tx.q.messages.get.get(message)) throw ledgerError("not_found", `There is no message ${message}.`);
  tx.q.drafts.deliver.run(message, channel, tx.now);
}

/** Completed turns since `since` whose answer was flushed to no terminal and no stream, oldest first. */
export function undelivered(q: Queries, since: number): Admission[] {
  return q.drafts.undelivered.all(since).map(toAdmission);
}
