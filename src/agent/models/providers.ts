// Which providers there are: those of the config, those the environment gives, and the guide. Says for each
// what it needs and what is missing. Keys are looked up here by the caller's environment and never kept.
import { serverAddress } from "./address.ts";

export type ProviderKind = "openai-compatible" | "openai" | "anthropic" | "google" | "ollama";
export type OpenAiApi = "responses" | "chat";
export type Env = Readonly<Record<string, string | undefined>>;

export interface ProviderConfig {
  readonly kind: ProviderKind;
  readonly baseURL?: string;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  readonly models?: readonly string[];
  /** Of kind openai: absent, `responses` at OpenAI itself and `chat`, which every copy of it speaks, elsewhere. */
  readonly api?: OpenAiApi;
}

export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseURL?: string;
  /** The environment variable that `baseURL` is from; absent: the config, or its kind. */
  readonly addressEnv?: string;
  readonly apiKeyEnv?: string;
  /** Best first. */
  readonly models: readonly string[];
  /** `models` is all there is: another id is a mistake. Else it is only what we know of. */
  readonly isClosed: boolean;
  /** At the address that its kind has by itself. */
  readonly isHome: boolean;
  /** A server of the person's that needs no key: only an answer of it tells whether it is there. */
  readonly server?: LocalServer;
  readonly api?: OpenAiApi;
}

/** Words for what to do about it. */
export interface LocalServer {
  readonly start: string;
  readonly getModel: string;
}

export type Usable =
  | { readonly ok: true; readonly baseURL: string; readonly apiKey?: string }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/** The config's first, then the environment's; of two with the same name the config's. */
export function allProviders(env: Env, configured: Readonly<Record<string, ProviderConfig>>): Map<string, Provider> {
  const providers = new Map<string, Provider>();
  for (const [name, config] of Object.entries(configured)) {
    // The guide cannot be replaced, and a name with a slash could never be asked for.
    if (name !== "guide" && name !== "" && !name.includes("/")) providers.set(name, fromConfig(name, config, env));
  }
  for (const provider of environmentProviders(env)) {
    if (!providers.has(provider.name)) providers.set(provider.name, provider);
  }
  return providers;
}

export function checkUsable(provider: Provider, env: Env): Usable {
  const { baseURL } = provider;
  if (baseURL === undefined || !isHttpUrl(baseURL)) return badUrl(provider);
  if (provider.apiKeyEnv === undefined) return { ok: true, baseURL };
  const apiKey = env[provider.apiKeyEnv]?.trim() ?? "";
  if (apiKey === "") {
    return {
      ok: false,
      problem: `${provider.name}: ${provider.apiKeyEnv} is not set`,
      hint: `Set ${provider.apiKeyEnv} to the API key and start again.`,
    };
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    return {
      ok: false,
      problem: `${provider.name}: the value of ${provider.apiKeyEnv} has characters that no key has`,
      hint: "Look for spaces, line breaks or quotes that were copied along.",
    };
  }
  return { ok: true, baseURL, apiKey };
}

/** What a kind that has one home knows without config. */
interface Home {
  readonly baseURL: string;
  readonly apiKeyEnv: string;
  readonly models: readonly string[];
}

function homeOf(kind: ProviderKind, env: Env): Home | undefined {
  switch (kind) {
    case "openai":
      return {
        baseURL: env[ADDRESS_ENV.openai]?.trim() || "https://api.openai.com/v1",
        apiKeyEnv: "OPENAI_API_KEY",
        models: ["gpt-6.2-sol", "gpt-6.2-astra", "gpt-6.1-terra", "gpt-6-luna", "gpt-5.4"],
      };
    case "anthropic":
      return {
        baseURL: "https://api.anthropic.com/v1",
        apiKeyEnv: "ANTHROPIC_API_KEY",
        models: ["claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-2", "claude-haiku-5-5", "claude-haiku-4-5"],
      };
    case "google":
      return {
        baseURL: "https://generativelanguage.googleapis.com/v1beta",
        apiKeyEnv: "GEMINI_API_KEY",
        models: ["gemini-4-argon", "gemini-4-carbon", "gemini-4-neon", "gemini-4-hydrogen", "gemini-3.8-flash"],
      };
    case "ollama":
    case "openai-compatible":
      return undefined;
  }
}

function environmentProviders(env: Env): Provider[] {
  return [
    fromConfig("openai", { kind: "openai" }, env),
    fromConfig("anthropic", { kind: "anthropic" }, env),
    fromConfig("google", { kind: "google" }, env),
    {
      name: "openrouter",
      kind: "openai-compatible",
      baseURL: "https://openrouter.ai/api/v1",
      apiKeyEnv: "OPENROUTER_API_KEY",
      models: ["openrouter/auto"],
      isClosed: false,
      isHome: true,
    },
    fromConfig("ollama", { kind: "ollama" }, env),
    lmStudio(env),
  ];
}

/** Where a kind is asked, if that is not said in the config. */
const ADDRESS_ENV = { openai: "OPENAI_BASE_URL", ollama: "OLLAMA_HOST" } as const;
const LM_STUDIO_ENV = "LMSTUDIO_BASE_URL";

const OLLAMA: LocalServer = {
  start: "start Ollama, or set OLLAMA_HOST",
  getModel: "get a model with: ollama pull NAME",
};

const LM_STUDIO_HOME = "http://127.0.0.1:1234/v1";
const OLLAMA_HOME = "http://127.0.0.1:11434/v1";

/** Its token is asked for only by those who set one. */
function lmStudio(env: Env): Provider {
  const text = env[LM_STUDIO_ENV]?.trim() || LM_STUDIO_HOME;
  const baseURL = serverAddress({ text, kind: "openai-compatible", port: 1234, isUsual: true });
  return {
    name: "lmstudio",
    kind: "openai-compatible",
    baseURL,
    addressEnv: LM_STUDIO_ENV,
    models: [],
    isClosed: false,
    isHome: baseURL === LM_STUDIO_HOME,
    server: {
      start: `start its server (lms server start), or set ${LM_STUDIO_ENV}`,
      getModel: "get a model with: lms get NAME",
    },
    ...(env.LM_API_TOKEN?.trim() && { apiKeyEnv: "LM_API_TOKEN" }),
  };
}

function fromConfig(name: string, config: ProviderConfig, env: Env): Provider {
  const { kind } = config;
  const home = homeOf(kind, env);
  const text = config.baseURL ?? (kind === "ollama" ? env[ADDRESS_ENV.ollama]?.trim() || OLLAMA_HOME : home?.baseURL);
  const baseURL = text === undefined ? undefined : serverAddress({ text, kind, ...portOf(kind) });
  const addressEnv = config.baseURL === undefined && (kind === "openai" || kind === "ollama") && ADDRESS_ENV[kind];
  const apiKeyEnv = config.apiKeyEnv ?? home?.apiKeyEnv;
  return {
    name,
    kind,
    models: config.models ?? (config.baseURL === undefined ? (home?.models ?? []) : []),
    isClosed: (config.models?.length ?? 0) > 0,
    isHome: baseURL !== undefined && baseURL === homeAddress(kind),
    ...(kind === "ollama" && { server: OLLAMA }),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(addressEnv && { addressEnv }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(config.api === undefined ? {} : { api: config.api }),
  };
}

function portOf(kind: ProviderKind): { port?: number } {
  return kind === "ollama" ? { port: 11434 } : {};
}

function homeAddress(kind: ProviderKind): string | undefined {
  return kind === "ollama" ? OLLAMA_HOME : homeOf(kind, {})?.baseURL;
}

/** Which of OpenAI's two ways of asking a provider of kind openai has. */
export function openAiApi({ api, baseURL }: Provider): OpenAiApi {
  if (api !== undefined) return api;
  return /^https:\/\/([a-z]+\.)?api\.openai\.com(:443)?\//.test(`${baseURL}/`) ? "responses" : "chat";
}

function badUrl({ name, baseURL, addressEnv }: Provider): Usable {
  const setting = addressEnv ?? `providers.${name}.baseURL`;
  const what = addressEnv ?? "baseURL";
  const found = baseURL === undefined ? `${what} is missing` : `${what} is not an http address: ${shown(baseURL)}`;
  return { ok: false, problem: `${name}: ${found}`, hint: `Set ${setting}, like "http://127.0.0.1:8080/v1".` };
}

function shown(address: string): string {
  return JSON.stringify(address.replace(/\/\/[^/]*@/, "//…@"));
}

/** Credentials in the address are refused by fetch, and would end up in messages. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
