// A path as people and models read it: relative to a folder where it lies inside.
import { relative } from "node:path";

/** For output: relative to the session's folder when inside, else as it is. */
export function shownPath(cwd: string, path: string): string {
  const way = relative(cwd, path);
  if (way === "") return ".";
  return leadsOut(way) ? path : way;
}

export function leadsOut(way: string): boolean {
  return way === ".." || way.startsWith("../");
}
