// What the screen knows of a conversation: (ViewState, SessionEvent | UiAction) -> ViewState, pure. Live events and
// restored ones go through it alike. What is finished leaves as blocks, each exactly once: the owner prints them and
// answers `printed`.
import type { SessionEvent } from "../agent/events.ts";
import type { ModelsConfig } from "../agent/models/catalogue.ts";
import type { Cost } from "../agent/models/cost.ts";
import { type ContextSize, contextSize, withMessage } from "../agent/tokens.ts";
import type { RecoveryStep } from "../ledger/recovery.ts";
import type {
  Admission,
  AdmissionId,
  ApprovalMode,
  Loop,
  Message,
  MessageId,
  ProcessIdentity,
  Session,
  ToolCall,
  TurnError,
} from "../ledger/types.ts";
import { type Block, type MadeCall, madeCall, messageBlocks, note } from "./block.ts";
import { contextChangeWords } from "./context-words.ts";
import {
  addDelta,
  addThought,
  endTurn,
  finishMessage,
  type LiveTurn,
  openTurn,
  waitForRetry,
  withCall,
  withOutput,
  withoutCompaction,
  withoutRetry,
} from "./live-turn.ts";
import { isOpenLoop, loopChangeWords } from "./loop-words.ts";

export interface ViewState {
  readonly phase: "starting" | "open" | "closing";
  /** Cells of a row: a streaming line that has no end is let go in whole rows. */
  readonly width: number;
  /** In ms, of the last drawing or event: what runs is measured by it. */
  readonly now: number;
  /** The recovery checklist while it is live. */
  readonly steps: readonly RecoveryStep[];
  readonly session?: Session;
  readonly mode: ApprovalMode;
  readonly turn?: LiveTurn;
  /** Calls that were decided about while no turn ran; the newest few. */
  readonly decided: readonly ToolCall[];
  /** Entered, and not in the ledger yet. */
  readonly unsent: readonly Unsent[];
  readonly queue: readonly Waiting[];
  readonly awaited?: Awaited;
  /** Another program runs a turn of this conversation. */
  readonly elsewhere?: ElsewhereHolder;
  /** What was printed last came from another window: said once for all of it. */
  readonly isElsewhereSaid: boolean;
  /** An interrupted turn that has to be decided about first. */
  readonly blocked?: AdmissionId;
  readonly problem?: TurnError;
  /** Another window deleted it. */
  readonly isGone?: true;
  /** Of what the next request is made of; absent until an answer was counted. */
  readonly size?: ContextSize;
  /** Of the session so far; absent where prices are not known. */
  readonly cost?: Cost;
  /** Active, or paused. */
  readonly loop?: Loop;
  /** What the config says about models. */
  readonly models?: ModelsConfig;
  /** The name of a model that more than one provider has. */
  readonly sharedModel?: string;
  /** A waiting prompt whose text is in the composer; it does not run meanwhile. */
  readonly editing?: AdmissionId;
  /** One line above the composer, until the next key. */
  readonly notice?: string;
  /** Finished, to be printed. */
  readonly blocks: readonly Block[];
}

export interface Unsent {
  readonly key: number;
  readonly text: string;
}
export interface Waiting {
  readonly id: AdmissionId;
  readonly text: string;
  /** Why it waits for a key. */
  readonly held?: string;
  /** For the turn that runs. */
  readonly isSteer?: boolean;
}
export interface Awaited {
  readonly holder?: ProcessIdentity;
  readonly since?: number;
}

export interface ElsewhereHolder {
  readonly pid: number;
  readonly program: string;
}

export type UiAction =
  | { readonly type: "step"; readonly step: RecoveryStep }
  | {
      readonly type: "booted";
      readonly session: Session;
      readonly mode: ApprovalMode;
      readonly waiting: readonly Admission[];
      /** An interrupted turn of this conversation. */
      readonly blocked?: AdmissionId;
    }
  | { readonly type: "submitted"; readonly key: number; readonly text: string }
  /** Of `submitted`: it is in the ledger, or was something else than a prompt. */
  | { readonly type: "admitted"; readonly key: number }
  | { readonly type: "not-admitted"; readonly key: number; readonly error: TurnError }
  | { readonly type: "print"; readonly blocks: readonly Block[] }
  | { readonly type: "printed"; readonly count: number }
  | { readonly type: "resized"; readonly width: number }
  | { readonly type: "tick"; readonly now: number }
  | { readonly type: "notice"; readonly text?: string }
  | { readonly type: "editing"; readonly admission?: AdmissionId }
  | { readonly type: "mode"; readonly mode: ApprovalMode }
  /** The newest part of the conversation as it is stored, and what it cost. */
  | {
      readonly type: "spending";
      readonly messages: readonly Message[];
      readonly models: ModelsConfig;
      readonly cost?: Cost;
    }
  | { readonly type: "shared-model"; readonly model?: string }
  | { readonly type: "closing" };

export function initialView(width: number): ViewState {
  const lists = { steps: [], decided: [], unsent: [], queue: [], blocks: [] };
  return { phase: "starting", width, now: 0, mode: "ask", isElsewhereSaid: false, ...lists };
}

export function viewReducer(state: ViewState, action: SessionEvent | UiAction): ViewState {
  switch (action.type) {
    // ---- the screen's own ----
    case "step":
      return { ...state, steps: [...state.steps, action.step] };
    case "booted": {
      const { session, mode, blocked } = action;
      const queue = waitingOf(action.waiting, session);
      return { ...state, phase: "open", session, mode, steps: [], queue, ...(blocked !== undefined && { blocked }) };
    }
    case "submitted":
      return { ...state, unsent: [...state.unsent, { key: action.key, text: action.text }] };
    case "admitted":
      return { ...state, unsent: state.unsent.filter(({ key }) => key !== action.key) };
    case "not-admitted":
      return refuse({ ...state, unsent: state.unsent.filter(({ key }) => key !== action.key) }, action.error);
    case "print":
      return print(state, action.blocks);
    case "printed":
      return { ...state, blocks: state.blocks.slice(action.count) };
    case "resized":
      return { ...state, width: action.width };
    case "tick":
      return { ...state, now: action.now };
    case "notice":
      return withNotice(state, action.text);
    case "editing": {
      const { admission } = action;
      return { ...without(state, "editing"), ...(admission !== undefined && { editing: admission }) };
    }
    case "mode":
      return { ...state, mode: action.mode };
    case "spending": {
      const { messages, models, cost } = action;
      const size = contextSize(messages);
      return { ...without(state, "size", "cost"), models, ...(size && { size }), ...(cost && { cost }) };
    }
    case "shared-model": {
      const { model } = action;
      return { ...without(state, "sharedModel"), ...(model !== undefined && { sharedModel: model }) };
    }
    case "closing":
      return { ...state, phase: "closing" };
    default:
      return sessionReducer(state, action);
  }
}

function sessionReducer(state: ViewState, event: SessionEvent): ViewState {
  switch (event.type) {
    case "session":
      return {
        // What could not be written was about the one before.
        ...without(state, ...ofConversation),
        session: event.session,
        queue: [],
      };
    case "session-changed":
      return { ...state, session: event.session };
    case "conversation-gone":
      return print({ ...state, isGone: true }, [note(goneWords, "warning")]);
    case "prompt-admitted":
      return wrote(admitted(state, event));
    case "prompt-steered":
      return { ...state, queue: state.queue.filter(({ id }) => id !== event.admission) };
    case "queue-changed":
      return state.session ? withQueue(state, event.waiting, state.session) : state;
    case "prompts-kept":
      return print(state, [note(event.why, "warning")]);
    case "loop-changed":
      return loopReducer(state, event.loop, event.isSaid ?? false);
    case "lease-awaited": {
      const { holder, since } = event;
      return { ...state, awaited: { ...(holder && { holder }), ...(since !== undefined && { since }) } };
    }
    case "held-elsewhere":
      return event.holder ? { ...state, elsewhere: event.holder } : without(state, "elsewhere");
    case "lease-acquired":
    case "lease-given-up":
      return without(state, "awaited");
    case "turn-blocked": {
      const blocked = { ...leaveTurn(without(state, "awaited")), blocked: event.admission.id };
      return event.why === undefined ? blocked : print(blocked, [note(event.why, "warning")]);
    }
    case "turn-started": {
      const queue = state.queue.filter(({ id }) => id !== event.admission);
      const left = without(state, "awaited", "blocked", "elsewhere");
      return wrote({ ...left, queue, turn: openTurn(event.admission, state.now) });
    }
    case "stop-asked":
      return state.turn ? { ...state, turn: { ...state.turn, isStopping: true } } : state;
    case "ledger-problem":
      return refuse(leaveTurn(state, note("not saved: the answer above is not in the ledger", "warning")), event.error);
    case "turn-settled": {
      // What came too late to steer it is the next prompt.
      const queue = state.queue.map((each) => (each.isSteer === true ? { ...each, isSteer: false } : each));
      const left = wrote(leaveTurn({ ...state, queue }));
      const settled = state.blocked === event.admission ? without(left, "blocked") : left;
      const isUntold =
        event.error !== undefined && event.message === undefined && event.error.code !== "compaction_skipped";
      return isUntold ? print(settled, [note(event.error.message, "error")]) : settled;
    }
    case "context-files": {
      const words = contextChangeWords(event);
      return words === undefined ? state : print(state, [note(words)]);
    }
    case "rule-kept":
      return print(state, [note(ruleWords(event))]);
    case "compaction-started":
    case "compaction-stage":
    case "compacted":
    case "compaction-left":
      return compactionReducer(state, event);
    // Told to the owner, who shows what the conversation is now; a fallback has a note of its own.
    case "fallback":
    case "head-moved":
      return state;
    case "message-added":
      return turnReducer(withSize(state, withMessage(state.size, event.message)), event);
    default:
      return turnReducer(state, event);
  }
}

const ofConversation = [
  "turn",
  "awaited",
  "blocked",
  "elsewhere",
  "size",
  "cost",
  "loop",
  "editing",
  "problem",
  "isGone",
] as const;

const goneWords = "This conversation was deleted in another window. /new begins another, /resume goes to one.";

/** What ends or waits is said once. */
function loopReducer(state: ViewState, loop: Loop | undefined, isSaid: boolean): ViewState {
  const changed = { ...without(state, "loop"), ...(loop && isOpenLoop(loop) && { loop }) };
  if (!loop || isSaid || (state.loop?.id === loop.id && state.loop.state === loop.state)) return changed;
  const words = loopChangeWords(loop, state.loop);
  return words === undefined ? changed : print(changed, [note(words)]);
}

type CompactionEvent = Extract<
  SessionEvent,
  { readonly type: "compaction-started" | "compaction-stage" | "compacted" | "compaction-left" }
>;

function compactionReducer(state: ViewState, event: CompactionEvent): ViewState {
  const turn = state.turn && withoutRetry(state.turn);
  const ended = turn ? { ...state, turn: withoutCompaction(turn) } : state;
  switch (event.type) {
    case "compaction-started": {
      const { reason, tokens } = event;
      return turn ? { ...state, turn: { ...turn, compaction: { reason, tokens } } } : state;
    }
    case "compaction-stage": {
      const { stage, of } = event;
      return turn?.compaction
        ? { ...state, turn: { ...turn, compaction: { ...turn.compaction, stage: { stage, of } } } }
        : state;
    }
    case "compacted": {
      const isAsked = state.turn?.compaction?.reason === "asked";
      const compacted = wrote({ ...ended, session: event.session });
      return isAsked ? print(compacted, [note("/undo takes it back")]) : compacted;
    }
    case "compaction-left":
      return print(ended, [note(event.why, "warning")]);
  }
}

type TurnEvent = Extract<
  SessionEvent,
  { readonly type: "retry-wait" | "text-delta" | "reasoning-delta" | "message-added" | "call-changed" | "call-output" }
>;

function turnReducer(state: ViewState, event: TurnEvent): ViewState {
  const turn = state.turn && withoutRetry(state.turn);
  if (event.type === "message-added" && (event.elsewhere === true || !turn)) return addMessage(state, event);
  if (!turn && event.type === "call-changed") {
    // Of another program, perhaps: no proof that we can write.
    return { ...state, decided: [...state.decided.slice(-maxDecided), event.call] };
  }
  if (!turn) return state;
  switch (event.type) {
    case "retry-wait":
      return progress(state, waitForRetry(turn, event));
    case "text-delta":
      return progress(state, addDelta(turn, event.text, state.width));
    case "reasoning-delta":
      return { ...state, turn: addThought(turn, event.text) };
    case "message-added":
      return wrote(progress(state, finishMessage(turn, event.message)));
    case "call-changed":
      return wrote({ ...state, turn: withCall(turn, event.call) });
    case "call-output":
      return { ...state, turn: withOutput(turn, event.call, event.chunk) };
  }
}

/** No message of a turn that runs here. */
function addMessage(state: ViewState, event: Extract<SessionEvent, { type: "message-added" }>): ViewState {
  const { message, elsewhere = false } = event;
  const isToSay = elsewhere && !state.isElsewhereSaid;
  const blocks = messageBlocks(message, (part) => callOf(state, message.id, part.call), isToSay);
  if (!elsewhere) return print(wrote(state), blocks);
  const isSaid = state.isElsewhereSaid || blocks.some((block) => "elsewhere" in block);
  return { ...print(state, blocks), isElsewhereSaid: isSaid };
}

function ruleWords({ kind, rule, file }: Extract<SessionEvent, { readonly type: "rule-kept" }>): string {
  const where = file === undefined ? "" : `, in ${file} for every project`;
  return `${kind === "allow" ? "allowed" : "denied"} from now on: ${rule}${where}; /approve forget takes it back`;
}

const maxDecided = 20;

function callOf({ turn, decided }: ViewState, result: MessageId, id: string): MadeCall | undefined {
  const calls = [...decided, ...(turn?.calls ?? []).map((each) => each.call)];
  const found = calls.find((call) => call.result === result) ?? calls.findLast((call) => call.call === id);
  return found && madeCall(found);
}

function withSize(state: ViewState, size: ContextSize | undefined): ViewState {
  return size ? { ...state, size } : without(state, "size");
}

function progress(state: ViewState, { turn, blocks }: { turn: LiveTurn; blocks: readonly Block[] }): ViewState {
  return print({ ...state, turn }, blocks);
}

function leaveTurn(state: ViewState, mark?: Block): ViewState {
  return state.turn ? print(without(state, "turn"), endTurn(state.turn, mark)) : state;
}

function print(state: ViewState, blocks: readonly Block[]): ViewState {
  if (blocks.length === 0) return state;
  return { ...state, blocks: [...state.blocks, ...blocks], isElsewhereSaid: false };
}

function admitted(state: ViewState, event: Extract<SessionEvent, { type: "prompt-admitted" }>): ViewState {
  const { admission: id, text, isSteer } = event;
  if (event.state !== "queued" || state.queue.some((each) => each.id === id)) return state;
  return { ...state, queue: [...state.queue, { id, text, ...(isSteer && { isSteer }) }] };
}

/** A turn that is unknown is what blocks, whoever decides about it. */
function withQueue(state: ViewState, open: readonly Admission[], session: Session): ViewState {
  const unknown = open.find((each) => each.status === "unknown" && each.conversation === session.conversation);
  const rest = { ...without(state, "blocked"), queue: waitingOf(open, session) };
  return unknown ? { ...rest, blocked: unknown.id } : rest;
}

function waitingOf(waiting: readonly Admission[], { conversation }: Session): readonly Waiting[] {
  return waiting
    .filter((each) => each.status === "queued" && each.conversation === conversation)
    .map(({ id, summary, held, kind }) => ({
      ...{ id, text: summary },
      ...(held !== undefined && { held }),
      ...(kind === "steer" && { isSteer: true }),
    }));
}

/** Said once: a problem is often told from two places. */
function refuse(state: ViewState, problem: TurnError): ViewState {
  if (state.problem?.message === problem.message) return { ...state, problem };
  const words = [`NOT SAVED: ${problem.message}`, ...(problem.hint ? [problem.hint] : [])].join("\n");
  return print({ ...state, problem }, [note(words, "error")]);
}

/** An event that follows a commit: writing works. */
function wrote(state: ViewState): ViewState {
  return without(state, "problem");
}

function withNotice(state: ViewState, text: string | undefined): ViewState {
  return text === undefined ? without(state, "notice") : { ...state, notice: text };
}

type Optional =
  | "size"
  | "cost"
  | "loop"
  | "sharedModel"
  | "turn"
  | "awaited"
  | "elsewhere"
  | "blocked"
  | "problem"
  | "isGone"
  | "editing"
  | "notice";

function without(state: ViewState, ...fields: readonly Optional[]): ViewState {
  return fields.reduce((rest, field) => {
    if (rest[field] === undefined) return rest;
    const { [field]: _left, ...others } = rest;
    return others;
  }, state);
}
