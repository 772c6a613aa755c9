// The embedded model: no language model, and it says so. It carries out plain orders (orders.ts) as real
// tool calls, one a message, so that everything around a model can be tried without one. What comes next
// is derived from the request's messages alone, so a resumed turn goes on at the right step.
import { createHash } from "node:crypto";
import type { Json, ModelRoute, ToolCallPart, ToolOutcome } from "../../ledger/types.ts";
import type { Model, ModelMessage, ModelRequest, ModelStreamPart } from "./model.ts";
import { ORDER_FORMS, type Orders, parseOrders, type Step } from "./orders.ts";

export const GUIDE_ROUTE: ModelRoute = { provider: "guide", model: "guide" };

export function guideModel(): Model {
  return { route: GUIDE_ROUTE, stream };
}

interface Reply {
  readonly text: string;
  readonly call?: { readonly tool: string; readonly input: Json };
}

async function* stream(request: ModelRequest): AsyncGenerator<ModelStreamPart, void, undefined> {
  const { signal, messages } = request;
  if (signal.aborted) return yield aborted();
  await request.beforeSend(digestOf(request));
  const reply = replyTo(messages);
  for (const word of reply.text.match(/\s*\S+|\s+$/g) ?? []) {
    if (signal.aborted) return yield aborted();
    yield { type: "text-delta", text: word };
  }
  if (signal.aborted) return yield aborted();
  if (reply.call !== undefined) yield { type: "tool-call", call: nextCallId(messages), ...reply.call };
  yield {
    type: "finish",
    reason: reply.call === undefined ? "stop" : "tool-calls",
    usage: {
      inputTokens: roughTokens(request.system + JSON.stringify(messages)),
      outputTokens: roughTokens(reply.text + JSON.stringify(reply.call ?? "")),
    },
  };
}

function aborted(): ModelStreamPart {
  return { type: "error", error: { code: "model_aborted", message: "guide: stopped", retryable: false } };
}

function replyTo(messages: readonly ModelMessage[]): Reply {
  const { orders, done } = currentOrders(messages);
  switch (orders.kind) {
    case "none":
      return { text: help() };
    case "broken":
      return { text: `I cannot carry that out: ${orders.problem}` };
    case "orders":
      return nextReply(orders.steps, done);
  }
}

const NO_ORDERS: Current = { orders: { kind: "none" }, done: [] };

interface Current {
  readonly orders: Orders;
  /** What became of the calls made for these orders, in order. */
  readonly done: readonly ToolOutcome[];
}

/**
 * The newest text with orders wins. A newer text without any is a remark in passing while the orders are
 * being carried out, that is: they have made a call and have not been concluded. Otherwise it is a question.
 */
function currentOrders(messages: readonly ModelMessage[]): Current {
  const calls: ToolCallPart[] = [];
  let isConcluded = false;
  let isRemark = false;
  for (const message of messages.toReversed()) {
    if (message.role === "assistant") {
      const made = message.parts.filter((part) => part.kind === "tool-call");
      calls.unshift(...made);
      isConcluded ||= made.length === 0;
    }
    if (message.role !== "user") continue;
    for (const part of message.parts.toReversed()) {
      if (part.kind !== "text") continue;
      const orders = parseOrders(part.text);
      if (orders.kind === "none") {
        isRemark = true;
        continue;
      }
      if (isRemark && (calls.length === 0 || isConcluded)) return NO_ORDERS;
      return { orders, done: calls.map((call) => outcomeOf(call.call, messages)) };
    }
  }
  return NO_ORDERS;
}

function outcomeOf(call: string, messages: readonly ModelMessage[]): ToolOutcome {
  for (const message of messages.toReversed()) {
    for (const part of message.parts) if (part.kind === "tool-result" && part.call === call) return part.outcome;
  }
  return { kind: "unknown" };
}

/** Said steps go out with the call they precede, or with the conclusion. */
function nextReply(steps: readonly Step[], done: readonly ToolOutcome[]): Reply {
  const stopped = done.findIndex((outcome) => outcome.kind !== "ok");
  const said: string[] = [];
  let calls = 0;
  for (const [index, step] of steps.entries()) {
    if (step.kind === "say") {
      if (calls === done.length) said.push(step.text);
      continue;
    }
    const outcome = done[calls];
    if (outcome === undefined) return { text: said.join("\n"), call: { tool: step.tool, input: step.input } };
    if (calls === stopped) return { text: stopReport({ steps, index, order: step.order, outcome }) };
    calls++;
  }
  if (calls > 0) said.push(`Done: ${counted(steps.length)}.`);
  return { text: said.join("\n") };
}

interface Stop {
  readonly steps: readonly Step[];
  readonly index: number;
  readonly order: string;
  readonly outcome: ToolOutcome;
}

function stopReport({ steps, index, order, outcome }: Stop): string {
  const firstLine = order.split("\n", 1)[0] ?? "";
  const shown = firstLine.length < order.length || order.length > 80 ? `${firstLine.slice(0, 80)}…` : order;
  const what = `Step ${index + 1} of ${steps.length} ${fate(outcome)}: ${shown}.`;
  const rest = steps.length - index - 1;
  const were = `${counted(rest)} after it ${rest === 1 ? "was" : "were"} not run.`;
  return rest === 0 ? what : `${what} The ${were}`;
}

function fate(outcome: ToolOutcome): string {
  switch (outcome.kind) {
    case "ok":
      return "is done";
    case "failed":
      return outcome.exitCode === undefined ? "failed" : `failed with exit code ${outcome.exitCode}`;
    case "cancelled":
      return "did not come to its end";
    case "denied":
      return "was not allowed";
    case "unknown":
      return "has an unknown outcome (it was started, and no result was recorded)";
  }
}

function counted(steps: number): string {
  return steps === 1 ? "1 step" : `${steps} steps`;
}

function help(): string {
  return [
    "I am the guide, not a language model: I only carry out plain orders.",
    "",
    "To connect a model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or add a provider to the config file; or start Ollama and choose one of its models, like `/model ollama/qwen3`.",
    "",
    "Orders, several joined with `then`:",
    ...ORDER_FORMS.map((form) => `- \`${form}\``),
  ].join("\n");
}

/** One above every earlier call of the conversation, whoever made it. */
function nextCallId(messages: readonly ModelMessage[]): string {
  const calls = messages.flatMap((message) => message.parts.filter((part) => part.kind === "tool-call"));
  const numbers = calls.map((part) => Number(/^guide-(\d{1,9})$/.exec(part.call)?.[1] ?? 0));
  return `guide-${Math.max(calls.length, ...numbers) + 1}`;
}

function digestOf({ system, messages, tools, route }: ModelRequest): string {
  const body = canonical({ route, system, messages, tools });
  return createHash("sha256").update(body).digest("hex");
}

/** JSON with sorted keys: the same request gives the same bytes, however it was put together. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) => {
    if (typeof field !== "object" || field === null || Array.isArray(field)) return field;
    return Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function roughTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
