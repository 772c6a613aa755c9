// The state of one approval prompt, pure. Its hazard is the answer nobody meant to give: keys count only after
// `drawn`, pastes never answer, text of more than one character never answers, after stray text enter does not answer
// either until the person moves or types a choice, and nothing is allowed whose end has not been on the screen. What a
// person writes, a reason or another command, is kept while they look at the choices again.
import { type ApprovalText, openText, readText, type TextPurpose, textReducer } from "./approval-text.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import { clampIndex, wrapIndex } from "./row-window.ts";

export interface ApprovalRequest {
  readonly tool: string;
  /** The whole command or diff, raw. */
  readonly body: string;
  readonly kind: "command" | "diff";
  /** What kind of thing it does, in words. */
  readonly effect?: string;
  /** Why it is asked, in words. */
  readonly reason: string;
  /** What "always" would allow: `shell(npm test)`; absent when no rule fits. */
  readonly rule?: string;
  /** What that covers, where the rule does not say it. */
  readonly ruleMeans?: string;
  /** What "never" would deny. */
  readonly deny?: string;
  /** Why one of both is missing. */
  readonly noRule?: string;
  /** The body may be changed before it runs. */
  readonly isEditable?: boolean;
  /** What was made of the body before, to go on with. */
  readonly edited?: string;
}

export type ApprovalAnswer =
  | { readonly kind: "once" }
  | { readonly kind: "always" | "never"; readonly rule: string }
  /** Runs in place of the body. */
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "no" }
  /** The text is for the model. */
  | { readonly kind: "no-because"; readonly text: string };

export type ApprovalChoice = "once" | "always" | "never" | "edit" | "no" | "no-because";

export interface ApprovalState {
  readonly request: ApprovalRequest;
  readonly drawn: boolean;
  readonly choices: readonly ApprovalChoice[];
  /** Each choice has its row: in a low window none that stores a rule nobody can read is offered. */
  readonly isListed: boolean;
  /** Index into `offered`. */
  readonly selected: number;
  readonly stray: boolean;
  /** Rows of the body above the window, and how many it may be. */
  readonly scroll: number;
  readonly maxScroll: number;
  /** The end of the body has been drawn. */
  readonly seen: boolean;
  /** Chosen before that, in vain. */
  readonly early: ApprovalChoice | undefined;
  readonly width: number;
  /** There while the person writes. */
  readonly writing?: ApprovalText;
  /** What was written and not sent. */
  readonly kept: { readonly [purpose in TextPurpose]?: ApprovalText };
  /** The body is what the person made of it. */
  readonly isChanged: boolean;
  readonly answer?: ApprovalAnswer;
}

export type ApprovalAction =
  /** After the prompt was painted, and again when its size changed. The rest from `approvalLayout`. */
  | { readonly type: "drawn"; readonly width: number; readonly maxScroll: number; readonly isListed?: boolean }
  /** `page`: rows of the body; `textRows`: of what is written. */
  | { readonly type: "key"; readonly event: KeyEvent; readonly page?: number; readonly textRows?: number };

export const choiceKeys: Readonly<Record<ApprovalChoice, string>> = {
  once: "y",
  always: "a",
  never: "d",
  edit: "e",
  no: "n",
  "no-because": "t",
};

export function createApproval(request: ApprovalRequest): ApprovalState {
  const width = 40;
  const start = { selected: 0, stray: false, scroll: 0, maxScroll: 0, seen: false, early: undefined, width };
  const choices = choicesOf(request);
  const state = { request, drawn: false, choices, isListed: true, kept: {}, isChanged: false, ...start };
  const { edited } = request;
  return edited === undefined ? state : { ...state, writing: openText("edit", { width, text: edited }) };
}

function choicesOf({ rule, deny, isEditable }: ApprovalRequest): readonly ApprovalChoice[] {
  return [
    "once",
    ...(rule === undefined ? [] : (["always"] as const)),
    ...(isEditable ? (["edit"] as const) : []),
    "no",
    "no-because",
    ...(deny === undefined ? [] : (["never"] as const)),
  ];
}

export function offered({ choices, isListed }: ApprovalState): readonly ApprovalChoice[] {
  return isListed ? choices : choices.filter((choice) => choice !== "always" && choice !== "never");
}

/** In this form: what was selected stays so, where it is offered. */
export function inForm(state: ApprovalState, isListed: boolean): ApprovalState {
  if (isListed === state.isListed) return state;
  const choice = offered(state)[state.selected];
  const formed = { ...state, isListed };
  return {
    ...formed,
    selected: Math.max(
      0,
      offered(formed).findIndex((each) => each === choice),
    ),
  };
}

/** Text that is not for it was written: enter alone answers nothing. What is being written into it waits. */
export function strayed({ writing, ...state }: ApprovalState): ApprovalState {
  const kept = writing ? { ...state.kept, [writing.purpose]: writing } : state.kept;
  return { ...state, kept, stray: true };
}

export function approvalReducer(state: ApprovalState, action: ApprovalAction): ApprovalState {
  if (state.answer !== undefined) return state;
  if (action.type === "drawn") {
    const { width, maxScroll, isListed = true } = action;
    const scroll = Math.min(state.scroll, maxScroll);
    const seen = isEndShown(state, maxScroll);
    const sized = { ...inForm(state, isListed), drawn: true, maxScroll, scroll, seen, width };
    return state.writing ? { ...sized, writing: textReducer(state.writing, { type: "width", width }) } : sized;
  }
  if (!state.drawn) return state;
  if (state.writing !== undefined) return write(state, state.writing, action);
  return choose(state, action.event, action.page ?? 1);
}

function choose(state: ApprovalState, event: KeyEvent, page: number): ApprovalState {
  if (event.kind === "paste") return { ...state, stray: true };
  if (event.kind === "text") {
    const letter = event.text.toLowerCase();
    const choice = offered(state).find((each) => choiceKeys[each] === letter);
    return choice !== undefined ? answer(state, choice) : { ...state, stray: true };
  }
  const choice = offered(state)[state.selected];
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
export function isEndShown({ seen, scroll, writing }: ApprovalState, maxScroll: number): boolean {
  return seen || (writing === undefined && scroll >= maxScroll);
}

function select(state: ApprovalState, index: number): ApprovalState {
  return { ...state, selected: wrapIndex(index, offered(state).length), stray: false, early: undefined };
}

function scrollTo(state: ApprovalState, scroll: number): ApprovalState {
  return { ...state, scroll: clampIndex(scroll, state.maxScroll + 1) };
}

function answer(state: ApprovalState, choice: ApprovalChoice): ApprovalState {
  const { request, kept, width } = state;
  switch (choice) {
    case "no":
      return { ...state, answer: { kind: "no" } };
    case "no-because":
      return { ...state, writing: kept.why ?? openText("why", { width, text: "" }), stray: false };
    case "never":
      return request.deny === undefined ? state : { ...state, answer: { kind: "never", rule: request.deny } };
    default:
      return state.seen ? allow(state, choice) : { ...state, early: choice };
  }
}

/** Only what has been seen whole. */
function allow(state: ApprovalState, choice: "once" | "always" | "edit"): ApprovalState {
  const { request, kept, width, isChanged } = state;
  if (choice === "edit")
    return { ...state, writing: kept.edit ?? openText("edit", { width, text: request.body }), stray: false };
  if (choice === "once")
    return { ...state, answer: isChanged ? { kind: "edited", text: request.body } : { kind: "once" } };
  return request.rule === undefined ? state : { ...state, answer: { kind: "always", rule: request.rule } };
}

/** Escape goes back to the choices; enter with no reason written is a plain no. */
function write(
  state: ApprovalState,
  writing: ApprovalText,
  { event, textRows = 1 }: ApprovalAction & { type: "key" },
): ApprovalState {
  const { writing: _left, ...rest } = state;
  switch (chord(event)) {
    case "escape":
      return { ...rest, kept: { ...state.kept, [writing.purpose]: writing } };
    case "ctrl+c":
      return { ...rest, answer: { kind: "no" } };
    case "enter": {
      const read = readText(writing, textRows);
      if (read.text === undefined) {
        const isPlainNo = writing.purpose === "why" && read.next === writing;
        return isPlainNo ? { ...rest, answer: { kind: "no" } } : { ...state, writing: read.next };
      }
      if (writing.purpose === "why") return { ...rest, answer: { kind: "no-because", text: read.text } };
      return changeTo(rest, read.text, read.isSeen);
    }
    default:
      return { ...state, writing: textReducer(writing, { type: "key", event }) };
  }
}

/** Runs when all of it was on the screen as it is; else it is shown first, and no rule speaks of it. */
function changeTo(state: ApprovalState, text: string, isSeen: boolean): ApprovalState {
  const { body } = state.request;
  if (text === body && state.seen)
    return { ...state, answer: state.isChanged ? { kind: "edited", text } : { kind: "once" } };
  if (isSeen) return { ...state, answer: { kind: "edited", text } };
  const { rule: _rule, deny: _deny, edited: _edited, ...request } = state.request;
  const changed = { ...request, body: text };
  return {
    ...state,
    request: changed,
    choices: choicesOf(changed),
    kept: {},
    isChanged: true,
    ...{ selected: 0, scroll: 0, seen: false, early: undefined, stray: false },
  };
}
