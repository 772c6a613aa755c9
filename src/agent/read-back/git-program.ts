// Git as the readers ask it: a command line `git … NAME ARGS` taken apart, and questions to the repository it meant,
// in plain English, without prompts, pagers and optional locks.
import { resolve } from "node:path";
import { shellQuote } from "../shell-quote.ts";
import { type ProgramEnd, type ProgramRun, runProgram } from "./run-program.ts";

export interface GitCommand {
  readonly name: string;
  readonly args: readonly string[];
  /** As given by -C, one after the other. */
  readonly folders: readonly string[];
  /** `key=value` of -c that say who commits. */
  readonly identity: readonly string[];
}

/** Of the words before the name only those are understood that leave repository and effect as they are. */
export function gitCommand(words: readonly string[]): GitCommand | undefined {
  if (words[0] !== "git") return undefined;
  const folders: string[] = [];
  const identity: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) return { name: word, args: words.slice(at + 1), folders, identity };
    if (word === "--no-pager" || word === "-P" || word === "--no-optional-locks") continue;
    const value = words[++at] ?? "";
    if (word === "-C") folders.push(value);
    else if (word === "-c" && /^(user|committer)\.(name|email)=/i.test(value)) identity.push(value);
    else if (word !== "-c" || !/^(author|advice|color|commit|gpg)\.|^core\.(editor|pager|hookspath)=/i.test(value))
      return undefined;
  }
  return undefined;
}

export interface Repository {
  /** Where git runs. Absolute. */
  readonly folder: string;
  ask(...args: readonly string[]): Promise<ProgramEnd>;
  /** The same for questions that go over a network. */
  askRemote(...args: readonly string[]): Promise<ProgramEnd>;
  /** The answer without its line end; undefined when git fails. */
  answer(...args: readonly string[]): Promise<string | undefined>;
}

export function repositoryOf(command: Pick<GitCommand, "folders" | "identity">, context: AskContext): Repository {
  const folder = resolve(context.cwd, ...command.folders);
  const settings = command.identity.flatMap((setting) => ["-c", setting]);
  const run = (args: readonly string[], env: ProgramRun["env"]) =>
    runProgram({
      program: "git",
      args: [...settings, ...args],
      cwd: folder,
      env,
      ...(context.signal && { signal: context.signal }),
    });
  const answer = async (...args: readonly string[]) => {
    const end = await run(args, QUIET);
    return end.kind === "exit" && end.code === 0 ? end.stdout.replace(/\r?\n$/, "") : undefined;
  };
  return {
    folder,
    answer,
    ask: async (...args) => run(args, QUIET),
    async askRemote(...args) {
      const ssh = process.env["GIT_SSH_COMMAND"] ?? (await answer("config", "--get", "core.sshCommand"));
      return run(args, { ...QUIET, GIT_SSH_COMMAND: `${ssh ?? ownSsh()} -oBatchMode=yes` });
    },
  };
}

interface AskContext {
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

/** For git and what runs git. An empty GIT_ASKPASS is used, and asks nothing; without it other askers are tried. */
export const QUIET: ProgramRun["env"] = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  LC_ALL: "C",
  LANGUAGE: undefined,
  GIT_TRACE: undefined,
};

/** GIT_SSH names a program, where GIT_SSH_COMMAND is given to a shell. */
function ownSsh(): string {
  const program = process.env["GIT_SSH"];
  return program ? shellQuote(program) : "ssh";
}

/** What went wrong, in git's own words: the first line of them. */
export function wordsOf(end: ProgramEnd): string {
  if (end.kind === "no-answer") return end.problem;
  const [first = ""] = end.stderr.split("\n").filter((line) => line.trim() !== "");
  return first === "" ? `git ended with exit ${end.code}` : first;
}
