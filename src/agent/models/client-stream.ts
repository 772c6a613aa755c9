// One answer through a client library at its lowest level, the same for every provider: what differs is in a
// `Dialect`. A tool call is held back until the answer is known to be whole: an answer that was cut, refused
// or ran into its length limit never acts. Nothing is retried here. The library is loaded at the first request.
import type { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { Json, ModelRoute, Usage } from "../../ledger/types.ts";
import { clientPartFault, thrownFault } from "./client-faults.ts";
import { abortedFault, cutFault, emptyFault, type FaultContext } from "./faults.ts";
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
}

type StreamResult = Awaited<ReturnType<OpenAICompatibleChatLanguageModel["doStream"]>>;
export interface Client {
  doStream(options: CallOptions): PromiseLike<Pick<StreamResult, "stream">>;
}
type SdkPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
type SdkFinish = Extract<SdkPart, { type: "finish" }>;
type SdkCall = Extract<SdkPart, { type: "tool-call" }>;
export type Metadata = NonNullable<SdkCall["providerMetadata"]>;

/** What has something opaque to be replayed. */
export type Keeper = "text" | "reasoning" | "tool-call";

export interface Dialect {
  /** Whether an event's data is the wire format's own end. */
  readonly isEnd: (data: string) => boolean;
  /** More may follow that end. */
  readonly isFollowed?: boolean;
  /** Without that end no answer is whole, whatever the client says; else a finish reason is enough. */
  readonly needsEnd: boolean;
  /** Parts are replayed in the very order in which they came, so nothing overtakes a call that is held back. */
  readonly keepsOrder: boolean;
  readonly limits?: Partial<WireLimits>;
  readonly open: (fetch: Wire["fetch"]) => Promise<Client>;
  readonly toCallOptions: (request: ModelRequest) => Promise<CallOptions>;
  /** What of the client's metadata is to be replayed, as the text that is stored. */
  readonly opaqueOf: (metadata: Metadata, keeper: Keeper) => string | undefined;
}

/** `load` is called at every request: modules are loaded once anyway. */
export function clientModel(options: EndpointOptions, load: () => Promise<Dialect>): Model {
  const context = faultContext(options);
  return { route: options.route, stream: (request) => stream(options, context, { request, load }) };
}

async function* stream(
  options: EndpointOptions,
  context: FaultContext,
  { request, load }: { readonly request: ModelRequest; readonly load: () => Promise<Dialect> },
): AsyncGenerator<ModelStreamPart, void, undefined> {
  const { signal, beforeSend } = request;
  const dialect = await load();
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
  const collector = new Collector(asked);
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

/** Turns the client's parts into ours, and holds back the calls. */
class Collector {
  readonly #asked: Asked;
  readonly #metadata = new Map<string, Metadata>();
  readonly held: ModelStreamPart[] = [];
  hasText = false;
  hasReasoning = false;
  calls = 0;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  *take(part: SdkPart): Generator<ModelStreamPart, void, undefined> {
    const mapped = this.#map(part);
    if (mapped === undefined) return;
    if (mapped.type === "tool-call") this.calls += 1;
    const waits = mapped.type === "tool-call" || (this.#asked.dialect.keepsOrder && this.held.length > 0);
    if (waits) this.held.push(mapped);
    else yield mapped;
  }

  #map(part: SdkPart): ModelStreamPart | undefined {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#note(part);
        return undefined;
      case "text-delta":
        this.#note(part);
        this.hasText ||= part.delta.trim() !== "";
        return part.delta === "" ? undefined : { type: "text-delta", text: part.delta };
      case "reasoning-delta":
        this.#note(part);
        this.hasReasoning = true;
        return part.delta === "" ? undefined : { type: "reasoning-delta", text: part.delta };
      case "text-end": {
        const opaque = this.#opaque(this.#note(part), "text");
        return opaque === undefined ? undefined : { type: "text-end", opaque };
      }
      case "reasoning-end": {
        const opaque = this.#opaque(this.#note(part), "reasoning");
        return { type: "reasoning-end", ...(opaque === undefined ? {} : { opaque }) };
      }
      case "tool-call":
        return this.#call(part);
      default:
        return undefined; // beginnings and metadata of the whole: nothing the ledger keeps
    }
  }

  /** A block's metadata comes in pieces, with its start, its deltas or its end; the last word counts. */
  #note(part: { readonly id: string; readonly type: string; readonly providerMetadata?: Metadata }): Metadata {
    const key = `${part.type.startsWith("text") ? "text" : "reasoning"} ${part.id}`;
    const known = this.#metadata.get(key) ?? {};
    const merged: Metadata = { ...known };
    for (const [name, fields] of Object.entries(part.providerMetadata ?? {})) {
      const told = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
      merged[name] = { ...known[name], ...Object.fromEntries(told) };
    }
    if (part.type.endsWith("-end")) this.#metadata.delete(key);
    else this.#metadata.set(key, merged);
    return merged;
  }

  #opaque(metadata: Metadata, keeper: Keeper): { provider: string; data: string } | undefined {
    const data = this.#asked.dialect.opaqueOf(metadata, keeper);
    return data === undefined ? undefined : { provider: this.#asked.provider, data };
  }

  #call(part: SdkCall): ModelStreamPart {
    const opaque = this.#opaque(part.providerMetadata ?? {}, "tool-call");
    return {
      type: "tool-call",
      call: part.toolCallId,
      tool: part.toolName,
      input: parseInput(part.input),
      ...(opaque === undefined ? {} : { opaque }),
    };
  }
}

function* conclude(asked: Asked, part: SdkFinish, seen: Collector): Generator<ModelStreamPart, void, undefined> {
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
  if (isBare && reason !== "refusal" && !(reason === "length" && seen.hasReasoning)) {
    return yield failed(emptyFault(context));
  }
  for (const held of seen.held) if (held.type !== "tool-call" || reason === "tool-calls") yield held;
  const usage = toUsage(part.usage);
  yield { type: "finish", reason, ...(usage === undefined ? {} : { usage }) };
}

/** Servers disagree on the reason beside calls ("stop" is common), so the calls themselves decide. */
function finishReason(part: SdkFinish, seen: Collector, isStrict: boolean): FinishReason | undefined {
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
