// The keys as `?` prints them: all where the window holds them, else the most needed ones, and the rest when `?` is
// pressed again: what scrolls out of the window at once tells nobody anything.
import type { Block } from "./block.ts";
import type { KeyHelp } from "./keys-help.ts";

/** While this notice stands, `?` prints the rest. */
export const moreKeysNotice = "? again: the other keys";

/** Of the window: the table's head, the rules, the input, the status line, the notice and a row of what was before. */
const otherRows = 8;
const leastKeys = 6;

export interface KeysTable {
  readonly blocks: readonly Block[];
  readonly hasMore: boolean;
}

export interface KeysAsked {
  readonly windowRows: number;
  readonly isAgain: boolean;
}

export function keysTable(help: readonly KeyHelp[], { windowRows, isAgain }: KeysAsked): KeysTable {
  const room = Math.max(leastKeys, windowRows - otherRows);
  const isCut = help.length > room;
  const shown = !isCut ? help : isAgain ? help.slice(room) : help.slice(0, room);
  const rows = shown.map(({ keys, does }) => [keys, does]);
  const blocks: readonly Block[] = [
    { kind: "lines", lines: [""] },
    { kind: "table", columns: ["key", "does"], rows },
  ];
  return { blocks, hasMore: isCut && !isAgain };
}
