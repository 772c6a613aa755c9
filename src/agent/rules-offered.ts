// Which rules a person is offered with a question: only those that would answer the same question by themselves.
// "Always" names a command's first words, or a tool; "never" the same words, or the one file.
import { posix } from "node:path";
import { type ApprovalQuestion, decide, parseRule, type Rule, ruleFor } from "./approvals.ts";
import { splitCommand } from "./shell-words.ts";

export interface RulesOffered {
  readonly allow?: Rule;
  readonly deny?: Rule;
  /** Why there is neither. */
  readonly none?: string;
}

export function rulesOffered(question: ApprovalQuestion): RulesOffered {
  const { rules, tool, subject } = question;
  const allow = ruleFor(tool, subject);
  const deny = tool === "shell" ? allow : denyFor(question);
  const allows = allow && decide({ ...question, rules: { ...rules, allow: [...rules.allow, allow] } }).kind === "allow";
  const denies = deny && decide({ ...question, rules: { ...rules, deny: [...rules.deny, deny] } }).kind === "deny";
  if (!allows && !denies) return { none: whyNone(question) };
  return { ...(allows && { allow }), ...(denies && { deny }) };
}

/** The whole path: the same name in another folder is another file. */
function denyFor({ tool, subject, cwd }: ApprovalQuestion): Rule | undefined {
  if (subject === "") return { tool, text: tool };
  const isPath = !subject.includes("://") && cwd !== undefined;
  const prefix = isPath ? posix.resolve(cwd, subject) : subject;
  const parsed = parseRule(`${tool}(${prefix})`);
  return parsed.ok && parsed.rule.prefix === prefix ? parsed.rule : undefined;
}

function whyNone({ tool, subject }: ApprovalQuestion): string {
  if (tool !== "shell") return "no rule fits";
  const { parts, doubts } = splitCommand(subject);
  if (doubts.length > 0) return `no rule fits: ${doubts.join(", ")}`;
  return parts.length > 1 ? "no rule fits: a rule is about one command, here are several" : "no rule fits";
}
