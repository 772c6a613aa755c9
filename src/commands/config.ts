// /config: every setting in force, and where it comes from.
import { defineCommand } from "./command.ts";

export const configCommand = defineCommand({
  name: "config",
  summary: "the settings, and where each comes from",
  example: "/config",
  during: "any",
  needsNoSession: true,
  async run(_, { settings }) {
    const shown = settings.list();
    const rows = shown.flatMap(({ key, value, from, problem }) => [
      [key, value, from],
      ...(problem === undefined ? [] : [["", "!", problem]]),
    ]);
    return {
      kind: "rows",
      columns: ["key", "value", "from"],
      // Where to change them, also while there is no such file yet.
      rows: [...rows, ["(file)", settings.configFile, "change it here; providers: see the README"]],
      empty: "",
      json: shown,
    };
  },
});
