// OpenAI's Responses API, over @ai-sdk/openai at its lowest level. Nothing is stored there: each request carries
// the whole conversation, with reasoning as the encrypted items that came. An answer is whole only with
// `response.completed` or `response.incomplete`.
import { clientModel, type EndpointOptions } from "./client-stream.ts";
import type { Client, Dialect, Metadata } from "./dialect.ts";
import { effortLevels } from "./effort.ts";
import { fitHistory } from "./history.ts";
import type { Model, ModelMessage, ModelRequest } from "./model.ts";
import { keepFields, keptFields } from "./opaque.ts";
import { type CallOptions, commonOptions, type PromptForm, toPrompt } from "./prompt.ts";

const CLIENT = "openai";
const ITEM = "itemId";
const ENCRYPTED = "reasoningEncryptedContent";
/** Whether a text was said on the way or is the answer: newer models want it back. */
const PHASE = "phase";

const FORM: PromptForm = {
  files: /^image\/(jpeg|png|gif|webp)$|^application\/pdf$/,
  replay: (data, keeper) => (keeper === "tool-call" ? undefined : { [CLIENT]: keptFields(data) }),
};

export function openAiResponsesModel(options: EndpointOptions): Model {
  return clientModel(options, dialect(options));
}

function dialect(options: EndpointOptions): Dialect {
  return {
    isEnd,
    needsEnd: true,
    keepsOrder: true,
    // Reasoning without a summary is silent for minutes, and this API sends no sign of life.
    limits: { stallMs: 300_000 },
    open: (fetch) => open(options, fetch),
    toCallOptions,
    opaqueOf,
  };
}

function isEnd(data: string): boolean {
  return /^\{[^{]*"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/.test(data);
}

function opaqueOf(metadata: Metadata, keeper: "text" | "reasoning" | "tool-call"): string | undefined {
  if (keeper === "reasoning") return keepFields(metadata, CLIENT, [ITEM, ENCRYPTED]);
  return keeper === "text" ? keepFields(metadata, CLIENT, [PHASE]) : undefined;
}

async function open(options: EndpointOptions, fetch: typeof globalThis.fetch): Promise<Client> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { baseURL, apiKey, route } = options;
  return createOpenAI({ baseURL, fetch, apiKey: apiKey ?? "none" }).responses(route.model);
}

async function toCallOptions(request: ModelRequest): Promise<CallOptions> {
  const { provider, model, options } = request.route;
  const canReplay = (data: string): boolean => keptFields(data)[ITEM] !== undefined;
  const rules = { provider, maxId: 64, isStrict: true, canReplay };
  const messages = fitHistory(request.messages, rules).map((message) => withoutPlainReasoning(message, provider));
  const system = request.system.toWellFormed();
  const effort = effortLevels({ kind: "openai", model }).find((level) => level === options?.effort);
  return {
    ...commonOptions(request),
    prompt: await toPrompt({ ...request, system, messages, form: FORM }),
    providerOptions: {
      [CLIENT]: {
        store: false,
        // Summaries are for verified accounts only, so they are asked for by those who set an effort.
        ...(effort === undefined ? {} : { reasoningEffort: effort, reasoningSummary: "auto" }),
      },
    },
  };
}

/** An item that came without its encrypted form is known by its id alone, and ids mean nothing where nothing is stored. */
function withoutPlainReasoning(message: ModelMessage, provider: string): ModelMessage {
  const fields = message.parts.map((part) =>
    part.kind === "reasoning" && part.opaque?.provider === provider ? keptFields(part.opaque.data) : {},
  );
  const whole = new Set(fields.flatMap((one) => (one[ENCRYPTED] === undefined ? [] : [one[ITEM]])));
  const parts = message.parts.filter((part, at) => part.kind !== "reasoning" || whole.has(fields[at]?.[ITEM]));
  return { role: message.role, parts };
}
