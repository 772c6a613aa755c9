// Finished blocks to lines of the scrollback: wrapped to the width they are printed at, sanitised, painted.
// No line is ever wider than the width, from one column on.
import type { RecoveryStep } from "../ledger/recovery.ts";
import type { Block } from "./block.ts";
import { answerLines } from "./markdown-rows.ts";
import { promptLines } from "./prompt-lines.ts";
import { sanitize } from "./sanitize.ts";
import { sideLines } from "./side-lines.ts";
import { fitLine, type Line, lineText, lineWidth, paintLine, span, wrapSpans } from "./styled-line.ts";
import { cellWidth, padCells } from "./text-width.ts";
import type { Role } from "./theme.ts";
import { callLine, type Look, seconds, toolLines } from "./tool-lines.ts";

/** What is written above the live part; each line ends in a newline. */
export function printBlocks(blocks: readonly Block[], look: Look): string {
  return blocks
    .flatMap((block) => blockLines(block, look))
    .map((line) => `${paintLine(line, look.theme)}\n`)
    .join("");
}

export function blockLines(block: Block, look: Look): readonly Line[] {
  switch (block.kind) {
    case "prompt":
      return [[], ...promptLines(block, look), ...elsewhereLines(block.elsewhere, look)];
    case "answer":
      return [...block.lines.flatMap((line) => answerLines(line, look)), ...elsewhereLines(block.elsewhere, look)];
    case "tool":
      return toolLines(block.made, block.outcome, look);
    case "open-call":
      return [callLine(block.made, { detail: `? ${block.state}`, role: "warning" }, look)];
    case "note":
      return textLines({ text: block.text, role: block.role, before: "  " }, look);
    case "separator":
      return [separatorLine(block.text, look)];
    case "lines":
      return block.lines.flatMap((line) => textLines({ text: line, role: block.role ?? "plain" }, look));
    case "table":
      return tableLines(block, look);
    case "sides":
      return sideLines(block, look);
    case "step":
      return stepLines(block.step, look);
  }
}

function elsewhereLines(elsewhere: boolean | undefined, look: Look): readonly Line[] {
  return elsewhere === true ? textLines({ text: "from another window", role: "muted", before: "  " }, look) : [];
}

export interface PlainText {
  readonly text: string;
  readonly role: Role;
  /** Before each row. */
  readonly before?: string;
}

export function textLines({ text, role, before = "" }: PlainText, { width }: Look): readonly Line[] {
  return sanitize(text, { keepNewlines: true })
    .split("\n")
    .flatMap((line) => wrapSpans([span(line, role)], width, { first: [span(before)], rest: [span(before)] }));
}

function separatorLine(text: string, { width, theme }: Look): Line {
  const { rule, ellipsis } = theme.glyphs;
  const words = `${rule}${rule} ${sanitize(text)} `;
  const line = fitLine([span(words, "muted")], width, ellipsis);
  const rest = Math.max(0, Math.min(width, 60) - lineWidth(line));
  return [...line, span(rule.repeat(rest), "muted")];
}

/** Columns as wide as their widest cell, the last one as the window; what does not fit is cut at its right. */
function tableLines(table: Extract<Block, { kind: "table" }>, { width, theme }: Look): readonly Line[] {
  const rows = table.rows.map((row) => row.map((cell) => sanitize(cell)));
  const widths = table.columns.map((name, column) =>
    Math.max(cellWidth(name), ...rows.map((row) => cellWidth(row[column] ?? ""))),
  );
  const draw = (cells: readonly string[], role: Role): Line => {
    const padded = cells.map((cell, column) =>
      column === cells.length - 1 ? cell : padCells(cell, Math.min(widths[column] ?? 0, maxColumn)),
    );
    return fitLine([span(padded.join("  ").trimEnd(), role)], width, theme.glyphs.ellipsis);
  };
  return [draw(table.columns, "muted"), ...rows.map((row) => draw(row, "plain"))];
}

const maxColumn = 60;
const slowMs = 1_000;

export function stepLines({ name, status, detail, ms }: RecoveryStep, look: Look): readonly Line[] {
  const { glyphs } = look.theme;
  const sign = { ok: glyphs.ok, warn: glyphs.warning, fail: glyphs.failed }[status];
  const role = ({ ok: "ok", warn: "warning", fail: "error" } as const)[status];
  const time = ms >= slowMs ? `  ${seconds(ms)}` : "";
  const first = [span("  "), span(`${sign} `, role), span(`${name.padEnd(10)} `, "muted")];
  const rest = [span(" ".repeat(lineWidth(first)))];
  const text = wrapSpans([span(sanitize(detail)), span(time, "muted")], look.width, { first, rest });
  // Too narrow for the columns: the name stands before its words.
  const isBare = !lineText(text[0] ?? []).includes(name);
  return isBare ? wrapSpans([span(`${sign} `, role), span(`${name} ${sanitize(detail)}`)], look.width) : text;
}
