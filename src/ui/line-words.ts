// Finished blocks as lines of words, for a screen reader or a terminal that can only print: no signs, no rules, no
// columns, no colours. The terminal wraps, for it knows its width. Every line is sanitised here.
import type { AnswerLine } from "./answer-stream.ts";
import type { Block, MadeCall } from "./block.ts";
import type { Cell, Lead } from "./markdown-line.ts";
import { linkedSpans } from "./markdown-links.ts";
import { sanitize } from "./sanitize.ts";
import { sideTexts } from "./side-lines.ts";
import { type Line, lineText } from "./styled-line.ts";
import { createTheme } from "./theme.ts";
import { callLabel, describe, isEdit, isReading } from "./tool-lines.ts";

/** Where links are no links, their addresses are said. */
const theme = createTheme({ color: false });
const outputLines = { head: 10, tail: 10 };
const diffLines = { head: 60, tail: 20 };

export function blockWords(block: Block): readonly string[] {
  switch (block.kind) {
    case "prompt":
      return said(block.elsewhere === true ? "you, in another window" : "you", textWords(block.text));
    case "answer": {
      const words = block.lines.flatMap(answerWords);
      return block.elsewhere === true ? [...words, "this answer came from another window"] : words;
    }
    case "tool":
      return [callWords(block.made, endWords(block.made, block.outcome)), ...bodyWords(block)];
    case "open-call":
      return [callWords(block.made, block.state)];
    case "note":
      return noteWords(block.text, block.role);
    case "separator":
      return textWords(block.text);
    case "lines":
      return block.lines.flatMap(textWords);
    case "table":
      return block.rows.map((row) => rowWords(block.columns, row));
    case "sides":
      return sideTexts(block).flatMap(textWords);
    case "step": {
      const { name, status, detail } = block.step;
      return [
        `${name}: ${{ ok: "ok", warn: "warning", fail: "failed" }[status]}, ${oneLine(detail).replaceAll(" · ", ", ")}`,
      ];
    }
  }
}

/** `tool shell: npm test: running` */
export function callWords(made: MadeCall, end: string): string {
  const [tool = "", ...rest] = callLabel(made).split(" ");
  const about = rest.join(" ");
  return `tool ${tool}${about === "" ? "" : `: ${about}`}${end === "" ? "" : `: ${oneLine(end)}`}`;
}

export function textWords(text: string): readonly string[] {
  return sanitize(text, { keepNewlines: true, tabs: 4 })
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
}

export function oneLine(text: string): string {
  return sanitize(text).trim();
}

function said(who: string, [first = "", ...rest]: readonly string[]): readonly string[] {
  return [`${who}: ${first}`, ...rest];
}

function noteWords(text: string, role: string): readonly string[] {
  const lines = textWords(text).map((line) => line.trim());
  return role === "warning" || role === "error" ? said(role, lines) : lines;
}

// ---- answers ----

function answerWords({ line, first }: AnswerLine): readonly string[] {
  const words = lineWords(line);
  return first ? said("answer", words) : words;
}

function lineWords(line: AnswerLine["line"]): readonly string[] {
  switch (line.kind) {
    case "blank":
      return [""];
    case "rule":
      return [];
    case "table": {
      const { head, rows } = line.table;
      const names = head.map(cellWords);
      if (rows.length === 0) return [names.join(", ")];
      return rows.map((row) => rowWords(names, row.map(cellWords)));
    }
    case "text":
    case "code": {
      const text = lineText(linkedSpans(line.spans, theme));
      const isHeading = line.spans.length > 0 && line.spans.every(({ role }) => role === "heading");
      return [`${leadWords(line.lead)}${isHeading ? "heading: " : ""}${text}`.trimEnd()];
    }
  }
}

function leadWords({ first }: Lead): string {
  return first
    .map(({ text, role }) => (role === "quote" ? "quote: " : role === "bullet" ? "- " : text))
    .join("")
    .replace(/(?:quote: )+/, "quote: ");
}

function cellWords(cell: Cell): string {
  return cell.map((line: Line) => lineText(linkedSpans(line, theme))).join(" ");
}

/** `name: x; state: y` */
function rowWords(names: readonly string[], row: readonly string[]): string {
  return row
    .map((cell, column) => ({ name: oneLine(names[column] ?? ""), text: oneLine(cell) }))
    .filter(({ text }) => text !== "")
    .map(({ name, text }) => (name === "" ? text : `${name}: ${text}`))
    .join("; ");
}

// ---- tools ----

type ToolBlock = Extract<Block, { kind: "tool" }>;

function endWords(made: MadeCall, outcome: ToolBlock["outcome"]): string {
  const { detail } = describe(made, outcome);
  const change = /^\+(\d+) -(\d+)(.*)$/.exec(detail);
  const words = change ? `${change[1]} lines added, ${change[2]} removed${change[3]}` : detail.replace(/^\? /, "");
  return words.replaceAll(" · ", ", ");
}

function bodyWords({ made, outcome }: ToolBlock): readonly string[] {
  if (outcome.kind === "ok" && isReading(made.tool)) return [];
  const isDiff = outcome.kind === "ok" && isEdit(made.tool);
  const text = (outcome.output ?? "").replace(/^\n+|\s+$/g, "");
  // The first line of a diff names the file, as the line above does.
  const lines = text === "" ? [] : textWords(text).slice(isDiff ? 1 : 0);
  const { head, tail } = isDiff ? diffLines : outputLines;
  const hidden = lines.length - head - tail;
  if (hidden <= 1) return lines;
  return [...lines.slice(0, head), `${hidden} lines are left out here`, ...lines.slice(-tail)];
}
