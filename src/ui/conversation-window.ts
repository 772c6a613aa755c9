// Parts of a conversation as they are stored, read for the screen.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Message, MessageId, Session } from "../ledger/types.ts";
import { type Block, type WindowParts, windowParts } from "./block.ts";
import { type WindowRoom, windowTail } from "./window-tail.ts";

type Reader = Pick<AsyncSessionDB, "path" | "callsOfMessages">;

/** Of a session that is gone to, and of what is left after the head moved. */
const windowMessages = { opened: 100, moved: 12 };

/** The newest part of a session that is opened. */
export async function openedWindow(
  db: Reader,
  { id }: Pick<Session, "id">,
  room: WindowRoom,
): Promise<{ readonly messages: readonly Message[]; readonly blocks: readonly Block[] }> {
  const { messages, earlier } = await db.path(id, { limit: windowMessages.opened });
  return { messages, blocks: windowTail(await storedParts(db, messages), room, earlier) };
}

/** Where the conversation stands now: its last turn, or only its two ends when it was long. */
export async function lastTurn(
  db: Reader,
  { id, head }: { readonly id: Session["id"]; readonly head: MessageId },
  room: WindowRoom,
): Promise<readonly Block[]> {
  const { messages } = await db.path(id, { from: head, limit: windowMessages.moved });
  const turn = messages.filter((message) => message.turn === messages.at(-1)?.turn);
  const isWhole = turn[0]?.role === "user";
  return windowTail(await storedParts(db, isWhole ? turn : turn.slice(-1)), room);
}

async function storedParts(db: Reader, messages: readonly Message[]): Promise<WindowParts> {
  return windowParts(messages, await db.callsOfMessages(messages.map(({ id }) => id)));
}
