// Table `head_moves`: the log of every undo, redo and branch; `redoable` marks undos not yet built upon.
import type { Database } from "./open.ts";
import type { HeadMoveId, HeadMoveKind, MessageId, SessionId } from "./types.ts";

export interface HeadMoveRow {
  readonly id: HeadMoveId;
  readonly session_id: SessionId;
  readonly kind: HeadMoveKind;
  readonly from_id: MessageId | null;
  readonly to_id: MessageId | null;
  readonly redone_at: number | null;
  readonly redoable: number;
}

export function headMoveQueries(db: Database) {
  return {
    insert: db.prepare(
      `insert into head_moves (session_id, kind, from_id, to_id, request_id, at, redoable)
       values (@session, @kind, @from, @to, @request, @at, @redoable)`,
    ),
    newestRedoable: db.prepare<[string], HeadMoveRow>(
      "select * from head_moves where session_id = ? and redoable = 1 order by id desc limit 1",
    ),
    /** The summary node that this attempt made in this session. */
    compactedBy: db
      .prepare<[string, string], MessageId>(
        "select to_id from head_moves where session_id = ? and request_id = ? and kind = 'compact'",
      )
      .pluck(),
    markRedone: db.prepare<[number, number]>("update head_moves set redoable = 0, redone_at = ? where id = ?"),
    closeRedo: db.prepare<[string]>("update head_moves set redoable = 0 where session_id = ? and redoable = 1"),
    dropOfSession: db.prepare<[string]>("delete from head_moves where session_id = ?"),
  };
}
