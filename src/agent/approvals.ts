// Whether a tool call may run: allowed, to be asked, or denied. Pure; who asks a person and how is not known here.
// Deny rules win over everything; an allow rule has to fit every part of a compound command.
import { posix } from "node:path";
import type { ApprovalMode, Effect } from "../ledger/types.ts";
import { type CommandPart, type SplitCommand, splitCommand } from "./shell-words.ts";

/** `edit_file`, `shell(npm test)`, `write_file(docs)`, `web_fetch(https://nodejs.org)` */
export interface Rule {
  readonly tool: string;
  /** Absent: whatever the tool is asked. */
  readonly prefix?: string;
  /** As the person wrote it. */
  readonly text: string;
}
export interface Rules {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
}
export interface ApprovalQuestion {
  readonly mode: ApprovalMode;
  readonly rules: Rules;
  readonly tool: string;
  readonly effect: Effect;
  /** `Tool.subject`: a command, a path, or "". */
  readonly subject: string;
  /** The change would stay inside the session's folder. */
  readonly insideCwd: boolean;
  /** Lets rules about relative paths fit absolute ones, and the other way round. */
  readonly cwd?: string;
}
export type Decision =
  /** `mode`, or the rule's text: what the ledger stores as the approval. */
  | { readonly kind: "allow"; readonly by: string }
  /** For the person who is asked. */
  | { readonly kind: "ask"; readonly why: string }
  /** For the model. */
  | { readonly kind: "deny"; readonly why: string };

export type ParsedRule = { readonly ok: true; readonly rule: Rule } | { readonly ok: false; readonly problem: string };

const SHELL = "shell";

export function decide(question: ApprovalQuestion): Decision {
  const { mode, effect, tool } = question;
  const denied = judgeDeny(question);
  if (denied.kind === "deny") return denied;
  if (mode === "plan" && effect !== "none") {
    return { kind: "deny", why: `plan mode: ${tool} is not run, only reading is; say what you would do instead` };
  }
  if (denied.kind === "ask") return denied;
  if (effect === "none" || mode === "auto") return { kind: "allow", by: "mode" };
  const allowed = judgeAllow(question);
  if (allowed.kind === "allow") return allowed;
  if (mode === "edits" && effect === "reversible" && question.insideCwd && !isSensitive(question.subject)) {
    return { kind: "allow", by: "mode" };
  }
  return allowed;
}

/** The one that asks more. */
export function stricterMode(a: ApprovalMode, b: ApprovalMode): ApprovalMode {
  const order: readonly ApprovalMode[] = ["plan", "ask", "edits", "auto"];
  return order.indexOf(a) <= order.indexOf(b) ? a : b;
}

/** Also understands `shell(npm test:*)` and `shell(npm test *)`, as other tools write it. */
export function parseRule(text: string): ParsedRule {
  const found = /^\s*([A-Za-z][\w.:/-]*)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text);
  if (!found?.[1]) {
    return {
      ok: false,
      problem: `${JSON.stringify(text)} is not a rule; allowed: tool, or tool(prefix) such as shell(npm test)`,
    };
  }
  const [, tool, inside] = found;
  const prefix = inside?.trim().replace(/(?::|\s+)\*$/, "");
  if (prefix === "")
    return {
      ok: false,
      problem: `${JSON.stringify(text)} has nothing between its parentheses; leave them out for every use`,
    };
  if (prefix === undefined || prefix === "*") return { ok: true, rule: { tool, text: text.trim() } };
  const problem = tool === SHELL ? problemOfCommand(prefix) : undefined;
  if (problem) return { ok: false, problem: `${JSON.stringify(text)} ${problem}` };
  return { ok: true, rule: { tool, prefix, text: text.trim() } };
}

function problemOfCommand(prefix: string): string | undefined {
  const { parts, doubts } = splitCommand(prefix);
  if (doubts.length > 0) return `has ${doubts.join(" and ")}; a rule names the first words of one plain command`;
  return parts.length === 1 ? undefined : "has several commands; a rule names the first words of one";
}

// ---- deny ----

function judgeDeny(question: ApprovalQuestion): { readonly kind: "none" } | Exclude<Decision, { kind: "allow" }> {
  const rules = question.rules.deny.filter(({ tool }) => tool === question.tool);
  const isShell = question.tool === SHELL;
  const fits = (rule: Rule) => (isShell ? deniesCommand(rule, question.subject) : fitsSubject(rule, question));
  const hit = rules.find(fits);
  if (hit) return { kind: "deny", why: `the rule ${hit.text} forbids this; do not try it another way` };
  const near = isShell ? rules.find((rule) => mentions(rule, question.subject)) : undefined;
  return near ? { kind: "ask", why: `this may do what the rule ${near.text} forbids` } : { kind: "none" };
}

/** Programs that run the command after their own options. */
const WRAPPERS = new Set([
  "sudo",
  "env",
  "nohup",
  "nice",
  "time",
  "command",
  "builtin",
  "exec",
  "xargs",
  "then",
  "do",
  "else",
  "if",
  "while",
  "until",
  "!",
  "{",
  "(",
]);

function deniesCommand({ prefix }: Rule, command: string): boolean {
  if (prefix === undefined) return true;
  const wanted = wordsOf(prefix);
  return splitCommand(command).parts.some(({ words }) => startsWith(withoutWrappers(words), wanted));
}

function withoutWrappers(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !WRAPPERS.has(word) && !/^\w+=/.test(word));
  const rest = start < 0 ? [] : words.slice(start);
  return rest.map((word, index) => (index === 0 ? posix.basename(word.replace(/^[({]+/, "")) : word));
}

/** The rule's words in this order anywhere, quoted text, substitutions and options between them included. */
function mentions({ prefix }: Rule, command: string): boolean {
  const wanted = wordsOf(prefix ?? "");
  const words = splitCommand(command)
    .parts.flatMap(({ words: own }) => own)
    .flatMap((word) => word.split(/[\s;|&(){}`'"$,]+/))
    .map((word) => posix.basename(word));
  let at = 0;
  for (const word of words) if (word === posix.basename(wanted[at] ?? "")) at++;
  return at >= wanted.length;
}

// ---- allow ----

function judgeAllow(question: ApprovalQuestion): Exclude<Decision, { kind: "deny" }> {
  const rules = question.rules.allow.filter(({ tool }) => tool === question.tool);
  const bare = rules.find(({ prefix }) => prefix === undefined);
  if (bare) return { kind: "allow", by: bare.text };
  if (question.tool === SHELL) return judgeCommand(rules, splitCommand(question.subject));
  const hit = rules.find((rule) => fitsSubject(rule, question));
  if (hit) return { kind: "allow", by: hit.text };
  if (question.effect !== "reversible")
    return { kind: "ask", why: "it acts on the world outside the session's folder" };
  if (!question.insideCwd) return { kind: "ask", why: "it changes a file outside the session's folder" };
  return {
    kind: "ask",
    why: isSensitive(question.subject) ? "it changes what runs or decides later" : "it changes a file",
  };
}

function judgeCommand(rules: readonly Rule[], { parts, doubts }: SplitCommand): Exclude<Decision, { kind: "deny" }> {
  if (rules.length === 0) return { kind: "ask", why: "it runs a command" };
  if (doubts.length > 0) return { kind: "ask", why: `no rule is trusted with ${doubts.join(" and ")}` };
  const hits = parts.map((part) => rules.find((rule) => allowsPart(rule, part)));
  const open = parts.filter((_, index) => hits[index] === undefined);
  if (parts.length === 0) return { kind: "ask", why: "it runs a command" };
  if (open.length > 0) return { kind: "ask", why: `no rule allows ${open.map(({ text }) => text).join(" · ")}` };
  return { kind: "allow", by: [...new Set(hits.map((rule) => rule?.text))].join(" + ") };
}

function allowsPart({ prefix }: Rule, { words }: CommandPart): boolean {
  return prefix !== undefined && startsWith(words, wordsOf(prefix));
}

// ---- matching ----

function wordsOf(prefix: string): readonly string[] {
  return splitCommand(prefix).parts[0]?.words ?? [];
}

function startsWith(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length > 0 && wanted.every((word, index) => words[index] === word);
}

/** Stands in for a folder nobody told: no path that leads upwards out of it can fit a relative rule. */
const NOWHERE = "/\0/\0";

/** Paths and addresses fit a prefix at the border of a segment, never within a name. */
function fitsSubject({ prefix }: Rule, { subject, cwd }: ApprovalQuestion): boolean {
  if (prefix === undefined) return true;
  const normal = (text: string) =>
    (text.includes("://") ? text : posix.resolve(cwd ?? NOWHERE, text)).replace(/\/+$/, "");
  const whole = normal(subject);
  const start = normal(prefix);
  return subject !== "" && (whole === start || whole.startsWith(`${start}/`));
}

/** Files that make later commands run or decide about approvals: a person looks, also when edits go through. */
function isSensitive(path: string): boolean {
  return posix
    .normalize(path)
    .split("/")
    .some((name) => [".git", ".stele.json", ".envrc", ".husky"].includes(name.toLowerCase()));
}

// ---- proposing ----

/** Where the second word names what is done; `run` needs the third as well. */
const TOOLBOXES = new Set(
  "git npm pnpm yarn bun npx deno cargo go make just task docker podman kubectl gh pip pip3 uv poetry dotnet mvn gradle terraform brew apt systemctl".split(
    " ",
  ),
);
/** Programs that run whatever they are told: a rule for one of them names the whole command. */
const RUNNERS = new Set(
  "sh bash zsh dash fish sudo doas env xargs node python python3 perl ruby php ssh nice nohup timeout find awk sed rm dd".split(
    " ",
  ),
);

/** The "always allow this" a person is offered; none for what no rule would cover. */
export function ruleFor(tool: string, subject: string): Rule | undefined {
  if (tool !== SHELL) return { tool, text: tool };
  const { parts, doubts } = splitCommand(subject);
  const [part] = parts;
  if (!part || parts.length > 1 || doubts.length > 0) return undefined;
  const prefix = prefixOf(part);
  const parsed = parseRule(`${SHELL}(${prefix})`);
  // A final ` *` would be read as "whatever follows", which is more than was asked.
  return parsed.ok && parsed.rule.prefix === prefix ? parsed.rule : undefined;
}

function prefixOf({ text, words }: CommandPart): string {
  const [first = "", second = "", third = ""] = words;
  if (RUNNERS.has(posix.basename(first))) return text;
  const named = (word: string) => /^[a-z][\w:.-]*$/.test(word);
  if (!TOOLBOXES.has(first) || !named(second)) return /^[\w./+-]+$/.test(first) ? first : text;
  return ["run", "exec", "x"].includes(second) && named(third) ? `${first} ${second} ${third}` : `${first} ${second}`;
}
