// Changes config.json on behalf of the person: a rule they chose to keep, the mode they want from now on. What is in
// the file besides stays as it is; a file that does not parse or does not fit the schema is refused, not repaired.
import type { ApprovalMode } from "../ledger/types.ts";
import { describeIssues } from "./config-issues.ts";
import { type Edited, type Rewritten, rewriteJsonFile } from "./json-file.ts";

export type ConfigChange =
  | { readonly key: "approval.allow" | "approval.deny"; readonly rule: string }
  /** Out of both lists. */
  | { readonly key: "approval.forget"; readonly rule: string }
  | { readonly key: "approval.mode"; readonly mode: ApprovalMode };

export async function updateConfig(file: string, change: ConfigChange): Promise<Rewritten> {
  const { checkConfig } = await import("./schema.ts");
  return rewriteJsonFile(file, (value = {}): Promise<Edited> => {
    const before = checkConfig(value);
    if (!before.ok) return Promise.resolve(describeIssues(file, value, before.issues));
    const changed = applyChange(value, change);
    const after = checkConfig(changed);
    return Promise.resolve(after.ok ? { ok: true, value: changed } : describeIssues(file, changed, after.issues));
  });
}

/** `value` has passed the schema. */
function applyChange(value: unknown, change: ConfigChange): Record<string, unknown> {
  const config = asObject(value);
  const approval = asObject(config.approval);
  if (change.key === "approval.mode") return { ...config, approval: { ...approval, mode: change.mode } };
  if (change.key === "approval.forget") return { ...config, approval: withoutRule(approval, change.rule) };
  const list = change.key === "approval.allow" ? "allow" : "deny";
  const rules: readonly unknown[] = Array.isArray(approval[list]) ? approval[list] : [];
  const more = rules.includes(change.rule) ? rules : [...rules, change.rule];
  return { ...config, approval: { ...approval, [list]: more } };
}

function withoutRule(approval: Record<string, unknown>, rule: string): Record<string, unknown> {
  const lists = (["allow", "deny"] as const).flatMap((key) => {
    const rules: unknown = approval[key];
    return Array.isArray(rules) ? [[key, rules.filter((each) => each !== rule)] as const] : [];
  });
  return { ...approval, ...Object.fromEntries(lists) };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
