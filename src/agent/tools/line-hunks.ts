// Two lists of lines as the places where they differ.
import { diffArrays } from "diff";

/** Lines `start` to before `end` of the base became `lines`. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Lines removed and added. Comparing costs about their square; with more it would be felt. */
const MAX_EDITS = 1200;

/** Nothing where the texts are too different to compare in reasonable time. */
export function hunksOf(old: readonly string[], now: readonly string[]): readonly Hunk[] | undefined {
  const parts = diffArrays([...old], [...now], { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const hunks: Hunk[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    const last = hunks.at(-1);
    const hunk = { start: at, end: removed ? at + value.length : at, lines: added ? value : [] };
    if (!added) at += value.length;
    if (!added && !removed) continue;
    // A replacement comes as two parts, one after the other.
    if (last?.end === hunk.start)
      hunks.splice(-1, 1, { ...last, end: hunk.end, lines: [...last.lines, ...hunk.lines] });
    else hunks.push(hunk);
  }
  return hunks;
}

/** Each with its end, so that a missing last one is a difference like any other. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
