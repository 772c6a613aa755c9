// What the tree of a conversation is read with, over the sessions and messages that hang on its nodes: each statement
// seeks one child, or walks what one undone end has lost, by the indexes of parents and forks.
import type { Database } from "./open.ts";
import type { ConversationId, MessageId, SessionId } from "./types.ts";

interface BranchRow {
  readonly id: SessionId;
  readonly conversation_id: ConversationId;
  readonly started_at: number;
}

interface EndRow {
  readonly head: MessageId;
  readonly move: number;
}

interface LostRow {
  readonly fork: MessageId | null;
  readonly fork_turn: number | null;
  readonly first: MessageId | null;
  readonly turn: number;
  readonly said: number;
}

/** Characters of a prompt that are told. */
export const BEGINNING = 200;

export function branchTreeQueries(db: Database) {
  return {
    oldest: db
      .prepare<[string], SessionId>(
        "select id from sessions where conversation_id = ? and deleted_at is null order by generation limit 1",
      )
      .pluck(),
    generationBelow: db.prepare<[string, number], { id: SessionId; generation: number }>(
      `select id, generation from sessions where conversation_id = ? and generation < ? and deleted_at is null
       order by generation desc limit 1`,
    ),
    branchBefore: db.prepare<[{ parent: SessionId; at: number; id: string }], BranchRow>(
      `select id, conversation_id, started_at from sessions
       where parent_id = @parent and (started_at, id) < (@at, @id) and edge <> 'compression' and deleted_at is null
       order by started_at desc, id desc limit 1`,
    ),
    /** Ends that no head shows, each by the newest undo that left it. */
    endBefore: db.prepare<[string, number], EndRow>(
      `select h.from_id as head, h.id as move from head_moves h join messages m on m.id = h.from_id
       where h.session_id = ? and h.id < ? and h.kind = 'undo' and m.live = 0
         and not exists (select 1 from messages c where c.parent_id = m.id)
         and not exists (select 1 from head_moves n where n.from_id = h.from_id and n.kind = 'undo' and n.id > h.id)
       order by h.id desc limit 1`,
    ),
    /** Up to what is shown. A turn is lost with its prompt; notes alone are nothing that anybody said. */
    lost: db.prepare<[number], LostRow>(
      `with recursive up (id, parent_id, live, turn, role) as (
         select id, parent_id, live, turn, role from messages where id = ?
         union all
         select m.id, m.parent_id, m.live, m.turn, m.role from up join messages m on m.id = up.parent_id
         where up.live = 0),
       fork (id, turn) as (select id, turn from up where live = 1)
       select (select id from fork) as fork, (select turn from fork) as fork_turn, max(turn) as turn,
         (select min(id) from up where live = 0 and role = 'user'
          and turn > coalesce((select turn from fork), 0)) as first,
         max(live = 0 and role <> 'note') as said from up`,
    ),
    move: db.prepare<[number], { session: SessionId; at: number; redoable: number }>(
      "select session_id as session, at, redoable from head_moves where id = ?",
    ),
    redosTo: db
      .prepare<[string, number], number>(
        "select count(*) from head_moves where session_id = ? and redoable = 1 and id >= ?",
      )
      .pluck(),
    isAskedBeside: db
      .prepare<[number], number>(
        `select exists (select 1 from messages o where o.parent_id = m.parent_id and o.id <> m.id and o.role = 'user'
           and o.text = m.text) from messages m where m.id = ?`,
      )
      .pluck(),
    isAskedAtRoot: db
      .prepare<[number], number>(
        `select exists (select 1 from messages o where o.session_id = m.session_id and o.parent_id is null
           and o.id <> m.id and o.role = 'user' and o.text = m.text) from messages m where m.id = ?`,
      )
      .pluck(),
    /** Of the turn that this node stands in. */
    promptOf: db
      .prepare<[number], string>(
        `with recursive up (id, parent_id, turn) as (
           select id, parent_id, turn from messages where id = ?
           union all
           select m.id, m.parent_id, m.turn from up join messages m on m.id = up.parent_id and m.turn = up.turn)
         select substr(text, 1, ${BEGINNING}) from messages where id = (select min(id) from up)`,
      )
      .pluck(),
    /** Absent in one that is deleted. */
    parentOf: db
      .prepare<[string], SessionId>(
        `select p.id from sessions s join sessions p on p.id = s.parent_id where s.id = ? and p.deleted_at is null`,
      )
      .pluck(),
    turnOfHead: db
      .prepare<[string], number>("select m.turn from sessions s join messages m on m.id = s.head_id where s.id = ?")
      .pluck(),
  };
}
