// What a selection does to the composer's actions: moves with shift, or after a mark was set, extend it; a text takes
// its place; deleting takes it out, and the keys that cut keep it for yank; all else ends it.
import { addCut } from "./composer-ring.ts";
import { cutRange, placeOf, type Range, type SelectType, selectedRange, selectMove } from "./composer-selection.ts";
import type { ComposerAction, ComposerState } from "./composer-state.ts";

export type SelectAction = { readonly type: SelectType | "mark" | "unmark" };

/** An action that knows no selection. */
export type PlainAction = Exclude<ComposerAction, SelectAction>;
type Act = (state: ComposerState, action: PlainAction) => ComposerState;

export function isSelecting({ buffer, mark }: ComposerState): boolean {
  return mark !== undefined && (mark.stays || selectedRange(buffer, mark) !== undefined);
}

export function actOnSelection(state: ComposerState, action: ComposerAction, act: Act): ComposerState {
  const { mark } = state;
  if (action.type === "unmark") return unmarked(state);
  if (action.type === "mark") return setMark(state);
  const select = selectMove(action.type);
  if (select !== undefined) return extend(state, { type: select }, act);
  const plain = action as PlainAction;
  if (mark === undefined || plain.type === "resize") return act(state, plain);
  if (isMove(plain.type) && mark.stays) return extend(state, plain, act);
  // Selected by nobody's hand: only a text takes its place, and every other key edits it.
  if (state.last === "set" && !replaces.has(plain.type)) return act(unmarked(state), plain);
  const range = selectedRange(state.buffer, mark);
  return range === undefined ? act(unmarked(state), plain) : actOnRange(unmarked(state), { action: plain, range }, act);
}

function actOnRange(
  state: ComposerState,
  { action, range }: { readonly action: PlainAction; readonly range: Range },
  act: Act,
): ComposerState {
  const undo = { buffer: state.buffer, rest: state.undo };
  const cut = (): ComposerState => {
    const { buffer } = cutRange(state.buffer, range);
    return { ...state, buffer, undo, redo: undefined, last: "other" };
  };
  switch (action.type) {
    case "insert":
    case "paste":
    case "newline":
    case "yank": {
      const before = cut();
      const after = act(before, action);
      return after === before ? state : { ...after, undo };
    }
    case "backspace":
    case "delete":
      return cut();
    case "cut-to-start":
    case "cut-to-end":
    case "cut-space-word-left":
    case "cut-word-left":
    case "cut-word-right": {
      const { removed } = cutRange(state.buffer, range);
      return { ...cut(), ring: addCut(state.ring, removed, { joins: false, side: "before" }), last: "cut" };
    }
    default:
      return act(state, action);
  }
}

/** Twice at one place: none. */
function setMark(state: ComposerState): ComposerState {
  if (state.mark?.stays && selectedRange(state.buffer, state.mark) === undefined) return unmarked(state);
  return { ...state, mark: { ...placeOf(state.buffer), stays: true }, last: "other" };
}

/** Up and down stay in this text. */
function extend(state: ComposerState, action: PlainAction, act: Act): ComposerState {
  const moved = act(state, action);
  if (moved.recalled !== state.recalled) return state;
  return { ...moved, mark: state.mark ?? { ...placeOf(state.buffer), stays: false } };
}

const replaces: ReadonlySet<string> = new Set(["insert", "paste", "yank"]);

function isMove(type: string): boolean {
  return moves.has(type);
}

const moves: ReadonlySet<string> = new Set(
  "left right up down word-left word-right home end text-start text-end".split(" "),
);

function unmarked(state: ComposerState): ComposerState {
  const { mark: _mark, ...rest } = state;
  return rest;
}
