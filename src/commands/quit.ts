// /quit: leaves; everything said is on disk already. What runs in the background is asked about: it can outlive stele.
import { stopSpool } from "../agent/spool/stop-spool.ts";
import { hasFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { counted } from "./results.ts";

export const quitCommand = defineCommand({
  name: "quit",
  aliases: ["exit"],
  summary: "leave; the conversation can be resumed",
  example: "/quit",
  flags: [
    { name: "stop", help: "and stop what runs in the background" },
    { name: "leave", help: "and leave it running" },
  ],
  during: "any",
  screenOnly: true,
  needsNoSession: true,
  run: quit,
});

async function quit(args: CommandArgs, { jobs }: FreeContext): Promise<CommandResult> {
  if (hasFlag(args, "leave")) return { kind: "quit" };
  const running = (await jobs()).filter(({ state }) => state.kind === "running");
  if (hasFlag(args, "stop")) await Promise.all(running.map(({ folder }) => stopSpool(folder)));
  if (running.length === 0 || hasFlag(args, "stop")) return { kind: "quit" };
  const names = running.map(({ summary = "" }) => summary).join(", ");
  const [it, them] = running.length === 1 ? ["It runs", "it"] : ["They run", "them"];
  return {
    kind: "pick",
    title: `${counted(running.length, "command")} in the background: ${names}`,
    items: [
      { command: "/quit --leave", label: `Quit and leave ${them} running`, detail: `${it} on; /status lists ${them}` },
      { command: "/quit --stop", label: `Stop ${them} and quit`, detail: "TERM, then KILL after 5 s" },
    ],
    empty: "",
  };
}
