// Any endpoint that speaks chat completions, over @ai-sdk/openai-compatible at its lowest level.
// A tool call is held back until the answer is known to be whole: an answer that was cut, refused or ran
// into its length limit never acts. Nothing is retried here. The client is loaded at the first request.
import type { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { Json, ModelRoute, Usage } from "../../ledger/types.ts";
import {
  abortedFault,
  cutFault,
  emptyFault,
  eventFault,
  type FaultContext,
  malformedFault,
  redact,
  wordsOf,
} from "./faults.ts";
import type { FinishReason, Model, ModelError, ModelRequest, ModelStreamPart } from "./model.ts";
import { type CallOptions, toPrompt } from "./prompt.ts";
import { openWire, WIRE_LIMITS, type Wire, type WireLimits } from "./wire.ts";

export interface OpenAiCompatibleOptions {
  readonly route: ModelRoute;
  readonly baseURL: string;
  readonly apiKey?: string;
  /** The environment variable of the key, for hints. */
  readonly keyName?: string;
  /** `openai` itself wants max_completion_tokens where all others want max_tokens. */
  readonly kind: "openai" | "openai-compatible";
  readonly limits?: Partial<WireLimits>;
}

type StreamResult = Awaited<ReturnType<OpenAICompatibleChatLanguageModel["doStream"]>>;
type SdkPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
type SdkFinish = Extract<SdkPart, { type: "finish" }>;
type SdkCall = Extract<SdkPart, { type: "tool-call" }>;
type CallPart = Extract<ModelStreamPart, { type: "tool-call" }>;

/** Also the key under which the client looks for options and puts metadata; must not depend on a person's config. */
const CLIENT = "openaiCompatible";

/** `baseURL` must be a valid URL: the registry sees to it. */
export function openAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  const context = faultContext(options);
  return { route: options.route, stream: (request) => stream(options, context, request) };
}

async function* stream(
  options: OpenAiCompatibleOptions,
  context: FaultContext,
  request: ModelRequest,
): AsyncGenerator<ModelStreamPart, void, undefined> {
  const { signal, beforeSend } = request;
  const limits = { ...WIRE_LIMITS, ...options.limits };
  const wire = openWire({ context, signal, beforeSend, limits, isEnd: (data) => data === "[DONE]" });
  try {
    const callOptions = await toCallOptions(request);
    yield* answer({ options, context, wire, signal }, callOptions);
  } finally {
    wire.close();
  }
}

interface Asked {
  readonly options: OpenAiCompatibleOptions;
  readonly context: FaultContext;
  readonly wire: Wire;
  readonly signal: AbortSignal;
}

async function* answer(asked: Asked, callOptions: CallOptions): AsyncGenerator<ModelStreamPart, void, undefined> {
  const seen = { hasText: false, hasReasoning: false, calls: [] as CallPart[] };
  const failed = (error: ModelError): ModelStreamPart => ({ type: "error", error });
  try {
    const client = await openClient(asked);
    asked.signal.throwIfAborted();
    const { stream: parts } = await client.doStream(callOptions);
    for await (const part of parts) {
      if (asked.signal.aborted) return yield failed(abortedFault(asked.context));
      switch (part.type) {
        case "text-delta":
          seen.hasText ||= part.delta.trim() !== "";
          yield { type: "text-delta", text: part.delta };
          break;
        case "reasoning-delta":
          seen.hasReasoning = true;
          yield { type: "reasoning-delta", text: part.delta };
          break;
        case "reasoning-end":
          yield { type: "reasoning-end", opaque: { provider: asked.options.route.provider, data: client.modelId } };
          break;
        case "tool-call":
          seen.calls.push(toCall(part, asked.options.route.provider));
          break;
        case "error":
          return yield failed(partFault(asked, part.error));
        case "finish":
          return yield* conclude(asked, part, seen);
        default:
          break; // beginnings, ends and metadata: nothing the ledger keeps
      }
    }
    yield failed(cutFault(asked.context, "it ended without a finish reason"));
  } catch (error) {
    if (asked.wire.state.thrown !== undefined) throw asked.wire.state.thrown.error;
    yield failed(thrownFault(asked, error));
  }
}

interface Seen {
  readonly hasText: boolean;
  readonly hasReasoning: boolean;
  readonly calls: readonly CallPart[];
}

function* conclude(asked: Asked, part: SdkFinish, seen: Seen): Generator<ModelStreamPart, void, undefined> {
  const reason = finishReason(part, seen);
  if (reason === undefined) {
    const why = `its finish reason is ${JSON.stringify(part.finishReason.raw ?? "missing")}`;
    return yield { type: "error", error: cutFault(asked.context, why) };
  }
  const isBare = !seen.hasText && seen.calls.length === 0;
  if (isBare && reason !== "refusal" && !(reason === "length" && seen.hasReasoning)) {
    return yield { type: "error", error: emptyFault(asked.context) };
  }
  if (reason === "tool-calls") yield* seen.calls;
  const usage = toUsage(part.usage);
  yield { type: "finish", reason, ...(usage === undefined ? {} : { usage }) };
}

/** Servers disagree on the reason beside calls ("stop" is common), so the calls themselves decide. */
function finishReason(part: SdkFinish, seen: Seen): FinishReason | undefined {
  switch (part.finishReason.unified) {
    case "stop":
    case "tool-calls":
      return seen.calls.length > 0 ? "tool-calls" : "stop";
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    default:
      return undefined;
  }
}

function toCall(part: SdkCall, provider: string): CallPart {
  const signature = Object.values(part.providerMetadata ?? {}).map((fields) => fields.thoughtSignature)[0];
  return {
    type: "tool-call",
    call: part.toolCallId,
    tool: part.toolName,
    input: parseInput(part.input),
    ...(typeof signature === "string" ? { opaque: { provider, data: signature } } : {}),
  };
}

function parseInput(text: string): Json {
  if (text.trim() === "") return {}; // how many servers write a call without arguments
  try {
    return JSON.parse(text) as Json;
  } catch {
    return { unparsed: text }; // the tool's own schema check tells the model
  }
}

/** Cached input is part of `inputTokens`. Absent when the server told nothing. */
function toUsage(usage: SdkFinish["usage"]): Usage | undefined {
  if (usage.raw === undefined) return undefined;
  const cacheRead = count(usage.inputTokens.cacheRead);
  const reasoning = count(usage.outputTokens.reasoning);
  return {
    inputTokens: count(usage.inputTokens.total),
    outputTokens: count(usage.outputTokens.total),
    ...(cacheRead > 0 ? { cacheReadTokens: cacheRead } : {}),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}

function count(tokens: number | undefined): number {
  return Math.max(0, Math.round(tokens ?? 0));
}

async function openClient(asked: Asked): Promise<OpenAICompatibleChatLanguageModel> {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false }); // else the client writes warnings to the terminal
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { baseURL, apiKey, kind, route } = asked.options;
  const provider = createOpenAICompatible({
    name: CLIENT,
    baseURL,
    fetch: asked.wire.fetch,
    // Mistral's endpoint refuses the field and reports usage unasked.
    includeUsage: !/\bmistral\.ai$/.test(new URL(baseURL).hostname),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(kind === "openai" ? { transformRequestBody: nameOutputLimit } : {}),
  });
  return provider.chatModel(route.model) as OpenAICompatibleChatLanguageModel;
}

function nameOutputLimit(body: { readonly [key: string]: unknown }): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = body;
  return limit === undefined ? rest : { ...rest, max_completion_tokens: limit };
}

async function toCallOptions(request: ModelRequest): Promise<CallOptions> {
  const { effort, maxOutputTokens, temperature, topP } = request.route.options ?? {};
  return {
    prompt: await toPrompt(request),
    abortSignal: request.signal,
    ...(request.tools.length === 0 ? {} : { tools: toTools(request) }),
    ...(typeof maxOutputTokens === "number" ? { maxOutputTokens } : {}),
    ...(typeof temperature === "number" ? { temperature } : {}),
    ...(typeof topP === "number" ? { topP } : {}),
    ...(typeof effort === "string" ? { providerOptions: { [CLIENT]: { reasoningEffort: effort } } } : {}),
  };
}

type FunctionTool = Extract<NonNullable<CallOptions["tools"]>[number], { type: "function" }>;

function toTools(request: ModelRequest): FunctionTool[] {
  return request.tools.map(({ name, description, input }) => ({
    type: "function",
    name,
    description,
    inputSchema: input as FunctionTool["inputSchema"],
  }));
}

function faultContext(options: OpenAiCompatibleOptions): FaultContext {
  const { route, baseURL, keyName, apiKey } = options;
  const url = new URL(baseURL);
  return {
    provider: route.provider,
    endpoint: `${url.origin}${url.pathname}`,
    ...(keyName === undefined ? {} : { keyName }),
    ...(apiKey === undefined ? {} : { secret: apiKey }),
  };
}

/** An `error` part: an event that did not parse, the server's own error, or an end without a finish reason. */
function partFault(asked: Asked, error: unknown): ModelError {
  const { context, wire } = asked;
  if (!(error instanceof Error)) return wire.state.fault ?? eventFault(context, error);
  if (error.name === "AI_InvalidResponseDataError") {
    return cutFault(context, wire.state.ended ? "it came without a finish reason" : "the stream ended early");
  }
  const { value, text } = error as { readonly value?: unknown; readonly text?: unknown };
  if (wordsOf(value) !== "") return eventFault(context, value);
  const event = redact(typeof text === "string" ? text : (JSON.stringify(value) ?? error.message), context.secret);
  return malformedFault(context, `an event of the answer cannot be read: ${event.slice(0, 200)}`, true);
}

function thrownFault(asked: Asked, error: unknown): ModelError {
  const { context, wire, signal } = asked;
  if (signal.aborted) return abortedFault(context);
  if (wire.state.fault !== undefined) return wire.state.fault;
  return malformedFault(context, error instanceof Error ? error.message : String(error), false);
}
