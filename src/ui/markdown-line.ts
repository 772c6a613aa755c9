// What Markdown is read into: lines that know their indent and their words, not yet the width they are drawn at.
import type { Line } from "./styled-line.ts";

/** Before the first row of a line, and before each other one; both are as wide. */
export interface Lead {
  readonly first: Line;
  readonly rest: Line;
}

export type MarkdownLine =
  | { readonly kind: "blank" | "rule"; readonly lead: Lead }
  | { readonly kind: "text" | "code"; readonly lead: Lead; readonly spans: Line }
  | { readonly kind: "table"; readonly lead: Lead; readonly table: TablePart };

/** One line or more. */
export type Cell = readonly Line[];
export type Align = "left" | "right" | "center";

/** All of a table, or more rows of one that is being printed. */
export interface TablePart {
  readonly head: readonly Cell[];
  readonly aligns: readonly Align[];
  /** The rows that decide about the widths: the same ones in every part. */
  readonly measured: readonly (readonly Cell[])[];
  readonly rows: readonly (readonly Cell[])[];
  readonly hasHead: boolean;
  /** Rows follow that were not measured. */
  readonly goesOn: boolean;
}

export const noLead: Lead = { first: [], rest: [] };
