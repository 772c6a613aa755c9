// Asking with room for the answer: the conversation is compacted before the window is full, and once when the provider
// says that it is too long; then the request is made again.
import type { Answer, NoAnswer } from "../ask-model.ts";
import { askWithRetries } from "../ask-with-retries.ts";
import { noRoomForFiles, withFileAdvice } from "../context-room.ts";
import { overLimit } from "../spending-limits.ts";
import type { TurnContext, TurnState } from "../turn-context.ts";
import { sizeOf } from "./attempt.ts";
import { compact } from "./compact.ts";

/** C 5.18: in one turn. */
const ATTEMPTS = 3;

export async function askInRoom(context: TurnContext, state: TurnState): Promise<Answer | NoAnswer> {
  const error = noRoomForFiles(context, state) ?? (await overLimit(context, state.model.route));
  return error ? { kind: "error", error } : withFileAdvice(context, await askOrCompact(context, state));
}

async function askOrCompact(context: TurnContext, state: TurnState): Promise<Answer | NoAnswer> {
  if (isFull(context, state) && (await makeRoom(context, state, "full")) === "stopped") return STOPPED;
  const answer = await askWithRetries(context, state);
  if (answer.kind !== "error" || answer.error.code !== "model_context_overflow") return answer;
  if (state.compactions >= ATTEMPTS) return answer;
  await context.db.failRequest(context.turn);
  const made = await makeRoom(context, state, "overflow");
  if (made === "stopped") return STOPPED;
  return made === "compacted" ? askWithRetries(context, state) : answer;
}

const STOPPED: NoAnswer = { kind: "stopped", partial: "" };

function isFull(context: TurnContext, state: TurnState): boolean {
  const { isAutomatic, at } = context.compaction;
  if (!isAutomatic || state.compactions >= ATTEMPTS) return false;
  const { tokens, window } = sizeOf(context, state);
  return window !== undefined && tokens >= at * window;
}

async function makeRoom(context: TurnContext, state: TurnState, reason: "full" | "overflow") {
  const { kind } = await compact(context, state, { reason });
  // What could not be done now is not tried again before every request of this turn.
  state.compactions = kind === "left" && reason === "full" ? ATTEMPTS - 1 : state.compactions + 1;
  return kind;
}
