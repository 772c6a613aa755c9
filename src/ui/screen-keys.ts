// What each key does: first the prompt that is open, then the screen's own keys, then the composer.
import type { ApprovalMode } from "../ledger/types.ts";
import { menuCompletion, menuReducer } from "./command-menu.tsx";
import { composerAction } from "./composer-keys.ts";
import { composerText, isComposerEmpty, submitComposer } from "./composer-state.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import { keysHelp } from "./keys-help.ts";
import type { Screen } from "./live-screen.ts";

/** What keys may set going. */
export interface KeyActions {
  enter(text: string): void;
  /** False: nothing was running. */
  stop(): boolean;
  quit(): void;
  suspend(): void;
  /** Absent before the ledger is open. */
  mode(): { readonly now: ApprovalMode; readonly mayBeAuto: boolean; set(mode: ApprovalMode): void } | undefined;
}

const armedNotice = "press ctrl+c again to quit";

export function handleKeys(screen: Screen, events: readonly KeyEvent[], actions: KeyActions): void {
  for (const event of events) handleKey(screen, event, actions);
  screen.paint();
}

function handleKey(screen: Screen, event: KeyEvent, actions: KeyActions): void {
  const name = chord(event);
  if (name === "ctrl+l") return screen.redraw({ clears: true });
  if (name === "ctrl+z") return actions.suspend();
  const { modal } = screen;
  if (modal) return modal.onKey(event, screen.modalRows);
  const isArmed = screen.view.notice === armedNotice;
  if (screen.view.notice !== undefined) screen.dispatch({ type: "notice" });
  if (name === "ctrl+c") return interrupt(screen, actions, isArmed);
  if (ownKey(screen, event, actions)) return;
  // The prompt that an undo gave back is no beginning of a command.
  if (event.kind === "text" && event.text.startsWith("/") && screen.isOffered) screen.compose({ type: "clear" });
  const action = composerAction(event);
  if (action) screen.compose(action);
}

function interrupt(screen: Screen, actions: KeyActions, isArmed: boolean): void {
  if (isArmed) return actions.quit();
  if (actions.stop()) return;
  if (!isComposerEmpty(screen.composer)) return screen.compose({ type: "clear" });
  screen.dispatch({ type: "notice", text: armedNotice });
}

/** True: the key is done with. */
function ownKey(screen: Screen, event: KeyEvent, actions: KeyActions): boolean {
  const name = chord(event);
  if (menuKey(screen, name)) return true;
  if (event.kind === "text" && event.text === "?" && isComposerEmpty(screen.composer)) {
    screen.print({ kind: "table", columns: ["key", "does"], rows: keysHelp.map(({ keys, does }) => [keys, does]) });
    return true;
  }
  switch (name) {
    case "enter":
      submit(screen, actions);
      return true;
    case "escape":
      actions.stop();
      return true;
    case "shift+tab":
      cycleMode(actions);
      return true;
    case "ctrl+d":
      if (!isComposerEmpty(screen.composer)) return false;
      actions.quit();
      return true;
    default:
      return false;
  }
}

function submit(screen: Screen, actions: KeyActions): void {
  const { state, text } = submitComposer(screen.composer);
  screen.composer = state;
  if (text === undefined) return;
  const { history } = state;
  if (history.at(-1) !== text) screen.compose({ type: "history", entries: [...history, text] });
  actions.enter(text);
}

function menuKey(screen: Screen, name: string | undefined): boolean {
  const items = screen.menuItems;
  const count = items.length;
  if (count === 0) return false;
  const item = items[Math.min(screen.menu.selected, count - 1)];
  const typed = composerText(screen.composer);
  const isNamed = item === undefined || typed.trimEnd() !== typed || isSame(typed, item.command) || typed.includes(" ");
  switch (name) {
    case "escape":
      screen.menu = menuReducer(screen.menu, { type: "close" });
      return true;
    case "up":
    case "down":
      if (count < 2) return false;
      screen.menu = menuReducer(screen.menu, { type: name, count });
      return true;
    case "tab":
      if (item) screen.compose({ type: "set", text: menuCompletion(item) });
      return true;
    case "enter":
      // Nothing runs that was not named in full: the first enter completes, the second one runs.
      if (isNamed) return false;
      screen.compose({ type: "set", text: menuCompletion(item) });
      return true;
    default:
      return false;
  }
}

function isSame(typed: string, command: { readonly name: string; readonly aliases?: readonly string[] }): boolean {
  const name = typed.slice(1);
  return command.name === name || command.aliases?.includes(name) === true;
}

function cycleMode(actions: KeyActions): void {
  const mode = actions.mode();
  if (!mode) return;
  const order: readonly ApprovalMode[] = ["plan", "ask", "edits", ...(mode.mayBeAuto ? (["auto"] as const) : [])];
  mode.set(order[(order.indexOf(mode.now) + 1) % order.length] ?? "ask");
}
