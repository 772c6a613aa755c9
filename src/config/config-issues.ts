// Words for what is wrong in a config file: the file, the dotted key, what was found, what is allowed.
import { nearestNames } from "../agent/tools/nearest-names.ts";
import type { Failure } from "./json-file.ts";
import type { ConfigIssue, KeyPath } from "./schema.ts";

const MAX_FOUND = 60;
/** No command reads a file that is broken: what may stand there is in the manual. */
const keysHint = " docs/keys.md lists every action; without `keys` in the file stele starts, and ? lists them.";

/** One line an issue. */
export function describeIssues(file: string, value: unknown, issues: readonly ConfigIssue[]): Failure {
  return {
    ok: false,
    problem: issues.map((issue) => `${file}: ${describeIssue(issue, value)}`).join("\n"),
    hint: `Correct the file and start again.${issues.some(({ path }) => path[0] === "keys") ? keysHint : ""}`,
  };
}

export function describeIssue(issue: ConfigIssue, value: unknown): string {
  const key = dotted(issue.path);
  switch (issue.kind) {
    case "unknown-key":
      return `unknown key ${key}; ${suggestKey(issue)}`;
    case "bad-name":
      return `${key}: this name is not allowed; allowed: ${issue.allowed}`;
    case "refused":
      return `${key}: ${issue.sentence}`;
    case "bad-value":
      return `${key === "" ? "the content" : key} is ${found(issue.path, value)}; allowed: ${issue.allowed}`;
  }
}

export function dotted(path: KeyPath): string {
  return path.map(String).join(".");
}

function suggestKey({ path, known }: Extract<ConfigIssue, { kind: "unknown-key" }>): string {
  const [nearest] = nearestNames(String(path.at(-1)), known);
  if (nearest === undefined) return `allowed: ${known.join(", ")}`;
  return `did you mean ${dotted([...path.slice(0, -1), nearest])}?`;
}

/** Short, and never a secret that was put where its place is not. */
function found(path: KeyPath, value: unknown): string {
  const there = valueAt(value, path);
  if (there === undefined) return "missing";
  if (typeof there === "string" && mayHoldSecret(path.at(-1), there)) {
    return `a text of ${there.length} characters (not shown)`;
  }
  if (Array.isArray(there)) return "a list";
  if (typeof there === "object" && there !== null) return "an object";
  const shown = JSON.stringify(there);
  return shown.length <= MAX_FOUND ? shown : `${shown.slice(0, MAX_FOUND)}…`;
}

function mayHoldSecret(key: PropertyKey | undefined, text: string): boolean {
  return key === "apiKeyEnv" || (key === "baseURL" && text.includes("@"));
}

export function valueAt(value: unknown, path: KeyPath): unknown {
  let at = value;
  for (const key of path) at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined;
  return at;
}
