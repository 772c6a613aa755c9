// /config: every setting in force, and where it comes from.
import { defineCommand } from "./command.ts";

export const configCommand = defineCommand({
  name: "config",
  summary: "the settings, and where each comes from",
  during: "any",
  needsNoSession: true,
  async run(_, { settings }) {
    const shown = settings.list();
    return {
      kind: "rows",
      columns: ["key", "value", "from"],
      rows: shown.map(({ key, value, from }) => [key, value, from]),
      empty: `Nothing is set. The file: ${settings.configFile}`,
      json: shown,
    };
  },
});
