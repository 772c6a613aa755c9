// Asks a person about a call: opens the prompt, and answers nothing that was typed before they could have read it.
import type { ApprovalAsk, ApprovalReply } from "../agent/turn-context.ts";
import type { Effect } from "../ledger/types.ts";
import { approvalLayout } from "./approval.tsx";
import { type ApprovalAnswer, type ApprovalRequest, approvalReducer, createApproval } from "./approval-state.ts";
import { composerAction } from "./composer-keys.ts";
import type { KeyEvent } from "./key-event.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { isLeaving } from "./modals.ts";
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

/** What waits in the terminal by now goes to the composer: it is read between two turns of the event loop. */
function terminalRead(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Somebody who writes on without such a pause has not read what came up meanwhile, in ms. */
const pause = 500;

class ApprovalPrompt implements Modal {
  readonly #screen: Screen;
  readonly #done: (answered: Answered) => void;
  #state;
  /** Painted, and the keys that came with the one that brought it up are over. */
  #isArmed = false;

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
    if (isLeaving(event) && (rows < leastApproval || !this.#isArmed)) return this.end({ kind: "no" }, true);
    if (this.#isTypedAhead(event)) return this.#keep(event);
    if (rows < leastApproval) return;
    const leaves = isLeaving(event) && this.#state.writing === undefined;
    const { bodyRows: page, textRows } = this.#layout(rows);
    this.#state = approvalReducer(this.#state, { type: "key", event, page, textRows });
    if (this.#state.answer) this.end(replyOf(this.#state.answer), leaves);
  }

  onDrawn(rows: number): void {
    if (rows < leastApproval) return;
    if (!this.#isArmed) {
      queueMicrotask(() => {
        this.#isArmed = true;
        this.#drawn(rows);
      });
    } else this.#drawn(rows);
  }

  #drawn(rows: number): void {
    const { maxScroll, isListed } = this.#layout(rows);
    const { columns: width } = this.#screen.size;
    this.#state = approvalReducer(this.#state, { type: "drawn", width, maxScroll, isListed });
  }

  #layout(rows: number) {
    return approvalLayout(this.#state, this.#screen.size.columns, rows);
  }

  #isTypedAhead(event: KeyEvent): boolean {
    if (!this.#isArmed) return true;
    const { lastTyped } = this.#screen;
    if (lastTyped === undefined || event.kind === "key") return false;
    if (performance.now() - lastTyped < pause) return true;
    this.#screen.lastTyped = undefined;
    return false;
  }

  /** It was meant for the prompt being written. */
  #keep(event: KeyEvent): void {
    const action = event.kind === "key" ? undefined : composerAction(event);
    if (!action) return;
    this.#screen.lastTyped = performance.now();
    this.#screen.compose(action);
  }
}

const effects: Readonly<Record<Effect, string>> = {
  none: "It only reads.",
  idempotent: "It changes something; doing it twice is like doing it once.",
  reversible: "It changes a file; /undo takes that back.",
  external: "It acts on the world; /undo cannot take that back.",
};

/** What runs is shown whole: a diff, a command, or the input as it was given. */
function requestOf(ask: ApprovalAsk): ApprovalRequest {
  const { call, subject, why, mode, preview, rule, deny, noRule, isEditable, edited } = ask;
  const isDiff = preview !== undefined && preview !== subject;
  return {
    tool: call.tool,
    body: isDiff ? preview : subject === "" ? JSON.stringify(call.input) : subject,
    kind: isDiff ? "diff" : "command",
    effect: effects[call.effect],
    reason: `Asked in mode ${mode}: ${why}`,
    isEditable: isEditable && !isDiff,
    ...(rule !== undefined && { rule }),
    ...(deny !== undefined && { deny }),
    ...(noRule !== undefined && { noRule }),
    ...(edited !== undefined && { edited }),
  };
}

function replyOf(answer: ApprovalAnswer): ApprovalReply {
  if (answer.kind === "no-because") return { kind: "no", because: answer.text };
  return answer.kind === "edited" ? { kind: "edited", subject: answer.text } : answer;
}
