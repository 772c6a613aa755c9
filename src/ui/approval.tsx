// Draws an approval prompt: what would run, whole and with everything invisible spelled out, what it would do and why
// it is asked, and the choices, and the keys. Never higher than `maxRows` (2 at least): a long body is a window that
// pages, and the line of the keys says where in it one is and what has to be seen first.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { approvalBody } from "./approval-body.ts";
import { ChoicesRow } from "./approval-row.tsx";
import { type ApprovalChoice, type ApprovalState, choiceKeys, inForm, isEndShown, offered } from "./approval-state.ts";
import { type TextPurpose, textPrompts } from "./approval-text.ts";
import { Composer, type ComposerProps } from "./composer.tsx";
import { composerWindow } from "./composer-layout.ts";
import { reveal, sanitize } from "./sanitize.ts";
import { type Line, paintLine } from "./styled-line.ts";
import { cellWidth, truncate, wrapLine } from "./text-width.ts";
import { useTheme } from "./theme.ts";

export interface ApprovalProps {
  readonly state: ApprovalState;
  readonly width: number;
  readonly maxRows: number;
  /** Of what is written. */
  readonly cursor?: NonNullable<ComposerProps["cursor"]>;
}

export interface ApprovalLayout {
  readonly lines: readonly Line[];
  readonly head: readonly string[];
  /** Rows the body gets: the reducer's `page`. */
  readonly bodyRows: number;
  readonly maxScroll: number;
  /** Rows for what is written. */
  readonly textRows: number;
  /** Each choice has rows of its own: where the body has room beside them. */
  readonly isListed: boolean;
}

/** Rows that a body which has more gets at least, before the choices have rows of their own. */
const leastBody = 5;

/** What fits: the owner sends `maxScroll` back with `drawn`, and `bodyRows` and `textRows` with keys. */
export function approvalLayout(state: ApprovalState, width: number, maxRows: number): ApprovalLayout {
  const lines = approvalBody(state.request, width);
  const head = headLines(state, width, maxRows);
  const room = Math.max(1, maxRows - head.length - hintRows(maxRows));
  // The body that is being rewritten makes room for it.
  const most = state.writing?.purpose === "edit" ? room : Math.min(room, 4);
  const { buffer, width: columns } = state.writing?.composer ?? {};
  const wanted = buffer && columns !== undefined ? composerWindow(buffer, columns, most).rows.length : 1;
  const listed = choiceRows(state, width).length;
  const isListed = listed + Math.min(lines.length, leastBody) <= room;
  const below = state.writing ? wanted : isListed ? listed : 1;
  const bodyRows = Math.min(Math.max(state.writing ? 0 : 1, room - below), lines.length);
  return { lines, head, bodyRows, maxScroll: lines.length - bodyRows, textRows: most, isListed };
}

export function Approval({ state: given, width, maxRows, cursor = "cell" }: ApprovalProps): ReactNode {
  const theme = useTheme();
  const { styles } = theme;
  const layout = approvalLayout(given, width, maxRows);
  const state = inForm(given, layout.isListed);
  const { lines, head, bodyRows, maxScroll } = layout;
  const scroll = Math.min(state.scroll, maxScroll);
  return (
    <Box flexDirection="column" width={width}>
      {head.map((line, index) => (
        <Text key={`head ${index}`} {...(index === 0 ? styles.strong : styles.muted)}>
          {line}
        </Text>
      ))}
      {lines.slice(scroll, scroll + bodyRows).map((line, index) => (
        <Text key={scroll + index} wrap="truncate-end">
          {paintLine(line, theme) || " "}
        </Text>
      ))}
      {state.writing === undefined ? (
        <Choices state={state} width={width} maxRows={maxRows} layout={layout} />
      ) : (
        <>
          <Composer
            state={state.writing.composer}
            width={width}
            maxRows={layout.textRows}
            prompt={textPrompts[state.writing.purpose]}
            placeholder={placeholders[state.writing.purpose]}
            cursor={cursor}
          />
          {hintRows(maxRows) > 0 && (
            <Text {...styles.muted}>{fitting(writingHints[state.writing.purpose], width)}</Text>
          )}
        </>
      )}
    </Box>
  );
}

const placeholders: Readonly<Record<TextPurpose, string>> = {
  why: "what the model should do instead",
  edit: "the command to run instead",
};

const writingHints: Readonly<Record<TextPurpose, readonly string[]>> = {
  why: ["enter says no, with this · esc back to the choices", "enter says no · esc back", "enter · esc"],
  edit: ["enter runs this · alt+enter new line · esc back to the choices", "enter runs this · esc back", "enter · esc"],
};

function Choices({ state, width, maxRows, layout }: ApprovalProps & { layout: ApprovalLayout }): ReactNode {
  const { styles } = useTheme();
  const { words, isUrgent } = hintOf(state, layout);
  const hint = <Text {...(isUrgent ? styles.warning : styles.muted)}>{fitting(words, width)}</Text>;
  // One row for both: what stands in the way of an answer goes first, but not of one that enter would give.
  const isMoved = state.selected > 0 && !state.stray && state.early === undefined;
  if (hintRows(maxRows) === 0 && isUrgent && !isMoved) return hint;
  return (
    <>
      {layout.isListed ? <ListedChoices state={state} width={width} /> : <ChoicesRow state={state} width={width} />}
      {hintRows(maxRows) > 0 && hint}
    </>
  );
}

/** The longest that fits; the last one is cut. */
function fitting(words: readonly string[], width: number): string {
  return truncate(words.find((each) => cellWidth(each) <= width) ?? words.at(-1) ?? "", width);
}

function ListedChoices({ state, width }: { state: ApprovalState; width: number }): ReactNode {
  const { styles, glyphs } = useTheme();
  return choiceRows(state, width).map(({ text, choice, isFirst }, row) => {
    const isSelected = state.choices[state.selected] === choice && !state.stray;
    const pointer = width < 8 ? "" : isSelected && isFirst ? `${glyphs.pointer} ` : "  ";
    return (
      <Text key={row} {...(isSelected ? styles.selected : styles.plain)}>
        {truncate(`${pointer}${text}`, width, glyphs.ellipsis)}
      </Text>
    );
  });
}

/** A rule is shown whole: what is stored is what was read. */
function choiceRows(state: ApprovalState, width: number) {
  const room = Math.max(1, width - (width < 8 ? 0 : 2));
  return state.choices.flatMap((choice) => {
    const label = choiceLabel(choice, state);
    const rows = choice === "always" || choice === "never" ? wrapLine(label, room) : [label];
    return rows.map((text, index) => ({ text, choice, isFirst: index === 0 }));
  });
}

/** The longest that fits is shown. Urgent: an enter would do nothing now. */
function hintOf(state: ApprovalState, { lines, bodyRows, maxScroll, isListed }: ApprovalLayout) {
  const scroll = Math.min(state.scroll, maxScroll);
  const place = `lines ${scroll + 1}-${scroll + bodyRows} of ${lines.length}`;
  if (!isEndShown(state, maxScroll) && state.early !== undefined) {
    const key = choiceKeys[state.early];
    const words = [
      `read to the end first: pgdn, then ${key} (${place})`,
      `read to the end first: pgdn, then ${key}`,
      `first the rest: pgdn, then ${key}`,
      "first the rest: pgdn",
      "pgdn first",
    ];
    return { words, isUrgent: true };
  }
  if (!isEndShown(state, maxScroll)) {
    const words = [
      `pgdn shows the rest (${place}), then y`,
      `pgdn: the rest (${place})`,
      "pgdn shows the rest",
      "pgdn",
    ];
    return { words, isUrgent: true };
  }
  const letters = offered(state).map((choice) => choiceKeys[choice]);
  if (state.stray) {
    const list = `${letters.slice(0, -1).join(", ")} or ${letters.at(-1)}`;
    return { words: [`press ${list}, or an arrow first`, `press ${letters.join(" ")}`], isUrgent: true };
  }
  const keys = letters.join(" ");
  const choose = `${keys} · arrows and enter choose · esc stops the turn`;
  const before = maxScroll > 0 ? [`${place} · ${choose}`, `${place} · ${keys} · esc stops`] : [];
  return { words: [...before, choose, `${keys} · enter · esc stops`, isListed ? keys : "esc stops"], isUrgent: false };
}

function choiceLabel(choice: ApprovalChoice, { request, isChanged }: ApprovalState): string {
  const rule = (text: string | undefined) => reveal(text ?? "").replaceAll("\n", "\\n");
  const words: Readonly<Record<ApprovalChoice, string>> = {
    once: isChanged ? "yes, run it as you changed it" : "yes, this once",
    always: `always: ${rule(request.rule)}${request.ruleMeans === undefined ? "" : `, ${sanitize(request.ruleMeans)}`}`,
    never: `never: ${rule(request.deny)}`,
    edit: "edit the command, then run it",
    no: "no",
    "no-because": "no, and tell the model why",
  };
  return `${choiceKeys[choice]}  ${words[choice]}`;
}

/** With two rows there is one for the body and one for the choices. */
function hintRows(maxRows: number): number {
  return maxRows >= 3 ? 1 : 0;
}

/** The title and the words about the call make room for the body and the choices in a small window. */
function headLines({ request, isChanged }: ApprovalState, width: number, maxRows: number): readonly string[] {
  const title = isChanged ? `Allow ${request.tool}, as you changed it?` : `Allow ${request.tool}?`;
  const most = maxRows >= 18 ? 6 : maxRows >= 13 ? 4 : maxRows >= 9 ? 2 : maxRows >= 8 ? 1 : 0;
  const first = truncate(sanitize(title), width);
  if (most < 3) return [first, truncate(sanitize(request.reason), width)].slice(0, most);
  const words = [request.effect, request.reason, request.noRule].filter((text) => text !== undefined);
  const all = [first, ...words.flatMap((text) => wrapLine(sanitize(text), width))];
  const over = all.length > most ? [truncate(`${all[most - 1]}…`, width)] : [];
  return over.length === 0 ? all : [...all.slice(0, most - 1), ...over];
}
