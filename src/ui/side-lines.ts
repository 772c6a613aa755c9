// Two columns, each wrapped to its half of the window, row by row at the same height. Without the room for that, and in
// print, one side after the other.
import type { SideRow } from "../commands/command.ts";
import { sanitize } from "./sanitize.ts";
import { type Line, lineWidth, span, wrapSpans } from "./styled-line.ts";
import type { Role } from "./theme.ts";
import type { Look } from "./tool-lines.ts";

export interface Sides {
  readonly intro: readonly string[];
  readonly heads: readonly [string, string];
  readonly rows: readonly SideRow[];
  readonly outro: readonly string[];
}

/** Columns below which half of them hold no sentence. */
const narrow = 80;
const widest = 160;

export function sideLines(sides: Sides, look: Look): readonly Line[] {
  if (look.width < narrow) return sideTexts(sides).flatMap((text) => wrapped(text, "plain", look.width));
  const width = Math.min(look.width, widest);
  const half = Math.floor((width - 3) / 2);
  const { bar } = look.theme.glyphs;
  const beside = (left: readonly Line[], right: readonly Line[]): readonly Line[] =>
    Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
      const own = left[at] ?? [];
      return [
        ...own,
        span(" ".repeat(Math.max(0, half - lineWidth(own)))),
        span(` ${bar} `, "muted"),
        ...(right[at] ?? []),
      ];
    });
  const cell = (texts: readonly string[], role: Role) => texts.flatMap((text) => wrapped(text, role, half));
  const [left, right] = sides.heads;
  return [
    ...sides.intro.flatMap((text) => wrapped(text, "muted", look.width)),
    ...beside(cell([left], "strong"), cell([right], "strong")),
    ...sides.rows.flatMap((row) => beside(cell(row.left, "plain"), cell(row.right, "plain"))),
    ...sides.outro.flatMap((text) => wrapped(text, "muted", look.width)),
  ];
}

/** One after the other, as they are read out and printed. */
export function sideTexts({ intro, heads, rows, outro }: Sides): readonly string[] {
  const [left, right] = heads;
  return [
    ...intro,
    ...["", `${left}:`, ...textsOf(rows.flatMap((row) => row.left))],
    ...["", `${right}:`, ...textsOf(rows.flatMap((row) => row.right))],
    ...(outro.length > 0 ? ["", ...outro] : []),
  ];
}

function textsOf(texts: readonly string[]): readonly string[] {
  return texts.length > 0 ? texts : ["(nothing of its own)"];
}

function wrapped(text: string, role: Role, width: number): readonly Line[] {
  return wrapSpans([span(sanitize(text), role)], width, { first: [], rest: [span("  ")] });
}
