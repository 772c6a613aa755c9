// Which providers there are: those of the config, those the environment gives, and the guide. Says for each
// what it needs and what is missing. Keys are looked up here by the caller's environment and never kept.

export type ProviderKind = "openai-compatible" | "openai" | "anthropic" | "google" | "ollama";
export type Env = Readonly<Record<string, string | undefined>>;

export interface ProviderConfig {
  readonly kind: ProviderKind;
  readonly baseURL?: string;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  readonly models?: readonly string[];
}

export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseURL?: string;
  readonly apiKeyEnv?: string;
  /** Best first. */
  readonly models: readonly string[];
  /** `models` is all there is: another id is a mistake. Else it is only what we know of. */
  readonly isClosed: boolean;
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
  if (provider.kind === "anthropic" || provider.kind === "google") {
    return {
      ok: false,
      problem: `${provider.name}: the kind "${provider.kind}" is not supported yet`,
      hint: "Its models can be reached through OpenRouter (OPENROUTER_API_KEY).",
    };
  }
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

const OPENAI_URL = "https://api.openai.com/v1";
const OPENAI_MODELS = ["gpt-5", "gpt-5-mini", "gpt-4.1", "gpt-4.1-mini"];

function environmentProviders(env: Env): Provider[] {
  return [
    {
      name: "openai",
      kind: "openai",
      baseURL: env.OPENAI_BASE_URL?.trim() || OPENAI_URL,
      apiKeyEnv: "OPENAI_API_KEY",
      models: OPENAI_MODELS,
      isClosed: false,
    },
    {
      name: "openrouter",
      kind: "openai-compatible",
      baseURL: "https://openrouter.ai/api/v1",
      apiKeyEnv: "OPENROUTER_API_KEY",
      models: ["openrouter/auto"],
      isClosed: false,
    },
    { name: "ollama", kind: "ollama", baseURL: ollamaUrl(env), models: [], isClosed: false },
    { name: "anthropic", kind: "anthropic", apiKeyEnv: "ANTHROPIC_API_KEY", models: [], isClosed: false },
    { name: "google", kind: "google", apiKeyEnv: "GEMINI_API_KEY", models: [], isClosed: false },
  ];
}

function fromConfig(name: string, config: ProviderConfig, env: Env): Provider {
  const baseURL = config.baseURL ?? defaultUrl(config.kind, env);
  const apiKeyEnv = config.apiKeyEnv ?? (config.kind === "openai" ? "OPENAI_API_KEY" : undefined);
  return {
    name,
    kind: config.kind,
    models: config.models ?? (config.kind === "openai" && config.baseURL === undefined ? OPENAI_MODELS : []),
    isClosed: (config.models?.length ?? 0) > 0,
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
  };
}

function defaultUrl(kind: ProviderKind, env: Env): string | undefined {
  if (kind === "openai") return env.OPENAI_BASE_URL?.trim() || OPENAI_URL;
  return kind === "ollama" ? ollamaUrl(env) : undefined;
}

/** OLLAMA_HOST as Ollama itself reads it: scheme and port are optional, and 0.0.0.0 is an address to listen on. */
function ollamaUrl(env: Env): string {
  const host = env.OLLAMA_HOST?.trim().replace(/\/+$/, "") ?? "";
  if (host === "") return "http://127.0.0.1:11434/v1";
  const text = /^https?:\/\//.test(host) ? host : `http://${host.startsWith(":") ? `127.0.0.1${host}` : host}`;
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !/^https?:\/\//.test(host)) url.port = "11434";
  return `${url.href.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
}

function badUrl({ name, baseURL }: Provider): Usable {
  const found =
    baseURL === undefined ? "baseURL is missing" : `baseURL is not an http address: ${JSON.stringify(baseURL)}`;
  return {
    ok: false,
    problem: `${name}: ${found}`,
    hint: `Set providers.${name}.baseURL, like "http://127.0.0.1:8080/v1".`,
  };
}

/** Credentials in the address are refused by fetch, and would end up in messages. */
function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
