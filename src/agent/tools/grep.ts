// grep: lines that match a regular expression, by ripgrep when it is installed, else by our own walk.
// Both give the same form: `path:line:text`, files in order of their path.
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import type { GrepQuery } from "./grep-query.ts";
import { ripgrep } from "./ripgrep.ts";
import { searchFiles } from "./search-files.ts";
import { shownPath } from "./shown-path.ts";
import { cutLine } from "./text-file.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { fileMatcher } from "./walk.ts";

const MAX_MATCHES = 200;
const MAX_LINE_LENGTH = 300;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(2000)
    .describe("A regular expression; start it with (?i) to ignore case. Escape ( [ { . * as \\( and so on."),
  path: z.string().min(1).optional().describe("Folder or file to search; the session's folder without it."),
  glob: z.string().min(1).max(1000).optional().describe("Only files whose path fits, such as *.ts or src/**/*.css."),
});

export const grepTool = defineTool({
  name: "grep",
  description:
    "Search the text of files for a regular expression. Answers path:line:text, at most 200 lines. " +
    "Binary files, what .gitignore excludes, .git and node_modules are left out.",
  effect: "none",
  input,
  summarize: ({ pattern, path, glob }) =>
    [pattern, path && `in ${path}`, glob && `(${glob})`].filter(Boolean).join(" "),
  subject: ({ path }) => path ?? ".",
  run: search,
});

async function search(asked: z.infer<typeof input>, context: ToolContext): Promise<ToolResult> {
  const { cwd, files, signal } = context;
  const start = files.resolve(cwd, asked.path ?? ".");
  const stats = await files.stat(start);
  if (!stats.ok) return { kind: "failed", output: stats.problem.message };
  const query: GrepQuery = {
    pattern: asked.pattern,
    start,
    isFile: stats.value.kind !== "folder",
    wants: asked.glob ? fileMatcher(asked.glob) : () => true,
    limit: MAX_MATCHES + 1,
  };
  const byRipgrep = await ripgrep(query, signal);
  const answer = byRipgrep.kind === "no-ripgrep" ? await searchFiles(query, context) : byRipgrep;
  if (answer.kind !== "found") return { kind: "failed", output: answer.kind === "failed" ? answer.problem : "" };
  const lines = answer.matches.slice(0, MAX_MATCHES).map(({ path, line, text }) => {
    return `${shownPath(cwd, path)}:${line}:${cutLine(text, MAX_LINE_LENGTH)}`;
  });
  if (answer.matches.length > MAX_MATCHES)
    lines.push(`[there are more than ${MAX_MATCHES} matches: narrow the search]`);
  if (signal.aborted) return { kind: "cancelled", output: lines.join("\n") };
  return { kind: "ok", output: lines.join("\n") || "[nothing matches]" };
}
