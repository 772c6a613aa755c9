// Line differences of a file's two texts: data for front ends, and the short form a model and an approval see.
// One line of that form is a line number, a sign (" ", "-", "+") and the text, as in `  12 + const at = 1`:
// numbers of the old file on removed lines, of the new one on all others.
import { structuredPatch } from "diff";
import { cutLine } from "./text-file.ts";

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly number: number;
  readonly text: string;
}
export interface FileDiff {
  readonly added: number;
  readonly removed: number;
  /** Absent: the texts are too different to compare in reasonable time; the counts are those of whole files. */
  readonly hunks?: readonly (readonly DiffLine[])[];
}

const CONTEXT_LINES = 2;
const MAX_EDITS = 4000;
const MAX_SHOWN_LINES = 160;
const MAX_LINE_LENGTH = 300;

export function diffTexts(before: string, after: string): FileDiff {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  if (!patch) return { removed: before.split("\n").length, added: after.split("\n").length };
  const hunks = patch.hunks.map(({ oldStart, newStart, lines }) => numberLines(oldStart, newStart, lines));
  const count = (sign: string) => hunks.flat().filter((line) => line.sign === sign).length;
  return { added: count("+"), removed: count("-"), hunks };
}

/** `src/a.ts +4 -1` and the changed places. */
export function formatDiff(path: string, diff: FileDiff): string {
  const head = `${path} +${diff.added} -${diff.removed}`;
  if (!diff.hunks) return `${head}\n[too many changes to show]`;
  const width = Math.max(0, ...diff.hunks.flat().map(({ number }) => String(number).length)) + 2;
  const lines = diff.hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [`${" ".repeat(width - 1)}…`] : []),
    ...hunk.map((line) => formatLine(line, width)),
  ]);
  const hidden = lines.length - MAX_SHOWN_LINES;
  return [
    head,
    ...lines.slice(0, MAX_SHOWN_LINES),
    ...(hidden > 0 ? [`[${hidden} more lines of this diff]`] : []),
  ].join("\n");
}

function formatLine({ sign, number, text }: DiffLine, width: number): string {
  return `${String(number).padStart(width)} ${sign} ${cutLine(text, MAX_LINE_LENGTH)}`.trimEnd();
}

function numberLines(oldStart: number, newStart: number, lines: readonly string[]): readonly DiffLine[] {
  let oldNumber = oldStart;
  let newNumber = newStart;
  return lines.flatMap((line): readonly DiffLine[] => {
    const text = line.slice(1).replace(/\r$/, "");
    if (line.startsWith("\\")) return []; // "No newline at end of file"
    if (line.startsWith("-")) return [{ sign: "-", number: oldNumber++, text }];
    if (line.startsWith("+")) return [{ sign: "+", number: newNumber++, text }];
    oldNumber++;
    return [{ sign: " ", number: newNumber++, text }];
  });
}
