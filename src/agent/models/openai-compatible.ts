// Any endpoint that speaks chat completions, over @ai-sdk/openai-compatible at its lowest level; Ollama too.
// Servers of this kind differ, so a finish reason and a proper end are enough for a whole answer.
import { clientModel, type EndpointOptions } from "./client-stream.ts";
import type { Client, Dialect, Metadata } from "./dialect.ts";
import { effortLevels } from "./effort.ts";
import { fitHistory } from "./history.ts";
import type { Model, ModelRequest } from "./model.ts";
import { type CallOptions, commonOptions, type PromptForm, toPrompt } from "./prompt.ts";

export interface OpenAiCompatibleOptions extends EndpointOptions {
  /** `openai` itself wants max_completion_tokens where all others want max_tokens. */
  readonly kind: "openai" | "openai-compatible";
}

/** Also the key under which the client looks for options and puts metadata; must not depend on a person's config. */
const CLIENT = "openaiCompatible";

const FORM: PromptForm = {
  files: /^image\/|^application\/pdf$|^audio\/(wav|mp3|mpeg)$/,
  replay: (data, keeper) => {
    if (keeper === "tool-call") return { google: { thoughtSignature: data } };
    return keeper === "reasoning" ? {} : undefined;
  },
};

export function openAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  return clientModel(options, dialect(options));
}

function dialect(options: OpenAiCompatibleOptions): Dialect {
  return {
    isEnd: (data) => data === "[DONE]",
    needsEnd: false,
    keepsOrder: false,
    open: (fetch) => open(options, fetch),
    toCallOptions: (request) => toCallOptions(request, options),
    opaqueOf: (metadata, keeper) => {
      if (keeper === "tool-call") return signatureOf(metadata);
      return keeper === "reasoning" ? options.route.model : undefined;
    },
  };
}

function signatureOf(metadata: Metadata): string | undefined {
  const signature = Object.values(metadata).map((fields) => fields.thoughtSignature)[0];
  return typeof signature === "string" ? signature : undefined;
}

async function open(options: OpenAiCompatibleOptions, fetch: typeof globalThis.fetch): Promise<Client> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { baseURL, apiKey, kind, route } = options;
  const provider = createOpenAICompatible({
    name: CLIENT,
    baseURL,
    fetch,
    // Mistral's endpoint refuses the field and reports usage unasked.
    includeUsage: !isMistral(baseURL),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(kind === "openai" ? { transformRequestBody: nameOutputLimit } : {}),
  });
  return provider.chatModel(route.model);
}

function isMistral(baseURL: string): boolean {
  return /\bmistral\.ai$/.test(new URL(baseURL).hostname);
}

function nameOutputLimit(body: { readonly [key: string]: unknown }): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = body;
  return limit === undefined ? rest : { ...rest, max_completion_tokens: limit };
}

async function toCallOptions(request: ModelRequest, { baseURL, kind }: OpenAiCompatibleOptions): Promise<CallOptions> {
  const { provider, model, options } = request.route;
  const messages = fitHistory(request.messages, {
    provider,
    maxId: 40,
    nine: isMistral(baseURL),
    isStrict: false,
    canReplay: () => true,
  });
  const effort = effortLevels({ kind, model, baseURL }).find((level) => level === options?.effort);
  return {
    ...commonOptions(request),
    prompt: await toPrompt({ ...request, system: request.system.toWellFormed(), messages, form: FORM }),
    ...(effort === undefined ? {} : { providerOptions: { [CLIENT]: { reasoningEffort: effort } } }),
  };
}
