// The state of one approval prompt, pure. Its hazard is the answer nobody meant to give: keys count only after
// `drawn`, pastes never answer, text of more than one character never answers, after stray text enter does not answer
// either until the person moves or types a choice, and nothing is allowed whose end has not been on the screen.
import { composerAction } from "./composer-keys.ts";
import { composerColumns } from "./composer-layout.ts";
import { type ComposerState, composerReducer, createComposer, submitComposer } from "./composer-state.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import { clampIndex, wrapIndex } from "./row-window.ts";

export interface ApprovalRequest {
  readonly tool: string;
  /** The whole command or diff, raw. */
  readonly body: string;
  readonly kind: "command" | "diff";
  /** Why it is asked, in words. */
  readonly reason: string;
  /** What "always" would allow: `shell(npm test)`; absent when no rule fits. */
  readonly rule?: string;
}

export type ApprovalAnswer =
  | { readonly kind: "once" }
  | { readonly kind: "always"; readonly rule: string }
  | { readonly kind: "no" }
  /** The text is for the model. */
  | { readonly kind: "no-because"; readonly text: string };

export type ApprovalChoice = ApprovalAnswer["kind"];

export interface ApprovalState {
  readonly request: ApprovalRequest;
  readonly drawn: boolean;
  readonly choices: readonly ApprovalChoice[];
  /** Index into `choices`. */
  readonly selected: number;
  readonly stray: boolean;
  /** Rows of the body above the window, and how many it may be. */
  readonly scroll: number;
  readonly maxScroll: number;
  /** The end of the body has been drawn. */
  readonly seen: boolean;
  /** Cells for the text of an explanation. */
  readonly columns: number;
  /** There while the person writes why not. */
  readonly explanation?: ComposerState;
  readonly answer?: ApprovalAnswer;
}

export type ApprovalAction =
  /** After the prompt was painted, and again when its size changed. `maxScroll` from `approvalLayout`. */
  | { readonly type: "drawn"; readonly width: number; readonly maxScroll: number }
  | { readonly type: "key"; readonly event: KeyEvent; readonly page?: number };

export const explanationPrompt = "why: ";

const choiceKeys: Readonly<Record<string, ApprovalChoice>> = { y: "once", a: "always", n: "no", t: "no-because" };

export function createApproval(request: ApprovalRequest): ApprovalState {
  const choices: readonly ApprovalChoice[] =
    request.rule === undefined ? ["once", "no", "no-because"] : ["once", "always", "no", "no-because"];
  const body = { scroll: 0, maxScroll: 0, seen: false, columns: 40 };
  return { request, drawn: false, choices, selected: 0, stray: false, ...body };
}

export function approvalReducer(state: ApprovalState, action: ApprovalAction): ApprovalState {
  if (state.answer !== undefined) return state;
  if (action.type === "drawn") {
    const scroll = Math.min(state.scroll, action.maxScroll);
    const columns = composerColumns(action.width, explanationPrompt);
    const seen = isEndShown(state, action.maxScroll);
    const sized = { ...state, drawn: true, maxScroll: action.maxScroll, scroll, seen, columns };
    const { explanation } = state;
    if (explanation === undefined) return sized;
    return { ...sized, explanation: composerReducer(explanation, { type: "resize", width: columns }) };
  }
  if (!state.drawn) return state;
  if (state.explanation !== undefined) return explain(state, state.explanation, action.event);
  return choose(state, action.event, action.page ?? 1);
}

function choose(state: ApprovalState, event: KeyEvent, page: number): ApprovalState {
  if (event.kind === "paste") return { ...state, stray: true };
  if (event.kind === "text") {
    const choice = choiceKeys[event.text.toLowerCase()];
    return choice !== undefined && state.choices.includes(choice) ? answer(state, choice) : { ...state, stray: true };
  }
  const choice = state.choices[state.selected];
  switch (chord(event)) {
    case "enter":
      return state.stray || choice === undefined ? state : answer(state, choice);
    case "escape":
    case "ctrl+c":
      return answer(state, "no");
    case "up":
      return state.seen ? select(state, state.selected - 1) : scrollTo(state, state.scroll - 1);
    case "down":
      return state.seen ? select(state, state.selected + 1) : scrollTo(state, state.scroll + 1);
    case "shift+tab":
      return select(state, state.selected - 1);
    case "tab":
      return select(state, state.selected + 1);
    case "pageup":
    case "ctrl+u":
      return scrollTo(state, state.scroll - page);
    case "pagedown":
    case "ctrl+d":
      return scrollTo(state, state.scroll + page);
    case "home":
      return scrollTo(state, 0);
    case "end":
      return scrollTo(state, state.maxScroll);
    default:
      return state;
  }
}

/** With `maxScroll` rows of it outside the window now. */
export function isEndShown({ seen, scroll }: ApprovalState, maxScroll: number): boolean {
  return seen || scroll >= maxScroll;
}

function select(state: ApprovalState, index: number): ApprovalState {
  return { ...state, selected: wrapIndex(index, state.choices.length), stray: false };
}

function scrollTo(state: ApprovalState, scroll: number): ApprovalState {
  return { ...state, scroll: clampIndex(scroll, state.maxScroll + 1) };
}

function answer(state: ApprovalState, choice: ApprovalChoice): ApprovalState {
  if (choice === "no-because") return { ...state, explanation: createComposer({ width: state.columns }), stray: false };
  if (choice === "no") return { ...state, answer: { kind: choice } };
  if (!state.seen) return state;
  if (choice === "once") return { ...state, answer: { kind: choice } };
  const { rule } = state.request;
  return rule === undefined ? state : { ...state, answer: { kind: "always", rule } };
}

/** Escape goes back to the choices; enter with nothing written is a plain no. */
function explain(state: ApprovalState, explanation: ComposerState, event: KeyEvent): ApprovalState {
  const name = chord(event);
  if (name === "escape") {
    const { explanation: _left, ...rest } = state;
    return rest;
  }
  if (name === "ctrl+c") return { ...state, answer: { kind: "no" } };
  if (name === "enter") {
    const submission = submitComposer(explanation);
    if (submission.text !== undefined) return { ...state, answer: { kind: "no-because", text: submission.text } };
    const began = submission.state !== explanation;
    return began ? { ...state, explanation: submission.state } : { ...state, answer: { kind: "no" } };
  }
  const action = composerAction(event);
  return action === undefined ? state : { ...state, explanation: composerReducer(explanation, action) };
}
