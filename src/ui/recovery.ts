// The choices about what a crash left, pure: one turn at a time, its open calls one by one. An answer about a call
// whose end is not known is never preselected: a key pressed too early must not decide what happened. Every choice
// ends in the words of a command.
import type { OpenTurn } from "../ledger/recovery.ts";
import type { ConversationId, ToolCall } from "../ledger/types.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import { clampIndex } from "./row-window.ts";

export type DecideChoice =
  | { readonly kind: "decide"; readonly call: ToolCall }
  /** Words for the command layer. */
  | {
      readonly kind: "run";
      readonly command: string;
      readonly resumes: boolean;
    }
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

/** Tried this often, a turn is likely to fail again: ending it comes first. */
export const manyAttempts = 3;

export function ownTurns(open: readonly OpenTurn[]): readonly OpenTurn[] {
  return open.filter((turn) => turn.holder === undefined);
}

/** A turn that stands in the way of this conversation. */
export function blockingTurn(open: readonly OpenTurn[], conversation: ConversationId): OpenTurn | undefined {
  return ownTurns(open).find((turn) => turn.session.conversation === conversation);
}

/** Its end is not known, or it still runs. */
export function isOpenCall({ state, result }: ToolCall): boolean {
  return (state === "unknown" || state === "running") && result === undefined;
}

export function openDecision(turn: OpenTurn): DecideState {
  const { id, attempts } = turn.admission;
  const calls = turn.calls.filter(isOpenCall);
  const open = calls.map(
    (call): DecideOption => ({ label: decideLabel(call, calls.length), choice: { kind: "decide", call } }),
  );
  const run = (label: string, words: string, resumes = false): DecideOption => ({
    label,
    choice: { kind: "run", command: `/recover ${words}`, resumes },
  });
  // Refused while a call is open: it is offered when it can be.
  const resume = calls.length > 0 ? [] : [run("Resume the turn", `resume ${id}`, true)];
  const settle = [
    run("Settle as interrupted", `settle ${id}`),
    ...(turn.draft ? [run("Settle and keep the half answer", `settle ${id} --keep`)] : []),
  ];
  return {
    turn,
    options: [
      ...open,
      ...(attempts >= manyAttempts ? [...settle, ...resume] : [...resume, ...settle]),
      { label: "Look first", choice: { kind: "look" } },
      { label: "Later", choice: { kind: "later" } },
    ],
    selected: 0,
  };
}

function decideLabel({ state, tool, id }: ToolCall, count: number): string {
  if (count > 1) return `Decide about ${tool} (call ${id})${state === "running" ? ", still running" : ""}`;
  return state === "running" ? "Decide about the call that still runs" : "Decide about the open call";
}

function askAbout(state: DecideState, call: ToolCall): DecideState {
  const say = (label: string, flag: string): DecideOption => ({
    label,
    choice: { kind: "run", command: `/recover call ${call.id} --${flag}`, resumes: false },
  });
  const back: DecideOption = { label: "Back", choice: { kind: "back" } };
  if (call.state === "running") {
    const leave: DecideOption = { label: "Leave it", choice: { kind: "later" } };
    // Waiting changes nothing and can be stopped: it may be what an enter too many chooses.
    const options = [say("Wait for it", "wait"), say("Stop it", "stop"), leave, back];
    return { turn: state.turn, call, options, selected: 0 };
  }
  const verdicts = [say("It happened", "happened"), say("It did not happen", "not-happened")];
  return { turn: state.turn, call, options: [...verdicts, say("Run it again", "again"), back] };
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

/** The question about the turn as it is now: a key that was meant for what stood there before chooses nothing. */
export function renewDecision(state: DecideState, turn: OpenTurn): DecideState {
  const call = turn.calls.find((each) => each.id === state.call?.id);
  if (!call || !isOpenCall(call)) return unselected(openDecision(turn));
  const asked = askAbout({ ...state, turn }, call);
  return call.state === state.call?.state ? { ...state, turn, call } : unselected(asked);
}

function select(state: DecideState, index: number): DecideState {
  return { ...state, selected: clampIndex(index, state.options.length) };
}

/** Text was written that is not for it: nothing is chosen by enter alone. */
export function unselected(state: DecideState): DecideState {
  const { selected: _selected, ...rest } = state;
  return rest;
}

function choose(state: DecideState, choice: DecideChoice | undefined): DecideState {
  if (choice === undefined) return state;
  if (choice.kind === "decide") return askAbout(state, choice.call);
  return choice.kind === "back" ? openDecision(state.turn) : { ...state, chosen: choice };
}
