// runShellTurn(): one claimed `!command`, from its call to its settle. The call was stored and allowed with the message
// that the person typed; it runs as a model's does, and no model is asked. The same function goes on with one that a
// crash interrupted. Only ledger errors are thrown.
import { settledEvent } from "./events.ts";
import { finishOpenCalls } from "./run-calls.ts";
import { added, type TurnContext, type TurnState } from "./turn-context.ts";

export async function runShellTurn(context: TurnContext): Promise<void> {
  const { db, turn } = context;
  const state: TurnState = { path: [], usage: undefined, model: context.model, hasFallenBack: false, compactions: 0 };
  await finishOpenCalls(context, state);
  const calls = await db.callsOf(turn.admission);
  const hasEnded = calls.every(({ state: end, result }) => result !== undefined && end !== "cancelled");
  const outcome = hasEnded ? "completed" : "interrupted";
  const { admission, messages } = await db.settle(turn, { outcome, at: context.now() });
  for (const message of messages) added(context, state, message);
  context.emit(settledEvent(admission));
}
