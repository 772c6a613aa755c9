// /stop: ends the running turn; what was done until then stays.
import { defineCommand } from "./command.ts";
import { lines } from "./results.ts";

export const stopCommand = defineCommand({
  name: "stop",
  summary: "stop the running turn",
  during: "any",
  screenOnly: true,
  async run(_, { runner }) {
    return runner.isRunning ? { kind: "stop" } : lines("No turn is running.");
  },
});
