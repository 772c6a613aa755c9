// The live part as a whole: what goes on, then the composer or the prompt that takes its place, then the status
// line. Never higher than the window's rows less one. Takes no keys and keeps no state.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { Approval } from "./approval.tsx";
import type { ApprovalState } from "./approval-state.ts";
import { CommandMenu, type MenuItem, type MenuState } from "./command-menu.tsx";
import { Composer, type ComposerProps } from "./composer.tsx";
import { composerColumns, composerWindow } from "./composer-layout.ts";
import type { ComposerState } from "./composer-state.ts";
import { CursorLines } from "./cursor-lines.tsx";
import type { Front } from "./front.ts";
import { historySearchLines } from "./history-search-lines.ts";
import type { HistorySearch } from "./history-search-state.ts";
import { liveLines } from "./live-lines.ts";
import { type PickerView, pickerLines } from "./picker-lines.ts";
import { previewLines } from "./preview-lines.ts";
import type { PreviewState } from "./preview-state.ts";
import { queueLines } from "./queue-lines.ts";
import type { DecideState } from "./recovery.ts";
import { decideLines, type Waited, waitLines } from "./recovery-lines.ts";
import { planRows } from "./row-plan.ts";
import { shellMode, shellPrompt, shellRule } from "./shell-mode.ts";
import { statusLine } from "./status-line.ts";
import { fitLine, type Line, paintLine, span } from "./styled-line.ts";
import { type Theme, ThemeContext } from "./theme.ts";
import type { Look } from "./tool-lines.ts";
import { textLines } from "./transcript.ts";
import type { ViewState } from "./view-state.ts";

/** What takes the composer's place, drawn. */
export type ModalView =
  | { readonly kind: "approval"; readonly state: ApprovalState }
  | { readonly kind: "picker"; readonly view: PickerView }
  | { readonly kind: "confirm"; readonly question: string }
  | { readonly kind: "decide"; readonly state: DecideState }
  | { readonly kind: "preview"; readonly state: PreviewState }
  | { readonly kind: "history"; readonly search: HistorySearch }
  | { readonly kind: "wait"; readonly wait: Waited };

export interface ScreenProps {
  readonly view: ViewState;
  readonly composer: ComposerState;
  readonly menu: { readonly state: MenuState; readonly items: readonly MenuItem[]; readonly note?: string };
  readonly modal?: ModalView;
  readonly front?: Front;
  readonly size: { readonly columns: number; readonly rows: number };
  readonly theme: Theme;
  readonly cursor: NonNullable<ComposerProps["cursor"]>;
  readonly now: number;
}

export function ScreenView(props: ScreenProps): ReactNode {
  const { view, composer, menu, modal, size, theme } = props;
  const { columns: width } = size;
  const look = { width, theme };
  const { live, queue } = linesAround(props);
  const plan = screenPlan(props, lengthsOf({ live, queue }));
  const shell = modal ? undefined : shellMode(composer.buffer);
  const prompt = shell ? shellPrompt : `${theme.glyphs.pointer} `;
  const rule = <Lines lines={[ruleLine(look)]} theme={theme} />;
  const under = shell ? <Lines lines={[shellRule(shell, ruleLine(look), look)]} theme={theme} /> : rule;
  return (
    <ThemeContext.Provider value={theme}>
      <Box flexDirection="column" width={width}>
        <Lines lines={plan.live === 0 ? [] : live.slice(-plan.live)} theme={theme} />
        {plan.rules && rule}
        {modal && <Modal {...props} modal={modal} rows={plan.modal} />}
        {!modal && (
          <Composer
            state={composer}
            width={width}
            maxRows={plan.composer}
            placeholder={placeholder(view, width)}
            prompt={prompt}
            role={shell ? "warning" : "accent"}
            cursor={props.cursor}
          />
        )}
        {plan.rules && !modal && under}
        <Lines lines={queue.slice(0, plan.queue)} theme={theme} />
        <CommandMenu {...menu} width={width} maxRows={plan.menu} />
        {plan.status && <Lines lines={[statusLine(view, look, props.front)]} theme={theme} />}
      </Box>
    </ThemeContext.Provider>
  );
}

/** For the moments in which nothing wider can be drawn. */
export function RestingView({ theme }: Pick<ScreenProps, "theme">): ReactNode {
  return <Lines lines={[[span(theme.glyphs.ellipsis, "muted")]]} theme={theme} />;
}

/**
 * Lines that reach the right edge are wrapped by the terminal while its window is made narrower, and some then put the
 * cursor a row off. A few columns are left free for that.
 */
const freeColumns = 6;

function ruleLine({ width, theme }: Look): Line {
  if (width < 24) return [span(theme.glyphs.rule.repeat(Math.max(1, width - 2)), "muted")];
  return [span(` ${theme.glyphs.rule.repeat(width - 1 - freeColumns)}`, "muted")];
}

/** What stands above the input and under it; a prompt in the input's place has all of it above. */
function linesAround({ view, modal, size, theme }: Pick<ScreenProps, "view" | "modal" | "size" | "theme">) {
  const look = { width: size.columns, theme };
  const [live, queue] = [liveLines(view, look), queueLines(view, look)];
  return modal ? { live: [...live, ...queue], queue: [] } : { live, queue };
}

/** Rows of each part at this size; keys that page have to know them too. */
export function screenPlan(props: Omit<ScreenProps, "now" | "cursor">, lines = lengthsOf(linesAround(props))) {
  const { composer, menu, modal, size, theme } = props;
  const columns = composerColumns(size.columns, `${theme.glyphs.pointer} `);
  return planRows(size.rows, {
    ...lines,
    modal: modal !== undefined,
    composer: composerWindow(composer.buffer, columns, size.rows).rows.length,
    menu: menu.state.closed ? 0 : menu.items.length + (menu.note === undefined ? 0 : 1),
  });
}

function lengthsOf({ live, queue }: ReturnType<typeof linesAround>) {
  return { live: live.length, queue: queue.length };
}

function placeholder({ blocked, phase, turn }: ViewState, width: number): string {
  const fitting = (...words: readonly string[]) => words.find((each) => each.length <= width - 2) ?? words.at(-1) ?? "";
  if (blocked !== undefined) return fitting("waits for your decision · /recover", "/recover decides");
  if (phase === "starting") return fitting("Type already; it is sent when the ledger is open", "Type already");
  if (turn)
    return fitting(
      "Type the next prompt: enter queues it, ctrl+s tells it to this turn",
      "enter queues it, ctrl+s steers",
      "enter queues it",
    );
  return fitting("Ask anything, or / for commands", "Ask, or / commands");
}

function Modal(props: ScreenProps & { modal: ModalView; rows: number }): ReactNode {
  const { modal, rows, size, theme, cursor, now } = props;
  const { columns: width } = size;
  const look = { width, theme };
  switch (modal.kind) {
    case "approval":
      if (rows < leastApproval) return <Lines lines={[tooLow(width)]} theme={theme} />;
      return <Approval state={modal.state} width={width} maxRows={rows} cursor={cursor} />;
    case "picker":
      return <CursorLines lines={pickerLines(modal.view, look, rows)} theme={theme} cursor={cursor} />;
    case "confirm":
      return <Lines lines={confirmLines(modal.question, look, rows)} theme={theme} />;
    case "decide":
      return <Lines lines={fitAll(decideLines(modal.state, look, { rows, now }), width)} theme={theme} />;
    case "preview":
      return <Lines lines={previewLines(modal.state, look, rows)} theme={theme} />;
    case "history":
      return <CursorLines lines={historySearchLines(modal.search, look, rows)} theme={theme} cursor={cursor} />;
    case "wait":
      return <Lines lines={waitLines(modal.wait, look, { rows, now })} theme={theme} />;
  }
}

/** A body of one row and the choices on another: with less nobody could see what is asked. */
export const leastApproval = 2;

function tooLow(width: number): Line {
  return fitLine([span("approval: window too low, esc says no", "warning")], width);
}

function confirmLines(question: string, look: Look, rows: number): readonly Line[] {
  const lines = textLines({ text: question, role: "warning" }, look);
  const choices = fitLine([span("y yes   n no", "selected")], look.width);
  return [...lines.slice(0, Math.max(0, rows - 1)), choices];
}

function fitAll(lines: readonly Line[], width: number): readonly Line[] {
  return lines.map((line) => fitLine(line, width));
}

function Lines({ lines, theme }: { lines: readonly Line[]; theme: Theme }): ReactNode {
  return lines.map((line, index) => (
    // A row is a place on the screen: its index is its identity.
    <Text key={index} wrap="truncate-end">
      {paintLine(line, theme) || " "}
    </Text>
  ));
}
