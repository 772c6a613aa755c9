// glob: files by the shape of their path, the newest first.
import { basename, dirname, relative } from "node:path";
import picomatch from "picomatch";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import { shownPath } from "./shown-path.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { fileMatcher, walk } from "./walk.ts";

const MAX_SHOWN = 500;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe("Such as **/*.ts, src/{a,b}/*.json; without a slash it matches names in every folder."),
  path: z.string().min(1).optional().describe("Folder to start in; the session's folder without it."),
});

export const globTool = defineTool({
  name: "glob",
  description:
    "Find files by a pattern for their path. Newest first, at most 500. What .gitignore excludes, .git and node_modules are left out.",
  effect: "none",
  input,
  summarize: ({ pattern, path }) => (path ? `${pattern} in ${path}` : pattern),
  subject: ({ path }) => path ?? ".",
  run: findFiles,
});

async function findFiles(asked: z.infer<typeof input>, context: ToolContext): Promise<ToolResult> {
  const { cwd, files, signal } = context;
  const { base, matches } = splitPattern(asked.pattern);
  const start = files.resolve(files.resolve(cwd, asked.path ?? "."), base);
  const stats = await files.stat(start);
  if (!stats.ok) return { kind: "failed", output: stats.problem.message };
  if (stats.value.kind !== "folder") return { kind: "failed", output: `${shownPath(cwd, start)} is not a folder` };
  const found: { readonly path: string; readonly modifiedAt: number }[] = [];
  for await (const path of walk(start, context)) {
    if (!matches(relative(start, path))) continue;
    const stat = await files.stat(path);
    if (stat.ok) found.push({ path, modifiedAt: stat.value.modifiedAt });
  }
  const paths = found.toSorted((a, b) => b.modifiedAt - a.modifiedAt).map(({ path }) => shownPath(cwd, path));
  const lines = paths.slice(0, MAX_SHOWN);
  if (paths.length > MAX_SHOWN)
    lines.push(`[the newest ${MAX_SHOWN} of ${paths.length}; narrow the pattern for the others]`);
  if (signal.aborted) return { kind: "cancelled", output: lines.join("\n") };
  return { kind: "ok", output: lines.join("\n") || "[no file matches]" };
}

/** The part without wildcards is where the walk starts: faster, and it may be absolute or lead upwards. */
function splitPattern(pattern: string): { readonly base: string; readonly matches: (path: string) => boolean } {
  const { base, glob, negated } = picomatch.scan(pattern);
  if (negated || !pattern.includes("/")) return { base: "", matches: fileMatcher(pattern) };
  if (glob === "") return { base: dirname(base), matches: (path) => path === basename(base) };
  return { base, matches: fileMatcher(glob, false) };
}
