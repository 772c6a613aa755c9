// Lines of a diff as tools write them: with a line number before the sign, or as a patch, where they are counted.
import type { Role } from "./theme.ts";

export interface DiffLine {
  /** Absent: no line of a file, but about the diff. */
  readonly sign?: "+" | "-" | " ";
  /** In the old file of what was removed, else in the new one. */
  readonly number?: number;
  readonly text: string;
}

/** Which side a line is on. */
export function diffRole(line: string): Role {
  if (line.startsWith("@@")) return "muted";
  const sign = /^\s*(?:\d+ )?([-+])/.exec(line)?.[1];
  return sign === "+" ? "added" : sign === "-" ? "removed" : "plain";
}

export function readDiff(lines: readonly string[]): readonly DiffLine[] {
  return lines.some((line) => patchHead.test(line)) ? readPatch(lines) : lines.map(readNumbered);
}

const patchHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** `  12 + text`; an empty line has lost the blanks behind its number. */
function readNumbered(line: string): DiffLine {
  const [, number, sign = " ", text = ""] = /^ *(\d+)(?: ([-+ ])(?: (.*))?)?$/.exec(line) ?? [];
  if (number !== undefined) return { sign: sign as "+" | "-" | " ", number: Number(number), text };
  const bare = /^([-+])(.*)$/.exec(line);
  return bare ? { sign: bare[1] as "+" | "-", text: bare[2] ?? "" } : { text: line.trim() };
}

function readPatch(lines: readonly string[]): readonly DiffLine[] {
  let at: { old: number; now: number } | undefined;
  return lines.map((line): DiffLine => {
    const head = patchHead.exec(line);
    if (head) at = { old: Number(head[1]), now: Number(head[2]) };
    const sign = line[0] ?? " ";
    if (head || !at || !"+- ".includes(sign)) return { text: line };
    const text = line.slice(1);
    if (sign === "-") return { sign, number: at.old++, text };
    if (sign === "+") return { sign, number: at.now++, text };
    at.old += 1;
    return { sign: " ", number: at.now++, text };
  });
}
