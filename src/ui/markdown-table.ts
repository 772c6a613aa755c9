// Tables of Markdown: what starts one, its cells, and how many rows are kept back. A table is drawn when it ends,
// because its widths are those of its widest cells; while it grows it stands in the live part. A long one is not waited
// for: after the first rows its widths are settled, and the rest is printed as it comes.
import { inlineSpans } from "./markdown-inline.ts";
import type { Align, Cell, Lead, MarkdownLine, TablePart } from "./markdown-line.ts";
import { lineWidth } from "./styled-line.ts";

export interface OpenTable {
  readonly lead: Lead;
  readonly head: readonly Cell[];
  readonly aligns: readonly Align[];
  /** Kept back, or, where rows are printed as they come, those that settled the widths. */
  readonly rows: readonly (readonly Cell[])[];
  readonly cells: number;
  readonly isPrinting: boolean;
}

/** What is kept back: rows, and the cells of text in them. */
const maxRows = 40;
const maxCells = 8_000;
const maxColumns = 40;

export function mayBeHead(text: string): boolean {
  return text.includes("|") && /\S/.test(text.replaceAll("|", "")) && splitCells(text).length <= maxColumns;
}

/** Nothing unless `rule` is the line under a head of as many columns. */
export function openTable(head: string, rule: string, lead: Lead): OpenTable | undefined {
  if (!/^[\s|:-]*-[\s|:-]*$/.test(rule) || !/[|:]/.test(rule)) return undefined;
  const marks = splitCells(rule);
  const titles = splitCells(head);
  if (marks.length !== titles.length || marks.some((mark) => !/^:?-+:?$/.test(mark))) return undefined;
  const aligns = marks.map((mark): Align => {
    if (!mark.endsWith(":")) return "left";
    return mark.startsWith(":") ? "center" : "right";
  });
  return { lead, head: titles.map(readCell), aligns, rows: [], cells: 0, isPrinting: false };
}

export interface TableStep {
  readonly table: OpenTable;
  readonly lines: readonly MarkdownLine[];
}

export function addRow(table: OpenTable, text: string): TableStep {
  const row = readRow(text, table.head.length);
  if (table.isPrinting) return { table, lines: [partLine(table, [row], false)] };
  const cells = table.cells + row.reduce((sum, cell) => sum + widthOf(cell), 0);
  const grown = { ...table, rows: [...table.rows, row], cells };
  if (grown.rows.length < maxRows && cells < maxCells) return { table: grown, lines: [] };
  const printing = { ...grown, isPrinting: true };
  return { table: printing, lines: [partLine(printing, grown.rows, true)] };
}

/** All that is kept back. */
export function closeTable(table: OpenTable): readonly MarkdownLine[] {
  return table.isPrinting ? [] : [partLine(table, table.rows, true)];
}

export function widthOf(cell: Cell): number {
  return Math.max(0, ...cell.map(lineWidth));
}

function partLine(open: OpenTable, rows: TablePart["rows"], hasHead: boolean) {
  const { lead, head, aligns, rows: measured, isPrinting } = open;
  return { kind: "table", lead, table: { head, aligns, measured, rows, hasHead, goesOn: isPrinting } } as const;
}

/** Missing cells are empty; what is too much stands in the last one, so that nothing is lost. */
function readRow(text: string, columns: number): readonly Cell[] {
  const cells = splitCells(text);
  const last = cells.slice(columns - 1).join(" | ");
  return Array.from({ length: columns }, (_, index) => readCell(index === columns - 1 ? last : (cells[index] ?? "")));
}

function readCell(text: string): Cell {
  return text.split(/\s*<br\s*\/?>\s*/i).map((line) => inlineSpans(line));
}

function splitCells(text: string): readonly string[] {
  const inner = text
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}
