// Lines of Markdown as rows of a width: indents that hang, bars before quotes, tables with columns that fit or, where
// the window is too narrow for columns, a line for each cell. No row is wider than the width, from one column on.
import type { AnswerLine } from "./answer-stream.ts";
import type { Lead, MarkdownLine } from "./markdown-line.ts";
import { linkedSpans } from "./markdown-links.ts";
import { tableRows } from "./markdown-table-rows.ts";
import { fitLine, type Line, lineWidth, span, wrapSpans } from "./styled-line.ts";
import type { Theme } from "./theme.ts";
import type { Look } from "./tool-lines.ts";

export function answerLines({ line, first }: AnswerLine, look: Look): readonly Line[] {
  const { width, theme } = look;
  const sign = first ? span(`${theme.glyphs.bullet} `, "accent") : span("  ");
  const lead = themed(line.lead, theme);
  return rowsOf(line, { first: [sign, ...lead.first], rest: [span("  "), ...lead.rest] }, look).map((row) =>
    fitLine(row, width, theme.glyphs.ellipsis),
  );
}

/** For where links cannot be written: the same rows without them. */
export function withoutLinks(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => line.map(({ text, role }) => span(text, role)));
}

const maxRule = 60;

function rowsOf(line: MarkdownLine, lead: Lead, look: Look): readonly Line[] {
  const { width, theme } = look;
  const isNarrow = !hasRoom(lead, width);
  switch (line.kind) {
    case "blank":
      return [isNarrow || line.lead.rest.length === 0 ? [] : lead.rest];
    case "rule": {
      const before = isNarrow ? [] : lead.first;
      const length = Math.min(maxRule, width - lineWidth(before));
      return [[...before, span(theme.glyphs.rule.repeat(length), "muted")]];
    }
    case "table":
      return isNarrow ? tableRows(line.table, noSign, look) : tableRows(line.table, lead, look);
    case "text":
    case "code":
      return wordRows(linkedSpans(line.spans, theme), lead, width);
  }
}

function wordRows(spans: Line, lead: Lead, width: number): readonly Line[] {
  if (hasRoom(lead, width)) return wrapSpans(spans, width, lead);
  const marks = lead.first.slice(1).filter(isMark);
  const short = shortLead(lead, width);
  const fits = short !== undefined && lineWidth(short.first) * 3 <= width * 2;
  return fits ? wrapSpans(spans, width, short) : wrapSpans([...marks, ...spans], width);
}

const minMark = 2;

/**
 * Where the indent would take too much: the innermost bar, and as much of the indent as there is room for, so that no
 * mark stands left of one it is under. None: there is not even room for a mark.
 */
function shortLead({ first, rest }: Lead, width: number): Lead | undefined {
  const [sign = span("  ")] = first;
  const marks = first.slice(1).filter(isMark);
  const bars = rest.filter(({ role }) => role === "quote").slice(-1);
  const room = Math.floor(width / 3) - lineWidth([sign, ...bars]);
  const before = marks.length > 0 ? room - minMark : room;
  if (before < 0) return undefined;
  const indent = (line: Line, most: number) => {
    const own = lineWidth(line.slice(1).filter((each) => each.role !== "quote" && !isMark(each)));
    return own > 0 && most > 0 ? [span(" ".repeat(Math.min(own, most)))] : [];
  };
  return {
    first: [sign, ...bars, ...indent(first, before), ...marks],
    rest: [span("  "), ...bars, ...indent(rest, room)],
  };
}

function isMark({ text, role }: Line[number]): boolean {
  return role !== "quote" && text.trim() !== "";
}

function hasRoom({ rest }: Lead, width: number): boolean {
  return lineWidth(rest) * 3 <= width;
}

const noSign: Lead = { first: [], rest: [] };

function themed({ first, rest }: Lead, theme: Theme): Lead {
  return { first: first.map((each) => drawn(each, theme)), rest: rest.map((each) => drawn(each, theme)) };
}

function drawn(each: Line[number], { glyphs }: Theme): Line[number] {
  if (each.role === "quote") return span(`${glyphs.bar} `, "quote");
  return each.role === "bullet" ? span(`${glyphs.item} `, "bullet") : each;
}
