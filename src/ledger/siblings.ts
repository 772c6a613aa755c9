// Prompts that were asked at the same place of a conversation: by a retry, an edit, or after an undo. Each has an answer
// of its own, and the end where it was left. Costs what stands below the place, never what came before it.
import type { Database } from "./open.ts";
import type { SessionRow } from "./sessions-table.ts";
import type { Tx } from "./transaction.ts";
import { turnBegin } from "./tree.ts";
import type { ConversationId, MessageId, SessionId } from "./types.ts";

/** The first node of a turn that begins at this place. */
export interface Sibling {
  readonly first: MessageId;
  readonly beginning: string;
  readonly at: number;
  readonly isHere: boolean;
}

interface SiblingRow {
  readonly id: MessageId;
  readonly beginning: string;
  readonly at: number;
  readonly conversation: ConversationId;
}

/** More are no longer gone through one by one. */
const MOST = 1_000;
const BEGINNING = 200;
const BELOW = `with recursive below (id) as (
    select @first
    union all
    select m.id from below join messages m on m.parent_id = below.id)`;

const BEHIND_NOTES = `
  union all
  select m.id, m.role from under join messages m on m.parent_id = under.id where under.role = 'note')
  select m.id, substr(m.text, 1, ${BEGINNING}) as beginning, m.created_at as at, s.conversation_id as conversation
  from under cross join messages m on m.id = under.id join sessions s on s.id = m.session_id
  where under.role = 'user' order by m.id limit ${MOST}`;

export function siblingQueries(db: Database) {
  return {
    /** Behind notes too: an undo may be followed by one, and the next prompt stands under it. */
    under: db.prepare<[{ base: number }], SiblingRow>(
      `with recursive under (id, role) as (
         select id, role from messages where parent_id = @base ${BEHIND_NOTES}`,
    ),
    roots: db.prepare<[{ conversation: string }], SiblingRow>(
      `with recursive under (id, role) as (
         select r.id, r.role from sessions s cross join messages r on r.session_id = s.id and r.parent_id is null
         where s.conversation_id = @conversation ${BEHIND_NOTES}`,
    ),
    /** A deleted one too: what a branch shows of it stays. */
    oldest: db
      .prepare<[string], SessionId>("select id from sessions where conversation_id = ? order by generation limit 1")
      .pluck(),
    /** Where a head of this conversation was moved away last. */
    leftEnd: db
      .prepare<[{ first: number; conversation: string }], MessageId>(
        `${BELOW} select h.from_id from below cross join head_moves h on h.from_id = below.id
           join sessions s on s.id = h.session_id
         where s.conversation_id = @conversation order by h.id desc limit 1`,
      )
      .pluck(),
    newestBelow: db.prepare<[{ first: number }], MessageId>(`${BELOW} select max(id) from below`).pluck(),
  };
}

/** Of the newest turn, oldest first: this one alone where it was asked once; none without a turn. */
export function siblingsOf(tx: Pick<Tx, "q">, session: SessionRow): Sibling[] {
  const begin = turnBegin(tx, session, 1);
  if (!begin) return [];
  let base = begin.parent_id === null ? undefined : tx.q.messages.get.get(begin.parent_id);
  while (base?.role === "note") base = base.parent_id === null ? undefined : tx.q.messages.get.get(base.parent_id);
  const { conversation_id: own } = session;
  const rows = base ? tx.q.siblings.under.all({ base: base.id }) : rootsOf(tx, session);
  // A branch shares its parent's prompts, but goes only where it has been itself.
  const isOurs = ({ id, conversation }: SiblingRow) =>
    id === begin.id ||
    conversation === own ||
    tx.q.siblings.leftEnd.get({ first: id, conversation: own }) !== undefined;
  return rows.filter(isOurs).map(({ id, beginning, at }) => ({ first: id, beginning, at, isHere: id === begin.id }));
}

/** First prompts of all: of this conversation and of those that it branched off from. */
function rootsOf({ q }: Pick<Tx, "q">, session: SessionRow): SiblingRow[] {
  const found: SiblingRow[] = [];
  for (let at: SessionRow | undefined = session; at; ) {
    found.push(...q.siblings.roots.all({ conversation: at.conversation_id }));
    const oldest: SessionId | undefined = q.siblings.oldest.get(at.conversation_id);
    const parent: SessionId | null = (oldest && q.sessions.get.get(oldest)?.parent_id) ?? null;
    at = parent === null ? undefined : q.sessions.get.get(parent);
  }
  return found.sort((a, b) => a.id - b.id);
}

/** Where the conversation was last left below this node. */
export function endBelow({ q }: Pick<Tx, "q">, session: SessionRow, first: MessageId): MessageId | undefined {
  const { conversation_id: conversation } = session;
  return q.siblings.leftEnd.get({ first, conversation }) ?? q.siblings.newestBelow.get({ first });
}
