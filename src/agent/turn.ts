// runTurn(): one claimed turn from its user message to its settle. It knows no screen: what happens goes out
// as events, each after the commit it speaks of. Model and tool failures are messages and outcomes; only
// ledger errors are thrown. The same function goes on with a turn that a crash interrupted.
import { brokenRule } from "../ledger/broken-rule.ts";
import type { NewMessage, Settlement } from "../ledger/turns.ts";
import type { ToolCallPart, TurnError } from "../ledger/types.ts";
import { type Answer, type NoAnswer, usageOf } from "./ask-model.ts";
import { askInRoom } from "./compaction/ask-in-room.ts";
import { settledEvent } from "./events.ts";
import { finishOpenCalls } from "./run-calls.ts";
import { sentences } from "./sentences.ts";
import { added, headOf, openTurn, sumOf, type TurnContext, type TurnState } from "./turn-context.ts";

export async function runTurn(context: TurnContext): Promise<void> {
  const state = await openTurn(context);
  await finishOpenCalls(context, state);
  for (;;) {
    if (context.signal.aborted) return settleStopped(context, state, "");
    await takeSteers(context, state);
    const answer = await askInRoom(context, state);
    if (answer.kind !== "answer") return settleFailed(context, state, answer);
    const calls = answer.parts.filter((part): part is ToolCallPart => part.kind === "tool-call");
    if (calls.length === 0) return settleAnswered(context, state, answer);
    await appendAnswer(context, state, { answer, calls });
    await finishOpenCalls(context, state);
  }
}

async function takeSteers(context: TurnContext, state: TurnState): Promise<void> {
  for (;;) {
    const steer = await context.db.takeSteer(context.turn, context.now());
    if (!steer) return;
    added(context, state, steer.message);
    context.emit({ type: "prompt-steered", admission: steer.admission.id, by: context.turn.admission });
  }
}

function assistantMessage(context: TurnContext, state: TurnState, answer: Omit<Answer, "kind">): NewMessage {
  const { route } = state.model;
  return {
    parent: headOf(state),
    role: "assistant",
    parts: answer.parts,
    at: context.now(),
    provider: route.provider,
    model: route.model,
    finishReason: answer.reason,
    ...usageOf(answer),
  };
}

async function appendAnswer(
  context: TurnContext,
  state: TurnState,
  { answer, calls }: { answer: Answer; calls: readonly ToolCallPart[] },
): Promise<void> {
  const proposed = calls.map((call) => {
    const found = context.tools.findTool(call.tool);
    const effect = found.found ? found.tool.effect : "none";
    return { call: call.call, tool: call.tool, input: call.input, effect };
  });
  state.usage = sumOf(state.usage, answer.usage);
  const stored = await context.db.append(context.turn, assistantMessage(context, state, answer), proposed);
  added(context, state, stored.message);
  for (const call of stored.calls) context.emit({ type: "call-changed", call });
}

async function settle(context: TurnContext, state: TurnState, end: Omit<Settlement, "at" | "usage">): Promise<void> {
  if (brokenRule === "settle" && end.last && end.outcome === "completed") {
    const { message } = await context.db.append(context.turn, end.last);
    added(context, state, message);
    const { last: _, ...rest } = end;
    return settle(context, state, rest);
  }
  const settlement: Settlement = { ...end, at: context.now(), ...(state.usage && { usage: state.usage }) };
  const { admission, messages } = await context.db.settle(context.turn, settlement);
  for (const message of messages) added(context, state, message);
  context.emit(settledEvent(admission));
}

async function settleAnswered(context: TurnContext, state: TurnState, answer: Answer): Promise<void> {
  state.usage = sumOf(state.usage, answer.usage);
  if (answer.reason === "refusal")
    return settle(context, state, {
      outcome: "rejected",
      error: { code: "model_refusal", message: "The provider refused to answer this." },
      last: note(context, state, "The provider refused to answer this. /retry asks again, /model asks another one."),
    });
  const cut: TurnError | undefined =
    answer.reason === "length"
      ? { code: "model_length", message: "The answer was cut off at the model's limit." }
      : undefined;
  const last = assistantMessage(context, state, answer);
  await settle(context, state, { outcome: "completed", last, ...(cut && { error: cut }) });
}

async function settleFailed(context: TurnContext, state: TurnState, answer: NoAnswer): Promise<void> {
  if (answer.kind === "stopped") return settleStopped(context, state, answer.partial);
  const { code, message, hint } = answer.error;
  const error: TurnError = { code, message, ...(hint !== undefined && { hint }) };
  const words = sentences(`No answer: ${message}`, hint, "/retry asks again.");
  await settle(context, state, { outcome: "failed", error, last: note(context, state, words) });
}

/** What had streamed is kept as far as it came, marked as interrupted; it was on the screen. */
async function settleStopped(context: TurnContext, state: TurnState, partial: string): Promise<void> {
  const { route } = state.model;
  const last: NewMessage =
    partial.trim() === ""
      ? note(context, state, "Stopped.")
      : {
          parent: headOf(state),
          role: "assistant",
          parts: [{ kind: "text", text: partial }],
          at: context.now(),
          provider: route.provider,
          model: route.model,
          finishReason: "interrupted",
        };
  await settle(context, state, { outcome: "interrupted", last });
}

function note(context: TurnContext, state: TurnState, text: string): NewMessage {
  return { parent: headOf(state), role: "note", parts: [{ kind: "note", text }], at: context.now() };
}
