// From what was typed to a command with its arguments: the slash form as text, the subcommand as words.
// Nothing runs that was not named in full: a part of a name is answered with the nearest names.
import { nearestNames } from "../agent/tools/nearest-names.ts";
import { parseArgs, usageOf } from "./args.ts";
import type { Command, CommandArgs, CommandResult } from "./command.ts";
import { usage } from "./results.ts";
import { splitWords } from "./words.ts";

export interface CommandRegistry {
  readonly commands: readonly Command[];
  /** Names of a later version: refused as such. */
  readonly later: readonly string[];
}

export type ParsedCommand =
  | {
      readonly ok: true;
      readonly command: Command;
      readonly args: CommandArgs;
      /** `queue drop` */
      readonly path: string;
    }
  | { readonly ok: false; readonly usage: Extract<CommandResult, { kind: "usage" }> };

/** Text that begins with a slash. */
export function parseCommand(text: string, registry: CommandRegistry): ParsedCommand {
  const [, name = "", rest = ""] = /^\s*\/?(\S+)\s*([\s\S]*?)\s*$/.exec(text) ?? [];
  const raw = findCommand(registry, name);
  if (raw?.isRaw) return { ok: true, command: raw, args: { words: [rest], flags: {} }, path: raw.name };
  const split = splitWords(text.trim().replace(/^\//, ""));
  if (!split.ok) return { ok: false, usage: usage(split.problem) };
  return parseWords(split.words, registry, "/");
}

/** Words of one call without its prefix, which is `/` or `stele ` and only shown. */
export function parseWords(words: readonly string[], registry: CommandRegistry, prefix: "/" | "stele "): ParsedCommand {
  const [name, ...rest] = words;
  if (name === undefined || name === "")
    return { ok: false, usage: usage("A command is missing.", `See: ${prefix}help`) };
  const command = findCommand(registry, name);
  if (!command) return { ok: false, usage: unknownCommand(name, registry, prefix) };
  if (command.isRaw) {
    const unknown = prefix === "/" ? undefined : unknownFlag(rest, command.rawFlags ?? []);
    if (unknown !== undefined) return { ok: false, usage: unknown };
    return { ok: true, command, args: { words: [rest.join(" ")], flags: {} }, path: command.name };
  }
  const [first] = rest;
  const verb = first === undefined ? undefined : command.verbs?.find((each) => each.name === first);
  if (verb) return finish(verb, rest.slice(1), { prefix, path: `${command.name} ${verb.name}` });
  if (first !== undefined && command.later?.includes(first))
    return { ok: false, usage: notYet(`${prefix}${command.name} ${first}`, prefix) };
  return finish(command, rest, { prefix, path: command.name });
}

/** By name or alias. */
export function findCommand({ commands }: CommandRegistry, name: string): Command | undefined {
  return commands.find((each) => each.name === name) ?? commands.find((each) => each.aliases?.includes(name));
}

/** Names a person may have meant: what begins so, then what is spelled alike. */
export function nearestCommands({ commands }: CommandRegistry, name: string): readonly string[] {
  const names = commands.flatMap((each) => [each.name, ...(each.aliases ?? [])]);
  const begins = names.filter((each) => each.startsWith(name.toLowerCase()));
  return [...new Set([...begins, ...nearestNames(name, names)])].slice(0, 3);
}

function finish(command: Command, words: readonly string[], call: { prefix: string; path: string }): ParsedCommand {
  const parsed = parseArgs(words, command);
  if (parsed.ok) return { ok: true, command, args: parsed.args, path: call.path };
  const how = usageOf(`${call.prefix}${call.path}`, command);
  return { ok: false, usage: usage(parsed.problem, `Usage: ${how}`) };
}

/** In quotes it belongs to the text. */
function unknownFlag(words: readonly string[], known: readonly string[]) {
  const unknown = words.find((word) => /^--\w/.test(word) && !known.includes(word.slice(2).split("=")[0] ?? ""));
  if (unknown === undefined) return undefined;
  const names = known.map((name) => `--${name}`).join(", ");
  return usage(
    `There is no flag ${unknown}.`,
    `Its flags: ${names}. What belongs to the prompt stands in quotes with it.`,
  );
}

function unknownCommand(name: string, registry: CommandRegistry, prefix: "/" | "stele ") {
  if (registry.later.includes(name)) return notYet(prefix + name, prefix);
  const nearest = nearestCommands(registry, name).map((each) => prefix + each);
  const hint = nearest.length > 0 ? `Nearest: ${nearest.join(", ")}` : `See: ${prefix}help`;
  return usage(`There is no command ${prefix}${name}.`, hint);
}

function notYet(what: string, prefix: "/" | "stele ") {
  return usage(`${what} is not available in this version.`, `What there is: ${prefix}help`);
}
