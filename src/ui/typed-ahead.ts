// Which keys are for a prompt that came up, and what becomes of the others: somebody who presses keys without a pause has
// not read it, whatever those keys were for, and goes on writing in the composer.
import { composerAction } from "./composer-keys.ts";
import { type ComposerAction, isComposerEmpty } from "./composer-state.ts";
import type { KeyEvent } from "./key-event.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { isLeaving } from "./prompt-gate.ts";

/** In ms, after the last key; longer where a text is begun that wants to be ended, shorter after one that ends something. */
const pauses = { empty: 500, begun: 1_000, ended: 250 };

/** `modal` decides something. */
export function isForPrompt(screen: Screen, modal: Modal, event: KeyEvent): boolean {
  if (isLeaving(event)) return true;
  // It answers nothing: there is no need to wait, unless text that was begun has a use for it.
  if (modal.guard?.isView?.(event) && !isForText(screen, event)) return true;
  return screen.gate.takes(modal) && performance.now() >= screen.busyUntil;
}

/** The key of an answer that closes it may be pressed twice: that is none to what comes up next. */
export function answerPrompt(screen: Screen, modal: Modal, event: KeyEvent): void {
  modal.onKey(event, screen.modalRows);
  if (screen.modal !== modal) textEnded(screen);
}

/** An answer, or enter: no more is to be written, but the key may be pressed twice. */
export function textEnded(screen: Screen): void {
  screen.busyUntil = performance.now() + pauses.ended;
}

/** For a list, a search or the pager: a prompt that stands behind it was not read meanwhile. */
export function toOther(screen: Screen, onKey: () => void): void {
  onKey();
  keepBusy(screen);
}

/** `send`: for a key that means so in the composer. Others that change no text are dropped, as nobody sees it. */
export function typeAhead(screen: Screen, modal: Modal, typed: { event: KeyEvent; send?: (() => void) | undefined }) {
  const { buffer } = screen.composer;
  if (typed.send) typed.send();
  else write(screen, typed.event, false);
  // Also of a key that is dropped: held down, it comes again and again.
  keepBusy(screen);
  if (screen.composer.buffer !== buffer) modal.guard?.onStray?.();
}

/** Into the composer. `browses`: also up and down, which may put an earlier prompt in the text's place. */
export function write(screen: Screen, event: KeyEvent, browses = true): void {
  // The prompt that an undo gave back is no beginning of a command.
  if (event.kind === "text" && event.text.startsWith("/") && screen.isOffered) screen.compose({ type: "clear" });
  const action = composerAction(event, screen.keymap.composer);
  if (!action || (!browses && isBrowsing(action))) return;
  screen.compose(action);
  keepBusy(screen);
  screen.images?.wrote(event);
}

function isForText({ composer, keymap }: Screen, event: KeyEvent): boolean {
  const action = composerAction(event, keymap.composer);
  return action !== undefined && !isBrowsing(action) && !isComposerEmpty(composer);
}

function isBrowsing({ type }: ComposerAction): boolean {
  return type === "up" || type === "down";
}

function keepBusy(screen: Screen): void {
  screen.busyUntil = performance.now() + (isComposerEmpty(screen.composer) ? pauses.empty : pauses.begun);
}
