// The pager's window as painted rows, pure: the text with what was found marked, or the list of outputs, and below it
// one line that says what is shown, where one is, and the keys. Each row fits the width.

import { pagerKeyLines } from "./pager-keys.ts";
import { type PlacedRow, paneRows } from "./pager-scroll.ts";
import { markLine, type Ranged, rangeIn, unitHits } from "./pager-search.ts";
import { isNeeds } from "./pager-source.ts";
import type { PagerState } from "./pager-state.ts";
import type { PickerState } from "./picker-state.ts";
import { rowWindow } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, lineWidth, paintLine, span } from "./styled-line.ts";
import { cellWidth, truncate, truncateStart } from "./text-width.ts";
import type { Role } from "./theme.ts";
import type { Look } from "./tool-lines.ts";

export interface PagerPicture {
  readonly rows: readonly string[];
  /** Cells before the terminal's cursor in the last row; absent: hidden. */
  readonly cursor?: number;
  /** A unit that is not here yet and would be seen. */
  readonly needs?: number;
}

/** Rows of the text in a window: all but the last, where there are two. */
export function paneHeight(rows: number): number {
  return Math.max(1, rows - 1);
}

/** `waits`: somebody asks something on the screen behind. */
export function pagerPicture(state: PagerState, rows: number, waits?: string): PagerPicture {
  const { mode, look, height } = state;
  const shown = paneRows(state, state.top);
  const placed = isNeeds(shown) ? [] : shown;
  const body = bodyLines(state, placed);
  const padded = Array.from({ length: height }, (_, row): Line => body[row] ?? []);
  const words = mode.kind === "words" ? wordsLine(mode.text, look.width) : undefined;
  const last = words ?? statusLine(state, placed, waits);
  return {
    rows: [...padded, ...(rows > 1 ? [last] : [])].map((line) => paintLine(fitLine(line, look.width), look.theme)),
    ...(words && rows > 1 && { cursor: Math.min(lineWidth(words), look.width - 1) }),
    ...(isNeeds(shown) && { needs: shown.needs }),
  };
}

function bodyLines(state: PagerState, placed: readonly PlacedRow[]): readonly Line[] {
  const { mode, look, height } = state;
  if (mode.kind === "outputs") return listLines(mode.picker, look, height);
  return mode.kind === "keys" ? pagerKeyLines(look, height) : markedLines(state, placed);
}

function markedLines(state: PagerState, placed: readonly PlacedRow[]): readonly Line[] {
  const { search, hit } = state;
  if (!search) return placed.map(({ line }) => line);
  const known = new Map<number, ReturnType<typeof unitHits>>();
  return placed.map(({ unit, row, line }) => {
    const hits = known.get(unit) ?? unitHits(state, unit, search.pattern);
    known.set(unit, hits);
    if (isNeeds(hits)) return line;
    const ranges = hits.flatMap((each, index): Ranged[] => {
      const isHere = hit?.unit === unit && hit.index === index;
      const range = rangeIn(each, row, isHere ? "revealed" : "selected");
      return range ? [range] : [];
    });
    return ranges.length === 0 ? line : markLine(line, ranges);
  });
}

function wordsLine(text: string, width: number): Line {
  const sign = width < 4 ? "" : "/";
  return [span(sign, "accent"), span(truncateStart(text, Math.max(0, width - sign.length - 1)))];
}

// ---- the status line ----

const gap = " · ";

function statusLine(state: PagerState, placed: readonly PlacedRow[], waits: string | undefined): Line {
  const { look, said, source } = state;
  const { width, theme } = look;
  const isText = state.mode.kind === "read" || state.mode.kind === "words";
  const place = isText ? placeWords(state, placed) : "";
  const urgent = waits === undefined ? said : `${theme.glyphs.warning} ${waits}`;
  if (urgent !== undefined) return parts([[urgent, "warning"], ...rolled(place)], width);
  const { keys, needed } = keysOf(state);
  // How to get out, and what finds anything in it, stand there before what it is: that was just chosen, or is known.
  const way = gap.length + cellWidth(keys[0] ?? "");
  const before = cellWidth(place) + gap.length;
  const ways = fittingKeys(keys.slice(0, needed), width - before).join("  ");
  const room = width - before - gap.length - cellWidth(ways);
  const title = room < leastTitle ? "" : truncate(sanitize(source.title), room, theme.glyphs.ellipsis);
  const shownPlace =
    [place, place.split(" ")[0] ?? ""].find((each) => cellWidth(each) + way <= width) ?? (width < way ? place : "");
  const line = parts([...(title === "" ? [] : [[title, "strong"] as const]), ...rolled(shownPlace)], width);
  return withKeys(line, keys, width);
}

const leastTitle = 6;

function rolled(place: string): readonly (readonly [string, Role])[] {
  return place === "" ? [] : [[place, "muted"]];
}

function parts(all: readonly (readonly [string, Role])[], width: number): Line {
  const line = all.flatMap(([text, role], index) => [...(index > 0 ? [span(gap, "muted")] : []), span(text, role)]);
  return fitLine(line, width);
}

/** As many keys as there is room for, the most needed first. */
function withKeys(line: Line, keys: readonly string[], width: number): Line {
  const fitting = fittingKeys(keys, width - lineWidth(line) - gap.length);
  const between = line.length === 0 ? "" : gap;
  return fitting.length === 0 ? line : [...line, span(between + fitting.join("  "), "muted")];
}

function fittingKeys(keys: readonly string[], room: number): readonly string[] {
  const fitting: string[] = [];
  let left = room;
  for (const each of keys) {
    if (cellWidth(each) > left) break;
    fitting.push(each);
    left -= cellWidth(each) + 2;
  }
  return fitting;
}

/** The most needed first; the first `needed` stand before the title. */
function keysOf({ mode, search, source }: PagerState): { readonly keys: readonly string[]; readonly needed: number } {
  if (mode.kind === "outputs") return { keys: ["enter opens", "esc back", "type to filter"], needed: 1 };
  if (mode.kind === "keys") return { keys: ["any key goes back"], needed: 1 };
  const isUp = source.searches === "up";
  const hits = search ? [isUp ? "n older" : "n next", isUp ? "N newer" : "N before"] : [];
  const other = source.noun === "message" ? "t output" : "t transcript";
  const ways = ["q close", ...hits, "/ search", other];
  return { keys: [...ways, "? keys", "o outputs", "tab older", "space page", "g G ends"], needed: ways.length };
}

/** `1-23 of 212 · 11%`; of a conversation that began before the window too. */
function placeWords({ source, look }: PagerState, placed: readonly PlacedRow[]): string {
  const [first] = placed;
  const last = placed.at(-1);
  if (!first || !last) return "";
  const [from, to] = [first.unit + 1, last.unit + 1];
  const units = from === to ? `${from}` : `${from}-${to}`;
  const noun = source.units === 1 ? source.noun : `${source.noun}s`;
  const part = (last.row + 1) / (source.rows(last.unit, look)?.length ?? 1);
  const share = Math.floor(((last.unit + part) * 100) / source.units);
  return `${units} of ${source.units} ${noun}${gap}${share}%`;
}

// ---- the list of outputs ----

function listLines(picker: PickerState, look: Look, height: number): readonly Line[] {
  const { matches, items, query, selected } = picker;
  const count = query === "" ? `${items.length}` : `${matches.length} of ${items.length}`;
  const head: readonly Line[] = [
    [span(`outputs of this conversation, newest first (${count})`, "strong")],
    [span("/ ", "accent"), span(sanitize(query)), span(" ", "cursor")],
  ];
  const kept = height < 5 ? [] : head;
  const { start, end } = rowWindow(matches.length, selected, height - kept.length);
  const none: readonly Line[] = [[span(query === "" ? "no output yet" : `nothing fits "${sanitize(query)}"`, "muted")]];
  const rows = matches.slice(start, end).map((item, index) => listLine(item, start + index === selected, look));
  return [...kept, ...(rows.length === 0 ? none : rows)];
}

function listLine(item: PickerState["items"][number], isSelected: boolean, { width, theme }: Look): Line {
  const { pointer, ellipsis } = theme.glyphs;
  const sign = width < 8 ? "" : isSelected ? `${pointer} ` : "  ";
  const room = Math.max(1, width - cellWidth(sign));
  const detail = truncate(sanitize(item.detail ?? ""), Math.floor(room / 2), ellipsis);
  const label = truncate(sanitize(item.label), room - (detail === "" ? 0 : cellWidth(detail) + 2), ellipsis);
  const space = " ".repeat(Math.max(0, room - cellWidth(label) - cellWidth(detail)));
  return [span(sign + label, isSelected ? "selected" : "plain"), span(space + detail, "muted")];
}
