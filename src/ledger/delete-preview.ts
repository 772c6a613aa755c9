// What deleting a conversation would take, and which of its messages stay because a branch still shows them. Reads only;
// walks each branch up to the first node that is of this conversation, over ids alone.
import type { Database } from "./open.ts";
import type { Queries } from "./transaction.ts";
import type { ConversationId, MessageId, SessionId } from "./types.ts";

export interface DeletePreview {
  /** That it wrote, also those that were undone. */
  readonly messages: number;
  /** Of these: shown by a branch, so they stay. */
  readonly kept: number;
  /** Which show some of it, newest first. */
  readonly branches: readonly { readonly id: SessionId; readonly title?: string }[];
  /** Prompts that wait, and go unsent. */
  readonly waiting: number;
}

const OWN = "(select o.id from sessions o where o.conversation_id = @conversation)";

interface BranchRow {
  readonly id: SessionId;
  readonly title: string | null;
  readonly head: MessageId;
}

export function deletePreviewQueries(db: Database) {
  return {
    written: db
      .prepare<[{ conversation: string }], number>(`select count(*) from messages where session_id in ${OWN}`)
      .pluck(),
    /** Live heads of everything that branched from it, and from those. */
    branches: db.prepare<[{ conversation: string }], BranchRow>(
      `with recursive family (id) as (
         select id from sessions where conversation_id = @conversation
         union select s.id from family f join sessions s on s.parent_id = f.id and s.edge <> 'import')
       select s.id, s.title, s.head_id as head from family f cross join sessions s on s.id = f.id
       where s.conversation_id <> @conversation and s.deleted_at is null and s.end_reason is not 'compression'
         and s.head_id is not null
       order by s.last_activity_at desc`,
    ),
    firstOwn: db
      .prepare<[{ conversation: string; head: number }], MessageId>(
        `with recursive up (id, parent, own) as (
           select m.id, m.parent_id, m.session_id in ${OWN} from messages m where m.id = @head
           union all select m.id, m.parent_id, m.session_id in ${OWN} from up join messages m on m.id = up.parent
             where up.own = 0)
         select id from up where own = 1`,
      )
      .pluck(),
    /** The paths of these nodes together, as far as this conversation wrote them. */
    kept: db
      .prepare<[{ conversation: string; nodes: string }], number>(
        `with recursive up (id) as (
           select value from json_each(@nodes)
           union select p.id from up join messages m on m.id = up.id join messages p on p.id = m.parent_id
             where p.session_id in ${OWN})
         select count(*) from up`,
      )
      .pluck(),
  };
}

export function deletePreview(q: Queries, conversation: ConversationId): DeletePreview {
  const nodes = new Set<MessageId>();
  const branches: { id: SessionId; title?: string }[] = [];
  for (const { id, title, head } of q.deleting.branches.all({ conversation })) {
    const node = q.deleting.firstOwn.get({ conversation, head });
    if (node === undefined) continue; // it was taken back to before what it shares
    nodes.add(node);
    branches.push({ id, ...(title !== null && { title }) });
  }
  const open = q.admissions.openOf.all(conversation);
  return {
    messages: q.deleting.written.get({ conversation }) ?? 0,
    kept: q.deleting.kept.get({ conversation, nodes: JSON.stringify([...nodes]) }) ?? 0,
    branches,
    waiting: open.filter(({ status }) => status === "queued").length,
  };
}
