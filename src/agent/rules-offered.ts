// Which rules a person is offered with a question: only those that would answer the same question by themselves.
// "Always" names a command's words up to what is done, all files of the folder, or one file that is not among those;
// "never" the same words, or the one file.
import { posix } from "node:path";
import { type ApprovalQuestion, decide, type Rule, SHELL } from "./approvals.ts";
import { exactRule, ruleFor } from "./proposed-rule.ts";

export interface RulesOffered {
  readonly allow?: Rule;
  /** What that covers, where its own words do not say it. */
  readonly allowMeans?: string;
  readonly deny?: Rule;
  /** Why one of both is missing. */
  readonly none?: string;
}

export function rulesOffered(question: ApprovalQuestion): RulesOffered {
  const allow = allowsFor(question).find((rule) => answers(question, "allow", rule));
  const deny = deniesFor(question).find((rule) => answers(question, "deny", rule));
  const isWide = allow?.prefix === undefined && question.effect === "reversible";
  const missing = allow && deny ? undefined : whyNone(question, [allow, deny]);
  return {
    ...(allow && { allow }),
    ...(allow && isWide && { allowMeans: "any file of the folder you are in, in every project" }),
    ...(deny && { deny }),
    ...(missing !== undefined && { none: missing }),
  };
}

function answers(question: ApprovalQuestion, kind: "allow" | "deny", rule: Rule): boolean {
  const rules = { ...question.rules, [kind]: [...question.rules[kind], rule] };
  return decide({ ...question, rules }).kind === kind;
}

/** The first that fits is offered. */
function allowsFor({ tool, subject, ...question }: ApprovalQuestion): readonly Rule[] {
  if (tool !== SHELL) return [{ tool, text: tool }, ...pathRule({ tool, subject, ...question })];
  const proposed = ruleFor(subject);
  return proposed.kind === "rule" ? [proposed.rule] : [];
}

/** Forbidding more than was asked about is no danger: the whole command, where nothing shorter is to be had. */
function deniesFor(question: ApprovalQuestion): readonly Rule[] {
  const { tool, subject } = question;
  if (tool !== SHELL) return subject === "" ? [{ tool, text: tool }] : pathRule(question);
  const whole = exactRule(SHELL, subject.trim());
  return [...allowsFor(question), ...(whole?.kind === "rule" ? [whole.rule] : [])];
}

/** The whole path: the same name in another folder is another file. */
function pathRule({ tool, subject, cwd }: ApprovalQuestion): readonly Rule[] {
  if (subject === "") return [];
  const isPath = !subject.includes("://") && cwd !== undefined;
  const exact = exactRule(tool, isPath ? posix.resolve(cwd, subject) : subject);
  return exact?.kind === "rule" ? [exact.rule] : [];
}

function whyNone({ tool, subject }: ApprovalQuestion, [allow, deny]: readonly (Rule | undefined)[]): string {
  const what = allow ? "no never" : deny ? "no always" : "no rule fits";
  const proposed = tool === SHELL ? ruleFor(subject) : undefined;
  if (proposed?.kind === "none") return `${what}: ${proposed.why}`;
  return `${what}: your other rules would still stand in its way`;
}
