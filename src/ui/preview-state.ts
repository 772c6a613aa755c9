// The state of a preview of files that would change, pure. Nothing changes before enter, which counts only after the
// list was drawn, and after stray text not before the person moves or ticks; a file that stands in the way of its own
// change cannot be ticked.
import type { PreviewFile } from "../commands/command.ts";
import { diffRows } from "./diff-rows.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import { clampIndex } from "./row-window.ts";
import type { Line } from "./styled-line.ts";

export interface PreviewState {
  readonly title: string;
  readonly files: readonly PreviewFile[];
  /** Indexes into `files`. */
  readonly ticked: ReadonlySet<number>;
  readonly selected: number;
  readonly drawn: boolean;
  readonly stray: boolean;
  /** Of the selected file, while it is looked at. */
  readonly diff?: OpenDiff;
  readonly width: number;
  readonly outcome?: PreviewOutcome;
}

export interface OpenDiff {
  readonly rows: readonly Line[];
  /** Rows above the window. */
  readonly scroll: number;
}

export type PreviewOutcome =
  | { readonly kind: "apply"; readonly chosen: readonly PreviewFile[] }
  | { readonly kind: "leave" };

export type PreviewAction =
  /** After it was painted, and again when its size changed. */
  | { readonly type: "drawn"; readonly width: number }
  /** `page`: rows of the list or the diff. */
  | { readonly type: "key"; readonly event: KeyEvent; readonly page: number };

export function createPreview({ title, files }: Pick<PreviewState, "title" | "files">): PreviewState {
  const chosen = files.flatMap((file, index) => (file.isChosen && canTick(file) ? [index] : []));
  return { title, files, ticked: new Set(chosen), selected: 0, drawn: false, stray: false, width: 80 };
}

export function canTick({ obstacle }: PreviewFile): boolean {
  return obstacle === undefined;
}

export function previewReducer(state: PreviewState, action: PreviewAction): PreviewState {
  if (state.outcome !== undefined) return state;
  if (action.type === "drawn") return drawn(state, action.width);
  const { event, page } = action;
  if (state.diff) return inDiff(state, state.diff, action);
  if (event.kind === "text") return typed(state, event.text);
  if (event.kind === "paste") return { ...state, stray: true };
  const name = chord(event) ?? "";
  const moved = movement(name, { at: state.selected, page, last: state.files.length - 1 });
  if (moved !== undefined) return select(state, moved);
  switch (name) {
    case "escape":
    case "ctrl+c":
      return { ...state, outcome: { kind: "leave" } };
    case "right":
      return openDiff(state);
    case "enter":
      return state.drawn && !state.stray ? { ...state, outcome: { kind: "apply", chosen: chosenFiles(state) } } : state;
    default:
      return state;
  }
}

function drawn(state: PreviewState, width: number): PreviewState {
  if (state.drawn && state.width === width) return state;
  const sized = { ...state, drawn: true, width };
  return state.diff ? { ...sized, diff: { rows: rowsOf(sized), scroll: 0 } } : sized;
}

function chosenFiles({ files, ticked }: PreviewState): readonly PreviewFile[] {
  return files.filter((_, index) => ticked.has(index));
}

function movement(name: string, { at, page, last }: { at: number; page: number; last: number }): number | undefined {
  switch (name) {
    case "up":
    case "ctrl+p":
      return at - 1;
    case "down":
    case "ctrl+n":
      return at + 1;
    case "pageup":
    case "ctrl+u":
      return at - page;
    case "pagedown":
    case "ctrl+d":
      return at + page;
    case "home":
      return 0;
    case "end":
      return last;
    default:
      return undefined;
  }
}

function select(state: PreviewState, index: number): PreviewState {
  return { ...state, selected: clampIndex(index, state.files.length), stray: false };
}

/** A key at a time: more than one character was meant for the composer. */
function typed(state: PreviewState, text: string): PreviewState {
  switch (text.toLowerCase()) {
    case " ":
      return { ...toggle(state), stray: false };
    case "a":
      return { ...tickAll(state), stray: false };
    case "d":
      return openDiff(state);
    default:
      return { ...state, stray: true };
  }
}

function toggle(state: PreviewState): PreviewState {
  const file = state.files[state.selected];
  if (file === undefined || !canTick(file)) return state;
  const ticked = new Set(state.ticked);
  if (!ticked.delete(state.selected)) ticked.add(state.selected);
  return { ...state, ticked };
}

/** All that can be; when they are, none. */
function tickAll(state: PreviewState): PreviewState {
  const all = state.files.flatMap((file, index) => (canTick(file) ? [index] : []));
  return { ...state, ticked: new Set(state.ticked.size === all.length ? [] : all) };
}

// ---- looking at one file ----

function openDiff(state: PreviewState): PreviewState {
  if (state.files.length === 0) return state;
  return { ...state, stray: false, diff: { rows: rowsOf(state), scroll: 0 } };
}

function rowsOf({ files, selected, width }: PreviewState): readonly Line[] {
  return diffRows(files[selected]?.diff, width);
}

function inDiff(state: PreviewState, diff: OpenDiff, { event, page }: { event: KeyEvent; page: number }): PreviewState {
  const name = event.kind === "text" ? event.text.toLowerCase() : (chord(event) ?? "");
  if (["escape", "left", "ctrl+c", "enter", "d", "q"].includes(name)) {
    const { diff: _left, ...list } = state;
    return list;
  }
  const last = Math.max(0, diff.rows.length - page);
  const scroll = movement(name === " " ? "pagedown" : name, { at: diff.scroll, page, last });
  return scroll === undefined ? state : { ...state, diff: { ...diff, scroll: Math.max(0, Math.min(scroll, last)) } };
}
