// ctrl+r: opens the search among earlier prompts in the composer's place. What this window knows is there at once,
// what the ledger has of all conversations as soon as it is read. Nothing of the text changes before one is taken.
import { composerAction } from "./composer-keys.ts";
import {
  createHistorySearch,
  type HistoryOutcome,
  type HistorySearch,
  historySearchReducer,
  withPrompts,
} from "./history-search-state.ts";
import type { Modal, Screen } from "./live-screen.ts";
import type { ModalView } from "./screen-view.tsx";

/** `stored`: prompts of all conversations, oldest first; absent before the ledger is open. */
export function searchHistory(screen: Screen, stored: Promise<readonly string[]> | undefined): void {
  const own = screen.composer.history.toReversed();
  let state: HistorySearch = createHistorySearch(own, { isReading: stored !== undefined });
  const modal: Modal = {
    get view(): ModalView {
      return { kind: "history", search: state };
    },
    onKey(event) {
      state = historySearchReducer(state, event);
      if (!state.outcome) return;
      take(screen, state.outcome);
      screen.closeModal(modal);
    },
  };
  screen.openModal(modal);
  const show = (prompts: readonly string[]): void => {
    state = withPrompts(state, prompts);
    screen.paint();
  };
  stored?.then(
    (prompts) => show(withOwn(own, prompts.toReversed())),
    // The ledger is busy or closing: what this window knows is searched.
    () => show(own),
  );
}

function take(screen: Screen, outcome: HistoryOutcome): void {
  if (outcome.kind === "cancelled") return;
  screen.compose({ type: "set", text: outcome.text });
  const action = outcome.then && composerAction(outcome.then, screen.keymap.composer);
  if (action) screen.compose(action);
}

/** Newest first. What the ledger does not have, as commands, was entered here. */
function withOwn(own: readonly string[], stored: readonly string[]): readonly string[] {
  const known = new Set(stored);
  return [...own.filter((prompt) => !known.has(prompt)), ...stored];
}
