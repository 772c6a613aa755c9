// Moving over a text by rows, pure: only the rows that are passed are laid out. The window is kept full: its top never
// goes beyond the place from which the last row is at the bottom.
import { isNeeds, type Needs, type PagerSource } from "./pager-source.ts";
import type { Line } from "./styled-line.ts";
import type { Look } from "./tool-lines.ts";

export interface Place {
  readonly unit: number;
  readonly row: number;
}

export interface PlacedRow extends Place {
  readonly line: Line;
}

/** A text in a window of this width and height. */
export interface Pane {
  readonly source: PagerSource;
  readonly look: Look;
  readonly height: number;
}

export const start: Place = { unit: 0, row: 0 };

/** The rows from `top` on, as many as fit. */
export function paneRows({ source, look, height }: Pane, top: Place): readonly PlacedRow[] | Needs {
  const found: PlacedRow[] = [];
  for (let unit = top.unit; unit < source.units && found.length < height; unit += 1) {
    const rows = source.rows(unit, look);
    if (!rows) return { needs: unit };
    const from = unit === top.unit ? top.row : 0;
    for (let row = from; row < rows.length && found.length < height; row += 1) {
      found.push({ unit, row, line: rows[row] ?? [] });
    }
  }
  return found;
}

/** `rows` down, or up when below zero. */
export function scroll(pane: Pane, top: Place, rows: number): Place | Needs {
  const moved = rows < 0 ? back(pane, top, -rows) : forward(pane, top, rows);
  return isNeeds(moved) ? moved : filled(pane, moved);
}

export function scrollToEnd(pane: Pane): Place | Needs {
  return back(pane, { unit: pane.source.units, row: 0 }, pane.height);
}

/** So that the place is in the window, a third from its top where it was not. */
export function scrollTo(pane: Pane, top: Place, place: Place): Place | Needs {
  const shown = paneRows(pane, top);
  if (isNeeds(shown)) return shown;
  if (shown.some(({ unit, row }) => unit === place.unit && row === place.row)) return top;
  return scroll(pane, place, -Math.floor(pane.height / 3));
}

/** The same place in the text after it was laid out anew: by its share of the unit. */
export function replaced(pane: Pane, top: Place, before: Look): Place | Needs {
  const { source, look } = pane;
  const old = source.rows(top.unit, before);
  const rows = source.rows(top.unit, look);
  if (!old || !rows) return { needs: top.unit };
  const row = old.length === 0 ? 0 : Math.floor((top.row * rows.length) / old.length);
  return filled(pane, { unit: top.unit, row: Math.max(0, Math.min(row, rows.length - 1)) });
}

function forward({ source, look }: Pane, from: Place, count: number): Place | Needs {
  let { unit, row } = from;
  let left = count;
  for (;;) {
    const rows = source.rows(unit, look);
    if (!rows) return { needs: unit };
    if (row + left < rows.length) return { unit, row: row + left };
    if (unit + 1 >= source.units) return { unit, row: Math.max(0, rows.length - 1) };
    left -= rows.length - row;
    [unit, row] = [unit + 1, 0];
  }
}

function back({ source, look }: Pane, from: Place, count: number): Place | Needs {
  let { unit, row } = from;
  let left = count;
  while (left > row) {
    if (unit === 0) return start;
    left -= row;
    unit -= 1;
    const rows = source.rows(unit, look);
    if (!rows) return { needs: unit };
    row = rows.length;
  }
  return { unit, row: row - left };
}

function filled(pane: Pane, top: Place): Place | Needs {
  const shown = paneRows(pane, top);
  if (isNeeds(shown)) return shown;
  const missing = pane.height - shown.length;
  return missing > 0 ? back(pane, top, missing) : top;
}
