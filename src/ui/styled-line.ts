// Lines of styled text before they are drawn: spans with a role each. Wrapped and cut here by grapheme, painted
// last, so that no width is ever measured through escape sequences. Text is taken as already sanitised.
import { cellWidth, fitGrapheme, graphemes, truncate, wrapCells } from "./text-width.ts";
import type { Role, TextStyle, Theme } from "./theme.ts";

export interface Span {
  readonly text: string;
  readonly role: Role;
  /** What it opens, checked: printable ASCII without blanks, http, https or mailto. */
  readonly href?: string;
}
export type Line = readonly Span[];

export function span(text: string, role: Role = "plain"): Span {
  return { text, role };
}

export function lineText(line: Line): string {
  return line.map((each) => each.text).join("");
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, each) => sum + cellWidth(each.text), 0);
}

/** At most `width` cells; the cut is marked where there is room for a mark. */
export function fitLine(line: Line, width: number, ellipsis = "…"): Line {
  if (lineWidth(line) <= width) return line;
  const fitted: Span[] = [];
  let left = width;
  for (const [index, each] of line.entries()) {
    const isLast = lineWidth(line.slice(index + 1)) === 0;
    const room = isLast ? left : Math.max(0, left - cellWidth(ellipsis));
    if (cellWidth(each.text) > room) {
      fitted.push({ ...each, text: truncate(each.text + (isLast ? "" : ellipsis.repeat(2)), left, ellipsis) });
      break;
    }
    fitted.push(each);
    left -= cellWidth(each.text);
  }
  return fitted;
}

export interface Indent {
  /** Before the first row, and before each other one. */
  readonly first: Line;
  readonly rest: Line;
}

/** Rows of at most `width` cells, wrapped at words. Where the indent would take most of the width, there is none. */
export function wrapSpans(line: Line, width: number, indent?: Indent): readonly Line[] {
  const own = indent && lineWidth(indent.rest) * 3 <= width ? indent : undefined;
  const room = Math.max(1, width - (own ? Math.max(lineWidth(own.first), lineWidth(own.rest)) : 0));
  const rows = lineWidth(line) <= room ? [line] : wrapped(line, room);
  if (!own) return rows;
  return rows.map((row, index) => [...(index === 0 ? own.first : own.rest), ...row]);
}

function wrapped(line: Line, width: number): readonly Line[] {
  const cells = line.flatMap((each) =>
    graphemes(each.text).map((grapheme): Span => ({ ...each, text: fitGrapheme(grapheme, width) })),
  );
  const starts = wrapCells(
    cells.map(({ text }) => ({ width: cellWidth(text), space: text === " " })),
    width,
  );
  return starts.map((start, row) => joined(withoutEndSpaces(cells.slice(start, starts[row + 1]))));
}

function withoutEndSpaces(cells: readonly Span[]): readonly Span[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === " ") end -= 1;
  return cells.slice(0, end);
}

function joined(cells: readonly Span[]): Line {
  const line: { text: string; role: Role; href?: string }[] = [];
  for (const cell of cells) {
    const last = line.at(-1);
    if (last?.role === cell.role && last.href === cell.href) last.text += cell.text;
    else line.push({ ...cell });
  }
  return line;
}

const colors: Readonly<Record<string, number>> = {
  black: 30,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  white: 37,
};

export function paintLine(line: Line, theme: Theme): string {
  let painted = "";
  for (let at = 0; at < line.length; ) {
    const [text, end] = alike(line, at, theme);
    const { role, href } = line[at] ?? span("");
    painted += linked(paint(text, theme.styles[role]), href);
    at = end;
  }
  return painted;
}

/** Neighbours that look the same are painted as one. */
function alike(line: Line, start: number, { styles }: Theme): readonly [text: string, end: number] {
  const first = line[start] ?? span("");
  let [text, end] = ["", start];
  for (let next: Span | undefined = first; next; next = line[end]) {
    if (next.href !== first.href || (next.role !== first.role && styles[next.role] !== styles[first.role])) break;
    text += next.text;
    end += 1;
  }
  return [text, end];
}

function linked(painted: string, href: string | undefined): string {
  return href === undefined || painted === "" ? painted : `\x1b]8;;${href}\x1b\\${painted}\x1b]8;;\x1b\\`;
}

function colorCodes(color: string): readonly number[] {
  const name = colors[color];
  if (name !== undefined) return [name];
  const index = /^ansi256\((\d+)\)$/.exec(color)?.[1];
  if (index !== undefined) return [38, 5, Number(index)];
  const hex = /^#(..)(..)(..)$/.exec(color)?.slice(1) ?? [];
  return hex.length === 0 ? [] : [38, 2, ...hex.map((part) => Number.parseInt(part, 16))];
}

function paint(text: string, style: TextStyle): string {
  const codes = [
    ...(style.bold ? [1] : []),
    ...(style.dimColor ? [2] : []),
    ...(style.italic ? [3] : []),
    ...(style.underline ? [4] : []),
    ...(style.inverse ? [7] : []),
    ...(style.strikethrough ? [9] : []),
    ...(style.color === undefined ? [] : colorCodes(style.color)),
  ];
  return codes.length === 0 || text === "" ? text : `\x1b[${codes.join(";")}m${text}\x1b[0m`;
}
