// The rule that "always" would store for a command. A rule covers whatever follows its words, so it has to reach the
// word that says what is done: never a program alone that does many things, nor one that runs what it is told.
import { posix } from "node:path";
import { parseRule, type Rule, SHELL } from "./approvals.ts";
import { type CommandPart, splitCommand } from "./shell-words.ts";

export type Proposed =
  | { readonly kind: "rule"; readonly rule: Rule }
  /** Why there is none, for the person who is asked. */
  | { readonly kind: "none"; readonly why: string };

/** Programs whose next word names what is done. */
const TOOLBOXES = new Set(
  (
    "git npm pnpm yarn bun npx bunx deno cargo rustup go make gmake just task docker podman docker-compose kubectl helm gh " +
    "glab pip pip3 pipx uv uvx poetry conda gem bundle composer dotnet mvn gradle terraform tofu pulumi brew apt apt-get " +
    "dnf yum pacman snap systemctl service launchctl aws gcloud az fly heroku vercel svn hg jj nix"
  ).split(" "),
);
/** Those that name it in two words. */
const NESTED = new Set("aws gh glab".split(" "));
/** Those that name it in as many as they like: a rule names the whole command. */
const DEEP = new Set("gcloud az".split(" "));
/** Verbs that only begin to say it. */
const HALF_VERBS = new Set("run exec x compose container image volume network system config remote stash".split(" "));
/** Their `run` is of the project at hand. */
const RUN_IS_WHOLE = new Set(["cargo", "dotnet"]);

/** Programs that run whatever they are told: a rule for one of them names the whole command. */
const RUNNERS = new Set(
  (
    "sh bash zsh dash fish pwsh sudo doas su env xargs parallel node nodejs tsx python pypy perl ruby php lua java ssh nice " +
    "nohup setsid timeout watch strace chroot busybox find awk sed tee rm dd"
  ).split(" "),
);

/** Options before the verb that take the next word; any other one in this place leaves the verb unclear. */
const WITH_VALUE: Readonly<Record<string, string>> = {
  git: "-C -c --git-dir --work-tree --namespace --config-env",
  npm: "--prefix -C -w --workspace --userconfig --registry",
  pnpm: "-C --dir --filter -F --prefix",
  yarn: "--cwd",
  bun: "--cwd",
  cargo: "-C --config -Z --color --manifest-path",
  go: "-C",
  make: "-C -f -I --directory --file --makefile",
  gmake: "-C -f -I --directory --file --makefile",
  docker: "-H --host --context -c --config -l --log-level",
  podman: "--connection -c --url --log-level",
  "docker-compose": "-f --file -p --project-name --profile --env-file --project-directory",
  kubectl: "-n --namespace --context --kubeconfig --cluster --user -s --server",
  helm: "-n --namespace --kube-context --kubeconfig",
  gh: "-R --repo",
  systemctl: "-H --host -M --machine",
  aws: "--profile --region --output --endpoint-url",
  gcloud: "--project --account --configuration --format",
};
/** Those that stand alone, by any program that knows them. */
const ALONE = new Set(
  "--no-pager --paginate --bare --no-optional-locks --silent -s --quiet -q --yes -y --global -g --offline --user".split(
    " ",
  ),
);
/** They end a program before it does anything else. */
const TELLING = new Set(["--version", "--help"]);

export function ruleFor(subject: string): Proposed {
  const { parts, doubts } = splitCommand(subject);
  const [part] = parts;
  if (doubts.length > 0) return none(doubts.join(", "));
  if (parts.length > 1) return none("a rule is about one command, here are several");
  const prefix = part && prefixOf(part);
  if (prefix === undefined) return none(`a rule for ${part?.text ?? "nothing"} would cover whatever follows it`);
  return exactRule(SHELL, prefix) ?? none("it cannot be written as one");
}

/** Undefined where it would be read as something else: a final ` *` means "whatever follows". */
export function exactRule(tool: string, prefix: string): Proposed | undefined {
  const parsed = parseRule(`${tool}(${prefix})`);
  return parsed.ok && parsed.rule.prefix === prefix ? { kind: "rule", rule: parsed.rule } : undefined;
}

function none(why: string): Proposed {
  return { kind: "none", why };
}

function prefixOf({ text, words }: CommandPart): string | undefined {
  const [first = ""] = words;
  const program = posix.basename(first).replace(/^(python|pypy|pip)[\d.]+$/, "$1");
  if (words.length === 2 && TELLING.has(words[1] ?? "")) return text;
  if (RUNNERS.has(program)) return isSaid(words) ? text : undefined;
  if (!TOOLBOXES.has(program)) return /^[\w./+-]+$/.test(first) ? first : text;
  return verbPrefix(program, { text, words });
}

/** What it runs is named, and that says what it does. */
function isSaid(words: readonly string[]): boolean {
  const isProgram = (word: string) => TOOLBOXES.has(posix.basename(word)) || RUNNERS.has(posix.basename(word));
  const at = words.findIndex((word, index) => index > 0 && isProgram(word));
  if (at < 0) return words.slice(1).some(isPlain);
  const inner = words.slice(at);
  return prefixOf({ text: inner.join(" "), words: inner }) !== undefined;
}

function verbPrefix(program: string, { text, words }: CommandPart): string | undefined {
  const { at, isUnclear } = verbAt(program, words);
  // Of two words one is the verb, whether or not the option takes the first.
  if (isUnclear) return words.slice(at).filter(isPlain).length >= 2 ? text : undefined;
  const verb = words[at];
  if (verb === undefined) return undefined;
  if (DEEP.has(program)) return text;
  const isHalf = NESTED.has(program) || (HALF_VERBS.has(verb) && !RUN_IS_WHOLE.has(program));
  const upTo = words.slice(0, at + (isHalf ? 2 : 1));
  // Half a verb with an option behind it, or nothing, says too little to stand for what may follow.
  if (isHalf && !isNamed(words[at + 1] ?? "")) return words.slice(at + 1).some(isPlain) ? text : undefined;
  return upTo.every((word) => /^[\w@%+=:,./-]+$/.test(word)) && isNamed(verb) ? upTo.join(" ") : text;
}

/** Where the verb stands; past the end when there is none. */
function verbAt(program: string, words: readonly string[]): { at: number; isUnclear: boolean } {
  const valued = new Set((WITH_VALUE[program] ?? "").split(" "));
  let at = 1;
  for (let word = words[at]; word !== undefined && !isPlain(word); word = words[at]) {
    const isWhole = ALONE.has(word) || /^--[\w-]+=/.test(word) || /^-[A-Za-z]\d+$/.test(word) || word.startsWith("+");
    if (!isWhole && !valued.has(word)) return { at, isUnclear: true };
    at += isWhole ? 1 : 2;
  }
  return { at, isUnclear: false };
}

function isPlain(word: string): boolean {
  return !word.startsWith("-") && !word.startsWith("+");
}

function isNamed(word: string): boolean {
  return /^[A-Za-z][\w:.-]*$/.test(word);
}
