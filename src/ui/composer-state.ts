// The state of the multi-line editor: (ComposerState, ComposerAction) -> ComposerState, pure.
// Holds the text, undo, what was cut, and the place in the history; knows the width, because up and down move by
// rows of the screen. A key costs what its line costs, whatever else was written. Drawing and keys are elsewhere.
import type { ImageToken } from "../agent/images/image-text.ts";
import {
  type Buffer,
  breakLine,
  bufferLines,
  bufferText,
  cutTo,
  emptyBuffer,
  insertCells,
  insertText,
  isEmptyBuffer,
  lineDown,
  lineUp,
  moveTo,
} from "./composer-buffer.ts";
import { type CutType, cutAction } from "./composer-cuts.ts";
import { replaceWithImage } from "./composer-images.ts";
import { cellsBefore, columnAt, type RowRange, rowAt, rowRanges } from "./composer-layout.ts";
import { type MoveType, moveCursor } from "./composer-moves.ts";
import { insertPaste, wholeText } from "./composer-paste.ts";
import { addCut, type CutRing } from "./composer-ring.ts";
import { actOnSelection, type PlainAction, type SelectAction } from "./composer-select.ts";
import type { Mark } from "./composer-selection.ts";

export interface ComposerState {
  readonly buffer: Buffer;
  /** Cells of a row of text, prompt sign not counted. */
  readonly width: number;
  /** Earlier prompts, oldest first. */
  readonly history: readonly string[];
  /** Index into `history` while one of it is shown, and the text that was left for it. */
  readonly recalled?: { readonly index: number; readonly draft: Buffer };
  /** Where a selection begins, which ends at the cursor. */
  readonly mark?: Mark;
  readonly ring: CutRing;
  /** What yank put in: the text before it, and which of the ring it is. Counts while `last` is "yank". */
  readonly yanked?: { readonly before: Buffer; readonly index: number };
  readonly undo: BufferStack;
  /** What was undone, until something is changed. */
  readonly redo: BufferStack;
  /**
   * What the last action was, for those that go together: typing is one undo step, cuts in a row are one cut. A text
   * that was set, or came from the history, is whole: no menu opens for it.
   */
  readonly last: "typed" | "cut" | "yank" | "vertical" | "other" | "set";
  /** The cell that up and down try to keep to. */
  readonly goal: number;
}

type BufferStack = { readonly buffer: Buffer; readonly rest: BufferStack } | undefined;

export type ComposerAction =
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "newline" | "yank" | "yank-older" | "undo" | "redo" }
  /** `cut`: taken away by hand, undo and yank bring it back; `clear`: it is sent, or was no text of the person. */
  | { readonly type: "clear" | "cut" }
  | { readonly type: MoveType | "up" | "down" }
  | { readonly type: CutType }
  | SelectAction
  /** Replaces the text: a draft, a prompt that came back. Can be undone. `isSelected`: what is typed next replaces it. */
  | { readonly type: "set"; readonly text: string; readonly isSelected?: true }
  /** Puts a text in place of the cells from `from` to `to`, or to the cursor: what a menu offers for them. */
  | { readonly type: "complete"; readonly from: number; readonly to?: number; readonly text: string }
  /** The image itself in the place of the text that names it. */
  | { readonly type: "attach"; readonly text: string; readonly image: ImageToken }
  | { readonly type: "resize"; readonly width: number }
  | { readonly type: "history"; readonly entries: readonly string[] };

const noSteps = { undo: undefined, redo: undefined };

export function createComposer(options: { width: number; history?: readonly string[]; text?: string }): ComposerState {
  const { width, history = [], text = "" } = options;
  const buffer = wholeText(text);
  return { buffer, width, history, ring: [], ...noSteps, last: "other", goal: 0 };
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
export function submitComposer(composer: ComposerState): Submission {
  const state = composerReducer(composer, { type: "unmark" });
  const { buffer } = state;
  if (buffer.line[buffer.column - 1] === "\\") {
    return { state: composerReducer(composerReducer(state, { type: "backspace" }), { type: "newline" }) };
  }
  const text = composerText(state);
  return text.trim() === "" ? { state: composer } : { state: composerReducer(state, { type: "clear" }), text };
}

export function composerReducer(state: ComposerState, action: ComposerAction): ComposerState {
  return actOnSelection(state, action, act);
}

function act(state: ComposerState, action: PlainAction): ComposerState {
  switch (action.type) {
    case "insert":
      return type(state, action.text);
    case "paste":
      return edited(state, insertPaste(state.buffer, action.text));
    case "newline":
      return edited(state, breakLine(state.buffer));
    case "yank":
      return yank(state, state.buffer, 0);
    case "yank-older":
      return yankOlder(state);
    case "complete":
      return complete(state, action);
    case "attach": {
      const buffer = replaceWithImage(state.buffer, action.text, action.image);
      return buffer === state.buffer ? state : edited(state, buffer);
    }
    case "set":
      return {
        ...edited(withoutRecall(state), wholeText(action.text)),
        ...(action.isSelected && { mark: { row: 0, column: 0, stays: false } }),
        last: "set",
      };
    case "undo":
      return turnBack(state, "undo", "redo");
    case "redo":
      return turnBack(state, "redo", "undo");
    case "clear":
      return { ...withoutRecall(state), buffer: emptyBuffer, ...noSteps, last: "other" };
    case "cut":
      return cutAll(state);
    case "up":
    case "down":
      return vertical(state, action.type);
    case "left":
    case "right":
    case "word-left":
    case "word-right":
    case "home":
    case "end":
    case "text-start":
    case "text-end":
      return { ...state, buffer: moveCursor(state.buffer, action.type), last: "other" };
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
  return { ...state, buffer, undo: { buffer: state.buffer, rest: state.undo }, redo: undefined, last: "other" };
}

function turnBack(state: ComposerState, from: "undo" | "redo", to: "undo" | "redo"): ComposerState {
  const step = state[from];
  if (step === undefined) return state;
  const stacks = { [from]: step.rest, [to]: { buffer: state.buffer, rest: state[to] } };
  return { ...withoutRecall(state), ...stacks, buffer: step.buffer, last: "other" };
}

function cutOut(state: ComposerState, action: CutType): ComposerState {
  const { buffer, removed, side } = cutAction(state.buffer, action);
  if (removed.length === 0) return state;
  if (side === undefined) return edited(state, buffer);
  const ring = addCut(state.ring, removed, { joins: state.last === "cut", side });
  return { ...edited(state, buffer), ring, last: "cut" };
}

/** Behind an earlier prompt that was looked at lies what was being written: one undo more brings that back too. */
function cutAll(state: ComposerState): ComposerState {
  const { buffer, recalled } = state;
  const draft = recalled && !isEmptyBuffer(recalled.draft) ? recalled.draft : undefined;
  const rest = recalled ? draft && { buffer: draft, rest: undefined } : state.undo;
  const ring = addCut(state.ring, bufferLines(buffer), { joins: false, side: "before" });
  return { ...withoutRecall(state), buffer: emptyBuffer, ring, undo: { buffer, rest }, redo: undefined, last: "other" };
}

function yank(state: ComposerState, before: Buffer, index: number): ComposerState {
  const lines = state.ring[index];
  if (lines === undefined) return state;
  return { ...edited(state, insertCells(before, lines)), yanked: { before, index }, last: "yank" };
}

/** In place of what the yank just before put in; one step for undo. */
function yankOlder(state: ComposerState): ComposerState {
  const { yanked, ring, undo } = state;
  if (state.last !== "yank" || yanked === undefined) return state;
  return { ...yank(state, yanked.before, (yanked.index + 1) % ring.length), undo };
}

function complete(state: ComposerState, action: ComposerAction & { type: "complete" }): ComposerState {
  const { from, to = state.buffer.column, text } = action;
  return edited(state, insertText(cutTo(moveTo(state.buffer, to), Math.max(0, from)).buffer, text));
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
  if (entry === undefined) return { ...withoutRecall(state), buffer: draft, ...noSteps, last: "set" };
  return { ...state, buffer: wholeText(entry), recalled: { index, draft }, ...noSteps, last: "set" };
}

function withoutRecall(state: ComposerState): ComposerState {
  const { recalled: _recalled, ...rest } = state;
  return rest;
}
