// The state of a search among earlier prompts, as readline has it: typing narrows, ctrl+r goes on to older ones, enter
// takes what is shown, escape leaves the text as it was. Pure, and drawn by history-search-lines.ts.
import { chord, type KeyEvent } from "./key-event.ts";
import { graphemes } from "./text-width.ts";

export interface HistorySearch {
  /** Newest first, each once. */
  readonly prompts: readonly string[];
  /** More of them are on their way. */
  readonly isReading: boolean;
  /** As it was typed or pasted: sanitised when drawn. */
  readonly query: string;
  /** Indexes into `prompts` of those that every word of the query is in. */
  readonly matches: readonly number[];
  /** Index into `matches`. */
  readonly at: number;
  /** The last key wanted to go on where there is nothing more. */
  readonly atEnd?: "oldest" | "newest";
  readonly outcome?: HistoryOutcome;
}

export type HistoryOutcome =
  | { readonly kind: "cancelled" }
  /** `then`: a key that moves in the text takes it and is still to be done. */
  | { readonly kind: "taken"; readonly text: string; readonly then?: KeyEvent };

/** Of each prompt only its beginning is looked at: a long one is mostly paste. */
const lookedAt = 20_000;
/** Of a query; a pasted one may be anything. */
const longestQuery = 200;

export function createHistorySearch(prompts: readonly string[], options: { isReading?: boolean } = {}): HistorySearch {
  const all = [...new Set(prompts)];
  return { prompts: all, isReading: options.isReading ?? false, query: "", matches: matching(all, ""), at: 0 };
}

/** Keeps what is shown where it is still there. */
export function withPrompts(state: HistorySearch, prompts: readonly string[]): HistorySearch {
  const shown = shownPrompt(state);
  const all = [...new Set(prompts)];
  const matches = matching(all, state.query);
  const at = matches.findIndex((index) => all[index] === shown);
  return { ...state, prompts: all, isReading: false, matches, at: Math.max(0, at) };
}

export function shownPrompt({ prompts, matches, at }: HistorySearch): string | undefined {
  return prompts[matches[at] ?? -1];
}

export function historySearchReducer(previous: HistorySearch, event: KeyEvent): HistorySearch {
  const { atEnd: _atEnd, ...state } = previous;
  if (event.kind !== "key") return withQuery(state, state.query + (event.text.split("\n")[0] ?? ""));
  switch (chord(event)) {
    case "ctrl+r":
    case "up":
    case "ctrl+p":
      return step(state, 1);
    case "ctrl+s":
    case "down":
    case "ctrl+n":
      return step(state, -1);
    case "backspace":
    case "ctrl+h":
      return withQuery(state, graphemes(state.query).slice(0, -1).join(""));
    case "ctrl+w":
      return withQuery(state, state.query.replace(/\S+\s*$/u, ""));
    case "ctrl+u":
      return withQuery(state, "");
    case "enter":
      return taken(state);
    case "escape":
    case "ctrl+c":
    case "ctrl+g":
      return { ...state, outcome: { kind: "cancelled" } };
    case "tab":
      return taken(state);
    case "left":
    case "right":
    case "home":
    case "end":
    case "ctrl+a":
    case "ctrl+e":
      return taken(state, event);
    default:
      return state;
  }
}

function taken(state: HistorySearch, then?: KeyEvent): HistorySearch {
  const text = shownPrompt(state);
  return text === undefined ? state : { ...state, outcome: { kind: "taken", text, ...(then && { then }) } };
}

function step(state: HistorySearch, by: 1 | -1): HistorySearch {
  const at = state.at + by;
  if (at < 0) return { ...state, atEnd: "newest" };
  return at < state.matches.length ? { ...state, at } : { ...state, atEnd: "oldest" };
}

/** Goes on from the one that is shown while it fits; where less is asked for, from the newest again. */
function withQuery(state: HistorySearch, wanted: string): HistorySearch {
  const query = wanted.slice(0, longestQuery);
  const goesOn = query.startsWith(state.query);
  const matches = matching(state.prompts, query, goesOn ? state.matches : undefined);
  const shown = goesOn ? (state.matches[state.at] ?? -1) : -1;
  return {
    ...state,
    query,
    matches,
    at: Math.max(
      0,
      matches.findIndex((index) => index >= shown),
    ),
  };
}

/** `among`: those that fitted the beginning of the query, which the others cannot. */
function matching(prompts: readonly string[], query: string, among?: readonly number[]): readonly number[] {
  const words = queryWords(query);
  const fits = (prompt = ""): boolean => {
    const text = prompt.length > lookedAt ? prompt.slice(0, lookedAt) : prompt;
    return words.every((word) => text.search(word) !== -1);
  };
  return (among ?? [...prompts.keys()]).filter((index) => fits(prompts[index]));
}

/** Each word of a query as a pattern, without case. */
export function queryWords(query: string): readonly RegExp[] {
  const words = query.normalize("NFC").split(/\s+/u);
  return words
    .filter((word) => word !== "")
    .map((word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu"));
}
