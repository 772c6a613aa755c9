// Where an item of a list stands. Models indent nested items by two, three or four blanks, whatever the mark above
// is: two are enough here, and each level is drawn under the text of the one above it.
import type { Lead } from "./markdown-line.ts";
import { type Line, type Span, span } from "./styled-line.ts";
import { cellWidth } from "./text-width.ts";

export interface Level {
  /** The column of its mark, and of its text, in the source. */
  readonly at: number;
  readonly content: number;
  /** The column its text is drawn at. */
  readonly column: number;
}

export interface Item {
  readonly levels: readonly Level[];
  readonly lead: Lead;
  readonly text: string;
  /** Of the text, in the source. */
  readonly column: number;
}

interface ItemSource {
  readonly indent: number;
  readonly body: string;
  readonly quotes: number;
}

const maxLevels = 10;

export function openItem(levels: readonly Level[], { indent, body, quotes }: ItemSource): Item | undefined {
  const item = /^([-*+]|\d{1,9}[.)])(?:( +)(.*))?$/.exec(body);
  if (!item) return undefined;
  const [, mark = "", gap = " ", rest = ""] = item;
  const around = findLevel(levels, indent).slice(0, maxLevels);
  const task = /^\[([ xX])\](?: +|$)(.*)$/.exec(rest);
  const content = indent + mark.length + (gap.length > 4 ? 1 : gap.length);
  const marks = marksOf(mark, task?.[1]);
  const before = around.at(-1)?.column ?? 0;
  const column = before + marks.reduce((sum, { text }) => sum + cellWidth(text), 0);
  const bars = quoteLead(quotes).rest;
  const own: Level = { at: indent, content, column };
  return {
    levels: [...around, own],
    lead: { first: [...bars, ...blanks(before), ...marks], rest: [...bars, ...blanks(column)] },
    text: (task?.[2] ?? rest).trimStart(),
    column: content,
  };
}

/** The levels that something at this column belongs into. */
export function findLevel(levels: readonly Level[], indent: number): readonly Level[] {
  const outer = levels.findIndex(({ at }) => indent < at + 2);
  return outer === -1 ? levels : levels.slice(0, outer);
}

export function quoteLead(depth: number): Lead {
  const bars = Array.from({ length: depth }, () => span("> ", "quote"));
  return { first: bars, rest: bars };
}

export function asLead({ rest }: Lead, column: number): Lead {
  const line = [...rest, ...blanks(column)];
  return { first: line, rest: line };
}

/** Signs that the theme has of its own have their role: it draws them. */
function marksOf(mark: string, task: string | undefined): readonly Span[] {
  const bullet = /^[-*+]$/.test(mark) ? [] : [span(`${mark} `, "accent")];
  if (task !== undefined) return [...bullet, task === " " ? span("[ ] ", "muted") : span("[x] ", "ok")];
  return bullet.length > 0 ? bullet : [span("- ", "bullet")];
}

function blanks(count: number): Line {
  return count > 0 ? [span(" ".repeat(count))] : [];
}
