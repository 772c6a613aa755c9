// edit_file: one exact text of a file replaced by another. Guesses nothing: what does not stand there exactly once is
// refused with what does stand there. Line ends of the file are kept, whatever the model used.
import { distance } from "fastest-levenshtein";
import * as z from "zod";
import { changeFile, describeChange } from "./change-file.ts";
import { defineTool } from "./define-tool.ts";
import type { FileGate, WriteTarget } from "./files.ts";
import { cutLine, decodeFile, hasWindowsLineEnds, splitLines, toWindowsLineEnds } from "./text-file.ts";

const input = z.strictObject({
  path: z.string().min(1).describe("Relative to the session's folder, or absolute."),
  old: z
    .string()
    .min(1)
    .describe("The text to replace, exactly as it stands in the file, white space included, without line numbers."),
  new: z.string().describe("What takes its place; empty to remove it."),
  all: z.boolean().optional().describe("Replace every occurrence; without it there must be exactly one."),
});
type EditInput = z.infer<typeof input>;

type Edit =
  | { readonly ok: true; readonly target: WriteTarget; readonly after: Uint8Array }
  | { readonly ok: false; readonly problem: string };

export const editFileTool = defineTool({
  name: "edit_file",
  description:
    "Replace one exact piece of text in a file that was read before. Give enough lines around the change that `old` stands " +
    "in the file only once, or set `all`. The answer is the diff.",
  effect: "reversible",
  input,
  summarize: ({ path }) => path,
  subject: ({ path }) => path,
  async obstacle(asked, { cwd, files }) {
    const edit = await planEdit(asked, cwd, files);
    return edit.ok ? undefined : edit.problem;
  },
  async preview(asked, { cwd, files }) {
    const edit = await planEdit(asked, cwd, files);
    return edit.ok ? describeChange({ asked: asked.path, target: edit.target, after: edit.after }) : undefined;
  },
  async run(asked, context) {
    const edit = await planEdit(asked, context.cwd, context.files);
    if (!edit.ok) return { kind: "failed", output: edit.problem };
    return changeFile({ asked: asked.path, target: edit.target, after: edit.after }, context);
  },
});

async function planEdit(asked: EditInput, cwd: string, files: FileGate): Promise<Edit> {
  const target = await files.target(cwd, asked.path, { mayBeUnread: true });
  if (!target.ok) return { ok: false, problem: target.problem.message };
  if (!target.value.before) return { ok: false, problem: `${asked.path} does not exist: write_file creates files` };
  const decoded = decodeFile(target.value.before.bytes);
  if (decoded.kind === "binary")
    return { ok: false, problem: `${asked.path} is ${decoded.what}: it has no text to edit` };
  if (!decoded.lossless)
    return { ok: false, problem: `${asked.path} is not UTF-8: an edit would damage the rest of it` };
  const replaced = replaceText(decoded.text, asked);
  if (!replaced.ok) return { ok: false, problem: `${asked.path}: ${replaced.problem}` };
  return { ok: true, target: target.value, after: Buffer.from(replaced.text) };
}

type Replaced = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Exported for its tests: all that edit_file decides without a disk. */
export function replaceText(text: string, asked: Pick<EditInput, "old" | "new" | "all">): Replaced {
  if (asked.old === asked.new) return { ok: false, problem: "old and new are the same: there is nothing to change" };
  const old = text.includes(asked.old) ? asked.old : toWindowsLineEnds(asked.old);
  // In a file of both kinds the replaced lines say which ones belong here.
  const isWindows = old.includes("\n") ? hasWindowsLineEnds(old) : hasWindowsLineEnds(text);
  const now = isWindows ? toWindowsLineEnds(asked.new) : asked.new;
  const pieces = text.split(old);
  const found = pieces.length - 1;
  if (found === 0) return { ok: false, problem: explainMissing(text, asked.old) };
  if (found > 1 && !asked.all) return { ok: false, problem: explainMany(pieces, old) };
  return { ok: true, text: pieces.join(now) };
}

function explainMany(pieces: readonly string[], old: string): string {
  let line = 1;
  const places = pieces.slice(0, -1).map((piece) => {
    const place = line + piece.split("\n").length - 1;
    line = place + old.split("\n").length - 1;
    return place;
  });
  const lines = `${places.slice(0, 10).join(", ")}${places.length > 10 ? ", …" : ""}`;
  return `old was found ${places.length} times (lines ${lines}): give more of the lines around it, or set all`;
}

/** Comparing costs length times length: lines are looked at up to here. */
const COMPARED_LENGTH = 300;
const COMPARED_LINES = 20_000;

function explainMissing(text: string, old: string): string {
  const wanted = splitLines(old).find((line) => line.trim() !== "") ?? old;
  if (/^\s*\d+\t/.test(wanted))
    return "old was not found: leave out the line numbers that read_file puts before each line";
  const lines = splitLines(text).slice(0, COMPARED_LINES);
  const nearest = nearestLine(lines, wanted.trim().slice(0, COMPARED_LENGTH));
  if (!nearest) return "old was not found, nor a line like it";
  const shown = `line ${nearest.number}: ${JSON.stringify(cutLine(nearest.line, 200))}`;
  if (nearest.line === wanted)
    return `old was not found: its first line is there, but the text goes on otherwise after ${shown}`;
  if (nearest.far === 0) return `old was not found: only the white space differs in ${shown}`;
  return `old was not found; the nearest is ${shown}`;
}

function nearestLine(
  lines: readonly string[],
  wanted: string,
): { readonly number: number; readonly line: string; readonly far: number } | undefined {
  let best: { readonly number: number; readonly line: string; readonly far: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const candidate = line.trim().slice(0, COMPARED_LENGTH);
    const limit = best?.far ?? Math.ceil(wanted.length / 2) + 1;
    if (Math.abs(candidate.length - wanted.length) >= limit) continue;
    const far = distance(candidate, wanted);
    if (far < limit) best = { number: index + 1, line, far };
    if (far === 0) break;
  }
  return best;
}
