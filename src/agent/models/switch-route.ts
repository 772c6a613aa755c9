// The route of a session is one unit: provider, model, address, effort, other options. A switch makes the next one out of
// the last and of what was asked; one that cannot be made leaves everything as it was, and says what is missing. Pure.
import { isDeepStrictEqual } from "node:util";
import type { ModelRoute } from "../../ledger/types.ts";
import { effortOf, withEffort } from "./effort.ts";
import type { ModelRegistry } from "./registry.ts";
import { isSameModel, routeName } from "./route-name.ts";

export interface SwitchWish {
  /** Absent: the same model. */
  readonly to?: ModelRoute;
  /** A level, or `default`; absent: as it is, where the model knows that level. */
  readonly effort?: string;
}

export type Switched =
  | {
      readonly ok: true;
      readonly route: ModelRoute;
      /** The level that was set, and which the new model does not know among its own. */
      readonly dropped?: string;
    }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

type Models = Pick<ModelRegistry, "efforts" | "located">;

export function switchRoute(models: Models, from: ModelRoute, { to = from, effort }: SwitchWish): Switched {
  const isSame = isSameModel(from, to);
  // Options belong to a model: the same one keeps all of its own.
  const target = models.located(isSame ? from : withEffort(to, effortOf(from)));
  const levels = models.efforts(target);
  if (effort === undefined) {
    const kept = effortOf(target);
    if (kept === undefined || levels.includes(kept)) return { ok: true, route: target };
    const route = withEffort(target, undefined);
    return levels.length === 0 ? { ok: true, route } : { ok: true, route, dropped: kept };
  }
  if (effort === "default") return { ok: true, route: withEffort(target, undefined) };
  if (levels.includes(effort)) return { ok: true, route: withEffort(target, effort) };
  return {
    ok: false,
    problem: `${routeName(target)} has no effort "${effort}"`,
    hint: levels.length === 0 ? "Its effort cannot be chosen." : `Its levels: ${[...levels, "default"].join(", ")}`,
  };
}

/** Undefined while the address of the session's provider is what it was. */
export function movedRoute(models: Models, route: ModelRoute): ModelRoute | undefined {
  const now = models.located(route);
  return addressOf(now) === addressOf(route) ? undefined : now;
}

/** In everything. */
export function isSameRoute(one: ModelRoute, other: ModelRoute): boolean {
  return isDeepStrictEqual(one, other);
}

/** `provider/model, high effort` */
export function routeWords(route: ModelRoute): string {
  const effort = effortOf(route);
  return effort === undefined ? routeName(route) : `${routeName(route)}, ${effort} effort`;
}

/** What the note of a switch says; a change that is none of the model or its effort is one of the address. */
export function switchWords(from: ModelRoute, to: ModelRoute): string {
  const [before, after] = [routeWords(from), routeWords(to)];
  if (before !== after) return `model: ${before} → ${after}`;
  const home = "the provider's own address";
  return `model: ${after} is at ${addressOf(to) ?? home} now, no more at ${addressOf(from) ?? home}`;
}

/** Undefined where the provider is at home. */
function addressOf({ options }: ModelRoute): string | undefined {
  return typeof options?.baseURL === "string" ? options.baseURL : undefined;
}
