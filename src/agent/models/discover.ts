// Finds out what local model servers offer. Only loopback addresses, Ollama's and LM Studio's are asked, briefly and
// without a key, all at once; a server that is not there is no error. One that lists its models itself is only looked for.
import { connect } from "node:net";
import { checkUsable, type Env, type Provider } from "./providers.ts";

const PATIENCE_MS = 1_500;
const MAX_MODELS = 200;

export interface Found {
  /** Model ids by provider name, for those providers that answered; of one that has none, an empty list. */
  readonly models: ReadonlyMap<string, readonly string[]>;
  /** Names of those at a loopback address where nothing listens. */
  readonly silent: ReadonlySet<string>;
}

export async function findLocalModels(providers: readonly Provider[], env: Env, signal: AbortSignal): Promise<Found> {
  const found = new Map<string, readonly string[]>();
  const silent = new Set<string>();
  const asked = providers.map(async (provider) => {
    const usable = checkUsable(provider, env);
    if (!usable.ok) return;
    const { baseURL } = usable;
    const isListed = provider.models.length > 0;
    if (!isLoopback(baseURL) && (isListed || provider.server === undefined)) return;
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    if (!(await isListening(new URL(baseURL), patience))) return void silent.add(provider.name);
    const models = isListed ? undefined : await askForModels(baseURL, patience);
    if (models !== undefined) found.set(provider.name, models);
  });
  await Promise.all(asked);
  return { models: found, silent };
}

async function askForModels(baseURL: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${baseURL.replace(/\/+$/, "")}/models`, { redirect: "error", signal });
    return response.ok ? idsOf(await response.json()) : undefined;
  } catch {
    return undefined; // it is no model server, or too slow: then there is nothing to offer
  }
}

/** Most machines have no such server, and the first fetch of a start loads more than all the rest of the question. */
function isListening({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80), signal });
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

function idsOf(answer: unknown): readonly string[] {
  if (typeof answer !== "object" || answer === null || !("data" in answer) || !Array.isArray(answer.data)) return [];
  const ids = answer.data.map((one: unknown) => (typeof one === "object" && one !== null && "id" in one ? one.id : ""));
  // Models that only embed are listed among the others, and cannot answer.
  return ids.filter((id): id is string => typeof id === "string" && !/^$|embed/i.test(id)).slice(0, MAX_MODELS);
}

function isLoopback(baseURL: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseURL).hostname);
}
