// One answer through a client library at its lowest level, the same for every provider: what differs is in a
// `Dialect`. A tool call is held back until the answer is known to be whole: an answer that was cut, refused
// or ran into its length limit never acts. Nothing is retried here. The library is loaded at the first request.
import type { ModelRoute, Usage } from "../../ledger/types.ts";
import { clientPartFault, thrownFault } from "./client-faults.ts";
import { ClientParts } from "./client-parts.ts";
import type { Dialect, SdkFinish } from "./dialect.ts";
import { abortedFault, cutCallFault, cutFault, emptyFault, type FaultContext, noRoomFault } from "./faults.ts";
import type { FinishReason, Model, ModelError, ModelRequest, ModelStreamPart } from "./model.ts";
import type { CallOptions } from "./prompt.ts";
import { openWire, WIRE_LIMITS, type Wire, type WireLimits } from "./wire.ts";

export interface EndpointOptions {
  readonly route: ModelRoute;
  /** A valid URL: the registry sees to it. */
  readonly baseURL: string;
  readonly apiKey?: string;
  /** The environment variable of the key, for hints. */
  readonly keyName?: string;
  readonly limits?: Partial<WireLimits>;
  /** What is known of the longest answer, in tokens; of use where a request has to name it. */
  readonly maxOutput?: number;
}

export function clientModel(options: EndpointOptions, dialect: Dialect): Model {
  const context = faultContext(options);
  return { route: options.route, stream: (request) => stream(options, context, { request, dialect }) };
}

async function* stream(
  options: EndpointOptions,
  context: FaultContext,
  { request, dialect }: { readonly request: ModelRequest; readonly dialect: Dialect },
): AsyncGenerator<ModelStreamPart, void, undefined> {
  const { signal, beforeSend } = request;
  const { isEnd, isFollowed = false } = dialect;
  const limits = { ...WIRE_LIMITS, ...dialect.limits, ...options.limits };
  const wire = openWire({ context, signal, beforeSend, limits, isEnd, isFollowed });
  try {
    const callOptions = await dialect.toCallOptions(request);
    yield* answer({ provider: options.route.provider, dialect, context, wire, signal }, callOptions);
  } finally {
    wire.close();
  }
}

interface Asked {
  readonly provider: string;
  readonly dialect: Dialect;
  readonly context: FaultContext;
  readonly wire: Wire;
  readonly signal: AbortSignal;
}

async function* answer(asked: Asked, callOptions: CallOptions): AsyncGenerator<ModelStreamPart, void, undefined> {
  const collector = new ClientParts(asked.dialect, asked.provider);
  const failed = (error: ModelError): ModelStreamPart => ({ type: "error", error });
  try {
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false }); // else the client writes warnings to the terminal
    const client = await asked.dialect.open(asked.wire.fetch);
    asked.signal.throwIfAborted();
    const { stream: parts } = await client.doStream(callOptions);
    for await (const part of parts) {
      if (asked.signal.aborted) return yield failed(abortedFault(asked.context));
      if (part.type === "error") return yield failed(clientPartFault(asked, part.error));
      if (part.type === "finish") return yield* conclude(asked, part, collector);
      yield* collector.take(part);
    }
    yield failed(cutFault(asked.context, "it ended without a finish reason"));
  } catch (error) {
    if (asked.wire.state.thrown !== undefined) throw asked.wire.state.thrown.error;
    yield failed(thrownFault(asked, error));
  }
}

function* conclude(asked: Asked, part: SdkFinish, seen: ClientParts): Generator<ModelStreamPart, void, undefined> {
  const { wire, context, dialect } = asked;
  const failed = (error: ModelError): ModelStreamPart => ({ type: "error", error });
  if (wire.state.fault !== undefined) return yield failed(wire.state.fault);
  if (dialect.needsEnd && !wire.state.ended) return yield failed(cutFault(context, "the stream ended early"));
  const reason = finishReason(part, seen, dialect.needsEnd);
  if (reason === undefined) {
    const why = `its finish reason is ${JSON.stringify(part.finishReason.raw ?? "missing")}`;
    return yield failed(cutFault(context, why));
  }
  const isBare = !seen.hasText && seen.calls === 0;
  if (isBare && /context_(?:window|length)/.test(part.finishReason.raw ?? ""))
    return yield failed(noRoomFault(context));
  if (isBare && reason !== "refusal" && !(reason === "length" && seen.hasReasoning)) {
    return yield failed(emptyFault(context));
  }
  // No call of it may act, so nothing is left of it.
  if (reason === "length" && !seen.hasText && seen.calls > 0) return yield failed(cutCallFault(context));
  for (const held of seen.held) if (held.type !== "tool-call" || reason === "tool-calls") yield held;
  const usage = toUsage(part.usage);
  yield { type: "finish", reason, ...(usage === undefined ? {} : { usage }) };
}

/** Servers disagree on the reason beside calls ("stop" is common), so the calls themselves decide. */
function finishReason(part: SdkFinish, seen: ClientParts, isStrict: boolean): FinishReason | undefined {
  switch (part.finishReason.unified) {
    case "stop":
      return seen.calls > 0 ? "tool-calls" : "stop";
    case "tool-calls":
      // A call was announced and none came whole: half a call is no answer where the format is reliable.
      if (isStrict && seen.calls === 0) return undefined;
      return seen.calls > 0 ? "tool-calls" : "stop";
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    default:
      return undefined;
  }
}

/** Cached input is part of `inputTokens`. Absent when the server told nothing. */
function toUsage(usage: SdkFinish["usage"]): Usage | undefined {
  if (usage.raw === undefined) return undefined;
  const cacheRead = count(usage.inputTokens.cacheRead);
  const cacheWrite = count(usage.inputTokens.cacheWrite);
  const reasoning = count(usage.outputTokens.reasoning);
  return {
    inputTokens: count(usage.inputTokens.total),
    outputTokens: count(usage.outputTokens.total),
    ...(cacheRead > 0 ? { cacheReadTokens: cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWriteTokens: cacheWrite } : {}),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}

function count(tokens: number | undefined): number {
  return Math.max(0, Math.round(tokens ?? 0));
}

function faultContext(options: EndpointOptions): FaultContext {
  const { route, baseURL, keyName, apiKey } = options;
  const url = new URL(baseURL);
  return {
    provider: route.provider,
    endpoint: `${url.origin}${url.pathname}`,
    ...(keyName === undefined ? {} : { keyName }),
    ...(apiKey === undefined ? {} : { secret: apiKey }),
  };
}
