// The name of a model as people write it, `provider/model`, and back. Pure.
import type { ModelRoute } from "../../ledger/types.ts";

export function routeName({ provider, model }: ModelRoute): string {
  return `${provider}/${model}`;
}

/** The provider ends at the first slash; a model's id may have slashes of its own. Without one there is no model. */
export function routeOfName(name: string): ModelRoute {
  const slash = name.indexOf("/");
  return slash === -1
    ? { provider: name, model: "" }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

export function isSameModel(one: ModelRoute, other: ModelRoute): boolean {
  return one.provider === other.provider && one.model === other.model;
}
