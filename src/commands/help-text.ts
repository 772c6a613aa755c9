// What help says about commands, from their declarations: the list, and one command at length.
import { usageOf } from "./args.ts";
import type { Command, FreeContext } from "./command.ts";
import type { CommandRegistry } from "./parse-command.ts";
import { called } from "./results.ts";

export function listLines({ commands }: CommandRegistry, surface: FreeContext["surface"]): readonly string[] {
  const shown = commands.filter((each) => surface === "screen" || !each.screenOnly);
  const prefix = called("", { surface });
  const names = shown.map((each) => prefix + each.name);
  const width = Math.max(...names.map((name) => name.length));
  return shown.map((each, at) => `${(names[at] ?? "").padEnd(width)}  ${each.summary}${aliasWords(each, prefix)}`);
}

/** How it is called, what it does, its words, flags and verbs. */
export function explain(path: string, command: Command): readonly string[] {
  const args = (command.args ?? []).map((arg) => [arg.name, arg.help] as const);
  const flags = (command.flags ?? []).map((flag) => [`--${flag.name}`, flag.help] as const);
  const width = Math.max(0, ...[...args, ...flags].map(([name]) => name.length));
  const verbs = (command.verbs ?? []).flatMap((each) => [
    `  ${usageOf(`${path} ${each.name}`, each)}`,
    `      ${each.summary}`,
  ]);
  const example = path.startsWith("/") ? command.example : command.example.replace("/", "stele ");
  const isBare = example === path;
  return [
    usageOf(path, command),
    `${command.summary}${aliasWords(command, path.startsWith("/") ? "/" : "stele ")}`,
    ...[...args, ...flags].map(([name, help]) => `  ${name.padEnd(width)}  ${help}`),
    ...verbs,
    ...(isBare ? [] : [`for example: ${example}`]),
  ];
}

function aliasWords({ aliases = [] }: Command, prefix: string): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => prefix + alias).join(", ")})`;
}
