// What was added to a conversation after a node that is known here.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Message, MessageId, Session } from "../ledger/types.ts";

/** More than this is told as a moved head: the front end reads its window again. */
const WINDOW = 200;

/** Undefined when the known node is not on the path any more, or too far back. */
export async function messagesSince(
  db: AsyncSessionDB,
  session: Session,
  known: MessageId | undefined,
): Promise<readonly Message[] | undefined> {
  const { messages, earlier } = await db.path(session.id, { limit: WINDOW });
  if (known === undefined) return earlier === 0 ? messages : undefined;
  const at = messages.findIndex((message) => message.id === known);
  return at < 0 ? undefined : messages.slice(at + 1);
}
