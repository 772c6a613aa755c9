// Google's Gemini API, over @ai-sdk/google at its lowest level. An answer is whole only with a finish reason,
// or with the reason why the prompt was blocked. Thought signatures go back with the parts they came with.
import { clientModel, type EndpointOptions } from "./client-stream.ts";
import type { Client, Dialect } from "./dialect.ts";
import { effortLevels } from "./effort.ts";
import { fitHistory } from "./history.ts";
import type { Model, ModelRequest } from "./model.ts";
import { keepFields, keptFields } from "./opaque.ts";
import { type CallOptions, commonOptions, type PromptForm, toPrompt } from "./prompt.ts";

const CLIENT = "google";
const SIGNATURE = "thoughtSignature";

const FORM: PromptForm = {
  files: /^image\/(jpeg|png|webp|heic|heif)$|^application\/pdf$|^(audio|video)\//,
  replay: (data) => {
    const fields = keptFields(data);
    return fields[SIGNATURE] === undefined ? undefined : { [CLIENT]: fields };
  },
};

export function googleModel(options: EndpointOptions): Model {
  return clientModel(options, dialect(options));
}

function dialect(options: EndpointOptions): Dialect {
  return {
    isEnd,
    isFollowed: true, // counts and signatures may come after the reason
    needsEnd: true,
    keepsOrder: true,
    open: (fetch) => open(options, fetch),
    toCallOptions,
    opaqueOf: (metadata) => keepFields(metadata, CLIENT, [SIGNATURE]),
  };
}

function isEnd(data: string): boolean {
  if (!/"(?:finishReason|blockReason)"/.test(data)) return false;
  try {
    const event = JSON.parse(data) as {
      readonly candidates?: readonly { readonly finishReason?: unknown }[];
      readonly promptFeedback?: { readonly blockReason?: unknown };
    };
    return typeof (event.candidates?.[0]?.finishReason ?? event.promptFeedback?.blockReason) === "string";
  } catch {
    return false; // the client will say what it cannot read
  }
}

async function open(options: EndpointOptions, fetch: typeof globalThis.fetch): Promise<Client> {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  const { baseURL, apiKey, route } = options;
  return createGoogleGenerativeAI({ baseURL, fetch, apiKey: apiKey ?? "none" }).languageModel(route.model);
}

async function toCallOptions(request: ModelRequest): Promise<CallOptions> {
  const { provider, model, options } = request.route;
  const canReplay = (data: string): boolean => keptFields(data)[SIGNATURE] !== undefined;
  const messages = fitHistory(request.messages, { provider, maxId: 64, isStrict: true, canReplay });
  const system = request.system.toWellFormed();
  const thinkingConfig = thinking(model, options?.effort);
  return {
    ...commonOptions(request),
    prompt: await toPrompt({ ...request, system, messages, form: FORM }),
    ...(thinkingConfig === undefined ? {} : { providerOptions: { [CLIENT]: { thinkingConfig } } }),
  };
}

const BUDGETS: Readonly<Record<string, number>> = { low: 2_048, medium: 8_192, high: 24_576 };

/** From version 3 on models take a level, 2.5 a number of tokens; others do not think, and refuse to be asked. */
function thinking(model: string, effort: unknown): { [key: string]: boolean | number | string } | undefined {
  if (/image|tts|audio|live|banana/.test(model)) return undefined;
  const major = /gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1];
  const version = /gemini-[a-z-]+-latest$/.test(model) ? 3 : Number(major ?? 0);
  if (version < 2.5) return undefined;
  const levels = effortLevels({ kind: "google", model });
  if (typeof effort !== "string" || !levels.includes(effort)) return { includeThoughts: true };
  const budget = BUDGETS[effort];
  if (version < 3 && budget !== undefined) return { includeThoughts: true, thinkingBudget: budget };
  return { includeThoughts: true, thinkingLevel: effort };
}
