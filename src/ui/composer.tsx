// Draws the composer: a window of at most `maxRows` rows around the cursor, `width` cells wide, or its placeholder.
// Takes no keys itself. `composerColumns` (composer-layout.ts) is the width its state has to know.
// Where Ink lets us place the terminal's own cursor, input methods and screen readers find it; elsewhere the cell
// under it is inverse. The real cursor is lost in every frame that is painted without drawing this component, so
// animations beside it have to be driven from a common parent.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import {
  type ComposerRow,
  type ComposerWindow,
  composerColumns,
  defaultPrompt,
  selectionWindow,
} from "./composer-layout.ts";
import { selectedRange } from "./composer-selection.ts";
import { type ComposerState, isComposerEmpty } from "./composer-state.ts";
import { sanitize } from "./sanitize.ts";
import { truncate } from "./text-width.ts";
import { type Role, useTheme } from "./theme.ts";
import { useTerminalCursor } from "./use-terminal-cursor.ts";

export interface ComposerProps {
  readonly state: ComposerState;
  /** Cells, prompt sign counted. */
  readonly width: number;
  readonly maxRows: number;
  readonly placeholder?: string;
  /** Plain ASCII in the first frame: the first other character costs tens of milliseconds. */
  readonly prompt?: string;
  /** Of the prompt sign. Default accent. */
  readonly role?: Role;
  /** Off while another part of the screen gets the keys. Default on. */
  readonly active?: boolean;
  /** `terminal`: the real one; `cell`: an inverse cell. Default `cell`. */
  readonly cursor?: "terminal" | "cell";
}

export function Composer(props: ComposerProps): ReactNode {
  const { state, width, maxRows, placeholder = "", prompt = defaultPrompt, active = true, cursor = "cell" } = props;
  const columns = composerColumns(width, prompt);
  const indent = Math.max(0, width - columns);
  const view = selectionWindow(state.buffer, columns, { maxRows, selection: selectedRange(state.buffer, state.mark) });
  const own = view.rows[view.cursorRow]?.cursor;
  const real = active && cursor === "terminal";
  const ref = useTerminalCursor(real ? { x: indent + (own?.x ?? 0), y: view.cursorRow } : undefined);
  const empty = isComposerEmpty(state);
  const role = props.role ?? "accent";
  return (
    <Box ref={ref} flexDirection="column" width={width}>
      {view.rows.map((row, index) => (
        // A row is a place on the screen: its index is its identity.
        <Text key={index} wrap="truncate-end">
          {indent > 0 && <RowPrefix view={view} index={index} prompt={prompt} role={role} />}
          {empty ? (
            <Placeholder text={truncate(sanitize(placeholder), columns)} inverse={active && !real} />
          ) : (
            <RowText row={row} inverse={active && !real} />
          )}
        </Text>
      ))}
    </Box>
  );
}

interface Prefix {
  readonly view: ComposerWindow;
  readonly index: number;
  readonly prompt: string;
  readonly role: Role;
}

function RowPrefix({ view, index, prompt, role }: Prefix): ReactNode {
  const { styles } = useTheme();
  const isFirst = index === 0;
  const isLast = index === view.rows.length - 1;
  const sign = isFirst && !view.hiddenAbove ? prompt : isFirst ? "^" : isLast && view.hiddenBelow ? "v" : "";
  const style = sign === prompt ? styles[role] : styles.muted;
  return <Text {...style}>{sign.padEnd(prompt.length)}</Text>;
}

function RowText({ row, inverse }: { row: ComposerRow; inverse: boolean }): ReactNode {
  const { styles } = useTheme();
  const { cursor, selected } = row;
  // The cursor is at one end of it.
  if (selected !== undefined) {
    return (
      <>
        {selected.before}
        <Text {...styles.cursor}>{selected.text}</Text>
        {selected.after}
      </>
    );
  }
  // An empty row still takes one line of the screen.
  if (cursor === undefined || !inverse) return <Text>{row.text || " "}</Text>;
  return (
    <>
      {cursor.before}
      <Text {...styles.cursor}>{cursor.at}</Text>
      {cursor.after}
    </>
  );
}

function Placeholder({ text, inverse }: { text: string; inverse: boolean }): ReactNode {
  const { styles } = useTheme();
  const first = inverse ? text.slice(0, 1) || " " : "";
  return (
    <>
      {first !== "" && <Text {...styles.cursor}>{first}</Text>}
      <Text {...styles.placeholder}>{text.slice(first.length) || (first === "" ? " " : "")}</Text>
    </>
  );
}
