// /models: what can be used now, and why the others cannot, with what to do about it.
import { type ModelsConfig, modelFacts } from "../agent/models/catalogue.ts";
import { whyNot } from "../agent/models/open-named.ts";
import { routeOfName } from "../agent/models/route-name.ts";
import { defineCommand, type FreeContext } from "./command.ts";
import { DISCOVER_MS } from "./model.ts";
import { priceWords, windowWords } from "./model-words.ts";
import { usage } from "./results.ts";

export const modelsCommand = defineCommand({
  name: "models",
  summary: "which models can be used now, and why the others cannot",
  example: "/models local",
  args: [{ name: "provider", help: "only its models" }],
  during: "any",
  isRepeatable: true,
  needsNoSession: true,
  async run({ words: [provider] }, { models, settings }) {
    await models.discover(AbortSignal.timeout(DISCOVER_MS));
    const all = models.list();
    const listed = provider === undefined ? all : all.filter((each) => each.provider === provider);
    if (listed.length === 0) {
      const known = [...new Set(all.map((each) => each.provider))];
      return usage(`There is no provider "${provider}".`, `There are: ${known.join(", ")}`);
    }
    return {
      kind: "rows",
      columns: ["model", "context", "$ in / out", "state"],
      rows: [
        ...listed.map((each) => row(each, settings.models())),
        ...settings.nameProblems().map((found) => [`${found.key}: ${found.name}`, "", "", whyNot(found)]),
      ],
      empty: "There is no model.",
      json: listed.map((each) => ({ ...each, ...factsOf(each.id, { models, config: settings.models() }) })),
    };
  },
});

type Listed = ReturnType<FreeContext["models"]["list"]>[number];

function row({ id, provider, available, why }: Listed, models: ModelsConfig): readonly string[] {
  const { window, prices } = modelFacts(routeOfName(id), models);
  const state = why?.replace(`${provider}: `, "") ?? (available ? "ready" : "not available");
  return [id, windowWords(window), priceWords(prices), state];
}

function factsOf(id: string, { models, config }: { models: FreeContext["models"]; config: ModelsConfig }): object {
  const route = routeOfName(id);
  const { window, maxOutput, prices } = modelFacts(route, config);
  const efforts = models.efforts(route);
  return {
    ...(window !== undefined && { contextWindow: window }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(prices && { inputPrice: prices.input, outputPrice: prices.output }),
    ...(efforts.length > 0 && { efforts }),
  };
}
