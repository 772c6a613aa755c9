// What was cut, newest first: cuts in a row are one entry, yank puts the newest back, and then one older at a time.
import type { Line } from "./composer-buffer.ts";

export type CutRing = readonly (readonly Line[])[];

/** As many as anybody turns through; older ones are forgotten. */
const kept = 20;

/** `joins`: it follows a cut directly; `side`: of the cursor, where it stood. */
export function addCut(
  ring: CutRing,
  removed: readonly Line[],
  { joins, side }: { readonly joins: boolean; readonly side: "before" | "after" },
): CutRing {
  const [newest, ...older] = ring;
  if (!joins || newest === undefined) return [removed, ...ring].slice(0, kept);
  return [side === "before" ? joinLines(removed, newest) : joinLines(newest, removed), ...older];
}

function joinLines(first: readonly Line[], second: readonly Line[]): readonly Line[] {
  const seam = [...(first.at(-1) ?? []), ...(second[0] ?? [])];
  return [...first.slice(0, -1), seam, ...second.slice(1)];
}
