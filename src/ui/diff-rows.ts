// A diff as rows of a width, for looking at it: wrapped, by side, with everything invisible spelled out.
import { diffRole } from "./diff-line.ts";
import { reveal } from "./sanitize.ts";
import { wrapLine } from "./text-width.ts";
import type { Role } from "./theme.ts";

export interface DiffRow {
  readonly text: string;
  readonly role: Role;
}

/** Of a longer one nobody reads the end here. */
const maxLines = 5_000;

export function diffRows(diff: string | undefined, width: number): readonly DiffRow[] {
  if (diff === undefined || diff.trim() === "") return [{ text: "no text to show", role: "muted" }];
  const lines = diff.replace(/\n$/, "").split("\n");
  const rows = lines.slice(0, maxLines).flatMap((line) => {
    const role = diffRole(line);
    return wrapLine(reveal(line.replaceAll("\t", "    ")), Math.max(1, width)).map((text) => ({ text, role }));
  });
  const hidden = lines.length - maxLines;
  return hidden > 0 ? [...rows, { text: `+${hidden} more lines`, role: "muted" }] : rows;
}
