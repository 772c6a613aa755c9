// Draws an approval prompt: what would run, whole and with everything invisible spelled out, why it is asked, and
// the choices. Never higher than `maxRows` (2 at least): a long body is a window that pages and says how much there is.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { type ApprovalChoice, type ApprovalRequest, type ApprovalState, explanationPrompt } from "./approval-state.ts";
import { Composer } from "./composer.tsx";
import { diffRole } from "./diff-line.ts";
import { reveal, sanitize } from "./sanitize.ts";
import { truncate, wrapLine } from "./text-width.ts";
import { type Role, type TextStyle, type Theme, useTheme } from "./theme.ts";

export interface ApprovalProps {
  readonly state: ApprovalState;
  readonly width: number;
  readonly maxRows: number;
}

export interface ApprovalLayout {
  readonly lines: readonly BodyLine[];
  /** Rows the body gets: the reducer's `page`. */
  readonly bodyRows: number;
  readonly maxScroll: number;
  readonly showsPlace: boolean;
}

interface BodyLine {
  readonly text: string;
  readonly role: Role;
  /** Something in the line it is part of could not be seen as it was. */
  readonly revealed: boolean;
}

/** What fits: the owner sends `maxScroll` back with `drawn`, and `bodyRows` as `page`. */
export function approvalLayout(state: ApprovalState, width: number, maxRows: number): ApprovalLayout {
  const lines = bodyLines(state.request, width);
  const listed = state.explanation === undefined && !isLow(maxRows);
  const all = Math.max(1, maxRows - headRows(maxRows) - (listed ? state.choices.length : 1));
  const cut = lines.length > all;
  // One row of a cut body says where in it one is.
  const bodyRows = cut && all > 1 ? all - 1 : Math.min(all, lines.length);
  return { lines, bodyRows, maxScroll: lines.length - bodyRows, showsPlace: cut && all > 1 };
}

export function Approval({ state, width, maxRows }: ApprovalProps): ReactNode {
  const theme = useTheme();
  const { styles } = theme;
  const { lines, bodyRows, maxScroll, showsPlace } = approvalLayout(state, width, maxRows);
  const scroll = Math.min(state.scroll, maxScroll);
  const head = headRows(maxRows);
  const { tool, reason } = state.request;
  return (
    <Box flexDirection="column" width={width}>
      {head > 0 && <Text {...styles.strong}>{truncate(`Allow ${sanitize(tool)}?`, width)}</Text>}
      {head > 1 && <Text {...styles.muted}>{truncate(sanitize(reason), width)}</Text>}
      {lines.slice(scroll, scroll + bodyRows).map((line, index) => (
        <Text key={scroll + index} {...bodyStyle(line, theme)} wrap="truncate-end">
          {line.text || " "}
        </Text>
      ))}
      {showsPlace && (
        <Text {...styles.warning}>
          {truncate(`lines ${scroll + 1}-${scroll + bodyRows} of ${lines.length} (page keys)`, width)}
        </Text>
      )}
      {state.explanation === undefined ? (
        <Choices state={state} width={width} low={isLow(maxRows)} />
      ) : (
        <Composer
          state={state.explanation}
          width={width}
          maxRows={1}
          prompt={explanationPrompt}
          placeholder="what the model should do instead"
        />
      )}
    </Box>
  );
}

function Choices({ state, width, low }: { state: ApprovalState; width: number; low: boolean }): ReactNode {
  const { styles, glyphs } = useTheme();
  if (low) return <Text {...styles.selected}>{truncate(state.choices.map(shortLabel).join(" "), width)}</Text>;
  return state.choices.map((choice, index) => {
    const selected = index === state.selected && !state.stray;
    const pointer = width < 8 ? "" : selected ? `${glyphs.pointer} ` : "  ";
    return (
      <Text key={choice} {...(selected ? styles.selected : styles.plain)}>
        {truncate(`${pointer}${choiceLabel(choice, state.request)}`, width, glyphs.ellipsis)}
      </Text>
    );
  });
}

function shortLabel(choice: ApprovalChoice): string {
  return { once: "y=yes", always: "a=always", no: "n=no", "no-because": "t=tell why" }[choice];
}

function choiceLabel(choice: ApprovalChoice, request: ApprovalRequest): string {
  switch (choice) {
    case "once":
      return "y  yes, this once";
    case "always":
      return `a  always: ${reveal(request.rule ?? "").replaceAll("\n", "\\n")}`;
    case "no":
      return "n  no";
    case "no-because":
      return "t  no, and tell the model why";
  }
}

function bodyLines(request: ApprovalRequest, width: number): readonly BodyLine[] {
  return request.body.split("\n").flatMap((line) => {
    const isDiff = request.kind === "diff";
    // Code may be indented by tabs; in a command a tab is worth a look.
    const laidOut = isDiff ? line.replaceAll("\t", "    ") : line;
    const shown = reveal(laidOut);
    const role = isDiff ? diffRole(line) : "plain";
    return wrapLine(shown, width).map((text) => ({ text, role, revealed: shown !== laidOut }));
  });
}

function bodyStyle(line: BodyLine, { styles }: Theme): TextStyle {
  return line.revealed ? styles.warning : styles[line.role];
}

/** Too low for a choice a row: they share one. */
function isLow(maxRows: number): boolean {
  return maxRows < 6;
}

/** Title and reason make room for the body and the choices in a small window. */
function headRows(maxRows: number): number {
  return maxRows >= 8 ? 2 : maxRows >= 7 ? 1 : 0;
}
