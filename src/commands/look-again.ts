// An interrupted turn while it is being decided about: what of its commands has ended meanwhile is judged and stored
// as at a start, so that nothing is asked about a command that the world has answered for already.
import { readSpool } from "../agent/spool/spool.ts";
import { newHolderId } from "../ledger/ids.ts";
import { judgeCalls, type OpenTurn, withLease } from "../ledger/recovery.ts";
import type { ToolCall } from "../ledger/types.ts";
import type { FreeContext } from "./command.ts";
import { tellCall } from "./recover.ts";

/** The turn as the ledger has it now. */
export async function readTurn(
  { admission: { id, conversation } }: OpenTurn,
  db: Pick<FreeContext["db"], "admission" | "callsOf" | "canonical" | "drafts">,
): Promise<OpenTurn> {
  const [admission, calls, session, drafts] = await Promise.all([
    db.admission(id),
    db.callsOf(id),
    db.canonical(conversation),
    db.drafts(conversation),
  ]);
  // A half answer to what is no longer the end of the conversation cannot be kept.
  const draft = drafts.find((each) => each.kind === "answer" && each.admission === id && each.parent === session.head);
  return { admission, calls, session, ...(draft && { draft }) };
}

/** Undefined: all that ran when it was read still runs, or somebody else is at it. Writes nothing then. */
export async function lookAgain(turn: OpenTurn, context: FreeContext): Promise<OpenTurn | undefined> {
  const { db, world } = context;
  const running = turn.calls.filter(isRunning);
  const states = await Promise.all(running.flatMap(({ spool }) => (spool === undefined ? [] : [readSpool(spool)])));
  if (states.every(({ kind }) => kind === "running")) return undefined;
  const { id, conversation } = turn.admission;
  const judged = await withLease(db, { conversation, holder: newHolderId(process.pid) }, async (lease) => {
    const calls = await judgeCalls(db, { lease, admission: id, world });
    return { calls };
  });
  if ("kind" in judged) return undefined;
  const now = await readTurn(turn, db);
  for (const call of now.calls) {
    const isOver = call.result !== undefined && running.some((each) => each.id === call.id);
    if (isOver) await tellCall(context, { admission: now.admission, call });
  }
  return now;
}

function isRunning({ state, result }: ToolCall): boolean {
  return state === "running" && result === undefined;
}
