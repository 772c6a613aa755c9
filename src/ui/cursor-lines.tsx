// Draws lines in which a person types: the terminal's own cursor stands on the cell of role `cursor`, so that an input
// method opens there. Where the terminal's cursor is not to be moved that cell is drawn inverse instead.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { type Line, lineWidth, paintLine, span } from "./styled-line.ts";
import type { Theme } from "./theme.ts";
import { type CursorPlace, useTerminalCursor } from "./use-terminal-cursor.ts";

export interface CursorLinesProps {
  readonly lines: readonly Line[];
  readonly theme: Theme;
  readonly cursor: "terminal" | "cell";
}

export function CursorLines({ lines, theme, cursor }: CursorLinesProps): ReactNode {
  const place = cursor === "terminal" ? cursorPlace(lines) : undefined;
  const ref = useTerminalCursor(place);
  return (
    <Box ref={ref} flexDirection="column">
      {lines.map((line, row) => (
        // A row is a place on the screen: its index is its identity.
        <Text key={row} wrap="truncate-end">
          {paintLine(row === place?.y ? withoutCell(line) : line, theme) || " "}
        </Text>
      ))}
    </Box>
  );
}

/** Undefined where nobody types, or the row was cut before it. */
function cursorPlace(lines: readonly Line[]): CursorPlace | undefined {
  for (const [y, line] of lines.entries()) {
    const at = line.findIndex(({ role }) => role === "cursor");
    if (at !== -1) return { x: lineWidth(line.slice(0, at)), y };
  }
  return undefined;
}

function withoutCell(line: Line): Line {
  return line.map((each) => (each.role === "cursor" ? span(each.text) : each));
}
