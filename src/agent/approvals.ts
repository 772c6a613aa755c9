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
  /** Where the write would land, links resolved; absent outside the folder. */
  readonly landsOn?: string;
}
export type Decision =
  /** `mode`, or the rule's text: what the ledger stores as the approval. */
  | { readonly kind: "allow"; readonly by: string }
  /** For the person who is asked. */
  | { readonly kind: "ask"; readonly why: string }
  /** For the model. */
  | { readonly kind: "deny"; readonly why: string };

export type ParsedRule = { readonly ok: true; readonly rule: Rule } | { readonly ok: false; readonly problem: string };

export const SHELL = "shell";

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
  if (mode === "edits" && effect === "reversible" && question.insideCwd && !isDelicate(question)) {
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
  return splitCommand(command).parts.some(({ words }) => readings(words).some((each) => startsWith(each, wanted)));
}

/** A wrapper may be what is forbidden, or what it runs; a program is known by its path and by its name. */
function readings(words: readonly string[]): readonly (readonly string[])[] {
  const start = words.findIndex((word) => !WRAPPERS.has(posix.basename(word)) && !/^\w+=/.test(word));
  return words.slice(0, start < 0 ? words.length : start + 1).flatMap((word, at) => {
    const program = word.replace(/^[({]+/, "");
    const rest = words.slice(at + 1);
    return [
      [program, ...rest],
      [posix.basename(program), ...rest],
    ];
  });
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
  if (question.tool === SHELL) {
    const bare = rules.find(({ prefix }) => prefix === undefined);
    return bare ? { kind: "allow", by: bare.text } : judgeCommand(rules, splitCommand(question.subject));
  }
  const hit = rules.find((rule) => allowsSubject(rule, question));
  if (hit) return { kind: "allow", by: hit.text };
  if (question.effect !== "reversible")
    return { kind: "ask", why: "it acts on the world outside the session's folder" };
  if (!question.insideCwd) return { kind: "ask", why: "it changes a file outside the session's folder" };
  return {
    kind: "ask",
    why: isDelicate(question) ? "it changes what runs or decides later" : "it changes a file",
  };
}

/** What makes or decides something later is covered only by a rule that names it; what lies outside, by its path. */
function allowsSubject(rule: Rule, question: ApprovalQuestion): boolean {
  const isFile = question.effect === "reversible";
  if (rule.prefix === undefined) return !isFile || (question.insideCwd && !isDelicate(question));
  const rest = restOfSubject(rule.prefix, question);
  if (rest === undefined || !isFile || rest === "") return rest !== undefined;
  const isHidden = !isSensitive(question.subject) && isDelicate(question);
  return !isSensitive(rest) && !isHidden;
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

function fitsSubject({ prefix }: Rule, question: ApprovalQuestion): boolean {
  return prefix === undefined || restOfSubject(prefix, question) !== undefined;
}

/** What follows the prefix. Paths and addresses fit one at the border of a segment, never within a name. */
function restOfSubject(prefix: string, { subject, cwd }: ApprovalQuestion): string | undefined {
  const normal = (text: string) =>
    (text.includes("://") ? text : posix.resolve(cwd ?? NOWHERE, text)).replace(/\/+$/, "");
  const whole = normal(subject);
  const start = normal(prefix);
  if (subject === "" || (whole !== start && !whole.startsWith(`${start}/`))) return undefined;
  return whole.slice(start.length);
}

function isDelicate({ subject, landsOn = "" }: ApprovalQuestion): boolean {
  return isSensitive(subject) || isSensitive(landsOn);
}

/** Files that make later commands run or decide about approvals: a person looks, also when edits go through. */
function isSensitive(path: string): boolean {
  return posix
    .normalize(path)
    .split("/")
    .some((name) => [".git", ".stele.json", ".envrc", ".husky"].includes(name.toLowerCase()));
}
