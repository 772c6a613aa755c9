// Names to models: `provider/model` or an alias to a route, a route to something that answers.
// A route never holds a key: keys are read from the environment when a model is opened.
// A name that fits nothing is refused with the nearest that exist, never replaced by another model.
import { distance } from "fastest-levenshtein";
import type { ModelRoute } from "../../ledger/types.ts";
import { anthropicModel } from "./anthropic.ts";
import { type ModelsConfig, modelFacts } from "./catalogue.ts";
import type { EndpointOptions } from "./client-stream.ts";
import { findLocalModels } from "./discover.ts";
import { effortLevels } from "./effort.ts";
import { googleModel } from "./google.ts";
import { GUIDE_ROUTE, guideModel } from "./guide.ts";
import type { Model } from "./model.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";
import { openAiResponsesModel } from "./openai-responses.ts";
import {
  allProviders,
  checkUsable,
  type Env,
  openAiApi,
  type Provider,
  type ProviderConfig,
  type Usable,
} from "./providers.ts";
import { routeName, routeOfName } from "./route-name.ts";
import type { WireLimits } from "./wire.ts";
import { withoutImages } from "./without-images.ts";

export interface RegistryOptions {
  readonly env: Env;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly aliases?: Readonly<Record<string, string>>;
  /** What the config says about models. */
  readonly models?: ModelsConfig;
  readonly limits?: Partial<WireLimits>;
}

export type Resolved =
  | { readonly ok: true; readonly route: ModelRoute }
  | { readonly ok: false; readonly problem: string; readonly nearest: readonly string[] };

export type Opened =
  | { readonly ok: true; readonly model: Model }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

export interface ListedModel {
  /** `provider/*` where any model id may follow and none is known. */
  readonly id: string;
  readonly provider: string;
  readonly available: boolean;
  /** Why not; of one that is available, what is amiss now: the config lists it, but nothing listens there. */
  readonly why?: string;
}

export type RouteSource = "flag" | "environment" | "config" | "found" | "guide";
/** `source`: where the name came from. */
export type DefaultRoute = Resolved & { readonly source: RouteSource };

export interface ModelRegistry {
  resolve(name: string): Resolved;
  open(route: ModelRoute): Opened;
  list(): readonly ListedModel[];
  /** What its effort can be set to, from the least to the most; empty: nothing. */
  efforts(route: ModelRoute): readonly string[];
  /** With the address of its provider, where that is no home of its kind: the route as a session keeps it. */
  located(route: ModelRoute): ModelRoute;
  /** Flag, STELE_MODEL, config, the first that can be used, the guide. A name that was given is never passed over. */
  defaultRoute(asked: { readonly flag?: string; readonly configured?: string }): DefaultRoute;
  /** Asks local servers that list no models for theirs; `list` and `defaultRoute` know them from then on. */
  discover(signal: AbortSignal): Promise<void>;
}

const GUIDE_ID = routeName(GUIDE_ROUTE);
const MAX_NEAREST = 3;

export function modelRegistry(options: RegistryOptions): ModelRegistry {
  const declared = allProviders(options.env, options.providers);
  const providers = new Map(declared);
  /** Names of local servers that answered when they were asked last. */
  let answered: ReadonlySet<string> = new Set();
  /** Of those at a loopback address where nothing listened. */
  let silent: ReadonlySet<string> = new Set();
  const registry: ModelRegistry = {
    resolve: (name) => resolve(name, providers, options.aliases ?? {}),
    open: (route) => {
      const opened = open(route, providers, options);
      const takesNone = modelFacts(route, options.models).images === false;
      return opened.ok && takesNone ? { ok: true, model: withoutImages(opened.model) } : opened;
    },
    list: () => list(providers, { env: options.env, answered, silent }),
    efforts: ({ provider, model }) => {
      const known = providers.get(provider);
      return known === undefined ? [] : effortLevels({ ...known, model });
    },
    located: (route) => located(route, providers),
    defaultRoute: ({ flag, configured }) => {
      const named = [
        ["flag", flag],
        ["environment", options.env.STELE_MODEL],
        ["config", configured],
      ] as const;
      for (const [source, name] of named) {
        if (name !== undefined && name.trim() !== "") return { ...registry.resolve(name), source };
      }
      return firstUsable(registry);
    },
    discover: async (signal) => {
      const found = await findLocalModels([...declared.values()], options.env, signal);
      answered = new Set(found.models.keys());
      silent = found.silent;
      for (const [name, provider] of declared) {
        const models = found.models.get(name) ?? provider.models;
        providers.set(name, { ...provider, models });
      }
    },
  };
  return registry;
}

function firstUsable(registry: ModelRegistry): DefaultRoute {
  for (const listed of registry.list()) {
    if (!listed.available || listed.provider === "guide" || listed.id.endsWith("/*")) continue;
    return { ok: true, route: routeOfName(listed.id), source: "found" };
  }
  return { ok: true, route: GUIDE_ROUTE, source: "guide" };
}

type Providers = ReadonlyMap<string, Provider>;

function resolve(asked: string, providers: Providers, aliases: Readonly<Record<string, string>>): Resolved {
  const name = asked.trim();
  const id = Object.hasOwn(aliases, name) ? (aliases[name] ?? "").trim() : name;
  const refuse = (problem: string): Resolved => ({ ok: false, problem, nearest: nearest(id, providers, aliases) });
  const route = routeOfName(id);
  const { provider: providerName, model } = route;
  if (providerName === "guide") {
    return id === GUIDE_ID ? { ok: true, route: GUIDE_ROUTE } : refuse(`the guide has one model: ${GUIDE_ID}`);
  }
  const provider = providers.get(providerName);
  if (provider === undefined) {
    return refuse(model === "" ? `no model or alias is called "${id}"` : `there is no provider "${providerName}"`);
  }
  if (model === "") {
    const own = provider.models.slice(0, MAX_NEAREST).map((known) => `${providerName}/${known}`);
    return { ok: false, problem: `"${id}" lacks the model: ${providerName}/<model>`, nearest: own };
  }
  if (provider.isClosed && !provider.models.includes(model)) {
    return refuse(`the provider "${providerName}" has no model "${model}"`);
  }
  return { ok: true, route };
}

function nearest(id: string, providers: Providers, aliases: Readonly<Record<string, string>>): string[] {
  const known = [...providers.values()].flatMap(({ name, models }) => models.map((model) => `${name}/${model}`));
  const names = [...Object.keys(aliases), ...known, GUIDE_ID];
  const asked = id.toLowerCase();
  // A model without its provider, the commonest slip, is as near as if the provider had been typed.
  const far = (name: string): number => {
    const whole = name.toLowerCase();
    return Math.min(distance(asked, whole), distance(asked, whole.slice(whole.indexOf("/") + 1)));
  };
  return names
    .map((name) => ({ name, far: far(name), part: partRank(asked, name.toLowerCase()) }))
    .filter((one) => one.part < noPart || one.far <= Math.max(2, Math.ceil(asked.length / 2)))
    .sort((a, b) => a.part - b.part || a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAREST)
    .map((one) => one.name);
}

const noPart = 2;

/** A name that was not typed to its end is meant before one that merely looks like it. */
function partRank(asked: string, name: string): number {
  if (asked.length < 2) return noPart;
  if (name.startsWith(asked) || name.slice(name.indexOf("/") + 1).startsWith(asked)) return 0;
  return name.includes(asked) ? 1 : noPart;
}

function open(route: ModelRoute, providers: Providers, options: RegistryOptions): Opened {
  if (route.provider === "guide") return { ok: true, model: guideModel() };
  const provider = providers.get(route.provider);
  if (provider === undefined) {
    const was = typeof route.options?.baseURL === "string" ? ` (it was at ${route.options.baseURL})` : "";
    return {
      ok: false,
      problem: `there is no provider "${route.provider}" any more`,
      hint: `Add it to the config again${was}, or choose another model (/model).`,
    };
  }
  const usable = checkUsable(provider, options.env);
  if (!usable.ok) return usable;
  return { ok: true, model: modelOf(route, provider, { usable, options }) };
}

/** Never where a key is sent to: that is the config's to say. A provider that is gone keeps what was known of it. */
function located(route: ModelRoute, providers: Providers): ModelRoute {
  const provider = providers.get(route.provider);
  if (provider === undefined) return route;
  const { baseURL: _, ...rest } = route.options ?? {};
  const address = provider.isHome || provider.baseURL === undefined ? undefined : plainAddress(provider.baseURL);
  const options = address === undefined ? rest : { ...rest, baseURL: address };
  const { provider: name, model } = route;
  return { provider: name, model, ...(Object.keys(options).length > 0 && { options }) };
}

/** Without what may be secret in it. */
function plainAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

function modelOf(
  route: ModelRoute,
  provider: Provider,
  { usable, options }: { readonly usable: Usable & { ok: true }; readonly options: RegistryOptions },
): Model {
  const { baseURL, apiKey } = usable;
  const { limits } = options;
  const { maxOutput } = modelFacts(route, options.models);
  const endpoint: EndpointOptions = {
    route,
    baseURL,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(provider.apiKeyEnv === undefined ? {} : { keyName: provider.apiKeyEnv }),
    ...(limits === undefined ? {} : { limits }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
  };
  switch (provider.kind) {
    case "anthropic":
      return anthropicModel(endpoint);
    case "google":
      return googleModel(endpoint);
    case "openai":
      if (openAiApi(provider) === "responses") return openAiResponsesModel(endpoint);
      return openAiCompatibleModel({ ...endpoint, kind: "openai" });
    case "ollama":
    case "openai-compatible":
      return openAiCompatibleModel({ ...endpoint, kind: "openai-compatible" });
  }
}

/** In the order in which a default is looked for: the config's own, then the environment's, then the guide. */
function list(providers: Providers, known: Known): ListedModel[] {
  const listed = [...providers.values()].flatMap((provider): ListedModel[] => {
    const why = whyNot(provider, known);
    // A model that the config lists stays what a default is: another one in its place would be told what it is not for.
    const isListed = checkUsable(provider, known.env).ok && provider.models.length > 0;
    const state = why === undefined ? { available: true } : { available: isListed, why };
    const models = provider.models.length === 0 ? ["*"] : provider.models;
    return models.map((model) => ({ id: `${provider.name}/${model}`, provider: provider.name, ...state }));
  });
  return [...listed, { id: GUIDE_ID, provider: "guide", available: true }];
}

interface Known {
  readonly env: Env;
  readonly answered: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
}

function whyNot(provider: Provider, { env, answered, silent }: Known): string | undefined {
  const { name, server, models } = provider;
  const usable = checkUsable(provider, env);
  if (!usable.ok) return usable.problem;
  if (server === undefined || models.length > 0)
    return silent.has(name) ? `${name}: nothing answers at ${usable.baseURL}` : undefined;
  // Needs no key, so only a server that answered tells whether there is one.
  if (answered.has(name)) return `${name}: ${server.getModel}; the server at ${usable.baseURL} has no model`;
  return `${name}: ${server.start}; nothing answers at ${usable.baseURL}`;
}
