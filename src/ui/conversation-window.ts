// Parts of a conversation as they are stored, read for the screen.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Message, MessageId, SessionId } from "../ledger/types.ts";
import { type Block, windowBlocks } from "./block.ts";
import { earlierBlocks } from "./boot-blocks.ts";

type Reader = Pick<AsyncSessionDB, "path" | "callsOfMessages">;

/** Of a session that is gone to, and of what is left after the head moved. */
const windowMessages = { opened: 100, moved: 12 };

/** The newest part of a session that is opened. */
export async function openedWindow(
  db: Reader,
  session: SessionId,
): Promise<{ readonly messages: readonly Message[]; readonly blocks: readonly Block[] }> {
  const { messages, earlier } = await db.path(session, { limit: windowMessages.opened });
  return { messages, blocks: [...earlierBlocks(earlier), ...(await storedBlocks(db, messages))] };
}

/** Where the conversation stands now: its last turn, or only its two ends when it was long. */
export async function lastTurn(db: Reader, session: SessionId, head: MessageId): Promise<readonly Block[]> {
  const { messages } = await db.path(session, { from: head, limit: windowMessages.moved });
  const turn = messages.filter((message) => message.turn === messages.at(-1)?.turn);
  const isWhole = turn[0]?.role === "user";
  return storedBlocks(db, isWhole ? turn : turn.slice(-1));
}

async function storedBlocks(db: Reader, messages: readonly Message[]): Promise<readonly Block[]> {
  return windowBlocks(messages, await db.callsOfMessages(messages.map(({ id }) => id)));
}
