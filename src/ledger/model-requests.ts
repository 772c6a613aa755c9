// Table `model_requests`: every request to a model, written before it goes out and closed with its answer.
import type { Database } from "./open.ts";
import type { TurnTx } from "./transaction.ts";
import type { Hash, MessageId, Usage } from "./types.ts";

export function requestQueries(db: Database) {
  return {
    insert: db.prepare(
      `insert into model_requests (admission_id, n, parent_id, digest, state, asked_at)
       values (@admission, (select coalesce(max(n), 0) + 1 from model_requests where admission_id = @admission),
         @parent, @digest, 'asked', @now)`,
    ),
    close: db.prepare<[string, string | null, number]>(
      `update model_requests set state = ?, usage = ?
       where admission_id = ? and state = 'asked'`,
    ),
    dropOfConversation: db.prepare<[string]>(
      "delete from model_requests where admission_id in (select seq from admissions where conversation_id = ?)",
    ),
    newest: db.prepare<[number], { n: number; digest: Hash; state: string; parent_id: MessageId | null }>(
      "select n, digest, state, parent_id from model_requests where admission_id = ? order by n desc limit 1",
    ),
  };
}

export function askModel(tx: TurnTx, request: { parent: MessageId | undefined; digest: Hash }): void {
  const { parent, digest } = request;
  tx.q.requests.insert.run({ admission: tx.turn.admission, parent: parent ?? null, digest, now: tx.now });
}

export function closeRequest(tx: TurnTx, state: "answered" | "failed", usage: Usage | undefined): void {
  tx.q.requests.close.run(state, usage ? JSON.stringify(usage) : null, tx.turn.admission);
}
