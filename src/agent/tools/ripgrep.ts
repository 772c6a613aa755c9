// Searching by the `rg` program: a child process, so the ledger's files are safe from it, and it can be ended at once.
import { once } from "node:events";
import { basename, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { execa } from "execa";
import { baseOf, type GrepAnswer, type GrepMatch, type GrepQuery } from "./grep-query.ts";

const ARGUMENTS = [
  "--no-config",
  "--json",
  "--hidden",
  "--no-require-git",
  "--sort=path",
  "--engine=auto",
  "--no-messages",
  "--glob=!.git",
  "--glob=!node_modules",
];

export async function ripgrep(query: GrepQuery, signal: AbortSignal): Promise<GrepAnswer> {
  if (signal.aborted) return { kind: "found", matches: [] };
  const where = query.isFile ? basename(query.start) : ".";
  const child = execa("rg", [...ARGUMENTS, "--regexp", query.pattern, "--", where], {
    cwd: baseOf(query),
    stdin: "ignore",
    // Lines of the matches are taken as they come; what was complained of is small.
    buffer: { stdout: false, stderr: true },
    reject: false,
  });
  const stop = () => void child.kill("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const matches = child.pid === undefined ? [] : await readMatches(child.stdout, query, stop);
    const result = await child;
    if (result.code === "ENOENT") return { kind: "no-ripgrep" };
    // Exit 1 is "nothing found". Exit 2 without words means that a part could not be read.
    if (result.exitCode === 2 && String(result.stderr).trim() !== "")
      return { kind: "failed", problem: explain(result.stderr) };
    return { kind: "found", matches };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function readMatches(
  stdout: NodeJS.ReadableStream,
  query: GrepQuery,
  stop: () => void,
): Promise<readonly GrepMatch[]> {
  const matches: GrepMatch[] = [];
  const lines = createInterface({ input: stdout, crlfDelay: Infinity });
  lines.on("line", (line) => {
    const match = matches.length < query.limit ? toMatch(line, query) : undefined;
    if (!match) return;
    matches.push(match);
    if (matches.length === query.limit) stop();
  });
  await once(lines, "close");
  return matches;
}

/** Text, or base64 where it is not UTF-8. */
interface RipgrepText {
  readonly text?: string;
  readonly bytes?: string;
}
interface RipgrepLine {
  readonly type: string;
  readonly data: { readonly path: RipgrepText; readonly lines: RipgrepText; readonly line_number: number };
}

function toMatch(line: string, query: GrepQuery): GrepMatch | undefined {
  const parsed = parseLine(line);
  if (parsed?.type !== "match") return undefined;
  const { data } = parsed;
  const path = normalize(textOf(data.path));
  if (!query.wants(path)) return undefined;
  return { path: join(baseOf(query), path), line: data.line_number, text: textOf(data.lines).replace(/\r?\n$/, "") };
}

function parseLine(line: string): RipgrepLine | undefined {
  try {
    return JSON.parse(line) as RipgrepLine;
  } catch {
    return undefined; // the last line of a search that was stopped, cut in its middle
  }
}

function textOf({ text, bytes }: RipgrepText): string {
  return text ?? Buffer.from(bytes ?? "", "base64").toString("utf8");
}

function explain(stderr: unknown): string {
  const words = String(stderr).trim();
  return words.includes("regex") ? `the pattern is not a regular expression: ${words}` : `the search failed: ${words}`;
}
