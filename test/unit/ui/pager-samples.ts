// Texts for tests of the pager, and what of them would stand in its window.
import { stripVTControlCharacters } from "node:util";
import type { KeyEvent } from "../../../src/ui/key-event.ts";
import { key } from "../../../src/ui/key-event.ts";
import { outputSource } from "../../../src/ui/pager-output.ts";
import { searchStep } from "../../../src/ui/pager-search.ts";
import { isNeeds, type Needs, type PagerSource } from "../../../src/ui/pager-source.ts";
import { createPager, found, type PagerState, type PagerStep, pagerKey } from "../../../src/ui/pager-state.ts";
import { pagerPicture } from "../../../src/ui/pager-view.ts";
import { plainTheme } from "./view-samples.ts";

export function numbered(count: number, words = ""): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}${words}`).join("\n");
}

export function outputOf(text: string, size = { columns: 40, rows: 11 }): PagerState {
  return pagerOf(outputSource("shell npm test", text), size);
}

function pagerOf(source: PagerSource, size: { columns: number; rows: number }): PagerState {
  return createPager(source, { look: { width: size.columns, theme: plainTheme }, height: Math.max(1, size.rows - 1) });
}

export function here<T extends object>(value: T | Needs): T {
  if (isNeeds(value)) throw new Error(`unit ${value.needs} is not here`);
  return value;
}

const keyNames: ReadonlySet<string> = new Set([
  ..."enter escape tab backspace up down home end pageup pagedown".split(" "),
]);

/** A key by its name, or else what was typed. */
export function pressed(name: string): KeyEvent {
  return keyNames.has(name) ? key(name) : { kind: "text", text: name };
}

export function press(state: PagerState, ...names: readonly string[]): PagerState {
  return names.reduce((before, name) => searched(here<PagerStep>(pagerKey(before, pressed(name)))), state);
}

/** A search is carried to its end, as its owner does. */
function searched({ state, effect }: PagerStep): PagerState {
  if (effect?.kind !== "search" || !state.search) return state;
  let { from } = effect;
  for (;;) {
    const step = searchStep(state, state.search.pattern, from);
    if ("hit" in step) return here(found(state, step));
    if ("none" in step) return { ...state, said: "not found" };
    from = "next" in step ? step.next : here<{ next: typeof from }>(step).next;
  }
}

export function rowsOf(state: PagerState, rows = state.height + 1): readonly string[] {
  return pagerPicture(state, rows).rows.map((row) => stripVTControlCharacters(row).trimEnd());
}

export function firstRow(state: PagerState): string {
  return rowsOf(state)[0] ?? "";
}
