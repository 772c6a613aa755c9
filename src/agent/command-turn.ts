// runCommandTurn(): a loop may repeat a command. What the command says is the answer of its turn; no model is asked.

import type { Admission } from "../ledger/types.ts";
import { settledEvent } from "./events.ts";
import type { TurnContext } from "./turn-context.ts";

/** `run` gets what was typed, and resolves to what the command said. */
export async function runCommandTurn(
  context: TurnContext,
  { userMessage, payload }: Admission,
  run: (text: string) => Promise<string>,
): Promise<void> {
  const { db, turn } = context;
  const typed = payload.prompt.map((part) => (part.kind === "text" ? part.text : "")).join("");
  const said = await run(typed).then(
    (text) => ({ outcome: "completed" as const, text: text || "(nothing to say)" }),
    (error: unknown) => ({ outcome: "failed" as const, text: String(error) }),
  );
  const end = context.signal.aborted ? "interrupted" : said.outcome;
  const answer = {
    ...{ role: "assistant" as const, parts: [{ kind: "text" as const, text: said.text }], at: context.now() },
    ...{ provider: "stele", model: "command", finishReason: "stop", parent: userMessage },
  };
  const error = { code: "command_failed", message: said.text };
  const { admission, messages } = await db.settle(turn, {
    outcome: end,
    at: context.now(),
    ...(end === "completed" ? { last: answer } : end === "failed" ? { error } : {}),
  });
  for (const message of messages) context.emit({ type: "message-added", message });
  context.emit(settledEvent(admission));
}
