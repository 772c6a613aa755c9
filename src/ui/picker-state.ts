// The state of a list picker: what is typed filters, arrows move, enter chooses, escape clears and then leaves.
// Pure, and drawn by picker-lines.ts. Filtering runs when the filter or the items change, not for every key, and a
// longer query looks only among what fitted the shorter one.
import { chord, type KeyEvent } from "./key-event.ts";
import { matchItems, prepareMatching } from "./picker-match.ts";
import { clampIndex } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { graphemes } from "./text-width.ts";

/** Texts are untrusted: they are sanitised when drawn. */
export interface PickerItem {
  /** Often a command, of which all rows of a list have the words: a filter does not look at it. */
  readonly id: string;
  readonly label: string;
  /** Right of the label, muted. */
  readonly detail?: string;
  /** The same in columns, the most telling first: as many as there is room for. */
  readonly facts?: readonly string[];
  /** Follows the label, muted. With it the detail stands in a column behind the labels. */
  readonly hint?: string;
  /** More text that the filter looks at. */
  readonly search?: string;
}

export interface PickerState<Item extends PickerItem = PickerItem> {
  readonly items: readonly Item[];
  readonly matches: readonly Item[];
  /** Those in the order of the items, as indices. */
  readonly hits: readonly number[];
  readonly query: string;
  /** Index into `matches`. */
  readonly selected: number;
  readonly outcome?: PickerOutcome<Item>;
}

export type PickerOutcome<Item> =
  | { readonly kind: "chosen"; readonly item: Item }
  | { readonly kind: "cancelled" }
  /** A key of the owner's, pressed on an item: `ctrl+d`. */
  | { readonly kind: "command"; readonly chord: string; readonly item: Item };

export type PickerAction<Item extends PickerItem> =
  /** `commands` are the chords that end the picker with the selected item; `page` is the number of rows drawn. */
  | { readonly type: "key"; readonly event: KeyEvent; readonly page: number; readonly commands?: readonly string[] }
  /** Keeps the selection on an item that was gone to, where it still matches; else it is on the best match. */
  | { readonly type: "items"; readonly items: readonly Item[] };

export function createPicker<Item extends PickerItem>(options: {
  items: readonly Item[];
  query?: string;
  selected?: string;
}): PickerState<Item> {
  const { items, query = "", selected } = options;
  prepareMatching(items);
  const state = fitting({ items, matches: items, hits: [], query: "", selected: 0 }, query);
  const index = state.matches.findIndex((item) => item.id === selected);
  return { ...state, selected: Math.max(0, index) };
}

export function pickerReducer<Item extends PickerItem>(
  state: PickerState<Item>,
  action: PickerAction<Item>,
): PickerState<Item> {
  if (action.type === "items") {
    const { query } = state;
    // Whoever only typed wants the best match, which may be among those that came now.
    const isBest = query !== "" && state.selected === 0;
    const selected = isBest ? undefined : state.matches[state.selected]?.id;
    return createPicker({ items: action.items, query, ...(selected === undefined ? {} : { selected }) });
  }
  const { event, page, commands = [] } = action;
  // Of a paste only its first line is a filter.
  if (event.kind !== "key") return withQuery(state, state.query + sanitize(event.text.split("\n")[0] ?? ""));
  const name = chord(event) ?? "";
  const item = state.matches[state.selected];
  if (commands.includes(name))
    return item === undefined ? state : { ...state, outcome: { kind: "command", chord: name, item } };
  const moved = movement(name, state, page);
  if (moved !== undefined) return { ...state, selected: clampIndex(moved, state.matches.length) };
  return editOrEnd(state, name, item);
}

function movement(name: string, state: PickerState, page: number): number | undefined {
  const { selected, matches } = state;
  const step = Math.max(1, page);
  if (name === "up" || name === "ctrl+p") return selected - 1;
  if (name === "down" || name === "ctrl+n") return selected + 1;
  if (name === "pageup") return selected - step;
  if (name === "pagedown") return selected + step;
  if (name === "home") return 0;
  return name === "end" ? matches.length - 1 : undefined;
}

function editOrEnd<Item extends PickerItem>(
  state: PickerState<Item>,
  name: string,
  item: Item | undefined,
): PickerState<Item> {
  switch (name) {
    case "backspace":
    case "ctrl+h":
      return withQuery(state, graphemes(state.query).slice(0, -1).join(""));
    case "ctrl+u":
      return withQuery(state, "");
    case "ctrl+w":
      return withQuery(state, state.query.replace(/\S+\s*$/, ""));
    case "enter":
      return item === undefined ? state : { ...state, outcome: { kind: "chosen", item } };
    case "escape":
      return state.query === "" ? { ...state, outcome: { kind: "cancelled" } } : withQuery(state, "");
    case "ctrl+c":
      return { ...state, outcome: { kind: "cancelled" } };
    default:
      return state;
  }
}

function withQuery<Item extends PickerItem>(state: PickerState<Item>, query: string): PickerState<Item> {
  return query === state.query ? state : fitting(state, query);
}

function fitting<Item extends PickerItem>(state: PickerState<Item>, query: string): PickerState<Item> {
  const { items } = state;
  if (query.trim() === "") return { ...state, query, matches: items, hits: [], selected: 0 };
  const goesOn = state.query.trim() !== "" && query.startsWith(state.query);
  const { hits, ranked } = matchItems(items, query, goesOn ? state.hits : undefined);
  const matches: Item[] = [];
  for (const index of ranked) {
    const item = items[index];
    if (item) matches.push(item);
  }
  return { ...state, query, matches, hits, selected: 0 };
}
