// Which rows of a long list are drawn: the smallest window around the selected one, half of it above where it can be.

export interface RowWindow {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export function rowWindow(count: number, selected: number, rows: number): RowWindow {
  const size = Math.max(1, Math.min(rows, count));
  const start = Math.max(0, Math.min(selected - Math.floor(size / 2), count - size));
  return { start, end: Math.min(count, start + size) };
}

export function clampIndex(index: number, count: number): number {
  return Math.max(0, Math.min(index, count - 1));
}

/** For short lists whose ends meet. */
export function wrapIndex(index: number, count: number): number {
  return count === 0 ? 0 : ((index % count) + count) % count;
}
