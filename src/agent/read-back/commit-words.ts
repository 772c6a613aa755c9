// What a `git commit` command line says about the commit it makes: whether it amends, and by what its message can be
// known again. Hooks may change a message; then it is not known again, which costs a certainty and invents none.
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { lastValue, type Option, type OptionTable, splitOptions } from "./option-words.ts";
import type { RefMove } from "./reflog.ts";

export interface CommitWords {
  readonly amends: boolean;
  readonly message: CommitMessage;
}

type CommitMessage =
  | { readonly kind: "subject"; readonly subject: string }
  /** Taken over from the commit that is replaced. */
  | { readonly kind: "kept" }
  /** Prepared by the merge that is concluded. */
  | { readonly kind: "prepared" }
  | { readonly kind: "not-known" };

/** Not in it: what makes a dry run, or asks questions. */
const OPTIONS: OptionTable = {
  flags: [
    ...["-a", "--all", "-e", "--edit", "--no-edit", "-i", "--include", "-o", "--only", "-q", "--quiet"],
    ...["-s", "--signoff", "--no-signoff", "-v", "--verbose", "-n", "--no-verify", "--verify", "--amend"],
    ...["--allow-empty", "--allow-empty-message", "--no-post-rewrite", "--reset-author", "--status", "--no-status"],
    ...["--no-gpg-sign", "--pathspec-file-nul"],
  ],
  values: [
    ...["-m", "--message", "-F", "--file", "-C", "--reuse-message", "-c", "--reedit-message", "-t", "--template"],
    ...["--author", "--date", "--cleanup", "--trailer", "--fixup", "--squash", "--pathspec-from-file"],
  ],
  optional: ["-S", "--gpg-sign", "-u", "--untracked-files"],
};

/** A problem is the option that is not understood. */
export type CommitWordsRead = CommitWords | { readonly problem: string };

/** `folder` is where git runs: the file of -F is looked for there. */
export async function readCommitWords(args: readonly string[], folder: string): Promise<CommitWordsRead> {
  const words = splitOptions(args, OPTIONS);
  if (!words.ok) return { problem: words.problem };
  const amends = has(words.options, "--amend");
  return { amends, message: await messageOf(words.options, folder, amends) };
}

async function messageOf(options: readonly Option[], folder: string, amends: boolean): Promise<CommitMessage> {
  const texts = options.filter(({ name }) => name === "-m" || name === "--message").map(({ value = "" }) => value);
  const file = lastValue(options, "-F", "--file");
  const comesFromElsewhere = has(options, "-C", "--reuse-message", "-c", "--reedit-message", "--fixup", "--squash");
  if (comesFromElsewhere || (texts.length > 0 && file !== undefined)) return { kind: "not-known" };
  if (texts.length > 0) return { kind: "subject", subject: subjectOf(texts.join("\n\n")) };
  if (file !== undefined) return fileMessage(file, folder);
  if (amends) return { kind: "kept" };
  return has(options, "--no-edit") ? { kind: "prepared" } : { kind: "not-known" };
}

function has(options: readonly Option[], ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

const MAX_MESSAGE_BYTES = 1_000_000;

async function fileMessage(file: string, folder: string): Promise<CommitMessage> {
  try {
    const path = resolve(folder, file);
    const found = file === "-" ? undefined : await stat(path);
    if (!found?.isFile() || found.size > MAX_MESSAGE_BYTES) return { kind: "not-known" };
    return { kind: "subject", subject: subjectOf(await readFile(path, "utf8")) };
  } catch {
    return { kind: "not-known" }; // removed meanwhile, or not readable
  }
}

/** As git takes it: the lines of the first paragraph, in one. */
function subjectOf(message: string): string {
  const [paragraph = ""] = message.replace(/^\s*\n/, "").split(/\n[ \t\r]*\n/);
  return inOneLine(paragraph);
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** `replaced` is where HEAD was before the move. */
export function fitsWords(move: RefMove, replaced: RefMove | undefined, { amends, message }: CommitWords): boolean {
  const kind = /^commit(?: \(([a-z-]+)\))?: /.exec(move.what);
  if (!kind || (kind[1] === "amend") !== amends) return false;
  if (message.kind === "subject") return inOneLine(move.subject) === message.subject;
  if (message.kind === "kept") return replaced !== undefined && replaced.subject === move.subject;
  return message.kind === "prepared" && (kind[1] === "merge" || kind[1] === "cherry-pick");
}
