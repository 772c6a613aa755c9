// Anthropic's Messages API, over @ai-sdk/anthropic at its lowest level. An answer is whole only with
// `message_stop`. Thinking goes back with its signature to this provider. What stays the same from request to
// request (tools and system, the conversation up to the last two of a person's messages) is marked for its cache.
import { longestAnswer } from "./anthropic-limits.ts";
import { clientModel, type EndpointOptions } from "./client-stream.ts";
import type { Client, Dialect } from "./dialect.ts";
import { effortLevels } from "./effort.ts";
import { fitHistory } from "./history.ts";
import type { Model, ModelMessage, ModelRequest } from "./model.ts";
import { keepFields, keptFields } from "./opaque.ts";
import { type CallOptions, commonOptions, type PromptForm, toPrompt } from "./prompt.ts";

const CLIENT = "anthropic";
const KEPT = ["signature", "redactedData"];

const FORM: PromptForm = {
  files: /^image\/(jpeg|png|gif|webp)$|^application\/pdf$/,
  // 5 MB in base64. One that is larger would have every request of the conversation refused.
  maxBytes: 3.75 * 1024 * 1024,
  replay: (data, keeper) => (keeper === "reasoning" ? { [CLIENT]: keptFields(data) } : undefined),
};

export function anthropicModel(options: EndpointOptions): Model {
  return clientModel(options, dialect(options));
}

function dialect(options: EndpointOptions): Dialect {
  return {
    isEnd,
    needsEnd: true,
    keepsOrder: true,
    open: (fetch) => open(options, fetch),
    toCallOptions: (request) => toCallOptions(request, options.maxOutput),
    opaqueOf: (metadata, keeper) => (keeper === "reasoning" ? keepFields(metadata, CLIENT, KEPT) : undefined),
  };
}

function isEnd(data: string): boolean {
  return /"type"\s*:\s*"message_stop"/.test(data) && /^\{\s*"type"/.test(data);
}

async function open(options: EndpointOptions, fetch: typeof globalThis.fetch): Promise<Client> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const { baseURL, apiKey, route } = options;
  const provider = createAnthropic({ baseURL, fetch, apiKey: apiKey ?? "none" });
  return provider.languageModel(route.model);
}

async function toCallOptions(request: ModelRequest, maxOutput: number | undefined): Promise<CallOptions> {
  const { route } = request;
  const canReplay = (data: string): boolean => KEPT.some((name) => keptFields(data)[name] !== undefined);
  const messages = fitHistory(request.messages, { provider: route.provider, maxId: 64, isStrict: true, canReplay });
  const system = request.system.toWellFormed();
  const prompt = await toPrompt({ ...request, system, messages, form: FORM });
  const longest = maxOutput ?? longestAnswer(route.model);
  const { budget = 0, ...effort } = effortOptions(request, { longest, messages });
  return {
    // The client adds the tokens to think with.
    maxOutputTokens: longest - budget,
    ...commonOptions(request),
    prompt: withCacheMarks(prompt),
    providerOptions: { [CLIENT]: { toolStreaming: false, ...effort } },
  };
}

const CACHED = { [CLIENT]: { cacheControl: { type: "ephemeral" } } };

/** Four marks are allowed; a conversation finds its last request's mark within twenty blocks before its own. */
function withCacheMarks(prompt: CallOptions["prompt"]): CallOptions["prompt"] {
  const people = prompt.flatMap(({ role }, at) => (role === "user" || role === "tool" ? [at] : []));
  const marked = new Set(people.slice(-2));
  return prompt.map((message, at) =>
    message.role === "system" || marked.has(at) ? { ...message, providerOptions: CACHED } : message,
  );
}

const BUDGETS: Readonly<Record<string, number>> = { low: 4_096, medium: 10_240, high: 24_576 };

/** The API takes no fewer to think with. */
const LEAST_BUDGET = 1_024;

interface EffortOptions {
  readonly effort?: string;
  readonly thinking?: Readonly<Record<string, string | number | undefined>>;
  /** Tokens to think with. */
  readonly budget?: number;
}

/** Newer models take the level itself; older ones a number of tokens to think with; the oldest do not think. */
function effortOptions(
  { route }: ModelRequest,
  { longest, messages }: { readonly longest: number; readonly messages: readonly ModelMessage[] },
): EffortOptions {
  const { model } = route;
  const effort = route.options?.effort;
  const levels = effortLevels({ kind: "anthropic", model });
  if (typeof effort !== "string" || !levels.includes(effort)) return {};
  if (levels.includes("max")) return { effort, thinking: { type: "adaptive", display: "summarized" } };
  const level = /claude-opus-4-5/.test(model) ? { effort } : {};
  // The answer needs room too.
  const budget = Math.min(BUDGETS[effort] ?? 0, Math.floor(longest / 2));
  if (isMidway(messages) || budget < LEAST_BUDGET) return level;
  return { ...level, budget, thinking: { type: "enabled", budgetTokens: budget } };
}

/** Thinking with a budget cannot begin while calls of an answer without thinking are being worked off. */
function isMidway(messages: readonly ModelMessage[]): boolean {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(asked + 1).filter(({ role }) => role === "assistant");
  return since.some(({ parts }) => parts[0]?.kind !== "reasoning");
}
