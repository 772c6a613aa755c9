// The menu under the composer: what may be put in place of what is being typed, which one is selected, and how the
// list is drawn; and which commands fit a slash. Items come as plain descriptions; choosing one is the owner's.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { ComposerAction } from "./composer-state.ts";
import { matchRank, rankBy } from "./fuzzy.ts";
import { rowWindow, wrapIndex } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { cellWidth, padCells, truncate, truncateStart } from "./text-width.ts";
import { useTheme } from "./theme.ts";

export interface MenuCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Arguments as shown behind the name: `[n] [--chat|--files]`. */
  readonly usage?: string;
  readonly summary: string;
  /** What its first argument names: sessions and models can be offered. */
  readonly argument?: string;
}

/** Label and summary are untrusted: they are sanitised when drawn. */
export interface MenuItem {
  /** Unique in its list. */
  readonly id: string;
  readonly label: string;
  readonly summary: string;
  /** Of a label that is too wide its end is kept. */
  readonly keepsEnd?: boolean;
  /** What choosing it does to the text; absent: it only tells. */
  readonly choice?: ComposerAction;
  /** It stands there in full: enter does not choose it, but sends. */
  readonly isWhole: boolean;
}

/** What fits the text so far, best first. With arguments begun: the command itself, for its usage. */
export function menuItems(text: string, commands: readonly MenuCommand[]): readonly MenuItem[] {
  const typed = typedCommand(text);
  if (typed === undefined) return [];
  const { name, rest } = typed;
  if (rest === undefined) {
    const fitting = rankBy(
      commands.map((command) => matchCommand(name, command)),
      (fit) => fit.rank,
    );
    return fitting.map((fit) => commandItem(fit, { typed: name, isAlone: fitting.length === 1 }));
  }
  const command = findTyped(text, commands);
  return command === undefined ? [] : [usageItem(command)];
}

/** The command whose name stands in full before a blank, and what is typed behind it. */
export function typedArgument(
  text: string,
  commands: readonly MenuCommand[],
): { readonly command: MenuCommand; readonly argument: string } | undefined {
  const command = findTyped(text, commands);
  const { rest } = typedCommand(text) ?? {};
  if (command === undefined || rest === undefined) return undefined;
  return { command, argument: rest.trimStart() };
}

function typedCommand(text: string): { readonly name: string; readonly rest: string | undefined } | undefined {
  const typed = /^\/([^\s/]*)([^\S\n][^\n]*)?$/.exec(text);
  return typed === null ? undefined : { name: typed[1] ?? "", rest: typed[2] };
}

function findTyped(text: string, commands: readonly MenuCommand[]): MenuCommand | undefined {
  const name = typedCommand(text)?.name;
  return commands.find((each) => each.name === name || (name !== undefined && each.aliases?.includes(name)));
}

interface CommandFit {
  readonly command: MenuCommand;
  /** The alias that was matched, when it was not the name. */
  readonly alias?: string;
  readonly rank?: number;
}

function matchCommand(query: string, command: MenuCommand): CommandFit {
  const rank = matchRank(query, command.name);
  if (rank !== undefined && rank <= 1) return { command, rank };
  const alias = rankBy(command.aliases ?? [], (each) => matchRank(query, each))[0];
  const aliasRank = alias === undefined ? undefined : matchRank(query, alias);
  // An alias counts a little less than a name that fits as well.
  if (alias !== undefined && aliasRank !== undefined && aliasRank + 0.5 < (rank ?? Number.POSITIVE_INFINITY)) {
    return { command, alias, rank: aliasRank + 0.5 };
  }
  return rank === undefined ? { command } : { command, rank };
}

/** Nothing runs that was not named in full: the first enter completes, the second one runs. */
function commandItem(
  { command, alias }: CommandFit,
  { typed, isAlone }: { typed: string; isAlone: boolean },
): MenuItem {
  return {
    id: command.name,
    // Among others what it does is worth more room than what may follow it.
    label: isAlone ? commandLabel(command, alias) : commandName(command, alias),
    summary: command.summary,
    choice: { type: "complete", from: 0, to: Number.POSITIVE_INFINITY, text: `/${command.name} ` },
    isWhole: command.name === typed || command.aliases?.includes(typed) === true,
  };
}

function usageItem(command: MenuCommand): MenuItem {
  return { id: command.name, label: commandLabel(command), summary: command.summary, isWhole: true };
}

function commandName(command: MenuCommand, alias?: string): string {
  return alias === undefined ? `/${command.name}` : `/${command.name} (${alias})`;
}

function commandLabel(command: MenuCommand, alias?: string): string {
  const name = commandName(command, alias);
  return command.usage === undefined || command.usage === "" ? name : `${name} ${command.usage}`;
}

export interface MenuState {
  /** What the menu was opened for; something else selects the first item again. */
  readonly text: string;
  /** -1: none. */
  readonly selected: number;
  /** By escape, until something else is typed for. */
  readonly closed: boolean;
  /** Where it stays closed whatever is typed on. */
  readonly place?: string;
}

export type MenuAction =
  | {
      readonly type: "text";
      readonly text: string;
      /** Closed by escape it stays closed as long as this is the same. */
      readonly place?: string;
      /** Default 0; -1 selects none. */
      readonly selected?: number;
    }
  | { readonly type: "up" | "down"; readonly count: number }
  | { readonly type: "close" };

export const initialMenu: MenuState = { text: "", selected: 0, closed: false };

export function menuReducer(state: MenuState, action: MenuAction): MenuState {
  switch (action.type) {
    case "text": {
      const { text, place, selected = 0 } = action;
      if (text === state.text && place === state.place) return state;
      const closed = state.closed && place !== undefined && place === state.place;
      return { text, selected, closed, ...(place !== undefined && { place }) };
    }
    case "up":
      return { ...state, selected: wrapIndex(Math.max(state.selected, 0) - 1, action.count) };
    case "down":
      return { ...state, selected: wrapIndex(state.selected + 1, action.count) };
    case "close":
      return { ...state, closed: true };
  }
}

export interface CommandMenuProps {
  readonly items: readonly MenuItem[];
  readonly state: MenuState;
  readonly width: number;
  readonly maxRows: number;
  /** A last row that cannot be chosen. */
  readonly note?: string;
}

export function CommandMenu({ items, state, width, maxRows, note }: CommandMenuProps): ReactNode {
  const { styles, glyphs } = useTheme();
  if (state.closed || (items.length === 0 && note === undefined) || maxRows < 1) return null;
  const rows = note === undefined || items.length === 0 ? maxRows : maxRows - 1;
  const selected = Math.min(state.selected, items.length - 1);
  const { start, end } = rowWindow(items.length, Math.max(0, selected), Math.max(1, rows));
  const shown = items.slice(start, end).map((item) => ({ ...item, label: sanitize(item.label) || " " }));
  const nameWidth = Math.min(40, Math.max(0, ...items.slice(0, widest).map((item) => cellWidth(sanitize(item.label)))));
  return (
    <Box flexDirection="column" width={width}>
      {shown.map((item, index) => (
        <MenuRow
          key={item.id}
          item={item}
          selected={start + index === selected}
          width={width}
          nameWidth={item.summary === "" ? width : nameWidth}
        />
      ))}
      {note !== undefined && (items.length === 0 || maxRows > 1) && (
        <Text wrap="truncate-end" {...styles.muted}>
          {truncate(`${width < 8 ? "" : "  "}${sanitize(note)}`, width, glyphs.ellipsis)}
        </Text>
      )}
    </Box>
  );
}

/** As many labels are measured for the column of names. */
const widest = 200;

interface MenuRowProps {
  readonly item: MenuItem;
  readonly selected: boolean;
  readonly width: number;
  readonly nameWidth: number;
}

function MenuRow({ item, selected, width, nameWidth }: MenuRowProps): ReactNode {
  const { styles, glyphs } = useTheme();
  const pointer = width < 8 ? "" : selected ? `${glyphs.pointer} ` : "  ";
  const room = width - cellWidth(pointer);
  const isRoomy = room >= nameWidth + 12;
  const label = isRoomy ? padCells(item.label, nameWidth) : cutLabel(item, room, glyphs.ellipsis);
  const summary = truncate(sanitize(item.summary), Math.max(0, room - cellWidth(label) - 2), glyphs.ellipsis);
  return (
    <Text wrap="truncate-end" {...(selected ? styles.selected : styles.plain)}>
      {pointer}
      {label}
      {isRoomy && <Text {...(selected ? styles.plain : styles.muted)}>{`  ${summary}`}</Text>}
    </Text>
  );
}

function cutLabel({ label, keepsEnd }: MenuItem, width: number, ellipsis: string): string {
  if (!keepsEnd || cellWidth(label) <= width) return truncate(label, width, ellipsis);
  return truncate(`${ellipsis}${truncateStart(label, width - cellWidth(ellipsis))}`, width, "");
}
