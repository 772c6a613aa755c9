// What other programs write into the open conversation is shown here within a second: a cheap question to
// SQLite (`data_version`) twice a second, and a look at the new nodes only when it changed.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Message, MessageId, Session } from "../ledger/types.ts";
import type { Runner } from "./runner.ts";

const LOOK_MS = 500;
/** More new messages than this are told as a moved head: the front end reloads its window. */
const WINDOW = 200;

/** Returns how to stop. Never throws: a ledger that cannot be read is told by the next write. */
export function watchConversation(db: AsyncSessionDB, runner: Runner): () => void {
  const state: WatchState = {
    version: undefined,
    conversation: runner.session.conversation,
    known: runner.session.head,
  };
  let isLooking = false;
  const stopListening = runner.listen((event) => {
    if (event.type === "message-added") state.known = event.message.id;
    if (event.type === "head-moved") state.known = event.head;
    if (event.type === "session") {
      state.conversation = event.session.conversation;
      state.known = event.session.head;
    }
  });
  const timer = setInterval(() => {
    if (isLooking || runner.isRunning) return;
    isLooking = true;
    look(db, runner, state)
      .catch(() => {
        // Busy, or closing: the next look tries again.
      })
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    stopListening();
  };
}

interface WatchState {
  version: number | undefined;
  conversation: Session["conversation"];
  known: MessageId | undefined;
}

async function look(db: AsyncSessionDB, runner: Runner, state: WatchState): Promise<void> {
  const version = await db.dataVersion();
  if (version === state.version) return;
  state.version = version;
  // The first look compares too: somebody may have written between the load and it.
  if (runner.isRunning) return;
  const session = await db.canonical(state.conversation);
  if (session.revision === runner.session.revision || session.conversation !== runner.session.conversation) return;
  const added = session.head === state.known ? [] : await newMessages(db, session, state.known);
  await runner.refresh();
  if (added === undefined)
    runner.emit({ type: "head-moved", session: session.id, ...(session.head && { head: session.head }) });
  for (const message of added ?? []) {
    runner.emit({ type: "message-added", message, elsewhere: true });
    for (const call of await db.callsOfMessages([message.id])) runner.emit({ type: "call-changed", call });
  }
}

/** Undefined when the known node is not on the path any more, or too far back. */
async function newMessages(
  db: AsyncSessionDB,
  session: Session,
  known: MessageId | undefined,
): Promise<readonly Message[] | undefined> {
  const { messages, earlier } = await db.path(session.id, { limit: WINDOW });
  if (known === undefined) return earlier === 0 ? messages : undefined;
  const at = messages.findIndex((message) => message.id === known);
  return at < 0 ? undefined : messages.slice(at + 1);
}
