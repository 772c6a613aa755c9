// The parts that a client library streams, as ours: blocks are closed with what has to be replayed of them, and
// calls are held back, with what follows them where the order counts.
import type { Json } from "../../ledger/types.ts";
import type { Dialect, Keeper, Metadata, SdkCall, SdkPart } from "./dialect.ts";
import type { ModelStreamPart } from "./model.ts";

interface BlockPart {
  readonly id: string;
  readonly type: string;
  readonly providerMetadata?: Metadata;
}

/** Texts and reasoning count their blocks apart in some clients. */
function keyOf(part: BlockPart): string {
  return `${part.type.startsWith("text") ? "text" : "reasoning"} ${part.id}`;
}

/** Of one answer. */
export class ClientParts {
  readonly #dialect: Dialect;
  readonly #provider: string;
  readonly #metadata = new Map<string, Metadata>();
  readonly held: ModelStreamPart[] = [];
  hasText = false;
  hasReasoning = false;
  calls = 0;

  constructor(dialect: Dialect, provider: string) {
    this.#dialect = dialect;
    this.#provider = provider;
  }

  *take(part: SdkPart): Generator<ModelStreamPart, void, undefined> {
    if (part.type === "tool-call" && this.#dialect.keepsOrder) {
      // Google's client leaves a block open over a call; what belongs to it has to stay with it.
      for (const [key, metadata] of this.#metadata) yield* this.#give(this.#end(key, metadata));
      this.#metadata.clear();
    }
    yield* this.#give(this.#map(part));
  }

  *#give(mapped: ModelStreamPart | undefined): Generator<ModelStreamPart, void, undefined> {
    if (mapped === undefined) return;
    if (mapped.type === "tool-call") this.calls += 1;
    const waits = mapped.type === "tool-call" || (this.#dialect.keepsOrder && this.held.length > 0);
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
      case "text-end":
      case "reasoning-end": {
        const key = keyOf(part);
        const isOpen = this.#metadata.has(key);
        const metadata = this.#note(part);
        this.#metadata.delete(key);
        return isOpen ? this.#end(key, metadata) : undefined;
      }
      case "tool-call":
        return this.#call(part);
      default:
        return undefined; // beginnings and metadata of the whole: nothing the ledger keeps
    }
  }

  /** A block's metadata comes in pieces, with its start, its deltas or its end; the last word counts. */
  #note(part: BlockPart): Metadata {
    const known = this.#metadata.get(keyOf(part)) ?? {};
    const merged: Metadata = { ...known };
    for (const [name, fields] of Object.entries(part.providerMetadata ?? {})) {
      const told = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
      merged[name] = { ...known[name], ...Object.fromEntries(told) };
    }
    this.#metadata.set(keyOf(part), merged);
    return merged;
  }

  #end(key: string, metadata: Metadata): ModelStreamPart | undefined {
    if (key.startsWith("text")) {
      const opaque = this.#opaque(metadata, "text");
      return opaque === undefined ? undefined : { type: "text-end", opaque };
    }
    const opaque = this.#opaque(metadata, "reasoning");
    return { type: "reasoning-end", ...(opaque === undefined ? {} : { opaque }) };
  }

  #opaque(metadata: Metadata, keeper: Keeper): { provider: string; data: string } | undefined {
    const data = this.#dialect.opaqueOf(metadata, keeper);
    return data === undefined ? undefined : { provider: this.#provider, data };
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

function parseInput(text: string): Json {
  if (text.trim() === "") return {}; // how many servers write a call without arguments
  try {
    return JSON.parse(text) as Json;
  } catch {
    return { unparsed: text }; // the tool's own schema check tells the model
  }
}
