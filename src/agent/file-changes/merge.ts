// Three-way merge of texts, line by line: what `theirs` changed of `base` is made in `ours`, which has changes of its
// own. Nothing is guessed: changes that touch each other and differ are a conflict, and so is all that is no text.

import { type Hunk, hunksOf, linesOf } from "../tools/line-hunks.ts";
import { decodeFile, hasWindowsLineEnds, toWindowsLineEnds } from "../tools/text-file.ts";

export type Merged<T> = { readonly clean: T } | { readonly conflict: string };

export function mergeFiles(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Merged<Uint8Array> {
  const texts = [base, ours, theirs].map(decodeFile);
  const [a, b, c] = texts.map((decoded) => (decoded.kind === "text" && decoded.lossless ? decoded.text : undefined));
  if (a === undefined || b === undefined || c === undefined) return { conflict: "it is not text" };
  const merged = mergeTexts(a, b, c);
  return "clean" in merged ? { clean: Buffer.from(merged.clean) } : merged;
}

/** Lines of the result end as those of `ours` do. */
export function mergeTexts(base: string, ours: string, theirs: string): Merged<string> {
  // Somebody changed all line ends: that is one change, not one of every line.
  const [from, to] = isOtherStyle(base, ours) ? [asStyleOf(ours, base), asStyleOf(ours, theirs)] : [base, theirs];
  const old = linesOf(from);
  const ourHunks = hunksOf(old, linesOf(ours));
  const theirHunks = hunksOf(old, linesOf(to));
  if (!ourHunks || !theirHunks) return { conflict: "it changed too much since" };
  return mergeHunks(old, ourHunks, theirHunks);
}

function mergeHunks(old: readonly string[], ours: readonly Hunk[], theirs: readonly Hunk[]): Merged<string> {
  const lines: string[] = [];
  let done = 0;
  for (const { start, end } of regionsOf([...ours, ...theirs])) {
    const region = old.slice(start, end);
    const [a, b] = [ours, theirs].map((hunks) => applyWithin({ old, start, end }, hunks));
    if (!a || !b) throw new Error("two sides were compared");
    const taken = isEqual(a, b) || isEqual(region, b) ? a : isEqual(region, a) ? b : undefined;
    if (!taken) return { conflict: `both changed it at line ${start + 1}` };
    lines.push(...old.slice(done, start), ...taken);
    done = end;
  }
  return { clean: [...lines, ...old.slice(done)].join("") };
}

/** Hunks of both sides that overlap or touch are one region. */
function regionsOf(hunks: readonly Hunk[]): readonly Pick<Hunk, "start" | "end">[] {
  const regions: { start: number; end: number }[] = [];
  for (const { start, end } of hunks.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = regions.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else regions.push({ start, end });
  }
  return regions;
}

function applyWithin(
  { old, start, end }: { readonly old: readonly string[]; readonly start: number; readonly end: number },
  hunks: readonly Hunk[],
): readonly string[] {
  const lines: string[] = [];
  let at = start;
  for (const hunk of hunks.filter((each) => each.start >= start && each.end <= end)) {
    lines.push(...old.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return [...lines, ...old.slice(at, end)];
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

function isOtherStyle(base: string, ours: string): boolean {
  return base.includes("\n") && ours.includes("\n") && hasWindowsLineEnds(base) !== hasWindowsLineEnds(ours);
}

function asStyleOf(model: string, text: string): string {
  return hasWindowsLineEnds(model) ? toWindowsLineEnds(text) : text.replaceAll("\r\n", "\n");
}
