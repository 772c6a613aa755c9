// The one interface of everything that answers: a provider's endpoint or the embedded guide.
// A model is asked with the whole request and streams parts; it never touches the ledger.
// A stream ends with exactly one `finish` or one `error`: a cut stream is an error, never an answer.
import type { Json, ModelRoute, Opaque, Part, TurnError, Usage } from "../../ledger/types.ts";

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly input: Json;
}

/** Already alternating and paired: `projection.ts` made it so. `file` parts come with their bytes. */
export interface ModelMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSchema[];
  readonly route: ModelRoute;
  readonly signal: AbortSignal;
  /** Bytes of a `file` part. */
  readonly loadBlob: (hash: string) => Promise<Uint8Array>;
  /** Told once, before the request leaves: SHA-256 (hex) of its body. The request waits for it. */
  readonly beforeSend: (bodyDigest: string) => Promise<void>;
}

/** Why the answer ended; only `stop` and `tool-calls` make a turn go on normally. */
export type FinishReason = "stop" | "tool-calls" | "length" | "refusal";

export type ModelStreamPart =
  | { readonly type: "text-delta"; readonly text: string }
  /** Closes the text so far with what has to be replayed. */
  | { readonly type: "text-end"; readonly opaque: Opaque }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** Closes the reasoning so far with what has to be replayed. */
  | { readonly type: "reasoning-end"; readonly opaque?: Opaque }
  /** Complete: `input` is parsed, or `{ unparsed: string }` when the provider's JSON was broken. */
  | {
      readonly type: "tool-call";
      readonly call: string;
      readonly tool: string;
      readonly input: Json;
      readonly opaque?: Opaque;
    }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage?: Usage }
  | { readonly type: "error"; readonly error: ModelError };

export interface ModelError extends TurnError {
  /**
   * refused: connection · auth · billing: no credit · not-found · rate-limit · overloaded · server · stalled: silent ·
   * cut: ended early · context-overflow: the conversation is too long · malformed · empty · aborted;
   * spending_limit: it was not asked, a person's limit is reached
   */
  readonly code:
    | "model_refused"
    | "model_auth"
    | "model_billing"
    | "model_not_found"
    | "model_rate_limit"
    | "model_overloaded"
    | "model_server"
    | "model_stalled"
    | "model_cut"
    | "model_malformed"
    | "model_empty"
    | "model_context_overflow"
    | "model_bad_request"
    | "model_aborted"
    | "spending_limit";
  /** Repeating the same request later is right. */
  readonly retryable: boolean;
  /** The server's own wish, in ms. */
  readonly retryAfterMs?: number;
}

export interface Model {
  readonly route: ModelRoute;
  /** Never throws of its own: every failure is an `error` part. What `beforeSend` or `loadBlob` throws passes unchanged. */
  stream(request: ModelRequest): AsyncIterable<ModelStreamPart>;
}
