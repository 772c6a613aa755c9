// Draws a list picker: title with counts, filter line, a window of rows, and the keys at the bottom.
// Never higher than `maxRows`: where rows are few, the keys go first, then title and filter; the list stays.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { PickerItem, PickerState } from "./picker-state.ts";
import { rowWindow } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { cellWidth, truncate, truncateStart } from "./text-width.ts";
import { useTheme } from "./theme.ts";

export interface PickerProps {
  readonly state: PickerState;
  readonly title: string;
  readonly width: number;
  readonly maxRows: number;
  /** Shown for a list without items; a filter without matches has its own words. */
  readonly empty?: string;
  readonly keys?: string;
}

const defaultKeys = "enter choose · esc leave · type to filter";

/** Rows of the list when the picker has `maxRows`: the reducer's `page`. */
export function pickerPage(maxRows: number): number {
  return Math.max(1, maxRows - frameRows(maxRows));
}

export function Picker({
  state,
  title,
  width,
  maxRows,
  empty = "nothing here",
  keys = defaultKeys,
}: PickerProps): ReactNode {
  const { styles } = useTheme();
  const { matches, items, query, selected } = state;
  const { start, end } = rowWindow(matches.length, selected, pickerPage(maxRows));
  const count = query === "" ? String(items.length) : `${matches.length} of ${items.length}`;
  const frame = frameRows(maxRows);
  return (
    <Box flexDirection="column" width={width}>
      {frame > 1 && <Text {...styles.strong}>{truncate(`${title} (${count})`, width)}</Text>}
      {frame > 0 && <FilterLine query={query} width={width} />}
      {matches.slice(start, end).map((item, index) => (
        <PickerRow key={item.id} item={item} selected={start + index === selected} width={width} />
      ))}
      {matches.length === 0 && (
        <Text {...styles.muted}>{truncate(sanitize(query === "" ? empty : `nothing fits "${query}"`), width)}</Text>
      )}
      {frame > 2 && <Text {...styles.muted}>{truncate(keys, width)}</Text>}
    </Box>
  );
}

/** The end of the filter is what was typed last: a long one is cut at its start. */
function FilterLine({ query, width }: { query: string; width: number }): ReactNode {
  const { styles } = useTheme();
  const sign = width < 8 ? "" : "/ ";
  const shown = truncateStart(sanitize(query), width - sign.length - 1);
  return (
    <Text wrap="truncate-end">
      <Text {...styles.accent}>{sign}</Text>
      {shown}
      <Text {...styles.cursor}> </Text>
    </Text>
  );
}

function PickerRow({ item, selected, width }: { item: PickerItem; selected: boolean; width: number }): ReactNode {
  const { styles, glyphs } = useTheme();
  const pointer = width < 8 ? "" : selected ? `${glyphs.pointer} ` : "  ";
  const room = Math.max(1, width - cellWidth(pointer));
  const detail = truncate(sanitize(item.detail ?? ""), Math.floor(room / 2), glyphs.ellipsis);
  const label = truncate(
    sanitize(item.label) || " ",
    room - (detail === "" ? 0 : cellWidth(detail) + 2),
    glyphs.ellipsis,
  );
  const gap = " ".repeat(Math.max(0, room - cellWidth(label) - cellWidth(detail)));
  return (
    <Text wrap="truncate-end" {...(selected ? styles.selected : styles.plain)}>
      {pointer}
      {label}
      {detail !== "" && <Text {...styles.muted}>{gap + detail}</Text>}
    </Text>
  );
}

/** Title, filter and keys cost a row each; the list keeps at least two thirds of a small window. */
function frameRows(maxRows: number): number {
  return Math.max(0, Math.min(3, Math.floor(maxRows / 3)));
}
