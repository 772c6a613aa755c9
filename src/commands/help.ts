// /help: what there is, from the declarations themselves.
import { defineCommand, type FreeCommand } from "./command.ts";
import { explain, listLines } from "./help-text.ts";
import { type CommandRegistry, findCommand, nearestCommands } from "./parse-command.ts";
import { called, lines, usage } from "./results.ts";

/** The registry is asked when help is: it holds this command too. */
export function helpCommand(registry: () => CommandRegistry): FreeCommand {
  return defineCommand({
    name: "help",
    summary: "list the commands, or explain one",
    args: [
      { name: "command", help: "explain this one" },
      { name: "verb", help: "of that command" },
    ],
    during: "any",
    needsNoSession: true,
    async run({ words: [name, verb] }, context) {
      const prefix = called("", context);
      if (name === undefined) return lines(listLines(registry(), context.surface), listJson(registry()));
      const command = findCommand(registry(), name.replace(/^\//, ""));
      if (!command) {
        const nearest = nearestCommands(registry(), name.replace(/^\//, "")).join(", ");
        return usage(`There is no command ${name}.`, nearest ? `Nearest: ${nearest}` : `See: ${prefix}help`);
      }
      const under = verb === undefined ? undefined : command.verbs?.find((each) => each.name === verb);
      if (verb !== undefined && !under) {
        const verbs = (command.verbs ?? []).map((each) => each.name).join(", ");
        return usage(`${command.name} has no verb ${verb}.`, verbs ? `Its verbs: ${verbs}` : undefined);
      }
      const path = `${prefix}${command.name}`;
      return lines(under ? explain(`${path} ${under.name}`, under) : explain(path, command));
    },
  });
}

function listJson({ commands }: CommandRegistry): readonly object[] {
  return commands.map(({ name, aliases = [], summary, screenOnly = false }) => ({
    name,
    aliases,
    summary,
    screenOnly,
  }));
}
