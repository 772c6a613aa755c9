// The command line → what was asked for. yargs reads the flags that every way of starting understands; the
// words of a command are read by the command's own declaration, the same for `/undo 2` and `stele undo 2`.
import { closest, distance } from "fastest-levenshtein";
import yargs from "yargs";
import type { Command, CommandArgs } from "./command.ts";
import { findCommand, type ParsedCommand, parseWords } from "./parse-command.ts";
import { registry } from "./registry.ts";

export type Dispatched =
  /** No subcommand: the screen, or `run` where there is no terminal. */
  | { readonly kind: "screen"; readonly prompt: string; readonly globals: Globals }
  | { readonly kind: "run"; readonly prompt: string; readonly globals: Globals }
  | { readonly kind: "command"; readonly command: Command; readonly args: CommandArgs; readonly globals: Globals }
  | { readonly kind: "help"; readonly about?: string }
  | { readonly kind: "usage"; readonly message: string; readonly hint: string; readonly json: boolean };

export interface Globals {
  readonly home?: string;
  readonly profile?: string;
  readonly ledger?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly cwd?: string;
  readonly continue: boolean;
  /** "" asks for the list. */
  readonly resume?: string;
  readonly yes: boolean;
  readonly readOnly: boolean;
  readonly json: boolean;
  readonly request?: string;
  readonly runQueued: boolean;
  /** Paths of images that go with the prompt. */
  readonly images?: readonly string[];
  readonly noColor: boolean;
  /** Lines instead of a screen that is painted. */
  readonly screenReader: boolean;
}

const OPTIONS = {
  continue: {
    alias: "c",
    type: "boolean",
    describe: "go on with this terminal's conversation in this folder, else the folder's newest",
  },
  resume: { alias: "r", type: "string", describe: "open a session by id, prefix or title; alone: choose one" },
  model: { alias: "m", type: "string", describe: "provider/model, or an alias of the config" },
  effort: { type: "string", describe: "how much the model thinks: one of its levels, or default" },
  yes: { alias: "y", type: "boolean", describe: "allow every tool call (approval mode auto)" },
  "read-only": { type: "boolean", describe: "allow reading only (approval mode plan)" },
  json: { type: "boolean", describe: "print JSON, one object a line" },
  output: { type: "string", choices: ["text", "json"], describe: "as --json, for run" },
  request: { type: "string", describe: "name of this request: asked again, it is not run again (run)" },
  image: {
    type: "array",
    nargs: 1,
    string: true,
    describe: "an image that goes with the prompt; again for more (run)",
  },
  "run-queued": { type: "boolean", describe: "also run what a crash left waiting (run)" },
  cwd: { alias: "C", type: "string", describe: "work in this folder" },
  home: { type: "string", describe: "folder of ledger and config (default: STELE_HOME)" },
  profile: { type: "string", describe: "a ledger and config of its own, below home" },
  ledger: { type: "string", describe: "another ledger file" },
  "no-color": { type: "boolean", describe: "no colours" },
  "screen-reader": { type: "boolean", describe: "plain lines, nothing is drawn over (or STELE_SCREEN_READER=1)" },
  help: { alias: "h", type: "boolean", describe: "this page; after a command: its own" },
  version: { alias: "V", type: "boolean", describe: "the version" },
} as const;

export async function dispatch(argv: readonly string[]): Promise<Dispatched> {
  const parsed = await parse(argv);
  if (typeof parsed === "string") return usage(parsed, "See: stele --help", argv);
  const globals = globalsOf(parsed);
  const words = (parsed["_"] ?? []).map(String);
  const literal = (parsed["--"] ?? []).map(String);
  const [first = "", ...rest] = words;
  if (parsed["help"] === true) return first === "" ? { kind: "help" } : { kind: "help", about: first };
  const command = first === "run" ? undefined : findCommand(registry, first);
  if (command || (registry.later.includes(first) && rest.length === 0)) {
    const read = readCommand([first, ...rest], { command, literal, globals });
    if (!read.ok) return usage(read.usage.message, read.usage.hint ?? "See: stele --help", argv);
    return { kind: "command", command: read.command, args: read.args, globals };
  }
  const isOneWord = first !== "run" && words.length === 1 && literal.length === 0;
  const meant = isOneWord ? mistyped(first) : undefined;
  if (meant !== undefined)
    return usage(`There is no command ${first}.`, `Nearest: stele ${meant}. As a prompt: stele run ${first}`, argv);
  const prompt = first === "run" ? rest : words;
  const unknown = prompt.find((word) => /^--?[A-Za-z]/.test(word));
  if (unknown !== undefined) return usage(`There is no option ${unknown}.`, nearestOption(unknown), argv);
  return { kind: first === "run" ? "run" : "screen", prompt: [...prompt, ...literal].join(" "), globals };
}

/** `--yes` and `--effort` were read as global ones: a command that has a flag of that name gets it back. */
function readCommand(
  words: readonly string[],
  more: { command: Command | undefined; literal: readonly string[]; globals: Globals },
): ParsedCommand {
  const { command, literal, globals } = more;
  if (command?.screenOnly) {
    const message = `${command.name} makes sense on the screen only.`;
    return { ok: false, usage: { kind: "usage", message, hint: "Start it with: stele" } };
  }
  const verb = command?.verbs?.find((each) => each.name === words[1]);
  const has = (name: string) => (verb ?? command)?.flags?.some((flag) => flag.name === name) ?? false;
  const back = [
    ...(globals.yes && has("yes") ? ["--yes"] : []),
    ...(globals.effort !== undefined && has("effort") ? [`--effort=${globals.effort}`] : []),
  ];
  const after = literal.length > 0 ? ["--", ...literal] : [];
  return parseWords([...words, ...back, ...after], registry, "stele ");
}

type Parsed = Record<string, unknown> & { readonly _?: readonly unknown[]; readonly "--"?: readonly unknown[] };

/** The values, or why they cannot be read. */
async function parse(argv: readonly string[]): Promise<Parsed | string> {
  const failures: string[] = [];
  const parser = yargs([...argv])
    .parserConfiguration({
      "unknown-options-as-args": true,
      "parse-positional-numbers": false,
      "parse-numbers": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "boolean-negation": false,
      // Several images; of all else the last counts.
      "duplicate-arguments-array": true,
      "populate--": true,
    })
    .help(false)
    .version(false)
    .options(OPTIONS)
    .exitProcess(false)
    .fail((message) => {
      failures.push(message);
    });
  const parsed = (await parser.parseAsync()) as Parsed;
  return failures[0] ?? Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, lastOf(name, value)]));
}

const lists: ReadonlySet<string> = new Set(["_", "--", "image"]);

function lastOf(name: string, value: unknown): unknown {
  return Array.isArray(value) && !lists.has(name) ? value.at(-1) : value;
}

function globalsOf(parsed: Parsed): Globals {
  const text = (key: string) => (typeof parsed[key] === "string" ? { [key]: parsed[key] } : {});
  return {
    ...text("home"),
    ...text("profile"),
    ...text("ledger"),
    ...text("model"),
    ...text("effort"),
    ...text("cwd"),
    ...text("resume"),
    ...text("request"),
    continue: parsed["continue"] === true,
    yes: parsed["yes"] === true,
    readOnly: parsed["read-only"] === true,
    json: parsed["json"] === true || parsed["output"] === "json",
    runQueued: parsed["run-queued"] === true,
    ...(Array.isArray(parsed["image"]) && { images: parsed["image"].map(String) }),
    noColor: parsed["no-color"] === true,
    screenReader: parsed["screen-reader"] === true,
  };
}

function usage(message: string, hint: string, argv: readonly string[]): Dispatched {
  return { kind: "usage", message, hint, json: argv.includes("--json") };
}

/** The command that a prompt of one word nearly is: sent to a model it would cost a turn, and do nothing. */
function mistyped(word: string): string | undefined {
  if (!/^\/?[a-z-]+$/i.test(word)) return undefined;
  const name = word.toLowerCase().replace(/^\//, "");
  const names = ["run", ...registry.commands.map((command) => command.name)];
  const swapped = names.find((each) => isSwapOf(each, name));
  if (swapped !== undefined) return swapped;
  const near = closest(name, names);
  return distance(name, near) <= (near.length < 6 ? 1 : 2) ? near : undefined;
}

/** Two neighbours changed places, which a distance counts as two mistakes. */
function isSwapOf(name: string, typed: string): boolean {
  const at = [...name].findIndex((letter, index) => letter !== typed[index]);
  return name.slice(0, at) + (name[at + 1] ?? "") + (name[at] ?? "") + name.slice(at + 2) === typed;
}

function nearestOption(option: string): string {
  const name = option.replace(/^-+/, "").replace(/=.*$/, "");
  const near = closest(name, Object.keys(OPTIONS));
  const isNear = distance(name, near) <= Math.max(2, near.length / 3);
  return isNear ? `Nearest: --${near}. To say it to the model, put -- before it.` : "See: stele --help";
}

/** The options as `--help` lists them. */
export function optionLines(): string[] {
  return Object.entries(OPTIONS).map(([name, option]) => {
    const short = "alias" in option ? `-${option.alias}, ` : "    ";
    return `  ${short}--${name.padEnd(14)} ${option.describe}`;
  });
}
