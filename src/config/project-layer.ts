// Which values of the project's file are taken. From a folder that nobody has trusted: the model, context files, deny
// rules and an approval mode that asks more. All else is named and left out. Imports zod: to be imported lazily.
import { stricterMode } from "../agent/approvals.ts";
import type { ApprovalMode } from "../ledger/types.ts";
import { APPROVAL_MODES, type ConfigLayer } from "./config.ts";
import { describeIssue, describeIssues, dotted, valueAt } from "./config-issues.ts";
import type { Failure } from "./json-file.ts";
import { checkConfig, type KeyPath } from "./schema.ts";

export interface Ignored {
  readonly file: string;
  /** Dotted. */
  readonly key: string;
  readonly why: string;
}

export interface ProjectLayer {
  readonly ok: true;
  readonly layer: ConfigLayer;
  /** What was taken, as it is written. */
  readonly written: unknown;
  readonly ignored: readonly Ignored[];
  /** Something is there that only trust would let in. */
  readonly asksForTrust: boolean;
}

/** Unknown keys are named but do not stop anybody: the file may be made for another version. */
export function readProjectLayer(
  file: string,
  value: unknown,
  { mode, isTrusted }: { readonly mode: ApprovalMode; readonly isTrusted: boolean },
): ProjectLayer | Failure {
  const unknown = new Map([...unknownKeys(value), ...personsKeys(value)]);
  const known = withoutKeys(value, [...unknown.keys()]);
  const withheld = keysThatNeedTrust(known, mode);
  const written = isTrusted ? known : withoutKeys(known, [...withheld.keys()]);
  const checked = checkConfig(written);
  if (!checked.ok) return describeIssues(file, written, checked.issues);
  const left = [...unknown, ...(isTrusted ? [] : withheld)];
  return {
    ok: true,
    layer: checked.layer,
    written,
    ignored: left.map(([key, why]) => ({ file, key: dotted(key), why })),
    asksForTrust: withheld.size > 0,
  };
}

type KeysAndReasons = ReadonlyMap<KeyPath, string>;

function unknownKeys(value: unknown): KeysAndReasons {
  const checked = checkConfig(value);
  const issues = checked.ok ? [] : checked.issues.filter(({ kind }) => kind === "unknown-key");
  return new Map(issues.map((issue) => [issue.path, describeIssue(issue, value)]));
}

/** What no folder sets, trusted or not. */
function personsKeys(value: unknown): KeysAndReasons {
  if (!keysOf(value).includes("keys")) return new Map();
  return new Map([[["keys"], "keys are set in your own config file only"]]);
}

function keysThatNeedTrust(value: unknown, mode: ApprovalMode): KeysAndReasons {
  const keys = new Map<KeyPath, string>();
  for (const key of keysOf(value)) {
    if (key === "model" || key === "contextFiles" || key === "approval") continue;
    const names = key === "providers" || key === "aliases" ? keysOf(valueAt(value, [key])) : [];
    const paths = names.length === 0 ? [[key]] : names.map((name) => [key, name]);
    for (const at of paths) keys.set(at, "taken only from a folder you trust");
  }
  if (keysOf(valueAt(value, ["approval"])).includes("allow")) {
    keys.set(["approval", "allow"], "allow rules are taken only from a folder you trust");
  }
  const wanted = APPROVAL_MODES.find((one) => one === valueAt(value, ["approval", "mode"]));
  if (wanted !== undefined && stricterMode(wanted, mode) !== wanted) {
    keys.set(["approval", "mode"], `"${wanted}" asks less than your "${mode}"; taken only from a folder you trust`);
  }
  return keys;
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

/** A copy; the paths are keys of objects. */
function withoutKeys(value: unknown, paths: readonly KeyPath[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const at of paths) {
    const parent = valueAt(copy, at.slice(0, -1));
    const key = at.at(-1);
    if (typeof parent === "object" && parent !== null && key !== undefined) Reflect.deleteProperty(parent, key);
  }
  return copy;
}
