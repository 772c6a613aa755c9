// What differs between the client libraries and the wire formats behind them; `client-stream.ts` does the rest.
import type { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { ModelRequest } from "./model.ts";
import type { CallOptions } from "./prompt.ts";
import type { Wire, WireLimits } from "./wire.ts";

type StreamResult = Awaited<ReturnType<OpenAICompatibleChatLanguageModel["doStream"]>>;
export interface Client {
  doStream(options: CallOptions): PromiseLike<Pick<StreamResult, "stream">>;
}
export type SdkPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
export type SdkFinish = Extract<SdkPart, { type: "finish" }>;
export type SdkCall = Extract<SdkPart, { type: "tool-call" }>;
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
