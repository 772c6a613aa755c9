// /quit: leaves; everything said is on disk already.
import { defineCommand } from "./command.ts";

export const quitCommand = defineCommand({
  name: "quit",
  aliases: ["exit"],
  summary: "leave; the conversation can be resumed",
  during: "any",
  screenOnly: true,
  needsNoSession: true,
  async run() {
    return { kind: "quit" };
  },
});
