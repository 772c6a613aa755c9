// docs/commands.md, from the declarations. `node scripts/generate-docs.mjs` writes it; a test compares.
import { usageOf } from "./args.ts";
import type { Command, FlagSpec } from "./command.ts";
import type { CommandRegistry } from "./parse-command.ts";

export function commandsPage({ commands }: CommandRegistry): string {
  const head = [
    "# Commands",
    "",
    "Generated from the declarations in `src/commands` by `node scripts/generate-docs.mjs`.",
    "A command is typed behind a slash on the screen; where it says so, it is a subcommand of `stele` too. As a",
    "subcommand it takes `--json`, and `-r SESSION` or `-c` where it belongs to a conversation.",
    "",
  ];
  return [...head, ...commands.flatMap(section)].join("\n");
}

function section(command: Command): readonly string[] {
  const { name, aliases = [], summary, during, screenOnly, verbs = [] } = command;
  const facts = [
    ...(aliases.length > 0 ? [`Also ${aliases.map((alias) => `\`/${alias}\``).join(", ")}.`] : []),
    ...(during === "idle" ? ["Not while a turn runs."] : []),
    screenOnly
      ? "Only on the screen."
      : `Subcommand: \`stele ${name}\`${command.needsNoSession ? "" : " `-r SESSION`"}.`,
  ];
  const text = [`## /${name}`, "", `${capital(summary)}. ${facts.join(" ")}`, "", ...usageBlock(`/${name}`, command)];
  for (const verb of verbs)
    text.push(
      `### /${name} ${verb.name}`,
      "",
      `${capital(verb.summary)}.`,
      "",
      ...usageBlock(`/${name} ${verb.name}`, verb),
    );
  return text;
}

function usageBlock(path: string, command: Command): readonly string[] {
  const words = (command.args ?? []).map(({ name, help }) => `- \`${name}\`: ${help}`);
  const flags = (command.flags ?? []).map((flag) => `- ${flagNames(flag)}: ${flag.help}`);
  const list = [...words, ...flags];
  const example = command.example === path ? [] : [`For example: \`${command.example}\``, ""];
  return ["```", usageOf(path, command), "```", "", ...(list.length > 0 ? [...list, ""] : []), ...example];
}

function flagNames({ name, short }: FlagSpec): string {
  return short === undefined ? `\`--${name}\`` : `\`--${name}\`, \`-${short}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
