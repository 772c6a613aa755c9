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

/** Where the indent would take too much: only the innermost bar and mark, at last only the mark. */
function wordRows(spans: Line, lead: Lead, width: number): readonly Line[] {
  if (hasRoom(lead, width)) return wrapSpans(spans, width, lead);
  const [sign = span("  ")] = lead.first;
  const marks = lead.first.slice(1).filter(({ text, role }) => role !== "quote" && text.trim() !== "");
  const bars = lead.rest.filter(({ role }) => role === "quote").slice(-1);
  const hang = lineWidth(marks);
  const rest = [span("  "), ...bars, ...(hang > 0 ? [span(" ".repeat(hang))] : [])];
  const short: Lead = { first: [sign, ...bars, ...marks], rest };
  return hasRoom(short, width) ? wrapSpans(spans, width, short) : wrapSpans([...marks, ...spans], width);
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
