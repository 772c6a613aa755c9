// /stop: ends the running turn, or the wait for its lease; what was done until then stays.
import { defineCommand } from "./command.ts";

export const stopCommand = defineCommand({
  name: "stop",
  summary: "stop the running turn",
  example: "/stop",
  during: "any",
  screenOnly: true,
  needsNoSession: true,
  async run() {
    return { kind: "stop" };
  },
});
