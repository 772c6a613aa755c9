// /pin, /hide, /archive: flags of the whole conversation; `--off` takes them away.
import type { Session } from "../ledger/types.ts";
import { hasFlag } from "./args.ts";
import { type CommandResult, defineCommand, type FreeContext, type SessionCommand } from "./command.ts";
import { lines, nameOf } from "./results.ts";

type Flag = "pinned" | "hidden" | "archived";

export const FLAGS = [
  { name: "pin", flag: "pinned", summary: "keep a conversation at the top of lists", words: ["pinned", "not pinned"] },
  { name: "hide", flag: "hidden", summary: "leave a conversation out of lists", words: ["hidden", "not hidden"] },
  {
    name: "archive",
    flag: "archived",
    summary: "put a conversation away; writing in it brings it back",
    words: ["archived", "not archived"],
  },
] as const satisfies readonly { name: string; flag: Flag; summary: string; words: readonly [string, string] }[];

export async function setFlag(
  context: FreeContext,
  { id, conversation }: Session,
  { flag, words, isOn }: { flag: Flag; words: readonly [on: string, off: string]; isOn: boolean },
): Promise<CommandResult> {
  const session = await context.db.setFlags(id, { [flag]: isOn });
  if (context.runner?.session.conversation === conversation) await context.runner.refresh();
  const text = `“${nameOf(session)}” is ${words[isOn ? 0 : 1]}.`;
  return lines(text, { session: id, [flag]: session[flag] });
}

function flagCommand({ name, flag, summary, words }: (typeof FLAGS)[number]): SessionCommand {
  return defineCommand({
    name,
    summary,
    example: `/${name}`,
    flags: [{ name: "off", help: "take the flag away" }],
    during: "any",
    run: (args, context) => setFlag(context, context.runner.session, { flag, words, isOn: !hasFlag(args, "off") }),
  });
}

export const flagCommands: readonly SessionCommand[] = FLAGS.map(flagCommand);
