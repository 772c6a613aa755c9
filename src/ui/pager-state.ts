// What the pager shows and what each key does to it, pure. What has to be read from the ledger first is said, and the
// same key is asked again when it is there; a key that did not need anything has answered at once.
import { chord, type KeyEvent } from "./key-event.ts";
import { type Pane, type Place, paneRows, replaced, scroll, scrollTo, scrollToEnd, start } from "./pager-scroll.ts";
import { type FoundHit, type SearchFrom, searchPattern } from "./pager-search.ts";
import { isNeeds, type Needs, type PagerSource } from "./pager-source.ts";
import { createPicker, type PickerItem, type PickerState, pickerReducer } from "./picker-state.ts";
import { sanitize } from "./sanitize.ts";
import { graphemes } from "./text-width.ts";
import type { Look } from "./tool-lines.ts";

export interface PagerState extends Pane {
  readonly top: Place;
  readonly mode: PagerMode;
  readonly search?: { readonly words: string; readonly pattern: RegExp };
  readonly hit?: FoundHit;
  /** Said until the next key. */
  readonly said?: string;
}

export type PagerMode =
  | { readonly kind: "read" }
  /** The words to search for. */
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "outputs"; readonly picker: PickerState }
  /** What each key does. */
  | { readonly kind: "keys" };

/** What the owner does: the ledger and the screen are its own. */
export type PagerEffect =
  | { readonly kind: "close" }
  | { readonly kind: "transcript" }
  | { readonly kind: "list" }
  | { readonly kind: "step"; readonly by: 1 | -1 }
  | { readonly kind: "open"; readonly index: number }
  | { readonly kind: "search"; readonly from: SearchFrom };

export interface PagerStep {
  readonly state: PagerState;
  readonly effect?: PagerEffect;
}

const reading: PagerMode = { kind: "read" };

export function createPager(source: PagerSource, pane: { look: Look; height: number }): PagerState {
  return { source, ...pane, top: start, mode: reading };
}

/** Another text in the same window; what was searched for stays. */
export function withSource(state: PagerState, source: PagerSource): PagerState {
  const { hit: _hit, said: _said, ...rest } = state;
  return { ...rest, source, top: start, mode: reading };
}

export function resized(state: PagerState, look: Look, height: number): PagerState | Needs {
  const pane = { source: state.source, look, height };
  const top = replaced(pane, state.top, state.look);
  if (isNeeds(top)) return top;
  const { hit: _hit, ...rest } = state;
  return { ...rest, ...pane, top };
}

export function atEnd(state: PagerState): PagerState | Needs {
  return moved(state, scrollToEnd(state));
}

/** The beginning of a unit at the top, as far as there is text below it. */
export function atUnit(state: PagerState, unit: number): PagerState | Needs {
  return moved(state, scroll(state, { unit: Math.max(0, Math.min(unit, state.source.units - 1)), row: 0 }, 0));
}

/** The hit in the window, and marked. */
export function found(state: PagerState, hit: FoundHit): PagerState | Needs {
  const top = scrollTo(state, state.top, { unit: hit.unit, row: hit.hit.row });
  return isNeeds(top) ? top : { ...state, top, hit };
}

export function withItems(state: PagerState, items: readonly PickerItem[]): PagerState {
  const { mode } = state;
  const picker =
    mode.kind === "outputs" ? pickerReducer(mode.picker, { type: "items", items }) : createPicker({ items });
  return { ...state, mode: { kind: "outputs", picker } };
}

export function pagerKey(state: PagerState, event: KeyEvent): PagerStep | Needs {
  const { said: _said, ...quiet } = state;
  if (state.mode.kind === "words") return wordsKey(quiet, state.mode.text, event);
  if (state.mode.kind === "outputs") return outputsKey(quiet, state.mode.picker, event);
  if (state.mode.kind === "keys") return { state: { ...quiet, mode: reading } };
  const effect = readEffect(quiet, nameOf(event));
  if (effect) return effect;
  const next = readMove(quiet, nameOf(event));
  return isNeeds(next) ? next : { state: next };
}

/** Letters come as text: `G` is not `g`. */
function nameOf(event: KeyEvent): string {
  return event.kind === "text" ? event.text : (chord(event) ?? "");
}

function readEffect(state: PagerState, name: string): PagerStep | undefined {
  switch (name) {
    case "q":
    case "Q":
    case "escape":
    case "ctrl+c":
    case "ctrl+o":
      return { state, effect: { kind: "close" } };
    case "t":
      return { state, effect: { kind: "transcript" } };
    case "o":
      return { state, effect: { kind: "list" } };
    case "tab":
    case "shift+tab":
      return { state, effect: { kind: "step", by: name === "tab" ? 1 : -1 } };
    case "/":
      return { state: { ...state, mode: { kind: "words", text: "" } } };
    case "?":
      return { state: { ...state, mode: { kind: "keys" } } };
    case "n":
    case "N":
      return again(state, name === "n");
    default:
      return undefined;
  }
}

function readMove(state: PagerState, name: string): PagerState | Needs {
  const rows = rowsOf(name, Math.max(1, state.height));
  if (rows !== undefined) return moved(state, scroll(state, state.top, rows));
  if (name === "home" || name === "g" || name === "<") return moved(state, scroll(state, start, 0));
  return name === "end" || name === "G" || name === ">" ? atEnd(state) : state;
}

/** How far a key scrolls: a page keeps one row in sight. */
function rowsOf(name: string, height: number): number | undefined {
  const page = Math.max(1, height - 1);
  switch (name) {
    case "down":
    case "enter":
    case "j":
      return 1;
    case "up":
    case "k":
      return -1;
    case "pagedown":
    case "ctrl+f":
    case " ":
    case "space":
    case "f":
      return page;
    case "pageup":
    case "ctrl+b":
    case "b":
      return -page;
    case "d":
    case "ctrl+d":
      return Math.ceil(height / 2);
    case "u":
    case "ctrl+u":
      return -Math.ceil(height / 2);
    default:
      return undefined;
  }
}

function moved(state: PagerState, top: Place | Needs): PagerState | Needs {
  return isNeeds(top) ? top : { ...state, top };
}

function wordsKey(state: PagerState, text: string, event: KeyEvent): PagerStep {
  const write = (words: string): PagerStep => ({ state: { ...state, mode: { kind: "words", text: words } } });
  if (event.kind !== "key") return write(text + sanitize(event.text.split("\n")[0] ?? ""));
  switch (chord(event)) {
    case "enter":
      return begin({ ...state, mode: reading }, text);
    case "escape":
    case "ctrl+c":
      return { state: { ...state, mode: reading } };
    case "backspace":
    case "ctrl+h":
      return text === "" ? { state: { ...state, mode: reading } } : write(graphemes(text).slice(0, -1).join(""));
    case "ctrl+w":
      return write(text.replace(/\S+\s*$/, ""));
    case "ctrl+u":
      return write("");
    default:
      return { state };
  }
}

/** Nothing written: the same words again. */
function begin(state: PagerState, words: string): PagerStep {
  if (words.trim() === "") return again(state, true);
  const { hit: _hit, ...rest } = state;
  const { source, top } = rest;
  const search = { words, pattern: searchPattern(words) };
  const direction = source.searches;
  // Up begins at the bottom of the window: what is in sight is found first.
  const shown = direction === "down" ? [] : paneRows(rest, top);
  const unit = isNeeds(shown) ? top.unit : (shown.at(-1)?.unit ?? top.unit);
  const index = direction === "down" ? 0 : Number.MAX_SAFE_INTEGER;
  return {
    state: { ...rest, search },
    effect: { kind: "search", from: { unit, index, direction, left: source.units + 1 } },
  };
}

function again(state: PagerState, isOn: boolean): PagerStep {
  const { source, search, hit, top } = state;
  if (!search) return { state: { ...state, said: "nothing was searched for: / searches" } };
  const isDown = (source.searches === "down") === isOn;
  const direction = isDown ? "down" : "up";
  const index = hit ? hit.index + (isDown ? 1 : 0) : isDown ? 0 : Number.MAX_SAFE_INTEGER;
  const from: SearchFrom = { unit: hit?.unit ?? top.unit, index, direction, left: source.units + 1 };
  return { state, effect: { kind: "search", from } };
}

function outputsKey(state: PagerState, picker: PickerState, event: KeyEvent): PagerStep {
  const page = Math.max(1, state.height - 2);
  const next = pickerReducer(picker, { type: "key", event, page });
  if (!next.outcome) return { state: { ...state, mode: { kind: "outputs", picker: next } } };
  const left = { ...state, mode: reading };
  if (next.outcome.kind !== "chosen") return { state: left };
  return { state: left, effect: { kind: "open", index: Number(next.outcome.item.id) } };
}
