// Draws an approval prompt: what would run, whole and with everything invisible spelled out, why it is asked, and
// the choices, and the keys. Never higher than `maxRows` (2 at least): a long body is a window that pages, and the line
// of the keys says where in it one is and what has to be seen first.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import {
  type ApprovalChoice,
  type ApprovalRequest,
  type ApprovalState,
  explanationPrompt,
  isEndShown,
} from "./approval-state.ts";
import { Composer } from "./composer.tsx";
import { diffRole } from "./diff-line.ts";
import { reveal, sanitize } from "./sanitize.ts";
import { cellWidth, truncate, wrapLine } from "./text-width.ts";
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
  const all = Math.max(1, maxRows - headRows(maxRows) - hintRows(maxRows) - (listed ? state.choices.length : 1));
  const bodyRows = Math.min(all, lines.length);
  return { lines, bodyRows, maxScroll: lines.length - bodyRows };
}

export function Approval({ state, width, maxRows }: ApprovalProps): ReactNode {
  const theme = useTheme();
  const { styles } = theme;
  const layout = approvalLayout(state, width, maxRows);
  const { lines, bodyRows, maxScroll } = layout;
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
      {state.explanation === undefined ? (
        <Choices state={state} width={width} maxRows={maxRows} layout={layout} />
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

function Choices({ state, width, maxRows, layout }: ApprovalProps & { layout: ApprovalLayout }): ReactNode {
  const { styles } = useTheme();
  const { words, isUrgent } = hintOf(state, layout);
  const fitting = words.find((each) => cellWidth(each) <= width) ?? words.at(-1) ?? "";
  const hint = <Text {...(isUrgent ? styles.warning : styles.muted)}>{truncate(fitting, width)}</Text>;
  // One row for both: what stands in the way of an answer goes first.
  if (hintRows(maxRows) === 0 && isUrgent) return hint;
  return (
    <>
      {isLow(maxRows) ? (
        <Text {...styles.selected}>{truncate(state.choices.map(shortLabel).join(" "), width)}</Text>
      ) : (
        <ListedChoices state={state} width={width} />
      )}
      {hintRows(maxRows) > 0 && hint}
    </>
  );
}

function ListedChoices({ state, width }: { state: ApprovalState; width: number }): ReactNode {
  const { styles, glyphs } = useTheme();
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

/** The longest that fits is shown. Urgent: an enter would do nothing now. */
function hintOf(state: ApprovalState, { lines, bodyRows, maxScroll }: ApprovalLayout) {
  const scroll = Math.min(state.scroll, maxScroll);
  const place = `lines ${scroll + 1}-${scroll + bodyRows} of ${lines.length}`;
  if (!isEndShown(state, maxScroll)) {
    const words = [
      `pgdn shows the rest (${place}), then y`,
      `pgdn: the rest (${place})`,
      "pgdn shows the rest",
      "pgdn",
    ];
    return { words, isUrgent: true };
  }
  const letters = state.choices.map((choice) => keyOf[choice]);
  if (state.stray) {
    const list = `${letters.slice(0, -1).join(", ")} or ${letters.at(-1)}`;
    return { words: [`press ${list}, or an arrow first`, `press ${letters.join(" ")}`], isUrgent: true };
  }
  const keys = letters.join(" ");
  const choose = `${keys} · arrows and enter choose · esc stops the turn`;
  const before = maxScroll > 0 ? [`${place} · ${choose}`, `${place} · ${keys} · esc stops`] : [];
  return { words: [...before, choose, `${keys} · enter · esc stops`, keys], isUrgent: false };
}

const keyOf: Readonly<Record<ApprovalChoice, string>> = { once: "y", always: "a", no: "n", "no-because": "t" };

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
  return maxRows < 7;
}

/** With two rows there is one for the body and one for the choices. */
function hintRows(maxRows: number): number {
  return maxRows >= 3 ? 1 : 0;
}

/** Title and reason make room for the body and the choices in a small window. */
function headRows(maxRows: number): number {
  return maxRows >= 9 ? 2 : maxRows >= 8 ? 1 : 0;
}
