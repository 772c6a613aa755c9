// Searching without ripgrep: our own walk, every file through the gate, JavaScript's regular expressions.
// A pattern that backtracks without end is cut off per file, so that it cannot freeze the screen for long.
import { relative } from "node:path";
import { types } from "node:util";
import { createContext, Script } from "node:vm";
import { baseOf, type GrepAnswer, type GrepMatch, type GrepQuery } from "./grep-query.ts";
import { decodeFile, splitLines } from "./text-file.ts";
import { type WalkOptions, walk } from "./walk.ts";

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const FILE_TIMEOUT_MS = 500;

export async function searchFiles(query: GrepQuery, options: WalkOptions): Promise<GrepAnswer> {
  const compiled = compile(query.pattern);
  if (!compiled.ok) return { kind: "failed", problem: compiled.problem };
  const matches: GrepMatch[] = [];
  for await (const path of query.isFile ? [query.start] : walk(query.start, options)) {
    if (matches.length >= query.limit) break;
    if (!query.wants(relative(baseOf(query), path))) continue;
    const read = await options.files.read(path, { maxBytes: MAX_FILE_BYTES, signal: options.signal });
    if (!read.ok) {
      if (query.isFile) return { kind: "failed", problem: read.problem.message };
      continue;
    }
    const decoded = decodeFile(read.value.bytes);
    if (decoded.kind === "binary") continue;
    const lines = splitLines(decoded.text);
    const found = compiled.find(lines, query.limit - matches.length);
    if (!found) return { kind: "failed", problem: `the pattern takes too long on ${path}: make it simpler` };
    for (const index of found) matches.push({ path, line: index + 1, text: lines[index] ?? "" });
  }
  return { kind: "found", matches };
}

type Compiled =
  /** Indexes of matching lines, or nothing when time ran out. */
  | { readonly ok: true; find(lines: readonly string[], limit: number): readonly number[] | undefined }
  | { readonly ok: false; readonly problem: string };

/** Only code run through node:vm can be interrupted; its watchdog also stops a regular expression. */
const SCAN = new Script(`
  var found = [];
  for (let index = 0; index < lines.length && found.length < limit; index++) {
    if (expression.test(lines[index])) found.push(index);
  }
  found;
`);

function compile(pattern: string): Compiled {
  const ignoresCase = pattern.startsWith("(?i)");
  let expression: RegExp;
  try {
    expression = new RegExp(ignoresCase ? pattern.slice(4) : pattern, ignoresCase ? "i" : "");
  } catch (error) {
    return { ok: false, problem: `the pattern is not a regular expression: ${(error as Error).message}` };
  }
  const scope = createContext({ expression, lines: [] as readonly string[], limit: 0 });
  return {
    ok: true,
    find(lines, limit) {
      Object.assign(scope, { lines, limit });
      try {
        return Array.from(SCAN.runInContext(scope, { timeout: FILE_TIMEOUT_MS }) as readonly number[]);
      } catch (error) {
        // An error of the other context, where `Error` is another one.
        if (types.isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
          return undefined;
        throw error;
      }
    },
  };
}
