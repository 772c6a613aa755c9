// Open prompts in words and answers in lines: what is asked, and which keys a typed line stands for. The keys go to the
// same prompts that the screen has, so what counts as an answer is decided in one place. A line that is no answer is
// none: it is never taken for the nearest one.
import type { PreviewFile } from "../commands/command.ts";
import { type ApprovalChoice, type ApprovalState, choiceKeys } from "./approval-state.ts";
import type { TextPurpose } from "./approval-text.ts";
import { madeCall } from "./block.ts";
import { composerText } from "./composer-state.ts";
import { type KeyEvent, key } from "./key-event.ts";
import { callWords, oneLine, textWords } from "./line-words.ts";
import type { PickerItem, PickerState } from "./picker-state.ts";
import type { PreviewState } from "./preview-state.ts";
import { type DecideState, isOpenCall } from "./recovery.ts";
import { reveal } from "./sanitize.ts";
import type { ModalView } from "./screen-view.tsx";
import { lineText } from "./styled-line.ts";

/** Of a list; words narrow it down to the others. */
const maxListed = 20;

export function questionWords(view: ModalView): readonly string[] {
  switch (view.kind) {
    case "approval":
      return approvalWords(view.state);
    case "picker":
      return pickerWords(view);
    case "confirm":
      return [...textWords(`question: ${view.question}`), "answer y or n"];
    case "decide":
      return decideWords(view.state);
    case "preview":
      return view.state.diff ? diffWords(view.state) : previewWords(view.state);
    case "wait":
      return [`waiting: ${oneLine(view.wait.title)}`, "type 0 to wait no longer; the command goes on"];
    default:
      return ["a list is open that needs the screen; type 0 to leave it"];
  }
}

/** Undefined: the line is no answer to this. */
export function answerKeys(view: ModalView, line: string): readonly KeyEvent[] | undefined {
  const words = line.trim();
  switch (view.kind) {
    case "approval":
      return approvalKeys(view.state, words);
    case "picker":
      return pickerKeys(view.view.state, words);
    case "confirm":
      return confirmKeys(words.toLowerCase());
    case "decide":
      return decideKeys(view.state, words);
    case "preview":
      return view.state.diff
        ? [key("escape"), ...(previewKeys(view.state, words) ?? [])]
        : previewKeys(view.state, words);
    default:
      return words === "0" ? [key("escape")] : undefined;
  }
}

// ---- approval ----

function approvalWords({ request, choices, writing }: ApprovalState): readonly string[] {
  if (writing) return [writingWords[writing.purpose]];
  const answers: Readonly<Record<ApprovalChoice, string>> = {
    once: "y for yes, this once",
    always: `a for always, which allows ${ruleWords(request.rule)}${request.ruleMeans === undefined ? "" : `, ${oneLine(request.ruleMeans)}`}`,
    edit: "e and another command to run that instead",
    no: "n for no",
    "no-because": "t and a reason for no",
    never: `d for never, which denies ${ruleWords(request.deny)}`,
  };
  const [first = "", ...more] = reveal(request.body).split("\n");
  return [
    `approval needed: ${oneLine(request.tool)}: ${first}`,
    ...more,
    ...[request.effect, request.reason, request.noRule].flatMap((each) => (each === undefined ? [] : [oneLine(each)])),
    `answer ${choices.map((choice) => answers[choice]).join("; ")}`,
  ];
}

const writingWords: Readonly<Record<TextPurpose, string>> = {
  why: "why not? type what the model should do instead; an empty line is a plain no",
  edit: "type the command to run instead; an empty line goes back to the choices",
};

function ruleWords(rule = ""): string {
  return reveal(rule).replaceAll("\n", "\\n");
}

function approvalKeys(state: ApprovalState, words: string): readonly KeyEvent[] | undefined {
  const { writing, choices } = state;
  if (writing?.purpose === "why") return words === "" ? [key("enter")] : [typed(words), key("enter")];
  if (writing) return words === "" ? [key("escape")] : rewritten(composerText(writing.composer), words);
  const short = { yes: "y", always: "a", never: "d", no: "n" }[words.toLowerCase()] ?? words.toLowerCase();
  if (choices.some((choice) => choice !== "edit" && choiceKeys[choice] === short)) return [typed(short)];
  const [, letter, text] = /^([te])\s+(\S.*)$/i.exec(words) ?? [];
  if (letter === undefined || text === undefined) return undefined;
  if (letter.toLowerCase() === "t") return [typed("t"), typed(text), key("enter")];
  return choices.includes("edit") ? [typed("e"), ...rewritten(state.request.body, text)] : undefined;
}

/** All that is written gives way. */
function rewritten(before: string, text: string): readonly KeyEvent[] {
  const clears = before.split("\n").flatMap(() => [key("u", { ctrl: true }), key("backspace")]);
  return [key("end", { ctrl: true }), ...clears, typed(text), key("enter")];
}

function confirmKeys(words: string): readonly KeyEvent[] | undefined {
  if (words === "y" || words === "yes") return [typed("y")];
  return words === "n" || words === "no" || words === "0" ? [typed("n")] : undefined;
}

// ---- lists ----

function pickerWords({ view }: Extract<ModalView, { kind: "picker" }>): readonly string[] {
  const { state, title, empty, note, isLooking } = view;
  const { matches, query } = state;
  const shown = matches.slice(0, maxListed).map(itemWords);
  const found = query === "" ? "" : `, ${matches.length} found for ${oneLine(query)}`;
  const more = matches.length > maxListed ? [`${matches.length - maxListed} more: type words to narrow the list`] : [];
  const nothing = query === "" ? oneLine(empty) || "nothing" : "nothing fits: type other words";
  const none = matches.length === 0 ? [isLooking ? "looking" : nothing] : [];
  return [
    `choose: ${oneLine(title)}${found}`,
    ...shown,
    ...none,
    ...more,
    ...(note === undefined ? [] : [oneLine(note)]),
    "type a number to choose, words to search, 0 to leave",
  ];
}

function itemWords({ label, detail = "", facts }: PickerItem, index: number): string {
  const more = oneLine(facts?.join(", ") ?? detail);
  return `${index + 1}: ${oneLine(label)}${more === "" ? "" : `, ${more}`}`;
}

function pickerKeys({ matches }: PickerState, words: string): readonly KeyEvent[] | undefined {
  if (words === "0") return [key("c", { ctrl: true })];
  const at = numberOf(words, Math.min(matches.length, maxListed));
  if (at !== undefined) return [key("home"), ...downTo(at), key("enter")];
  return words === "" || /^\d+$/.test(words) ? undefined : [key("u", { ctrl: true }), typed(words)];
}

function decideWords(state: DecideState): readonly string[] {
  const { turn, call, options } = state;
  const about = call
    ? [callWords(madeCall(call), call.state), call.state === "running" ? runsOn : whatBecame]
    : turnWords(state);
  return [
    ...about,
    ...options.map(({ label }, index) => `${index + 1}: ${label}`),
    `type a number to choose, 0 ${call ? "to go back" : "for later"}`,
    ...(call || !turn.draft ? [] : ["the half answer is not part of the conversation"]),
  ];
}

const runsOn = "It was started before the crash, and has not ended.";
const whatBecame = "What became of it? Look at the world first: only you can know.";

function turnWords({ turn: { admission, session, calls, draft } }: DecideState): readonly string[] {
  const title = session.title === undefined ? "" : ` of ${oneLine(session.title)}`;
  return [
    `decision needed: a turn${title} was interrupted: ${oneLine(admission.summary)}`,
    ...calls.map((call) => {
      const evidence = call.evidence ?? (isOpenCall(call) ? "no end recorded" : "");
      return callWords(madeCall(call), `${call.state}${evidence === "" ? "" : `, ${evidence}`}`);
    }),
    ...(draft && draft.text.trim() !== "" ? [`half answer: ${oneLine(draft.text.slice(-maxDraft))}`] : []),
  ];
}

const maxDraft = 500;

function decideKeys({ options }: DecideState, words: string): readonly KeyEvent[] | undefined {
  if (words === "0") return [key("escape")];
  const at = numberOf(words, options.length);
  if (at === undefined) return undefined;
  // Nothing may be selected: up to the first one from wherever it is.
  return [...options.map(() => key("up")), ...downTo(at), key("enter")];
}

function previewWords({ title, files, ticked }: PreviewState): readonly string[] {
  return [
    `files: ${oneLine(title)}`,
    ...files.map((file, index) => `${index + 1}: ${fileWords(file, ticked.has(index))}`),
    `${ticked.size} of ${files.length} would change. Type a number to choose or leave out a file, d and a number for its ` +
      "changes, all, apply to do it, or 0 to change nothing",
  ];
}

function fileWords(file: PreviewFile, isTicked: boolean): string {
  return [
    `${oneLine(file.path)}: ${file.obstacle !== undefined ? "cannot be chosen" : isTicked ? "chosen" : "not chosen"}`,
    `${file.added} lines added`,
    `${file.removed} removed`,
    ...(file.obstacle === undefined ? [] : [oneLine(file.obstacle)]),
    ...(file.action === "remove" ? ["is removed"] : []),
    ...(file.action === "create" ? ["comes back"] : []),
    ...(file.isSuspected ? ["changed by a command"] : []),
    ...(file.isImported ? ["came with an import"] : []),
    ...(file.isMerged ? ["merged with your change"] : []),
  ].join(", ");
}

function diffWords({ files, selected, diff }: PreviewState): readonly string[] {
  return [
    `changes of ${oneLine(files[selected]?.path ?? "")}:`,
    ...(diff?.rows ?? []).map((row) => lineText(row).trimEnd()),
    "an empty line goes back to the list",
  ];
}

function previewKeys({ files }: PreviewState, words: string): readonly KeyEvent[] | undefined {
  const lower = words.toLowerCase();
  if (lower === "0") return [key("escape")];
  if (lower === "all") return [key("home"), typed("a")];
  // Moving shows that it is meant: after stray text enter alone does not count.
  if (lower === "apply") return [key("home"), key("enter")];
  const at = numberOf(lower.replace(/^d\s*/, ""), files.length);
  return at === undefined ? undefined : [key("home"), ...downTo(at), typed(lower.startsWith("d") ? "d" : " ")];
}

// ---- keys ----

function typed(text: string): KeyEvent {
  return { kind: "text", text };
}

/** `3` is 2 where there are at least three. */
function numberOf(words: string, count: number): number | undefined {
  const number = /^\d{1,6}$/.test(words) ? Number(words) : 0;
  return number >= 1 && number <= count ? number - 1 : undefined;
}

function downTo(index: number): readonly KeyEvent[] {
  return Array.from({ length: index }, () => key("down"));
}
