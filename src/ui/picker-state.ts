// The state of a list picker: what is typed filters, arrows move, enter chooses, escape clears and then leaves.
// Pure, and drawn by picker.tsx. Filtering runs when the filter or the items change, not for every key, so that
// thousands of items are no trouble. `external` leaves filtering to the owner, who sends new items for a new query.
import { chord, type KeyEvent } from "./key-event.ts";
import { clampIndex } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { graphemes } from "./text-width.ts";

/** Texts are untrusted: they are sanitised when drawn. */
export interface PickerItem {
  readonly id: string;
  readonly label: string;
  /** Right of the label, muted. */
  readonly detail?: string;
  /** More text that the filter looks at. */
  readonly search?: string;
}

export interface PickerState<Item extends PickerItem = PickerItem> {
  readonly items: readonly Item[];
  readonly matches: readonly Item[];
  readonly query: string;
  /** Index into `matches`. */
  readonly selected: number;
  readonly filter: "local" | "external";
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
  /** Keeps the selection on the same item where it still matches. */
  | { readonly type: "items"; readonly items: readonly Item[] };

export function createPicker<Item extends PickerItem>(options: {
  items: readonly Item[];
  filter?: "local" | "external";
  query?: string;
  selected?: string;
}): PickerState<Item> {
  const { items, filter = "local", query = "", selected } = options;
  const matches = filter === "local" ? matching(items, query) : items;
  const index = matches.findIndex((item) => item.id === selected);
  return { items, matches, query, selected: Math.max(0, index), filter };
}

export function pickerReducer<Item extends PickerItem>(
  state: PickerState<Item>,
  action: PickerAction<Item>,
): PickerState<Item> {
  if (action.type === "items") {
    const selected = state.matches[state.selected]?.id;
    const { filter, query } = state;
    return createPicker({ items: action.items, filter, query, ...(selected === undefined ? {} : { selected }) });
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
  if (query === state.query) return state;
  const matches = state.filter === "local" ? matching(state.items, query) : state.matches;
  return { ...state, query, matches, selected: 0 };
}

/** Every word of the query has to be somewhere in the item; those with it in the label come first. */
function matching<Item extends PickerItem>(items: readonly Item[], query: string): readonly Item[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return items;
  const inLabel: Item[] = [];
  const elsewhere: Item[] = [];
  for (const item of items) {
    const label = item.label.toLowerCase();
    if (words.every((word) => label.includes(word))) inLabel.push(item);
    else if (words.every((word) => searchText(item, label).includes(word))) elsewhere.push(item);
  }
  return [...inLabel, ...elsewhere];
}

function searchText(item: PickerItem, label: string): string {
  return `${label}\n${item.detail ?? ""}\n${item.search ?? ""}\n${item.id}`.toLowerCase();
}
