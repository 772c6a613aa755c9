// The prompts that take the composer's place, each as a promise of its answer: approval, picker, yes or no, the choices
// about an interrupted turn, a preview of files, and a wait. A new one waits until the one before it is closed.
import type { ApprovalAsk, ApprovalReply } from "../agent/turn-context.ts";
import type { PickItem, PreviewFile } from "../commands/command.ts";
import { approvalLayout } from "./approval.tsx";
import { type ApprovalAnswer, type ApprovalRequest, approvalReducer, createApproval } from "./approval-state.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { pickerPage } from "./picker.tsx";
import { createPicker, type PickerItem, pickerReducer } from "./picker-state.ts";
import { previewPage } from "./preview-lines.ts";
import { createPreview, previewReducer } from "./preview-state.ts";
import { type DecideChoice, type DecideState, decideReducer } from "./recovery.ts";
import { leastApproval, type ModalView } from "./screen-view.tsx";

/** `stops`: escape, which also stops the turn. Resolves with no when the signal is aborted. */
export function askApproval(
  screen: Screen,
  ask: ApprovalAsk,
  signal: AbortSignal,
): Promise<{ readonly reply: ApprovalReply; readonly stops: boolean }> {
  return new Promise((resolve) => {
    let state = createApproval(requestOf(ask));
    const end = (reply: ApprovalReply, stops: boolean): void => {
      signal.removeEventListener("abort", onAbort);
      screen.closeModal(modal);
      resolve({ reply, stops });
    };
    const onAbort = (): void => end({ kind: "no" }, false);
    const modal: Modal = {
      get view(): ModalView {
        return { kind: "approval", state };
      },
      onKey(event, rows) {
        const leaves = isLeaving(event) && state.explanation === undefined;
        if (rows < leastApproval) {
          if (leaves) end({ kind: "no" }, true);
          return;
        }
        const page = approvalLayout(state, screen.size.columns, rows).bodyRows;
        state = approvalReducer(state, { type: "key", event, page });
        if (state.answer) end(replyOf(state.answer), leaves);
      },
      onDrawn(rows) {
        if (rows < leastApproval) return;
        const width = screen.size.columns;
        const { maxScroll } = approvalLayout(state, width, rows);
        state = approvalReducer(state, { type: "drawn", width, maxScroll });
      },
    };
    if (signal.aborted) return resolve({ reply: { kind: "no" }, stops: false });
    signal.addEventListener("abort", onAbort);
    screen.openModal(modal);
  });
}

/** What runs is shown whole: a diff, a command, or the input as it was given. */
function requestOf({ call, subject, why, preview, rule }: ApprovalAsk): ApprovalRequest {
  const body = preview ?? (subject === "" ? JSON.stringify(call.input) : subject);
  const kind = preview === undefined ? "command" : "diff";
  return { tool: call.tool, body, kind, reason: why, ...(rule !== undefined && { rule }) };
}

function replyOf(answer: ApprovalAnswer): ApprovalReply {
  return answer.kind === "no-because" ? { kind: "no", because: answer.text } : answer;
}

function isLeaving(event: KeyEvent): boolean {
  const name = chord(event);
  return name === "escape" || name === "ctrl+c";
}

/** The command of what was chosen. */
export function askPick(
  screen: Screen,
  wanted: { readonly title: string; readonly items: readonly PickItem[]; readonly empty: string },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const items = wanted.items.map(({ command, label, detail }): PickerItem => ({ id: command, label, detail }));
    let state = createPicker({ items });
    const modal: Modal = {
      get view(): ModalView {
        return { kind: "picker", state, title: wanted.title, empty: wanted.empty };
      },
      onKey(event, rows) {
        state = pickerReducer(state, { type: "key", event, page: pickerPage(rows) });
        if (!state.outcome) return;
        screen.closeModal(modal);
        resolve(state.outcome.kind === "chosen" ? state.outcome.item.id : undefined);
      },
    };
    screen.openModal(modal);
  });
}

/** Only `y` is yes. */
export function askConfirm(screen: Screen, question: string): Promise<boolean> {
  return new Promise((resolve) => {
    const modal: Modal = {
      view: { kind: "confirm", question },
      onKey(event) {
        const letter = event.kind === "text" ? event.text.toLowerCase() : undefined;
        const isYes = letter === "y";
        if (!isYes && letter !== "n" && !isLeaving(event)) return;
        screen.closeModal(modal);
        resolve(isYes);
      },
    };
    screen.openModal(modal);
  });
}

export function askDecision(screen: Screen, start: DecideState): Promise<DecideChoice> {
  return new Promise((resolve) => {
    let state = start;
    const modal: Modal = {
      get view(): ModalView {
        return { kind: "decide", state };
      },
      onKey(event) {
        state = decideReducer(state, event);
        if (!state.chosen) return;
        screen.closeModal(modal);
        resolve(state.chosen);
      },
    };
    screen.openModal(modal);
  });
}

/** The files that were chosen; undefined: nothing is to change. */
export function askPreview(
  screen: Screen,
  wanted: { readonly title: string; readonly files: readonly PreviewFile[] },
): Promise<readonly PreviewFile[] | undefined> {
  return new Promise((resolve) => {
    let state = createPreview(wanted);
    const modal: Modal = {
      get view(): ModalView {
        return { kind: "preview", state };
      },
      onKey(event, rows) {
        state = previewReducer(state, { type: "key", event, page: previewPage(rows, screen.size.columns) });
        if (!state.outcome) return;
        screen.closeModal(modal);
        resolve(state.outcome.kind === "apply" ? state.outcome.chosen : undefined);
      },
      onDrawn() {
        state = previewReducer(state, { type: "drawn", width: screen.size.columns });
      },
    };
    screen.openModal(modal);
  });
}

export interface Wait {
  /** Aborted when the person waits no longer, or by `signal` of the caller. */
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

const second = 1_000;

/** Shows what is waited for until `action` is over; escape asks it to end. */
export async function whileWaiting<T>(
  screen: Screen,
  { title, signal }: { readonly title: string; readonly signal: AbortSignal },
  action: (wait: Wait) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const since = Date.now();
  let line = "";
  const modal: Modal = {
    get view(): ModalView {
      return { kind: "wait", wait: { title, since, line } };
    },
    onKey(event) {
      if (isLeaving(event)) stop.abort();
    },
  };
  const onProgress = (said: string): void => {
    line = said;
    screen.dispatch({ type: "tick", now: Date.now() });
  };
  const clock = setInterval(() => screen.paint(), second).unref();
  screen.openModal(modal);
  try {
    return await action({ signal: AbortSignal.any([stop.signal, signal]), onProgress });
  } finally {
    clearInterval(clock);
    screen.closeModal(modal);
  }
}
