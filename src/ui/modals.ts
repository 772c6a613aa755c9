// The prompts that take the composer's place, each as a promise of its answer: yes or no, the choices
// about an interrupted turn, a preview of files, and a wait. A new one waits until the one before it is closed.
import type { PreviewFile } from "../commands/command.ts";

import type { OpenTurn } from "../ledger/recovery.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { previewPage } from "./preview-lines.ts";
import { createPreview, previewReducer } from "./preview-state.ts";
import { isLeaving } from "./prompt-gate.ts";
import { type DecideChoice, type DecideState, decideReducer, renewDecision, unselected } from "./recovery.ts";

import type { ModalView } from "./screen-view.tsx";

/** Only `y` is yes. */
export function askConfirm(screen: Screen, question: string): Promise<boolean> {
  return new Promise((resolve) => {
    const modal: Modal = {
      view: { kind: "confirm", question },
      guard: {},
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

/** `look` says what has ended since a turn was read: asked when a question opens, and as long as it stands. */
export function askDecision(
  screen: Screen,
  start: DecideState,
  look: (turn: OpenTurn) => Promise<OpenTurn | undefined> = () => Promise.resolve(undefined),
): Promise<DecideChoice> {
  return new Promise((resolve) => {
    let state = start;
    let looking: Promise<void> | undefined;
    const lookOnce = (): void => {
      looking ??= look(state.turn)
        .then((now) => {
          if (!now || state.chosen) return;
          state = renewDecision(state, now);
          screen.dispatch({ type: "tick", now: Date.now() });
        })
        .catch(() => {
          // The command that the answer becomes looks too, and says what is wrong.
        })
        .finally(() => {
          looking = undefined;
        });
    };
    const clock = setInterval(lookOnce, second).unref();
    const modal: Modal = {
      get view(): ModalView {
        return { kind: "decide", state };
      },
      guard: {
        onStray() {
          state = unselected(state);
        },
      },
      onKey(event) {
        const asked = state.call;
        state = decideReducer(state, event);
        if (state.call !== asked) lookOnce();
        if (!state.chosen) return;
        const { chosen } = state;
        clearInterval(clock);
        screen.closeModal(modal);
        // It may hold the conversation for a moment, and the command would find it taken.
        void Promise.resolve(looking).then(() => resolve(chosen));
      },
    };
    screen.openModal(modal);
    lookOnce();
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
      guard: {
        onStray() {
          state = { ...state, stray: true };
        },
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
