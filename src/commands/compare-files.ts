// What two ends of a tree did to files since they parted: each path once a side, with the lines that came and went, and
// marked where both changed it.
import { relative } from "node:path";
import type { Side } from "../ledger/path-diff.ts";
import type { CommandContext, SideRow } from "./command.ts";
import { shownPath } from "./file-preview.ts";
import { isSame, type NetChange, netChanges } from "./net-changes.ts";
import { diffOf } from "./pick-file.ts";

const SHOWN = 30;
/** Lines are counted in texts of as many characters, and so long: what is left only has no counts. */
const COUNTED = 200_000;
const COUNTING_MS = 300;

export interface ComparedFiles {
  readonly rows: readonly SideRow[];
  readonly told: readonly string[];
  /** Of each side. */
  readonly json: readonly (readonly object[])[];
}

export async function comparedFiles(context: CommandContext, sides: readonly [Side, Side]): Promise<ComparedFiles> {
  const [left, right] = [netChanges(sides[0].changes), netChanges(sides[1].changes)];
  const paths = [...new Set([...left.keys(), ...right.keys()])].sort();
  const until = performance.now() + COUNTING_MS;
  const counts = new Map<NetChange, string>();
  for (const change of paths.slice(0, SHOWN).flatMap((path) => [left.get(path) ?? [], right.get(path) ?? []].flat())) {
    const diff = performance.now() < until ? await diffOf(context, change, COUNTED) : undefined;
    counts.set(change, diff ? `  +${diff.added} -${diff.removed}` : "");
  }
  const rows = paths.slice(0, SHOWN).map((path) => rowOf([left.get(path), right.get(path)], counts));
  const more = paths.length - SHOWN;
  const heads = { left: [fileCount(left.size)], right: [fileCount(right.size)] };
  return {
    rows: paths.length === 0 ? [] : [heads, ...rows, ...(more > 0 ? [{ left: [`… ${more} more`], right: [] }] : [])],
    told: paths.some((path) => left.has(path) && right.has(path))
      ? ["≠ and = : both changed it, to different ends or to the same."]
      : [],
    json: [left, right].map((side) => [...side.values()].map(changeJson)),
  };
}

function rowOf(
  pair: readonly [NetChange | undefined, NetChange | undefined],
  counts: ReadonlyMap<NetChange, string>,
): SideRow {
  const [one, two] = pair;
  const mark = one && two ? (isSame(one.after, two.after) ? "= " : "≠ ") : "  ";
  const words = (change: NetChange | undefined) =>
    change ? [`${mark}${shownPath(change)}${counts.get(change) ?? ""}${change.after ? "" : "  removed"}`] : [];
  return { left: words(one), right: words(two) };
}

function fileCount(count: number): string {
  return count === 0 ? "no file changed" : `${count} file${count === 1 ? "" : "s"} changed:`;
}

function changeJson(change: NetChange): object {
  return { path: relative(change.cwd, change.path), suspected: change.isSuspected };
}
