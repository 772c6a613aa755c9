// What a crash left, and the choices about it, pure: one turn at a time, its undecided calls one by one. An answer
// about a call is never preselected: a key pressed too early must not decide what happened. Every choice ends in
// the words of a command.
import type { OpenTurn } from "../ledger/recovery.ts";
import type { ToolCall } from "../ledger/types.ts";
import { madeCall } from "./block.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import { clampIndex } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { type Line, span } from "./styled-line.ts";
import { callLine, type Look, seconds } from "./tool-lines.ts";
import { textLines } from "./transcript.ts";

export type DecideChoice =
  | { readonly kind: "decide"; readonly call: ToolCall }
  /** Words for the command layer. */
  | { readonly kind: "run"; readonly command: string; readonly resumes: boolean }
  | { readonly kind: "look" | "later" | "back" };

export interface DecideOption {
  readonly label: string;
  readonly choice: DecideChoice;
}

export interface DecideState {
  readonly turn: OpenTurn;
  /** The call that is being decided about. */
  readonly call?: ToolCall;
  readonly options: readonly DecideOption[];
  /** Absent: nothing is chosen, and enter does nothing. */
  readonly selected?: number;
  readonly chosen?: DecideChoice;
}

export function ownTurns(open: readonly OpenTurn[]): readonly OpenTurn[] {
  return open.filter((turn) => turn.holder === undefined);
}

function undecided(turn: OpenTurn): readonly ToolCall[] {
  return turn.calls.filter((call) => call.state === "unknown" && call.result === undefined);
}

export function openDecision(turn: OpenTurn): DecideState {
  const { id } = turn.admission;
  const calls = undecided(turn);
  const open = calls.map(
    (call): DecideOption => ({ label: decideLabel(call, calls.length), choice: { kind: "decide", call } }),
  );
  const resume: DecideOption = {
    label: "Resume the turn",
    choice: { kind: "run", command: `/recover resume ${id}`, resumes: true },
  };
  return {
    turn,
    options: [
      ...open,
      // Refused while a call is undecided: it is offered when it can be.
      ...(calls.length === 0 ? [resume] : []),
      { label: "Settle as interrupted", choice: { kind: "run", command: `/recover settle ${id}`, resumes: false } },
      { label: "Look first", choice: { kind: "look" } },
      { label: "Later", choice: { kind: "later" } },
    ],
    selected: 0,
  };
}

function decideLabel(call: ToolCall, count: number): string {
  return count === 1 ? "Decide about the open call" : `Decide about ${call.tool} (call ${call.id})`;
}

function askAbout(state: DecideState, call: ToolCall): DecideState {
  const verdict = (label: string, flag: string): DecideOption => ({
    label,
    choice: { kind: "run", command: `/recover call ${call.id} --${flag}`, resumes: false },
  });
  return {
    turn: state.turn,
    call,
    options: [
      verdict("It happened", "happened"),
      verdict("It did not happen", "not-happened"),
      verdict("Run it again", "again"),
      { label: "Back", choice: { kind: "back" } },
    ],
  };
}

export function decideReducer(state: DecideState, event: KeyEvent): DecideState {
  // Text was meant for the composer: the enter that follows it must not choose.
  if (event.kind !== "key") return unselected(state);
  switch (chord(event)) {
    case "up":
    case "left":
    case "shift+tab":
      return select(state, (state.selected ?? state.options.length) - 1);
    case "down":
    case "right":
    case "tab":
      return select(state, (state.selected ?? -1) + 1);
    case "enter":
      return choose(state, state.selected === undefined ? undefined : state.options[state.selected]?.choice);
    case "escape":
    case "ctrl+c":
      return choose(state, { kind: state.call ? "back" : "later" });
    default:
      return state;
  }
}

function select(state: DecideState, index: number): DecideState {
  return { ...state, selected: clampIndex(index, state.options.length) };
}

function unselected(state: DecideState): DecideState {
  const { selected: _selected, ...rest } = state;
  return rest;
}

function choose(state: DecideState, choice: DecideChoice | undefined): DecideState {
  if (choice === undefined) return state;
  if (choice.kind === "decide") return askAbout(state, choice.call);
  return choice.kind === "back" ? openDecision(state.turn) : { ...state, chosen: choice };
}

// ---- how it looks ----

function turnLines(turn: OpenTurn, look: Look, now: number): readonly Line[] {
  const { summary, startedAt } = turn.admission;
  const ago = startedAt === undefined ? "" : `, ${agoWords(now - startedAt)}`;
  const head = `! A turn was interrupted: "${sanitize(summary)}"${ago}`;
  return [...textLines({ text: head, role: "warning" }, look), ...turn.calls.map((call) => openCallLine(call, look))];
}

function openCallLine(call: ToolCall, look: Look): Line {
  const isOpen = call.state === "unknown" && call.result === undefined;
  const detail = `${isOpen ? "? " : ""}${call.evidence ?? call.state}`;
  return callLine(madeCall(call), { detail, role: isOpen ? "warning" : "muted" }, look);
}

/** All that is known of it, for the scrollback. */
export function turnDetails({ admission, session, calls }: OpenTurn): readonly string[] {
  const prompt = admission.payload.prompt.map((part) => (part.kind === "text" ? part.text : `[${part.mediaType}]`));
  return [
    `turn ${admission.id} of ${session.title ?? session.id}, in ${admission.payload.cwd}`,
    `prompt: ${prompt.join("\n")}`,
    ...calls.flatMap((call) => [
      `call ${call.id}: ${call.tool} (${call.effect}), ${call.state}, attempts ${call.attempts}`,
      `  input: ${JSON.stringify(call.input)}`,
      ...(call.startedAt === undefined ? [] : [`  started: ${new Date(call.startedAt).toISOString()}`]),
      ...(call.evidence === undefined ? [] : [`  evidence: ${call.evidence}`]),
    ]),
  ];
}

export function agoWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return `${seconds(Math.max(0, ms)).replace(/\.\d/, "")} ago`;
  if (minutes < 120) return `${minutes} minutes ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
}

/** At most `rows` lines: the options stay, what is known goes first. */
export function decideLines(
  state: DecideState,
  look: Look,
  { rows, now }: { rows: number; now: number },
): readonly Line[] {
  const { glyphs } = look.theme;
  const question = "What became of it? Look at the world first: only you can know.";
  const about = state.call
    ? [...textLines({ text: question, role: "warning" }, look), openCallLine(state.call, look)]
    : turnLines(state.turn, look, now);
  const options = state.options.map(({ label }, index): Line => {
    const isSelected = index === state.selected;
    const pointer = look.width < 8 ? "" : isSelected ? `${glyphs.pointer} ` : "  ";
    return [span(`${pointer}${label}`, isSelected ? "selected" : "plain")];
  });
  if (options.length >= rows) {
    const first = Math.max(0, Math.min((state.selected ?? 0) - Math.floor(rows / 2), options.length - rows));
    return options.slice(first, first + rows);
  }
  const hint = textLines({ text: decideHint(state), role: "muted" }, look).slice(0, 1);
  return [...about.slice(0, rows - options.length - hint.length), ...options, ...hint];
}

function decideHint(state: DecideState): string {
  const escape = state.call ? "esc goes back" : "esc: later";
  if (state.selected === undefined) return `press an arrow first, then enter · ${escape}`;
  return `arrows and enter choose · ${escape}`;
}
