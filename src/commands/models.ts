// /models: what can be used now, and why the others cannot.
import { type ModelsConfig, modelFacts } from "../agent/models/catalogue.ts";
import { defineCommand } from "./command.ts";
import { DISCOVER_MS } from "./model.ts";

export const modelsCommand = defineCommand({
  name: "models",
  summary: "which models can be used now, and why the others cannot",
  during: "any",
  needsNoSession: true,
  async run(_, { models, settings }) {
    await models.discover(AbortSignal.timeout(DISCOVER_MS));
    const listed = models.list();
    return {
      kind: "rows",
      columns: ["model", "state"],
      rows: listed.map(({ id, provider, available, why = "not available" }) => [
        id,
        available ? "ready" : why.replace(`${provider}: `, ""),
      ]),
      empty: "There is no model.",
      json: listed.map((each) => ({ ...each, ...factsOf(each.id, settings.models()) })),
    };
  },
});

function factsOf(id: string, models: ModelsConfig): object {
  const slash = id.indexOf("/");
  const { window, prices } = modelFacts({ provider: id.slice(0, slash), model: id.slice(slash + 1) }, models);
  return {
    ...(window !== undefined && { contextWindow: window }),
    ...(prices && { inputPrice: prices.input, outputPrice: prices.output }),
  };
}
