// Walks a folder through the gate, respecting .gitignore as git does: the nearest file that says something decides.
// Skips .git and node_modules, follows no linked folder (a cycle, or a way out). Entries come sorted by path.
import { dirname, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import picomatch from "picomatch";
import type { FileGate, FolderEntry } from "./files.ts";
import { leadsOut } from "./shown-path.ts";

export interface WalkOptions {
  readonly files: FileGate;
  readonly signal: AbortSignal;
}

/** Rules of one folder's .gitignore; paths are tested relative to it. */
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

const SKIPPED = new Set([".git", "node_modules"]);

/** Absolute paths of all files below `start`; ends early when stopped. A folder that cannot be read is passed over. */
export async function* walk(start: string, options: WalkOptions): AsyncGenerator<string> {
  const above = await rulesAbove(start, options.files);
  // Whoever names an ignored folder wants to look into it.
  yield* walkFolder(start, isIgnored(`${start}/`, above) ? [] : above, options);
}

async function* walkFolder(folder: string, above: readonly Rules[], options: WalkOptions): AsyncGenerator<string> {
  if (options.signal.aborted) return;
  const listed = await options.files.list(folder);
  if (!listed.ok) return;
  const rules = await withRulesOf({ folder, entries: listed.value }, above, options.files);
  for (const entry of listed.value.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (options.signal.aborted) return;
    const path = join(folder, entry.name);
    if (entry.kind === "folder") {
      if (!SKIPPED.has(entry.name) && !isIgnored(`${path}/`, rules)) yield* walkFolder(path, rules, options);
    } else if (entry.kind !== "other" && !isIgnored(path, rules)) {
      yield path;
    }
  }
}

/** Of all folders from the repository's root down to the one above `start`. */
async function rulesAbove(start: string, files: FileGate): Promise<readonly Rules[]> {
  const folders: string[] = [];
  for (let at = start; !(await files.exists(join(at, ".git"))); at = dirname(at)) {
    if (dirname(at) === at) return []; // no repository
    folders.unshift(dirname(at));
  }
  let rules: readonly Rules[] = [];
  for (const folder of folders) {
    const listed = await files.list(folder);
    if (listed.ok) rules = await withRulesOf({ folder, entries: listed.value }, rules, files);
  }
  return rules;
}

async function withRulesOf(
  { folder, entries }: { readonly folder: string; readonly entries: readonly FolderEntry[] },
  above: readonly Rules[],
  files: FileGate,
): Promise<readonly Rules[]> {
  if (!entries.some(({ name, kind }) => name === ".gitignore" && kind === "file")) return above;
  const read = await files.read(join(folder, ".gitignore"), { maxBytes: 1024 * 1024 });
  if (!read.ok) return above;
  return [...above, { folder, rules: ignore({ ignorecase: false }).add(new TextDecoder().decode(read.value.bytes)) }];
}

function isIgnored(path: string, rules: readonly Rules[]): boolean {
  const isFolder = path.endsWith("/");
  for (const { folder, rules: own } of rules.toReversed()) {
    const inside = relative(folder, path);
    if (inside === "" || leadsOut(inside)) continue;
    const { ignored, unignored } = own.test(isFolder ? `${inside}/` : inside);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

/** Tests paths relative to where a search starts. A pattern without a slash is about names, at any depth. */
export function fileMatcher(pattern: string, anyDepth = !pattern.includes("/")): (relativePath: string) => boolean {
  return picomatch(pattern.replace(/^\.\//, ""), { dot: true, basename: anyDepth });
}
