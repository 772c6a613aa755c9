// Which keys are for a prompt that came up, and what becomes of the others: somebody who writes on without a pause has
// not read it, and goes on writing in the composer.
import { composerAction } from "./composer-keys.ts";
import { isComposerEmpty } from "./composer-state.ts";
import type { KeyEvent } from "./key-event.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { isLeaving } from "./prompt-gate.ts";

/** In ms, after the last letter; longer where a text is begun that wants to be ended. */
const pauses = { empty: 500, begun: 1_000 };

export function isForPrompt(screen: Screen, modal: Modal, event: KeyEvent): boolean {
  if (!modal.guard || isLeaving(event)) return true;
  if (!screen.gate.takes(modal)) return false;
  const { lastTyped, composer } = screen;
  const pause = isComposerEmpty(composer) ? pauses.empty : pauses.begun;
  if (lastTyped !== undefined && performance.now() - lastTyped < pause) return false;
  screen.lastTyped = undefined;
  return true;
}

/** `send`: for a key that means so in the composer. Others that change no text are dropped, as nobody sees it. */
export function typeAhead(screen: Screen, modal: Modal, typed: { event: KeyEvent; send?: (() => void) | undefined }) {
  const { lastTyped } = screen;
  const { buffer } = screen.composer;
  if (typed.send) typed.send();
  else write(screen, typed.event, false);
  const isKept = screen.composer.buffer !== buffer;
  screen.lastTyped = isKept ? performance.now() : lastTyped;
  if (isKept) modal.guard?.onStray?.();
}

/** Into the composer. `browses`: also up and down, which may put an earlier prompt in the text's place. */
export function write(screen: Screen, event: KeyEvent, browses = true): void {
  // The prompt that an undo gave back is no beginning of a command.
  if (event.kind === "text" && event.text.startsWith("/") && screen.isOffered) screen.compose({ type: "clear" });
  const action = composerAction(event, screen.keymap.composer);
  if (!action || (!browses && (action.type === "up" || action.type === "down"))) return;
  screen.lastTyped = performance.now();
  screen.compose(action);
  screen.images?.wrote(event);
}
