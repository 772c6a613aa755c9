// Prompts that were asked at the same place of a conversation: by a retry, an edit, or after an undo. Each has an answer
// of its own, and the end where it was left. Costs what stands below the place, never what came before it.
import type { Database } from "./open.ts";
import type { SessionRow } from "./sessions-table.ts";
import type { Tx } from "./transaction.ts";
import { turnBegin } from "./tree.ts";
import type { MessageId } from "./types.ts";

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
}

/** More are no longer gone through one by one. */
const MOST = 1_000;
const BEGINNING = 200;
const BELOW = `with recursive below (id) as (
    select @first
    union all
    select m.id from below join messages m on m.parent_id = below.id)`;

export function siblingQueries(db: Database) {
  const columns = `m.id, substr(m.text, 1, ${BEGINNING}) as beginning, m.created_at as at`;
  return {
    /** Behind notes too: an undo may be followed by one, and the next prompt stands under it. */
    under: db.prepare<[{ base: number; conversation: string; here: number }], SiblingRow>(
      `with recursive under (id, role) as (
         select id, role from messages where parent_id = @base
         union all
         select m.id, m.role from under join messages m on m.parent_id = under.id where under.role = 'note')
       select ${columns} from under cross join messages m on m.id = under.id join sessions s on s.id = m.session_id
       where under.role = 'user' and (s.conversation_id = @conversation or m.id = @here)
       order by m.id limit ${MOST}`,
    ),
    roots: db.prepare<[{ conversation: string }], SiblingRow>(
      `with recursive under (id, role) as (
         select r.id, r.role from sessions s cross join messages r on r.session_id = s.id and r.parent_id is null
         where s.conversation_id = @conversation
         union all
         select m.id, m.role from under join messages m on m.parent_id = under.id where under.role = 'note')
       select ${columns} from under cross join messages m on m.id = under.id where under.role = 'user'
       order by m.id limit ${MOST}`,
    ),
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
  const { conversation_id: conversation } = session;
  const rows = base
    ? tx.q.siblings.under.all({ conversation, here: begin.id, base: base.id })
    : tx.q.siblings.roots.all({ conversation });
  const found = rows.map(({ id, beginning, at }) => ({ first: id, beginning, at, isHere: id === begin.id }));
  // In a branch the first prompt of all is its parent's, which alone goes through the others.
  return found.some(({ isHere }) => isHere) ? found : [];
}

/** Where the conversation was last left below this node. */
export function endBelow({ q }: Pick<Tx, "q">, session: SessionRow, first: MessageId): MessageId | undefined {
  const { conversation_id: conversation } = session;
  return q.siblings.leftEnd.get({ first, conversation }) ?? q.siblings.newestBelow.get({ first });
}
