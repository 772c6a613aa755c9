// What is on the screen and when it is drawn: holds the view, the composer, the menu and what takes the composer's
// place, and is the only one that draws. Keys are drawn at once, a stream every 33 ms; every finished block is
// printed once. Who acts on keys and events is elsewhere.
import { createElement } from "react";
import type { SessionEvent } from "../agent/events.ts";
import type { Motion } from "../config/config.ts";
import type { Block } from "./block.ts";
import { composerColumns } from "./composer-layout.ts";
import { isSelecting } from "./composer-select.ts";
import {
  type ComposerAction,
  type ComposerState,
  composerReducer,
  composerText,
  createComposer,
  isComposerEmpty,
} from "./composer-state.ts";
import { type Frame, type FrameOptions, openFrame } from "./frame.tsx";
import { eraseBelow } from "./frame-pen.ts";
import type { TerminalOutput } from "./frame-stream.ts";
import { frontOf, isWriting } from "./front.ts";
import type { ImageInput } from "./image-input.ts";
import { InputMenu } from "./input-menu.ts";
import type { KeyEvent } from "./key-event.ts";
import { type Keymap, keymapOf } from "./keymap.ts";
import type { LineTeller } from "./line-teller.ts";
import { clockMs, shownNow } from "./motion.ts";
import { leftOut, linesOf, OutputPace, type PacedOutput, tooMany } from "./output-pace.ts";
import { type Guard, PromptGate } from "./prompt-gate.ts";
import { type ModalView, RestingView, type ScreenProps, ScreenView, screenPlan } from "./screen-view.tsx";
import type { Theme } from "./theme.ts";
import { printBlocks } from "./transcript.ts";
import { initialView, type UiAction, type ViewState, viewReducer } from "./view-state.ts";

/** Takes the keys while it is open. */
export interface Modal {
  readonly view: ModalView;
  onKey(event: KeyEvent, rows: number): void;
  /** After it was painted in this many rows. */
  onDrawn?(rows: number): void;
  /** It decides something: nothing that was typed before it could be read answers it. */
  readonly guard?: Guard;
}

/** Has the terminal's alternate screen, and the keys, while it is open; what is finished is printed after it. */
export interface Overlay {
  onKey(event: KeyEvent): void;
  /** At the size of this moment. */
  paint(): void;
  /** Nothing of it is on the terminal any more. */
  forget(): void;
}

const enterAlternate = "\x1b[?1049h";
const leaveAlternate = "\x1b[?1049l";
const syncOn = "\x1b[?2026h";
const syncOff = "\x1b[?2026l";
const streamMs = 33;
/** So long after the last key nobody types, and after the last new size the window rests. */
const restMs = { typed: 1_500, resized: 400 };

export interface ScreenOptions extends FrameOptions {
  readonly stdout: TerminalOutput & PacedOutput;
  readonly theme: Theme;
  readonly teller?: LineTeller | undefined;
}

export class Screen {
  view: ViewState;
  composer: ComposerState;
  readonly menu = new InputMenu();
  /** Absent before the ledger is open. */
  images: ImageInput | undefined;
  theme: Theme;
  keymap: Keymap = keymapOf({});
  readonly gate: PromptGate;
  /** Until then whoever presses keys has read nothing that came up, in ms of `performance.now()`. */
  busyUntil = 0;
  /** The text being written may be another one; called before it is drawn. */
  onComposed: () => void = () => {};
  /** Something is drawn or told now. */
  onPainted: () => void = () => {};
  motion: Motion = "full";
  readonly #stdout: TerminalOutput;
  readonly #pace: OutputPace;
  /** Where nothing can be painted: says it. */
  readonly #teller: LineTeller | undefined;
  /** Lines that a terminal did not take for too long. */
  #leftOut = 0;
  readonly #frame: Frame;
  readonly #modals: Modal[] = [];
  #overlay: Overlay | undefined;
  /** Finished while an overlay is open. */
  #held: Block[] = [];
  #whenPrinted: (() => void)[] = [];
  #offered: ComposerState | undefined;
  #timer: NodeJS.Timeout | undefined;
  #columns: number;
  #resizing: NodeJS.Timeout | undefined;
  /** When the last key came. */
  #typedAt = 0;
  /** The next second of a turn that runs. */
  #clock: NodeJS.Timeout | undefined;
  #isOpen = true;
  /** Another program has the terminal: nothing is drawn, and what is finished waits. */
  #isLent = false;
  #drawnBuffer: ComposerState["buffer"];

  constructor({ theme, teller, ...terminal }: ScreenOptions) {
    this.#stdout = terminal.stdout;
    this.#pace = new OutputPace(terminal.stdout);
    this.#teller = teller;
    this.#frame = openFrame(terminal);
    this.gate = new PromptGate({ isInLines: teller !== undefined });
    this.theme = theme;
    const { columns } = this.size;
    this.#columns = columns;
    this.view = initialView(columns);
    this.composer = createComposer({ width: composerColumns(columns) });
    this.#drawnBuffer = this.composer.buffer;
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#stdout.columns || 80, rows: this.#stdout.rows || 24 };
  }
  /** What is written is not seen as it stands: it is told. */
  get isInLines(): boolean {
    return this.#teller !== undefined;
  }
  get modal(): Modal | undefined {
    return this.#modals[0];
  }

  /** Drawn within 33 ms. */
  dispatch(action: SessionEvent | UiAction): void {
    this.view = viewReducer(this.#current, action);
    this.#teller?.hear(action);
    this.#timer ??= setTimeout(() => this.paint(), streamMs);
  }

  get #current(): ViewState {
    return viewReducer(this.view, { type: "tick", now: shownNow(this.view, this.motion) });
  }

  print(...blocks: readonly Block[]): void {
    this.dispatch({ type: "print", blocks });
  }

  /** A person is at the keyboard: the cursor is where they type. */
  touch(): void {
    this.#typedAt = Date.now();
  }

  /**
   * The terminal's own cursor is needed by who types, input methods above all. Where nobody does, a turn is shown at a
   * fraction of the bytes without it in the composer, which has a drawn one.
   */
  get #isOnlyRead(): boolean {
    if (!this.view.turn || this.modal || !isComposerEmpty(this.composer)) return false;
    return Date.now() - this.#typedAt > restMs.typed;
  }

  compose(action: ComposerAction): void {
    this.composer = composerReducer(this.composer, action);
  }

  /** Text that may be wanted: a command that is typed right away takes its place. */
  offer(text: string): void {
    // In lines it is not seen what is written: nothing of it is replaced.
    const kept = this.#teller ? composerText(this.composer) : "";
    this.compose({ type: "set", text: kept === "" ? text : `${kept}\n\n${text}` });
    this.#offered = this.composer;
  }
  /** What was offered is in the composer as it was. */
  get isOffered(): boolean {
    return this.composer === this.#offered;
  }

  /** One at a time: a second one waits until the first is closed. */
  openModal(modal: Modal): void {
    this.#modals.push(modal);
    this.paint();
  }
  closeModal(modal: Modal): void {
    const at = this.#modals.indexOf(modal);
    if (at !== -1) this.#modals.splice(at, 1);
    this.paint();
  }

  /** The menu may have something else to offer; drawn within 33 ms. */
  refreshMenu(): void {
    this.menu.forget();
    this.refresh();
  }
  /** Something that is open has changed; drawn within 33 ms. */
  refresh(): void {
    this.#timer ??= setTimeout(() => this.paint(), streamMs);
  }

  get overlay(): Overlay | undefined {
    return this.#overlay;
  }

  /** Over what is on the screen, which is taken away before and drawn anew after, at whatever size there is then. */
  openOverlay(overlay: Overlay): void {
    if (this.#overlay || !this.#isOpen) return;
    if (this.#teller) return this.print({ kind: "lines", lines: ["This is shown on the screen only."] });
    this.paint();
    this.#stdout.write(syncOn);
    this.#frame.clear();
    this.gate.cover();
    this.#overlay = overlay;
    this.#stdout.write(enterAlternate);
    this.paint();
    this.#stdout.write(syncOff);
  }
  closeOverlay(): void {
    if (!this.#overlay) return;
    this.#overlay = undefined;
    if (!this.#isOpen) return;
    this.#stdout.write(`${syncOn}${leaveAlternate}\x1b[?25h`);
    this.redraw();
    this.#stdout.write(syncOff);
  }

  /** Once all that is finished now has been printed. */
  whenPrinted(action: () => void): void {
    this.paint();
    if (this.#held.length + this.view.blocks.length > 0) this.#whenPrinted.push(action);
    else action();
  }

  paint(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.view = this.#current;
    this.#noteComposed();
    if (this.#isLent) return;
    if (this.#isOpen && this.#pace.isBehind(() => this.paint())) return this.#leaveOut();
    this.onPainted();
    this.gate.show(this.modal, !isComposerEmpty(this.composer));
    if (this.#teller) return this.#tell(this.#teller);
    this.#wind();
    const { blocks } = this.view;
    if (this.#overlay && this.#isOpen) {
      for (const block of blocks) this.#held.push(block);
      this.view = viewReducer(this.view, { type: "printed", count: blocks.length });
      return this.#overlay.paint();
    }
    const print = printBlocks([...this.#takeLeftOut(), ...this.#held, ...blocks], {
      width: this.size.columns,
      theme: this.theme,
    });
    this.view = viewReducer(this.view, { type: "printed", count: blocks.length });
    this.#held = [];
    if (!this.#isOpen) {
      if (print !== "") this.#stdout.write(print);
      return this.#tellPrinted();
    }
    const props = this.#props();
    const node = this.#resizing ? createElement(RestingView, props) : createElement(ScreenView, props);
    this.#frame.draw(node, print === "" ? undefined : print);
    this.#tellPrinted();
    if (this.modal && !this.#resizing) this.#drawn(this.modal, this.#plan(props).modal);
  }

  #tell(teller: LineTeller): void {
    const { view, composer, modal } = this;
    this.view = viewReducer(view, { type: "printed", count: view.blocks.length });
    const text = teller.tell({ view, blocks: [...this.#takeLeftOut(), ...view.blocks], composer, modal });
    if (text !== "") this.#stdout.write(text);
    this.#tellPrinted();
    if (modal) this.#drawn(modal, teller.rows);
  }

  #drawn(modal: Modal, rows: number): void {
    modal.onDrawn?.(rows);
    this.gate.drawn(rows);
  }

  /** What is left out was not told: whoever waits for that is not called. */
  #leaveOut(): void {
    const count = tooMany(this.view.blocks);
    if (count === 0) return;
    this.#leftOut += linesOf(this.view.blocks.slice(0, count));
    this.#whenPrinted = [];
    this.view = viewReducer(this.view, { type: "printed", count });
  }
  #takeLeftOut(): readonly Block[] {
    const lines = this.#leftOut;
    this.#leftOut = 0;
    return leftOut(lines);
  }

  #tellPrinted(): void {
    for (const action of this.#whenPrinted.splice(0)) action();
  }

  #noteComposed(): void {
    const { buffer } = this.composer;
    if (buffer === this.#drawnBuffer) return;
    this.#drawnBuffer = buffer;
    this.onComposed();
  }

  /** Nothing runs: nothing ticks. */
  #wind(): void {
    clearTimeout(this.#clock);
    const { turn, now } = this.view;
    if (!turn || !this.#isOpen) return;
    const period = clockMs(this.motion);
    this.#clock = setTimeout(() => this.paint(), period - ((now - turn.since) % period)).unref();
  }

  /** Rows of the modal that is open. */
  get modalRows(): number {
    return this.#plan(this.#props()).modal;
  }

  /**
   * While a window is dragged to another width it has a third one before the second is heard of, and rows cannot be
   * counted. Until it rests the live part is one short row, that no width wraps.
   */
  resized(): void {
    if (this.size.columns !== this.#columns) {
      this.#columns = this.size.columns;
      clearTimeout(this.#resizing);
      this.#resizing = setTimeout(() => {
        this.#resizing = undefined;
        this.paint();
      }, restMs.resized);
    }
    this.redraw();
  }

  /** When others have written over it. */
  redraw(options: { clears?: boolean } = {}): void {
    const { columns } = this.size;
    this.dispatch({ type: "resized", width: columns });
    this.compose({ type: "resize", width: composerColumns(columns) });
    this.#frame.clear();
    this.#overlay?.forget();
    if (options.clears && !this.#teller) this.#stdout.write("\x1b[2J\x1b[H");
    this.paint();
  }

  /** Takes the live part away; what is still printed goes straight to the scrollback. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isLent = false;
    this.closeOverlay();
    this.paint();
    this.#isOpen = false;
    this.#frame.clear();
    for (const timer of [this.#timer, this.#clock, this.#resizing]) clearTimeout(timer);
  }
  suspend(): void {
    if (this.#overlay) this.#stdout.write(`${leaveAlternate}\x1b[?25h`);
    this.#frame.clear();
    this.gate.cover();
    this.#isOpen = false;
  }
  resume(): void {
    this.gate.cover();
    this.#isOpen = true;
    if (this.#overlay) this.#stdout.write(enterAlternate);
    this.redraw();
  }
  /** Until it is taken back nothing is drawn or printed. */
  lend(): void {
    this.paint();
    this.#frame.clear();
    this.gate.cover();
    this.#isLent = true;
  }
  takeBack(): void {
    this.#isLent = false;
    if (!this.#isOpen) return;
    // Where it was left the cursor may stand inside of a line.
    if (!this.#teller) this.#stdout.write(eraseBelow);
    this.redraw();
  }

  #props(): ScreenProps {
    const { view, composer, modal, size, theme } = this;
    const offer = this.menu.offer(composer);
    const { items = [], note } = offer ?? {};
    const menu = { items, state: this.menu.state, ...(note !== undefined && { note }) };
    const cursor = this.#isOnlyRead ? "cell" : "terminal";
    const now = shownNow(view, this.motion);
    const isTaken = modal ? isWriting(modal.view) : offer !== undefined || isSelecting(composer);
    const front = frontOf({ open: this.#modals.map((each) => each.view), isTaken });
    return { view, composer, menu, size, theme, cursor, now, front, ...(modal && { modal: modal.view }) };
  }

  #plan(props: ScreenProps): { readonly modal: number } {
    return screenPlan(props);
  }
}
