// /help: what there is, from the declarations themselves.
import { usageOf } from "./args.ts";
import { type CommandResult, defineCommand, type FreeCommand, type PickItem } from "./command.ts";
import { explain, listLines } from "./help-text.ts";
import { type CommandRegistry, findCommand, nearestCommands } from "./parse-command.ts";
import { called, lines, usage } from "./results.ts";

/** The registry is asked when help is: it holds this command too. */
export function helpCommand(registry: () => CommandRegistry): FreeCommand {
  return defineCommand({
    name: "help",
    summary: "list the commands, or explain one",
    example: "/help undo",
    args: [
      { name: "command", help: "explain this one" },
      { name: "verb", help: "of that command" },
    ],
    during: "any",
    needsNoSession: true,
    async run({ words: [name, verb] }, context) {
      const prefix = called("", context);
      const printed = () => Promise.resolve(lines(listLines(registry(), context.surface), listJson(registry())));
      if (name === undefined) return context.surface === "screen" ? commandPick(registry(), printed) : printed();
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

function commandPick({ commands }: CommandRegistry, printed: () => Promise<CommandResult>): CommandResult {
  const known = new Map(commands.map((command) => [`/${command.name}`, command]));
  return {
    kind: "pick",
    title: "Commands",
    items: [...known].map(([path, command]): PickItem => {
      const { summary, aliases = [], verbs = [] } = command;
      const search = [...aliases.map((alias) => `/${alias}`), ...verbs.map((verb) => `${verb.name} ${verb.summary}`)];
      return {
        command: path,
        label: path,
        hint: usageOf("", { ...command, flags: [] }).trim(),
        detail: summary,
        search: search.join("\n"),
      };
    }),
    empty: "",
    enter: "writes it",
    isWritten: true,
    preview: ({ command: path }) => {
      const command = known.get(path);
      return Promise.resolve(command ? explain(path, command) : []);
    },
    printed,
  };
}

function listJson({ commands }: CommandRegistry): readonly object[] {
  return commands.map(({ name, aliases = [], summary, screenOnly = false }) => ({
    name,
    aliases,
    summary,
    screenOnly,
  }));
}
