// /models: what can be used now, and why the others cannot.
import { defineCommand } from "./command.ts";
import { DISCOVER_MS } from "./model.ts";

export const modelsCommand = defineCommand({
  name: "models",
  summary: "which models can be used now, and why the others cannot",
  during: "any",
  needsNoSession: true,
  async run(_, { models }) {
    await models.discover(AbortSignal.timeout(DISCOVER_MS));
    const listed = models.list();
    return {
      kind: "rows",
      columns: ["model", "state"],
      rows: listed.map(({ id, available, why }) => [id, available ? "ready" : (why ?? "not available")]),
      empty: "There is no model.",
      json: listed,
    };
  },
});
