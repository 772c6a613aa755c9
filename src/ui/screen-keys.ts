// What each key does: first the prompt that is open, then the screen's own keys, then the composer.
import { typedPrompt } from "../agent/typed-command.ts";
import type { ApprovalMode } from "../ledger/types.ts";
import { boundName } from "./composer-keys.ts";
import { isSelecting } from "./composer-select.ts";
import { isComposerEmpty, submitComposer } from "./composer-state.ts";
import { searchHistory } from "./history-search.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import type { ScreenKey } from "./keys-help.ts";
import { keysTable, moreKeysNotice } from "./keys-table.ts";
import type { Screen } from "./live-screen.ts";
import { emptyShell, shellMode } from "./shell-mode.ts";
import { answerPrompt, isForPrompt, textEnded, toOther, typeAhead, write } from "./typed-ahead.ts";

/** What keys may set going. */
export interface KeyActions {
  enter(text: string, how?: SentAs): void;
  /** A command of the screen's own, as if it were typed; the composer's text stays. */
  run?(command: string): void;
  /** A waiting prompt is no more changed, and waits on as it was; false: none is being changed. */
  leaveEdit?(): boolean;
  /** False: nothing was running. */
  stop(): boolean;
  quit(): void;
  suspend(): void;
  /** Opens the pager. */
  page(): void;
  /** Asks for the turn to go back to; undefined: there is none yet. */
  back?(): (() => void) | undefined;
  /** Of all conversations, oldest first; absent before the ledger is open. */
  prompts(): Promise<readonly string[]> | undefined;
  /** The text in another program. */
  edit(): void;
  /** Absent before the ledger is open. */
  mode(): { readonly now: ApprovalMode; readonly mayBeAuto: boolean; set(mode: ApprovalMode): void } | undefined;
}

export interface SentAs {
  /** Seen as a command of the shell when it was sent. */
  readonly isShell?: boolean;
  /** Into the turn that runs. */
  readonly steers?: boolean;
}

export const armedNotice = "press ctrl+c again to quit";
/** As long as it is armed. */
const armedMs = 5_000;
const backNotice = "esc again: go back to an earlier turn";

export function handleKeys(screen: Screen, events: readonly KeyEvent[], actions: KeyActions): void {
  screen.touch();
  for (const event of events) handleKey(screen, event, actions);
  screen.paint();
}

function handleKey(screen: Screen, event: KeyEvent, actions: KeyActions): void {
  const own = ownAction(screen, event);
  if (own === "redraw") return screen.redraw({ clears: true });
  if (own === "suspend") return actions.suspend();
  if (screen.overlay) return toOther(screen, () => screen.overlay?.onKey(event));
  if (own === "page") return actions.page();
  const { modal } = screen;
  if (modal && !modal.guard) return toOther(screen, () => modal.onKey(event, screen.modalRows));
  if (modal && isForPrompt(screen, modal, event)) return answerPrompt(screen, modal, event);
  if (modal) {
    const send = own === "send" || own === "steer" ? () => void ownKey(screen, event, actions) : undefined;
    return typeAhead(screen, modal, { event, send });
  }
  const { notice } = screen.view;
  const isArmed = notice === armedNotice;
  if (screen.view.notice !== undefined) screen.dispatch({ type: "notice" });
  if ((own === "interrupt" || own === "stop") && !isSelecting(screen.composer) && actions.leaveEdit?.()) return;
  if (own === "interrupt") return interrupt(screen, actions, isArmed);
  if (own === "stop" && goesBack(screen, actions, notice === backNotice)) return;
  if (event.kind === "text" && event.text === "?" && isComposerEmpty(screen.composer))
    return printKeys(screen, notice === moreKeysNotice);
  if (ownKey(screen, event, actions)) return;
  if (chord(event) === "up" && opensQueue(screen)) return actions.run?.("/queue");
  write(screen, event);
}

function interrupt(screen: Screen, actions: KeyActions, isArmed: boolean): void {
  if (isArmed) return actions.quit();
  if (actions.stop()) return;
  if (!isComposerEmpty(screen.composer)) return screen.compose({ type: "cut" });
  tellForAWhile(screen, armedNotice);
}

/** What the next key would do is no more meant later; in lines it is said once. */
function tellForAWhile(screen: Screen, text: string): void {
  screen.dispatch({ type: "notice", text });
  if (screen.isInLines) return;
  clearTimeout(arming.get(screen));
  const end = setTimeout(() => {
    if (screen.view.notice === text) screen.dispatch({ type: "notice" });
  }, armedMs);
  arming.set(screen, end.unref());
}

const arming = new WeakMap<Screen, NodeJS.Timeout>();

/** Twice, where escape has nothing else to do. */
function goesBack(screen: Screen, actions: KeyActions, isAgain: boolean): boolean {
  const { view, composer, menu } = screen;
  if (view.turn || !isComposerEmpty(composer) || menu.offer(composer)) return false;
  const back = actions.back?.();
  if (!back) return false;
  if (actions.stop()) return true;
  if (isAgain) back();
  else tellForAWhile(screen, backNotice);
  return true;
}

/** Before the earlier prompts come those that nobody has asked yet. */
function opensQueue({ view, composer, isInLines }: Screen): boolean {
  return view.queue.length > 0 && isComposerEmpty(composer) && composer.recalled === undefined && !isInLines;
}

function printKeys(screen: Screen, isAgain: boolean): void {
  const { blocks, hasMore } = keysTable(screen.keymap.help, { windowRows: screen.size.rows, isAgain });
  screen.print(...blocks);
  if (hasMore) screen.dispatch({ type: "notice", text: moreKeysNotice });
}

/** True: the key is done with. */
function ownKey(screen: Screen, event: KeyEvent, actions: KeyActions): boolean {
  const own = ownAction(screen, event);
  if (menuKey(screen, own ?? chord(event))) return true;
  switch (own) {
    case "send":
      submit(screen, actions);
      return true;
    case "steer":
      if (isComposerEmpty(screen.composer)) steerFirst(screen, actions);
      else submit(screen, actions, { steers: true });
      return true;
    case "stop":
      if (isSelecting(screen.composer)) screen.compose({ type: "unmark" });
      else actions.stop();
      return true;
    case "mode":
      cycleMode(actions);
      return true;
    case "search":
      searchHistory(screen, actions.prompts());
      return true;
    case "edit":
      actions.edit();
      return true;
    case "quit":
      if (!isComposerEmpty(screen.composer)) return false;
      actions.quit();
      return true;
    default:
      return false;
  }
}

function ownAction({ keymap }: Screen, event: KeyEvent): ScreenKey | undefined {
  return keymap.screen.get(boundName(event) ?? "");
}

function steerFirst(screen: Screen, actions: KeyActions): void {
  const { turn, queue } = screen.view;
  const first = queue.find(({ isSteer }) => isSteer !== true);
  if (turn && first) actions.run?.(`/queue steer ${first.id}`);
}

function submit(
  screen: Screen,
  actions: KeyActions,
  { steers = false, isReady = false }: { steers?: boolean; isReady?: boolean } = {},
): void {
  const reading = isReady ? undefined : screen.images?.beforeSending();
  if (reading) {
    void reading.then(({ isRefused }) => {
      if (!isRefused) submit(screen, actions, { steers, isReady: true });
      screen.paint();
    });
    return;
  }
  const { state, text } = submitComposer(screen.composer);
  const isShell = shellMode(screen.composer.buffer) !== undefined;
  if (isShell && text !== undefined && typedPrompt(text) === undefined)
    return screen.dispatch({ type: "notice", text: emptyShell });
  screen.composer = state;
  textEnded(screen);
  if (text === undefined) return;
  const { history } = state;
  if (history.at(-1) !== text) screen.compose({ type: "history", entries: [...history, text] });
  actions.enter(text, { isShell, steers });
}

/** `name`: an action of the screen, else a chord. */
function menuKey(screen: Screen, name: string | undefined): boolean {
  const { menu, composer } = screen;
  const offer = menu.offer(composer);
  if (!offer) return false;
  const { items, mustSelect } = offer;
  const { selected } = menu.state;
  const item = items[Math.min(Math.max(0, selected), items.length - 1)];
  switch (name) {
    case "stop":
      menu.close();
      return true;
    case "up":
    case "down":
      if (items.length < 2 && !(item && mustSelect)) return false;
      menu.move(name, items.length);
      return true;
    case "complete":
      if (item?.choice) screen.compose(item.choice);
      screen.images?.wrote();
      return true;
    case "send": {
      const isMeant = !mustSelect || selected >= 0;
      if (!item?.choice || item.isWhole || !isMeant) return false;
      screen.compose(item.choice);
      screen.images?.wrote();
      return true;
    }
    default:
      return false;
  }
}

function cycleMode(actions: KeyActions): void {
  const mode = actions.mode();
  if (!mode) return;
  const order: readonly ApprovalMode[] = ["plan", "ask", "edits", ...(mode.mayBeAuto ? (["auto"] as const) : [])];
  mode.set(order[(order.indexOf(mode.now) + 1) % order.length] ?? "ask");
}
