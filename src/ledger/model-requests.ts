// Table `model_requests`: every request to a model, written before it goes out and closed with its answer.
import { ledgerError } from "./errors.ts";
import { canonicalJson } from "./ids.ts";
import { requireStarted } from "./leases.ts";
import type { Database } from "./open.ts";
import type { TurnTx, Tx } from "./transaction.ts";
import type { AdmissionId, Hash, MessageId, Usage } from "./types.ts";

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
    newest: db.prepare<[number], { n: number; digest: Hash; state: string; parent_id: MessageId | null }>(
      "select n, digest, state, parent_id from model_requests where admission_id = ? order by n desc limit 1",
    ),
  };
}

/**
 * Before the request goes out. One that a crash cut off is asked again as the same bytes, or not at all: then it
 * throws `request_differs`, and a person decides.
 */
export function askModel(tx: TurnTx, request: { parent: MessageId | undefined; digest: Hash }): void {
  requireStarted(tx);
  const { parent, digest } = request;
  const cut = tx.q.requests.newest.get(tx.turn.admission);
  if (cut?.state === "asked" && cut.parent_id === (parent ?? null) && cut.digest !== digest)
    throw ledgerError("request_differs", "The request would differ from the one that the crash cut off.");
  tx.q.requests.insert.run({ admission: tx.turn.admission, parent: parent ?? null, digest, now: tx.now });
}

/** It is over and will be made again or not: what streamed of its answer is no answer. */
export function failRequest(tx: TurnTx): void {
  closeRequest(tx, tx.turn.admission, { state: "failed" });
  if (tx.admission.status === "started") tx.q.drafts.dropAnswer.run(tx.turn.conversation);
}

export function closeRequest(
  tx: Tx,
  admission: AdmissionId,
  end: { state: "answered" | "failed"; usage?: Usage | undefined },
): void {
  tx.q.requests.close.run(end.state, end.usage ? canonicalJson(end.usage) : null, admission);
}
