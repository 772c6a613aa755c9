// Said once of each model that takes no images, when a prompt has one: the model reads a line in its place. Pure.
import { type ModelsConfig, modelFacts } from "../agent/models/catalogue.ts";
import type { ModelRoute } from "../ledger/types.ts";
import { type Block, note } from "./block.ts";

/** `said`: of which models it was; added to. */
export function leftOutImages(route: ModelRoute, models: ModelsConfig, said: Set<string>): readonly Block[] {
  if (modelFacts(route, models).images !== false || said.has(route.model)) return [];
  said.add(route.model);
  return [note(`${route.model} takes no images: it is told that one is left out. /model asks another.`, "warning")];
}
