// Which side of a diff a line is on, for lines as tools write them: with a line number before the sign, or without.
import type { Role } from "./theme.ts";

export function diffRole(line: string): Role {
  if (line.startsWith("@@")) return "muted";
  const sign = /^\s*(?:\d+ )?([-+])/.exec(line)?.[1];
  return sign === "+" ? "added" : sign === "-" ? "removed" : "plain";
}
