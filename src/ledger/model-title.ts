// The one better title that a model may give a conversation: what it would be made of, and storing it. Only a derived
// title gives way, and only as it was read: whatever stands there by then, the usage is counted.

import type { Database } from "./open.ts";
import { canonicalRow, setTitle } from "./sessions.ts";
import type { Queries, Tx } from "./transaction.ts";
import type { AdmissionId, ConversationId, ModelRoute, Usage } from "./types.ts";
import { addUsage } from "./usage.ts";

/** A conversation whose first turn a model has answered, and which has no better name than its first words. */
export interface Untitled {
  readonly conversation: ConversationId;
  readonly title: string;
  /** The beginnings of both. */
  readonly prompt: string;
  readonly answer: string;
}

export interface ModelTitle {
  /** As it was read. */
  readonly was: string;
  /** Absent: what came is no title. */
  readonly title?: string;
  readonly spent?: { readonly route: ModelRoute; readonly usage: Usage };
}

interface AnsweredRow {
  readonly seq: AdmissionId;
  readonly prompt: string;
  readonly answer: string;
}

const BEGINNING = 1_500;

export function modelTitleQueries(db: Database) {
  return {
    /** Turns that a model has answered, newest first; two tell that the first one is past. */
    answered: db.prepare<[string], AnsweredRow>(
      `select a.seq, substr(u.text, 1, ${BEGINNING}) as prompt, substr(m.text, 1, ${BEGINNING}) as answer
       from admissions a join messages m on m.id = a.last_message_id join messages u on u.id = a.user_message_id
       where a.conversation_id = ? and a.outcome = 'completed' and a.kind in ('prompt', 'retry', 'loop')
         and m.role = 'assistant' and m.provider <> 'guide' and m.provider || '/' || m.model <> 'stele/command'
       order by a.seq desc limit 2`,
    ),
  };
}

/** Absent: it has a title that stays, it is a branch, whose numbered title says of what, or this was not its first turn. */
export function untitled(q: Queries, conversation: ConversationId, settled: AdmissionId): Untitled | undefined {
  const { title, title_source: source } = canonicalRow(q, conversation);
  if (title === null || source !== "derived" || q.sessions.get.get(conversation)?.edge === "branch") return undefined;
  const [newest, ...others] = q.titles.answered.all(conversation);
  if (newest?.seq !== settled || others.length > 0) return undefined;
  return { conversation, title, prompt: newest.prompt, answer: newest.answer };
}

/** Compare and set. False: something else stands there by now, or what came is no title. */
export function improveTitle(tx: Tx, conversation: ConversationId, { was, title, spent }: ModelTitle): boolean {
  const session = canonicalRow(tx.q, conversation);
  if (spent) addUsage(tx, { ...spent, session: session.id, task: "title", at: tx.now });
  if (title === undefined || session.title !== was || session.title_source !== "derived") return false;
  return setTitle(tx, session, { title, source: "model" });
}
