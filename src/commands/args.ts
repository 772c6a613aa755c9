// Words to arguments and flags, against a command's declaration; and the words that say how it is called.
// What does not fit is told with the nearest thing that does.
import { nearestNames } from "../agent/tools/nearest-names.ts";
import type { Command, CommandArgs, FlagSpec } from "./command.ts";

export type ParsedArgs =
  | { readonly ok: true; readonly args: CommandArgs }
  | { readonly ok: false; readonly problem: string };

/** `--name value`, `--name=value`; `--` ends the flags. */
export function parseArgs(words: readonly string[], command: Command): ParsedArgs {
  const plain: string[] = [];
  const flags = new Map<string, string | number | true>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") {
      plain.push(...words.slice(at + 1));
      break;
    }
    if (!/^(?:--[\s\S]|-\p{L})/u.test(word)) {
      plain.push(word);
      continue;
    }
    const read = readFlag(word, words[at + 1], command.flags ?? []);
    if (!read.ok) return read;
    if (flags.has(read.name)) return { ok: false, problem: `--${read.name} is given twice.` };
    flags.set(read.name, read.value);
    if (read.tookNext) at += 1;
  }
  return fitWords(plain, command, Object.fromEntries(flags));
}

type ReadFlag =
  | { readonly ok: true; readonly name: string; readonly value: string | number | true; readonly tookNext: boolean }
  | { readonly ok: false; readonly problem: string };

function readFlag(word: string, next: string | undefined, specs: readonly FlagSpec[]): ReadFlag {
  const [, dashes = "", said = "", , given] = /^(--?)([^=]*)(=([\s\S]*))?$/u.exec(word) ?? [];
  const spec = specs.find((each) => (dashes === "--" ? each.name === said : each.short === said));
  if (!spec) return { ok: false, problem: unknownFlag(dashes + said, specs) };
  const { name } = spec;
  if (spec.value === undefined) {
    if (given !== undefined) return { ok: false, problem: `--${name} takes no value.` };
    return { ok: true, name, value: true, tookNext: false };
  }
  const value = given ?? (next?.startsWith("--") ? undefined : next);
  // What follows a number that is left out is a word of its own.
  if (spec.isChosen && given === undefined && !/^-?\d/.test(next ?? ""))
    return { ok: true, name, value: true, tookNext: false };
  if (value === undefined) return { ok: false, problem: `--${name} needs a value.` };
  const tookNext = given === undefined;
  if (spec.value === "text") return { ok: true, name, value, tookNext };
  if (!/^-?\d+(\.\d+)?$/.test(value))
    return { ok: false, problem: `--${name} takes a number, not ${JSON.stringify(value)}.` };
  return { ok: true, name, value: Number(value), tookNext };
}

function unknownFlag(flag: string, specs: readonly FlagSpec[]): string {
  const names = specs.map((spec) => spec.name);
  const nearest = nearestNames(flag.replace(/^-+/, ""), names).map((name) => `--${name}`);
  if (nearest.length > 0) return `There is no flag ${flag}; nearest: ${nearest.join(", ")}.`;
  if (names.length === 0)
    return `There is no flag ${flag}; it takes none. Write -- before words that begin with a dash.`;
  return `There is no flag ${flag}; there are ${names.map((name) => `--${name}`).join(", ")}.`;
}

function fitWords(words: readonly string[], command: Command, flags: CommandArgs["flags"]): ParsedArgs {
  const specs = command.args ?? [];
  const missing = specs[words.length];
  if (missing?.required) return { ok: false, problem: `<${missing.name}> is missing: ${missing.help}.` };
  const last = specs.at(-1);
  if (last?.keepsPhrases && words.length > 0)
    return { ok: true, args: { words: [words.map(phraseWord).join(" ")], flags } };
  if (last?.many) return { ok: true, args: { words, flags } };
  if (last?.rest && words.length > specs.length) {
    const rest = words.slice(specs.length - 1).join(" ");
    return { ok: true, args: { words: [...words.slice(0, specs.length - 1), rest], flags } };
  }
  const tooMany = words[specs.length];
  if (tooMany !== undefined) return { ok: false, problem: `One word too many: ${JSON.stringify(tooMany)}.` };
  return { ok: true, args: { words, flags } };
}

/** A shell takes quotes away, also those around a whole query: that is none of a phrase. */
function phraseWord(word: string): string {
  return /\s/.test(word) && !/["*]|\b(?:AND|OR|NOT)\b/.test(word) ? `"${word}"` : word;
}

/** `/queue drop <id>`; the path begins with what calls it: `/` or `stele `. */
export function usageOf(path: string, command: Command): string {
  const args = (command.args ?? []).map((arg) => {
    const name = arg.rest || arg.many ? `${arg.name}…` : arg.name;
    return arg.required ? `<${name}>` : `[${name}]`;
  });
  const flags = (command.flags ?? []).map((flag) => `[--${flag.name}${valueWords(flag)}]`);
  return [path, ...args, ...flags].join(" ");
}

function valueWords({ value, isChosen }: FlagSpec): string {
  if (value === undefined) return "";
  return isChosen ? ` [${value}]` : ` <${value}>`;
}

export function textFlag(args: CommandArgs, name: string): string | undefined {
  const value = args.flags[name];
  return typeof value === "string" ? value : undefined;
}

export function hasFlag(args: CommandArgs, name: string): boolean {
  return args.flags[name] === true;
}

/** A whole number above 0 where one is given; `ok: false` for another number. */
export function countFlag(args: CommandArgs, name: string): Count {
  const value = args.flags[name];
  if (typeof value !== "number") return { ok: true };
  return toCount(value, `--${name}`);
}

export function countWord(word: string | undefined, name: string): Count {
  if (word === undefined) return { ok: true };
  return toCount(/^\d+$/.test(word) ? Number(word) : Number.NaN, name, word);
}

export type Count = { readonly ok: true; readonly value?: number } | { readonly ok: false; readonly problem: string };

function toCount(value: number, name: string, shown: string = String(value)): Count {
  if (Number.isSafeInteger(value) && value > 0) return { ok: true, value };
  return { ok: false, problem: `${name} takes a whole number above 0, not ${JSON.stringify(shown)}.` };
}
