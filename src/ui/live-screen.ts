// What is on the screen and when it is drawn: holds the view, the composer, the menu and what takes the composer's
// place, and is the only one that draws. Keys are drawn at once, a stream every 33 ms; every finished block is
// printed once. Who acts on keys and events is elsewhere.
import { createElement } from "react";
import type { SessionEvent } from "../agent/events.ts";
import type { Block } from "./block.ts";
import {
  initialMenu,
  type MenuCommand,
  type MenuItem,
  type MenuState,
  menuItems,
  menuReducer,
} from "./command-menu.tsx";
import { lineText } from "./composer-buffer.ts";
import { composerColumns } from "./composer-layout.ts";
import { type ComposerAction, type ComposerState, composerReducer, createComposer } from "./composer-state.ts";
import { type Frame, openFrame } from "./frame.tsx";
import type { TerminalOutput } from "./frame-stream.ts";
import type { KeyEvent } from "./key-event.ts";
import { liveLines } from "./live-lines.ts";
import { type ModalView, type ScreenProps, ScreenView, screenPlan } from "./screen-view.tsx";
import type { Theme } from "./theme.ts";
import { printBlocks } from "./transcript.ts";
import { initialView, type UiAction, type ViewState, viewReducer } from "./view-state.ts";

/** Takes the keys while it is open. */
export interface Modal {
  readonly view: ModalView;
  onKey(event: KeyEvent, rows: number): void;
  /** After it was painted in this many rows. */
  onDrawn?(rows: number): void;
}

const streamMs = 33;
const secondMs = 1_000;

export class Screen {
  view: ViewState;
  composer: ComposerState;
  menu: MenuState = initialMenu;
  commands: readonly MenuCommand[] = [];
  theme: Theme;
  /** The text being written may be another one; called before it is drawn. */
  onComposed: () => void = () => {};
  readonly #stdout: TerminalOutput;
  readonly #frame: Frame;
  readonly #modals: Modal[] = [];
  #offered: ComposerState | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The next second of a turn that runs. */
  #clock: NodeJS.Timeout | undefined;
  #isOpen = true;
  #drawnBuffer: ComposerState["buffer"];

  constructor(options: { stdout: TerminalOutput; stdin: NodeJS.ReadStream; theme: Theme }) {
    this.#stdout = options.stdout;
    this.#frame = openFrame(options.stdout, options.stdin);
    this.theme = options.theme;
    const { columns } = this.size;
    this.view = initialView(columns);
    this.composer = createComposer({ width: composerColumns(columns) });
    this.#drawnBuffer = this.composer.buffer;
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#stdout.columns || 80, rows: this.#stdout.rows || 24 };
  }
  get modal(): Modal | undefined {
    return this.#modals[0];
  }

  /** Drawn within 33 ms. */
  dispatch(action: SessionEvent | UiAction): void {
    this.view = viewReducer(this.#current, action);
    this.#timer ??= setTimeout(() => this.paint(), streamMs);
  }

  get #current(): ViewState {
    return viewReducer(this.view, { type: "tick", now: Date.now() });
  }

  print(...blocks: readonly Block[]): void {
    this.dispatch({ type: "print", blocks });
  }

  compose(action: ComposerAction): void {
    this.composer = composerReducer(this.composer, action);
  }

  /** Text that may be wanted: a command that is typed right away takes its place. */
  offer(text: string): void {
    this.compose({ type: "set", text });
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

  get menuItems(): readonly MenuItem[] {
    const { above, line, below } = this.composer.buffer;
    const isCommand = above === undefined && below === undefined && line[0] === "/";
    const text = isCommand ? lineText(line) : "";
    this.menu = menuReducer(this.menu, { type: "text", text });
    return isCommand && !this.menu.closed ? menuItems(text, this.commands) : [];
  }

  paint(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.view = this.#current;
    this.#noteComposed();
    this.#wind();
    const { blocks } = this.view;
    const print = printBlocks(blocks, { width: this.size.columns, theme: this.theme });
    this.view = viewReducer(this.view, { type: "printed", count: blocks.length });
    if (!this.#isOpen) {
      if (print !== "") this.#stdout.write(print);
      return;
    }
    const props = this.#props();
    this.#frame.draw(createElement(ScreenView, props), print === "" ? undefined : print);
    if (this.modal) this.modal.onDrawn?.(this.#plan(props).modal);
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
    this.#clock = setTimeout(() => this.paint(), secondMs - ((now - turn.since) % secondMs)).unref();
  }

  /** Rows of the modal that is open. */
  get modalRows(): number {
    return this.#plan(this.#props()).modal;
  }

  /** After a new size, or when others have written over it. */
  redraw(options: { clears?: boolean } = {}): void {
    const { columns } = this.size;
    this.dispatch({ type: "resized", width: columns });
    this.compose({ type: "resize", width: composerColumns(columns) });
    this.#frame.clear();
    if (options.clears) this.#stdout.write("\x1b[2J\x1b[H");
    this.paint();
  }

  /** Takes the live part away; what is still printed goes straight to the scrollback. */
  close(): void {
    if (!this.#isOpen) return;
    this.paint();
    this.#isOpen = false;
    this.#frame.clear();
    clearTimeout(this.#timer);
    clearTimeout(this.#clock);
  }
  suspend(): void {
    this.#frame.clear();
    this.#isOpen = false;
  }
  resume(): void {
    this.#isOpen = true;
    this.redraw();
  }

  #props(): ScreenProps {
    const { view, composer, modal, size, theme } = this;
    const items = this.menuItems;
    const menu = { items, state: this.menu };
    return { view, composer, menu, size, theme, now: Date.now(), ...(modal && { modal: modal.view }) };
  }

  #plan(props: ScreenProps): { readonly modal: number } {
    const { columns: width } = props.size;
    return screenPlan(props, liveLines(props.view, { width, theme: props.theme }).length);
  }
}
