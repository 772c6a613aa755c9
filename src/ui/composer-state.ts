// The state of the multi-line editor: (ComposerState, ComposerAction) -> ComposerState, pure.
// Holds the text, undo, what was cut, and the place in the history; knows the width, because up and down move by
// rows of the screen. A key costs what its line costs, whatever else was written. Drawing and keys are elsewhere.
import {
  type Buffer,
  breakLine,
  bufferOf,
  bufferText,
  emptyBuffer,
  insertCells,
  insertText,
  isEmptyBuffer,
  type Line,
  lineDown,
  lineUp,
  moveTo,
} from "./composer-buffer.ts";
import { type CutType, cutAction } from "./composer-cuts.ts";
import { cellsBefore, columnAt, type RowRange, rowAt, rowRanges } from "./composer-layout.ts";
import { nextWord, previousWord } from "./composer-words.ts";

export interface ComposerState {
  readonly buffer: Buffer;
  /** Cells of a row of text, prompt sign not counted. */
  readonly width: number;
  /** Earlier prompts, oldest first. */
  readonly history: readonly string[];
  /** Index into `history` while one of it is shown, and the text that was left for it. */
  readonly recalled?: { readonly index: number; readonly draft: Buffer };
  /** What yank inserts. */
  readonly cut: readonly Line[];
  readonly undo: UndoStack;
  /** What the last action was, for those that go together: typing is one undo step, cuts in a row are one cut. */
  readonly last: "typed" | "cut" | "vertical" | "other";
  /** The cell that up and down try to keep to. */
  readonly goal: number;
}

type UndoStack = { readonly buffer: Buffer; readonly rest: UndoStack } | undefined;

export type ComposerAction =
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "newline" | "yank" | "undo" | "clear" }
  | { readonly type: "left" | "right" | "word-left" | "word-right" | "home" | "end" | "up" | "down" }
  | { readonly type: CutType }
  /** Replaces the text: a draft, a prompt that came back. Can be undone. */
  | { readonly type: "set"; readonly text: string }
  | { readonly type: "resize"; readonly width: number }
  | { readonly type: "history"; readonly entries: readonly string[] };

/** Pastes beyond either are one cell with a placeholder. */
const inlinePaste = { lines: 3, characters: 400 };
/** A text set from outside is kept editable up to here; a longer one is a paste. */
const inlineSet = 10_000;

export function createComposer(options: { width: number; history?: readonly string[]; text?: string }): ComposerState {
  const { width, history = [], text = "" } = options;
  return { buffer: wholeText(text), width, history, cut: [], undo: undefined, last: "other", goal: 0 };
}

export function composerText(state: ComposerState): string {
  return bufferText(state.buffer);
}

/** The text that nobody has sent: an earlier prompt that is only being looked at is none. */
export function unsentText({ buffer, history, recalled }: ComposerState): string {
  const text = bufferText(buffer);
  return recalled !== undefined && text === history[recalled.index] ? bufferText(recalled.draft) : text;
}

export function isComposerEmpty(state: ComposerState): boolean {
  return isEmptyBuffer(state.buffer);
}

export interface Submission {
  readonly state: ComposerState;
  /** The whole text; absent when a line was begun instead, or there is nothing but white space. */
  readonly text?: string;
}

/** Enter: sends, unless the cursor follows a `\`, which becomes a new line. */
export function submitComposer(state: ComposerState): Submission {
  const { buffer } = state;
  if (buffer.line[buffer.column - 1] === "\\") {
    return { state: composerReducer(composerReducer(state, { type: "backspace" }), { type: "newline" }) };
  }
  const text = composerText(state);
  return text.trim() === "" ? { state } : { state: composerReducer(state, { type: "clear" }), text };
}

export function composerReducer(state: ComposerState, action: ComposerAction): ComposerState {
  switch (action.type) {
    case "insert":
      return type(state, action.text);
    case "paste":
      return edited(state, insertPaste(state.buffer, action.text));
    case "newline":
      return edited(state, breakLine(state.buffer));
    case "yank":
      return edited(state, insertCells(state.buffer, state.cut));
    case "set":
      return edited(withoutRecall(state), wholeText(action.text));
    case "undo":
      return undo(state);
    case "clear":
      return { ...withoutRecall(state), buffer: emptyBuffer, undo: undefined, last: "other" };
    case "up":
    case "down":
      return vertical(state, action.type);
    case "left":
    case "right":
    case "word-left":
    case "word-right":
    case "home":
    case "end":
      return { ...state, buffer: horizontal(state.buffer, action.type), last: "other" };
    case "resize":
      return { ...state, width: Math.max(1, action.width) };
    case "history":
      return { ...withoutRecall(state), history: action.entries };
    default:
      return cutOut(state, action.type);
  }
}

function type(state: ComposerState, text: string): ComposerState {
  const buffer = insertText(state.buffer, text);
  if (buffer === state.buffer || text === "") return state;
  // A space closes the step, so that undo takes back a word at a time.
  if (state.last === "typed" && !text.startsWith(" ")) return { ...state, buffer };
  return { ...edited(state, buffer), last: "typed" };
}

function edited(state: ComposerState, buffer: Buffer): ComposerState {
  return { ...state, buffer, undo: { buffer: state.buffer, rest: state.undo }, last: "other" };
}

function insertPaste(buffer: Buffer, text: string): Buffer {
  const lines = countLines(text);
  if (lines <= inlinePaste.lines && text.length <= inlinePaste.characters) return insertText(buffer, text);
  return insertCells(buffer, [[{ paste: text, label: pasteLabel(text, lines) }]]);
}

function wholeText(text: string): Buffer {
  if (text.length <= inlineSet) return bufferOf(text);
  return insertCells(emptyBuffer, [[{ paste: text, label: pasteLabel(text, countLines(text)) }]]);
}

function pasteLabel(text: string, lines: number): string {
  return lines > 1 ? `[${lines} lines]` : `[${text.length} characters]`;
}

function countLines(text: string): number {
  const ended = text.endsWith("\n") ? text.length - 1 : text.length;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < ended; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function undo(state: ComposerState): ComposerState {
  if (state.undo === undefined) return state;
  return { ...withoutRecall(state), buffer: state.undo.buffer, undo: state.undo.rest, last: "other" };
}

function cutOut(state: ComposerState, action: CutType): ComposerState {
  const { buffer, removed, side } = cutAction(state.buffer, action);
  if (removed.length === 0) return state;
  if (side === undefined) return edited(state, buffer);
  const cut =
    state.last !== "cut" ? removed : side === "before" ? joinLines(removed, state.cut) : joinLines(state.cut, removed);
  return { ...edited(state, buffer), cut, last: "cut" };
}

function joinLines(first: readonly Line[], second: readonly Line[]): readonly Line[] {
  const seam = [...(first.at(-1) ?? []), ...(second[0] ?? [])];
  return [...first.slice(0, -1), seam, ...second.slice(1)];
}

function horizontal(buffer: Buffer, action: "left" | "right" | "word-left" | "word-right" | "home" | "end"): Buffer {
  const { line, column } = buffer;
  const backward = action === "left" || action === "word-left";
  if (backward && column === 0) return lineUp(buffer, Number.POSITIVE_INFINITY);
  if ((action === "right" || action === "word-right") && column === line.length) return lineDown(buffer, 0);
  const target = {
    left: () => column - 1,
    right: () => column + 1,
    "word-left": () => previousWord(line, column),
    "word-right": () => nextWord(line, column),
    home: () => 0,
    end: () => line.length,
  }[action];
  return moveTo(buffer, target());
}

/** By rows of the screen inside the text; from its first or last row on through the history. */
function vertical(state: ComposerState, direction: "up" | "down"): ComposerState {
  const { buffer, width } = state;
  const ranges = rowRanges(buffer.line, width);
  const row = rowAt(ranges, buffer.column);
  const own = ranges[row];
  if (own === undefined) return state;
  const goal =
    state.last === "vertical" ? state.goal : cellsBefore(buffer.line, { range: own, column: buffer.column }, width);
  const land = (target: Buffer, range: RowRange | undefined): ComposerState =>
    range === undefined
      ? state
      : { ...state, buffer: moveTo(target, columnAt(target.line, { range, x: goal }, width)), goal, last: "vertical" };
  const inside = ranges[row + (direction === "up" ? -1 : 1)];
  if (inside !== undefined) return land(buffer, inside);
  const other = direction === "up" ? lineUp(buffer, 0) : lineDown(buffer, 0);
  if (other === buffer) return recall(state, direction);
  return land(other, rowRanges(other.line, width).at(direction === "up" ? -1 : 0));
}

function recall(state: ComposerState, direction: "up" | "down"): ComposerState {
  const { history, recalled } = state;
  const index = (recalled?.index ?? history.length) + (direction === "up" ? -1 : 1);
  if (index < 0 || (recalled === undefined && direction === "down")) return state;
  const draft = recalled?.draft ?? state.buffer;
  const entry = history[index];
  if (entry === undefined) return { ...withoutRecall(state), buffer: draft, undo: undefined, last: "other" };
  return { ...state, buffer: wholeText(entry), recalled: { index, draft }, undo: undefined, last: "other" };
}

function withoutRecall(state: ComposerState): ComposerState {
  const { recalled: _recalled, ...rest } = state;
  return rest;
}
