// Draws a list picker: title with counts, filter, a window of rows with the matched letters marked, a look at the
// selected item where there is room or it is asked for, and the keys. Never higher than its rows, nor wider.
import type { PickLook } from "../commands/command.ts";
import { type PickerLayout, type PreviewWish, pickerLayout } from "./picker-layout.ts";
import { pickerLook } from "./picker-look.ts";
import { marksIn, queryWords } from "./picker-match.ts";
import type { PickerItem, PickerState } from "./picker-state.ts";
import { rowWindow } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, lineWidth, type Span, span, wrapSpans } from "./styled-line.ts";
import { cellWidth, graphemes, padCells, truncate, truncateStart } from "./text-width.ts";
import type { Role } from "./theme.ts";
import type { Look } from "./tool-lines.ts";

export interface PickerView {
  readonly state: PickerState;
  readonly title: string;
  /** Shown for a list without items; a filter without matches has its own words. */
  readonly empty: string;
  /** About the list as a whole. */
  readonly note?: string;
  /** What enter does; absent: it chooses. */
  readonly enter?: string;
  /** More is looked for. */
  readonly isLooking?: boolean;
  /** There is more than is listed, which the filter finds. */
  readonly isPart?: boolean;
  /** What left and right change of the selected item. */
  readonly turned?: string;
  /** Its own keys, each with what it does. */
  readonly keys?: readonly string[];
  readonly preview?: {
    readonly wish: PreviewWish;
    /** Of the selected item, raw; absent while it is read. */
    readonly look?: PickLook;
  };
}

export function layoutOf({ preview }: PickerView, width: number, rows: number): PickerLayout {
  return pickerLayout({ width, rows, ...(preview && { preview: preview.wish }) });
}

export function pickerLines(view: PickerView, look: Look, rows: number): readonly Line[] {
  const { width } = look;
  const layout = layoutOf(view, width, rows);
  const { frame } = layout;
  return [
    ...(frame.title ? [titleLine(view, look)] : []),
    ...(frame.filter ? [filterLine(view.state.query, width)] : []),
    ...bodyLines(view, look, layout),
    ...(frame.keys ? [keysLine(view, layout, look)] : []),
  ].map((line) => fitLine(line, width, look.theme.glyphs.ellipsis));
}

function countWords({ state, isPart }: PickerView): string {
  const { matches, items, query } = state;
  if (query.trim() === "") return isPart ? `${items.length} and more` : String(items.length);
  // How many there are in all is not known.
  return isPart ? `${matches.length} found` : `${matches.length} of ${items.length}`;
}

function titleLine(view: PickerView, { width }: Look): Line {
  const { title, note, isLooking } = view;
  const count = countWords(view);
  const head = `${sanitize(title)} (${count})`;
  const more = isLooking ? "looking…" : sanitize(note ?? "");
  const hasRoom = more !== "" && cellWidth(head) + cellWidth(more) + 2 <= width;
  return [span(head, "strong"), ...(hasRoom ? [span(`  ${more}`, "muted")] : [])];
}

/** The end of the filter is what was typed last: a long one is cut at its start. */
function filterLine(query: string, width: number): Line {
  const sign = width < 8 ? "" : "/ ";
  const shown = truncateStart(sanitize(query), width - sign.length - 1);
  return [span(sign, "accent"), span(shown), span(" ", "cursor")];
}

function keysLine(
  { state, preview, enter: does = "choose", turned, keys = [] }: PickerView,
  layout: PickerLayout,
  { width }: Look,
): Line {
  const { matches, query } = state;
  if (layout.preview?.place === "over" && matches.length > 0) return overKeys(does, width);
  const look = !preview || matches.length === 0 ? "" : layout.preview ? " · tab hides the preview" : " · tab previews";
  const leave = query === "" ? "esc leaves" : "esc clears";
  const choose = matches.length === 0 ? "" : `enter ${does} · `;
  const own = matches.length === 0 ? [] : keys;
  const turn = own.length > 0 ? [own.join(" · ")] : turned === undefined ? [] : [`← → ${turned}`];
  return fitting(
    [
      ...turn.map((each) => `${choose}${each} · arrows pgdn pgup · type to filter · ${leave}${look}`),
      ...turn.map((each) => `${choose}${each} · type to filter · ${leave}${look}`),
      ...turn.map((each) => `${choose}${each} · ${leave}${look}`),
      `${choose}${choose === "" ? "" : "arrows pgdn pgup · "}type to filter · ${leave}${look}`,
      `${choose}type to filter · ${leave}${look}`,
      `${choose}${leave}${look}`,
      `${choose}${leave}${look === "" ? "" : " · tab"}`,
      `${choose === "" ? "" : "enter · "}${leave}${look === "" ? "" : " · tab"}`,
      `${choose === "" ? "" : "enter · "}esc${look === "" ? "" : " · tab"}`,
      `${choose === "" ? "" : "enter · "}esc`,
    ],
    width,
  );
}

/** Of a look in the list's place. */
function overKeys(does: string, width: number): Line {
  return fitting([`esc or tab: back to the list · enter ${does}`, "esc or tab: the list", "esc: list", "esc"], width);
}

function fitting(words: readonly string[], width: number): Line {
  return [span(words.find((each) => cellWidth(each) <= width) ?? words.at(-1) ?? "", "muted")];
}

// ---- list and preview ----

function bodyLines(view: PickerView, look: Look, { listRows, listWidth, preview }: PickerLayout): readonly Line[] {
  const { matches, items } = view.state;
  // As high as without a filter, and as with any other preview: nothing jumps while one types and moves.
  const high = Math.min(listRows, Math.max(items.length, preview?.place === "beside" ? steadyRows : 1));
  const list = padded(listLines(view, { ...look, width: listWidth }, listRows), high);
  if (!preview) return list;
  const { place, width, rows } = preview;
  const shown = matches.length === 0 ? [] : previewLines(view, width, place === "below" ? rows - 1 : rows);
  const { rule, bar } = look.theme.glyphs;
  if (place === "over") return matches.length === 0 ? list : padded(shown, high);
  if (place === "below")
    return [...list, [span(rule.repeat(Math.max(1, width - 2)), "muted")], ...padded(shown, rows - 1)];
  return list.map((left, row) => {
    const gap = " ".repeat(Math.max(0, listWidth - lineWidth(left)));
    return [...left, span(`${gap} ${bar} `, "muted"), ...(shown[row] ?? [])];
  });
}

/** Rows beside which a look at an item is worth it. */
const steadyRows = 10;

function padded(lines: readonly Line[], rows: number): readonly Line[] {
  return [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => [])];
}

function previewLines({ preview }: PickerView, width: number, rows: number): readonly Line[] {
  if (!preview?.look) return [[span("reading…", "muted")]];
  return pickerLook(preview.look, width, rows);
}

function listLines({ state, empty, isLooking }: PickerView, look: Look, rows: number): readonly Line[] {
  const { matches, items, query, selected } = state;
  if (matches.length === 0) {
    const nothing = `nothing fits "${sanitize(query)}": backspace, or esc clears it`;
    const words = isLooking ? "looking…" : query === "" ? sanitize(empty) : nothing;
    return wrapSpans([span(words, "muted")], look.width).slice(0, rows);
  }
  const { start, end } = rowWindow(matches.length, selected, rows);
  const widths = factWidths(items);
  const labelWidth = Math.min(labelWidthOf(items), Math.floor(look.width * 0.45));
  const words = queryWords(query);
  return matches
    .slice(start, end)
    .map((item, index) => itemLine(item, { look, widths, labelWidth, words, isSelected: start + index === selected }));
}

interface RowLook {
  readonly look: Look;
  readonly widths: readonly number[];
  /** Of those with a detail beside them. */
  readonly labelWidth: number;
  readonly words: readonly string[];
  readonly isSelected: boolean;
}

function itemLine(item: PickerItem, rowLook: RowLook): Line {
  const { look, widths, words, isSelected } = rowLook;
  const { width, theme } = look;
  const { pointer: sign, ellipsis } = theme.glyphs;
  const pointer = width < 8 ? "" : isSelected ? `${sign} ` : "  ";
  const room = Math.max(1, width - cellWidth(pointer));
  if (item.hint !== undefined)
    return [span(pointer, isSelected ? "selected" : "plain"), ...besideLine(item, rowLook, room)];
  const facts = item.facts ? columns(item.facts, widths, room) : plainDetail(item.detail, room, ellipsis);
  const left = room - (facts === "" ? 0 : cellWidth(facts) + 2);
  const label = truncate(sanitize(item.label) || " ", left, ellipsis);
  const role: Role = isSelected ? "selected" : "plain";
  const gap = " ".repeat(Math.max(0, room - cellWidth(label) - cellWidth(facts)));
  return [
    span(pointer, role),
    ...marked(label, marksIn(item, words, label), role),
    ...(facts === "" ? [] : [span(gap + facts, "muted")]),
  ];
}

function besideLine(item: PickerItem, { look, labelWidth, words, isSelected }: RowLook, room: number): Line {
  const { ellipsis } = look.theme.glyphs;
  // Of a sentence a few words tell nothing.
  const left = room - labelWidth - 2;
  const detail = left < 16 ? "" : truncate(sanitize(item.detail ?? ""), left, ellipsis);
  const most = detail === "" ? room : labelWidth;
  const label = truncate(sanitize(item.label) || " ", most, ellipsis);
  const hint = truncate(` ${sanitize(item.hint ?? "")}`, Math.max(0, most - cellWidth(label)), ellipsis);
  const shown = [...marked(label, marksIn(item, words, label), isSelected ? "selected" : "plain"), span(hint, "muted")];
  if (detail === "") return shown;
  return [...shown, span(" ".repeat(Math.max(0, labelWidth - lineWidth(shown)) + 2)), span(detail)];
}

function plainDetail(detail: string | undefined, room: number, ellipsis: string): string {
  return truncate(sanitize(detail ?? ""), Math.floor(room / 2), ellipsis);
}

/** As many as leave the label its part, each as wide in every row; the last one may be cut, and keeps its end. */
function columns(facts: readonly string[], widths: readonly number[], room: number): string {
  const most = Math.max(0, room - Math.max(20, Math.floor(room * 0.45)));
  const cells: string[] = [];
  let used = 0;
  for (const [index, width] of widths.entries()) {
    if (width === 0) continue;
    const left = most - used - 2;
    const own = Math.min(width, left);
    // Half a word tells nothing; the end of a path does.
    if (own < width && (own < 12 || index < 3)) break;
    const text = sanitize(facts[index] ?? "");
    const cut = cellWidth(text) <= own ? text : `…${truncateStart(text, own - 1)}`;
    cells.push(padCells(cut, own));
    used += own + 2;
  }
  return cells.join("  ");
}

const knownLabels = new WeakMap<readonly PickerItem[], number>();

function labelWidthOf(items: readonly PickerItem[]): number {
  const known = knownLabels.get(items);
  if (known !== undefined) return known;
  const beside = items.slice(0, measured).filter(({ hint }) => hint !== undefined);
  const width = Math.max(0, ...beside.map(({ label, hint }) => cellWidth(sanitize(`${label} ${hint}`))));
  knownLabels.set(items, width);
  return width;
}

const knownWidths = new WeakMap<readonly PickerItem[], readonly number[]>();
const widestFact = 32;
/** As many rows are measured. */
const measured = 2_000;

function factWidths(items: readonly PickerItem[]): readonly number[] {
  const known = knownWidths.get(items);
  if (known) return known;
  const widths: number[] = [];
  for (const { facts = [] } of items.slice(0, measured))
    for (const [index, fact] of facts.entries())
      widths[index] = Math.max(widths[index] ?? 0, Math.min(widestFact, cellWidth(sanitize(fact))));
  knownWidths.set(items, widths);
  return widths;
}

/** The letters that fit what was typed. */
function marked(label: string, ranges: readonly (readonly [from: number, to: number])[], role: Role): Line {
  const marks = new Uint8Array(label.length);
  for (const [from, to] of ranges) marks.fill(1, from, to);
  // A mark inside of a grapheme would tear it apart.
  let start = 0;
  for (const grapheme of graphemes(label)) {
    const end = start + grapheme.length;
    if (marks.subarray(start, end).includes(1)) marks.fill(1, start, end);
    start = end;
  }
  const spans: Span[] = [];
  for (let from = 0, at = 1; at <= label.length; at += 1) {
    if (at < label.length && marks[at] === marks[from]) continue;
    spans.push(span(label.slice(from, at), marks[from] === 1 ? "match" : role));
    from = at;
  }
  return spans;
}
