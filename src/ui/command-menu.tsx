// The menu under the composer while a slash command is being typed: which commands fit, which one is selected,
// and how the list is drawn. Commands come as plain descriptions; running one is the owner's.
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { matchRank, rankBy } from "./fuzzy.ts";
import { rowWindow, wrapIndex } from "./row-window.ts";
import { cellWidth, padCells, truncate } from "./text-width.ts";
import { useTheme } from "./theme.ts";

export interface MenuCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Arguments as shown behind the name: `[n] [--chat|--files]`. */
  readonly usage?: string;
  readonly summary: string;
}

export interface MenuItem {
  readonly command: MenuCommand;
  /** The alias that was matched, when it was not the name. */
  readonly alias?: string;
}

/** What fits the text so far, best first. With arguments begun: the command itself, for its usage. */
export function menuItems(text: string, commands: readonly MenuCommand[]): readonly MenuItem[] {
  const typed = /^\/([^\s/]*)([^\S\n][^\n]*)?$/.exec(text);
  if (typed === null) return [];
  const [, name = "", rest] = typed;
  if (rest === undefined)
    return rankBy(
      commands.map((command) => matchCommand(name, command)),
      (item) => item.rank,
    );
  const command = commands.find((each) => each.name === name || each.aliases?.includes(name));
  return command === undefined ? [] : [{ command }];
}

function matchCommand(query: string, command: MenuCommand): MenuItem & { rank?: number } {
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

export interface MenuState {
  /** The text the menu was opened for; a new text selects the first item again. */
  readonly text: string;
  readonly selected: number;
  /** By escape, until the text changes. */
  readonly closed: boolean;
}

export type MenuAction =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "up" | "down"; readonly count: number }
  | { readonly type: "close" };

export const initialMenu: MenuState = { text: "", selected: 0, closed: false };

export function menuReducer(state: MenuState, action: MenuAction): MenuState {
  switch (action.type) {
    case "text":
      return action.text === state.text ? state : { text: action.text, selected: 0, closed: false };
    case "up":
      return { ...state, selected: wrapIndex(state.selected - 1, action.count) };
    case "down":
      return { ...state, selected: wrapIndex(state.selected + 1, action.count) };
    case "close":
      return { ...state, closed: true };
  }
}

/** The text that choosing an item leaves in the composer. */
export function menuCompletion(item: MenuItem): string {
  return `/${item.command.name} `;
}

export interface CommandMenuProps {
  readonly items: readonly MenuItem[];
  readonly state: MenuState;
  readonly width: number;
  readonly maxRows: number;
}

export function CommandMenu({ items, state, width, maxRows }: CommandMenuProps): ReactNode {
  if (state.closed || items.length === 0 || maxRows < 1) return null;
  const selected = Math.min(state.selected, items.length - 1);
  const { start, end } = rowWindow(items.length, selected, maxRows);
  const nameWidth = Math.min(40, Math.max(...items.map((item) => cellWidth(commandLabel(item)))));
  return (
    <Box flexDirection="column" width={width}>
      {items.slice(start, end).map((item, index) => (
        <MenuRow
          key={item.command.name}
          item={item}
          selected={start + index === selected}
          width={width}
          nameWidth={nameWidth}
        />
      ))}
    </Box>
  );
}

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
  const label =
    room < nameWidth + 12
      ? truncate(commandLabel(item), room, glyphs.ellipsis)
      : padCells(commandLabel(item), nameWidth);
  const summary = truncate(item.command.summary, Math.max(0, room - cellWidth(label) - 2), glyphs.ellipsis);
  return (
    <Text wrap="truncate-end" {...(selected ? styles.selected : styles.plain)}>
      {pointer}
      {label}
      {room >= nameWidth + 12 && <Text {...(selected ? styles.plain : styles.muted)}>{`  ${summary}`}</Text>}
    </Text>
  );
}

function commandLabel({ command, alias }: MenuItem): string {
  const name = alias === undefined ? `/${command.name}` : `/${command.name} (${alias})`;
  return command.usage === undefined || command.usage === "" ? name : `${name} ${command.usage}`;
}
