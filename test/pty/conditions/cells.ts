// The matrix: every width with every height in every condition, and the few of them that each run of the tests looks at.
export const WIDTHS = [1, 20, 40, 80, 200, 400] as const;
export const HEIGHTS = [2, 10, 24, 60] as const;
export const CONDITIONS = ["idle", "streaming", "approval", "picker", "resize"] as const;
export type Condition = (typeof CONDITIONS)[number];

export interface Cell {
  readonly cols: number;
  readonly rows: number;
  readonly condition: Condition;
}

export const allCells: readonly Cell[] = CONDITIONS.flatMap((condition) =>
  WIDTHS.flatMap((cols) => HEIGHTS.map((rows) => ({ cols, rows, condition }))),
);

/** Each width, each height and each condition, the ones that went wrong before among them. */
export const fewCells: readonly Cell[] = [
  cell("idle", 1, 2),
  cell("idle", 400, 60),
  cell("streaming", 1, 24),
  cell("streaming", 20, 2),
  cell("streaming", 80, 24),
  cell("streaming", 400, 10),
  cell("approval", 20, 10),
  cell("approval", 40, 2),
  cell("approval", 200, 60),
  cell("picker", 1, 10),
  cell("picker", 40, 24),
  cell("picker", 200, 2),
  cell("resize", 40, 10),
  cell("resize", 80, 60),
];

export function nameOf({ cols, rows, condition }: Cell): string {
  return `${cols} × ${rows}, ${condition}`;
}

function cell(condition: Condition, cols: number, rows: number): Cell {
  return { condition, cols, rows };
}
