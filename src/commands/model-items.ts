// The models that can be picked, with what is known of each; and the providers that lack something, with what to do.

import { modelFacts } from "../agent/models/catalogue.ts";
import { effortOf } from "../agent/models/effort.ts";
import { isSameModel, routeName, routeOfName } from "../agent/models/route-name.ts";
import type { CommandContext, PickItem, PickTurn } from "./command.ts";
import { priceWords, windowWords } from "./model-words.ts";
import { quoteWord } from "./words.ts";

type Context = Pick<CommandContext, "models" | "runner" | "settings">;

export function modelItems(context: Context, isOnce: boolean): readonly PickItem[] {
  const listed = context.models.list();
  const usable = listed.filter(({ id, available }) => available && !id.endsWith("/*"));
  const { route } = context.runner.session;
  // Its own model is offered also where its provider lists others only.
  const own = { id: routeName(route), provider: route.provider };
  const isListed = usable.some(({ id }) => id === own.id);
  const canBeUsed = context.models.open(route).ok;
  const all = isListed || !canBeUsed ? usable : [own, ...usable];
  return [...all.map(({ id }) => item(context, { id, isOnce })), ...missing(listed)];
}

function item({ models, runner, settings }: Context, { id, isOnce }: { id: string; isOnce: boolean }): PickItem {
  const route = routeOfName(id);
  const current = runner.session.route;
  const isCurrent = isSameModel(route, current);
  const { window, prices } = modelFacts(route, settings.models());
  const command = `/model ${quoteWord(id)}${isOnce ? " --once" : ""}`;
  const state = isCurrent ? "current" : route.provider;
  const turns = turnsOf(command, models.efforts(route), effortOf(current));
  const shown = turns.find(({ isSet }) => isSet)?.label ?? "";
  return {
    command,
    label: id,
    detail: state,
    facts: [shown, windowWords(window), priceWords(prices), isCurrent ? "current" : ""],
    ...(turns.length > 0 && { turns }),
  };
}

/** An effort goes along to a model that knows it. */
function turnsOf(command: string, levels: readonly string[], effort: string | undefined): readonly PickTurn[] {
  if (levels.length === 0) return [];
  const set = effort !== undefined && levels.includes(effort) ? effort : "default";
  return ["default", ...levels].map((level) => ({
    label: level,
    command: `${command} --effort ${level}`,
    ...(level === set && { isSet: true }),
  }));
}

/** Providers none of whose models can be used, with the reason; choosing one says all of it. */
function missing(listed: ReturnType<Context["models"]["list"]>): readonly PickItem[] {
  const reasons = new Map(listed.map(({ provider, available, why }) => [provider, available ? undefined : why]));
  return [...reasons].flatMap(([provider, why]) => {
    if (why === undefined) return [];
    return [
      { command: `/models ${quoteWord(provider)}`, label: `${provider}/…`, detail: why.replace(`${provider}: `, "") },
    ];
  });
}
