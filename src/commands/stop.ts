// /stop: ends the running turn, or the wait for its lease; what was done until then stays. As escape does, it pauses a
// loop, unless the turn is another one than the loop's.
import { defineCommand } from "./command.ts";
import { lines } from "./results.ts";

export const stopCommand = defineCommand({
  name: "stop",
  summary: "stop the running turn",
  example: "/stop",
  during: "any",
  screenOnly: true,
  needsNoSession: true,
  async run(_, { runner, loop }) {
    const isBusy = runner?.isRunning === true || runner?.isWaiting === true;
    const isPaused = loop?.loop?.state === "active" && (!isBusy || loop.isTicking);
    if (isPaused) await loop.pause("you stopped it");
    return isBusy || isPaused ? { kind: "stop" } : lines("Nothing runs.");
  },
});
