// Asks a person about a call: opens the prompt, and answers nothing that was typed before they could have read it.
import type { ApprovalAsk, ApprovalReply } from "../agent/turn-context.ts";
import type { Effect } from "../ledger/types.ts";
import { approvalLayout } from "./approval.tsx";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type ApprovalState,
  approvalReducer,
  createApproval,
  strayed,
} from "./approval-state.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { type Guard, isLeaving, terminalRead } from "./prompt-gate.ts";
import { leastApproval, type ModalView } from "./screen-view.tsx";

export interface Answered {
  readonly reply: ApprovalReply;
  /** Escape, which also stops the turn. */
  readonly stops: boolean;
}

/** Resolves with no when the signal is aborted. */
export async function askApproval(screen: Screen, ask: ApprovalAsk, signal: AbortSignal): Promise<Answered> {
  await terminalRead();
  if (signal.aborted) return { reply: { kind: "no" }, stops: false };
  return new Promise((resolve) => {
    const prompt = new ApprovalPrompt(screen, ask, (answered) => {
      signal.removeEventListener("abort", onAbort);
      screen.closeModal(prompt);
      resolve(answered);
    });
    const onAbort = (): void => prompt.end({ kind: "no" }, false);
    signal.addEventListener("abort", onAbort);
    screen.openModal(prompt);
  });
}

class ApprovalPrompt implements Modal {
  readonly #screen: Screen;
  readonly #done: (answered: Answered) => void;
  #state;
  readonly guard: Guard = {
    leastRows: leastApproval,
    onStray: () => this.#stray(),
    isView: (event) => isViewKey(this.#state, event),
  };

  constructor(screen: Screen, ask: ApprovalAsk, done: (answered: Answered) => void) {
    this.#screen = screen;
    this.#done = done;
    this.#state = createApproval(requestOf(ask));
  }

  get view(): ModalView {
    return { kind: "approval", state: this.#state };
  }

  end(reply: ApprovalReply, stops: boolean): void {
    this.#done({ reply, stops });
  }

  onKey(event: KeyEvent, rows: number): void {
    if (isLeaving(event) && (rows < leastApproval || !this.#state.drawn)) return this.end({ kind: "no" }, true);
    if (rows < leastApproval) return;
    const leaves = isLeaving(event) && this.#state.writing === undefined;
    const { bodyRows: page, textRows } = this.#layout(rows);
    this.#state = approvalReducer(this.#state, { type: "key", event, page, textRows });
    if (this.#state.answer) this.end(replyOf(this.#state.answer), leaves);
  }

  onDrawn(rows: number): void {
    if (rows < leastApproval) return;
    const { maxScroll, isListed } = this.#layout(rows);
    const { columns: width } = this.#screen.size;
    this.#state = approvalReducer(this.#state, { type: "drawn", width, maxScroll, isListed });
  }

  #stray(): void {
    this.#state = strayed(this.#state);
  }

  #layout(rows: number) {
    return approvalLayout(this.#state, this.#screen.size.columns, rows);
  }
}

/** Moves what is seen of the body: up and down choose when its end was shown. */
function isViewKey({ drawn, writing, seen, answer }: ApprovalState, event: KeyEvent): boolean {
  if (!drawn || writing !== undefined || answer !== undefined) return false;
  const name = chord(event) ?? "";
  return ["pageup", "pagedown", "home", "end"].includes(name) || (!seen && (name === "up" || name === "down"));
}

const effects: Readonly<Record<Effect, string>> = {
  none: "It only reads.",
  idempotent: "It changes something; doing it twice is like doing it once.",
  reversible: "It changes a file; /undo takes that back.",
  external: "It acts on the world; /undo cannot take that back.",
};

/** What runs is shown whole: a diff, a command, or the input as it was given. */
function requestOf(ask: ApprovalAsk): ApprovalRequest {
  const { call, subject, why, mode, preview, rule, ruleMeans, deny, noRule, isEditable, edited } = ask;
  const isDiff = preview !== undefined && preview !== subject;
  return {
    tool: call.tool,
    body: isDiff ? preview : subject === "" ? JSON.stringify(call.input) : subject,
    kind: isDiff ? "diff" : "command",
    effect: effects[call.effect],
    reason: `Asked in mode ${mode}: ${why}`,
    isEditable: isEditable && !isDiff,
    ...(rule !== undefined && { rule }),
    ...(ruleMeans !== undefined && { ruleMeans }),
    ...(deny !== undefined && { deny }),
    ...(noRule !== undefined && { noRule }),
    ...(edited !== undefined && { edited }),
  };
}

function replyOf(answer: ApprovalAnswer): ApprovalReply {
  if (answer.kind === "no-because") return { kind: "no", because: answer.text };
  return answer.kind === "edited" ? { kind: "edited", subject: answer.text } : answer;
}
