// The pager over the inline screen: shows an output of a tool or the whole conversation on the alternate screen, and
// reads what it shows from the ledger. A turn goes on behind it; what it finishes is printed when the pager is closed.
// A question that comes meanwhile (an approval) is said in the last line and waits: keys meant for the pager, an `n` of
// a search, must never answer it.

import type { MessageId, Session } from "../ledger/types.ts";
import { errorWords } from "./error-words.ts";
import type { TerminalOutput } from "./frame-stream.ts";
import { chord, type KeyEvent } from "./key-event.ts";
import type { Overlay, Screen } from "./live-screen.ts";
import { outputSource } from "./pager-output.ts";
import type { OutputReader } from "./pager-outputs.ts";
import { type SearchFrom, searchStep } from "./pager-search.ts";
import { PagerShelf, type Taken } from "./pager-shelf.ts";
import { isNeeds, type Needs } from "./pager-source.ts";
import {
  atEnd,
  atUnit,
  createPager,
  found,
  type PagerEffect,
  type PagerState,
  pagerKey,
  resized,
  withItems,
  withSource,
} from "./pager-state.ts";
import { PagerTerminal } from "./pager-terminal.ts";
import { Transcript } from "./pager-transcript.ts";
import { pagerPicture, paneHeight } from "./pager-view.ts";
import { sanitize } from "./sanitize.ts";
import { graphemes } from "./text-width.ts";

export interface PagerOptions {
  readonly screen: Screen;
  readonly stdout: TerminalOutput;
  readonly db: OutputReader;
  /** Of the conversation that is on the screen. */
  readonly session: Session;
  /** Its newest message. */
  readonly head: MessageId | undefined;
  /** The conversation, from this message on, instead of the newest output. */
  readonly at?: MessageId;
}

export function openPager(options: PagerOptions): void {
  const { screen, head } = options;
  if (head === undefined) return screen.dispatch({ type: "notice", text: "nothing to open yet" });
  screen.openOverlay(new Pager({ ...options, head }));
}

/** Units that one key may have to read; a window never has more. */
const maxLoads = 64;
/** Messages around the window that are read ahead. */
const readAhead = 30;

class Pager implements Overlay {
  readonly #options: PagerOptions & { readonly head: MessageId };
  readonly #terminal: PagerTerminal;
  readonly #shelf: PagerShelf;
  #state: PagerState;
  readonly #keys: KeyEvent[] = [];
  #isBusy = false;
  #isSearching = false;
  /** The ledger could not be read: asked again by the next key, not by drawing. */
  #hasFailed = false;
  /** The conversation as it was left for an output. */
  #left: PagerState | undefined;

  constructor(options: PagerOptions & { readonly head: MessageId }) {
    this.#options = options;
    this.#terminal = new PagerTerminal(options.stdout);
    this.#shelf = new PagerShelf(options);
    this.#state = createPager(outputSource("reading", ""), this.#pane());
    const { at } = options;
    void this.#work(async () => (at === undefined ? this.#show(await this.#shelf.first()) : this.#showAt(at)));
  }

  onKey(event: KeyEvent): void {
    const name = chord(event);
    const wasSearching = this.#isSearching;
    this.#isSearching = false;
    this.#hasFailed = false;
    if (wasSearching && (name === "escape" || name === "ctrl+c")) return;
    // Also when the ledger does not answer.
    if (this.#isBusy && name === "ctrl+c") return this.#close();
    // What is typed fast, or over a slow line, comes as one text: each letter of it is a key.
    const keys =
      event.kind === "text" ? graphemes(event.text).map((text): KeyEvent => ({ kind: "text", text })) : [event];
    this.#keys.push(...keys);
    if (!this.#isBusy) void this.#work(() => undefined);
  }

  paint(): void {
    this.#fit();
    const picture = pagerPicture(this.#state, this.#options.screen.size.rows, this.#waits());
    this.#terminal.draw(picture);
    const { needs } = picture;
    if (needs !== undefined && !this.#isBusy && !this.#hasFailed) void this.#work(() => this.#state.source.load(needs));
    if (needs === undefined) this.#readAhead();
  }

  forget(): void {
    this.#terminal.forget();
  }

  #waits(): string | undefined {
    const { modal } = this.#options.screen;
    if (!modal || modal.view.kind === "wait") return undefined;
    return modal.view.kind === "approval" ? "an approval waits, q shows it" : "a question waits, q shows it";
  }

  #close(): void {
    this.#options.screen.closeOverlay();
  }
  get #isOpen(): boolean {
    return this.#options.screen.overlay === this;
  }

  #pane(): Pick<PagerState, "look" | "height"> {
    const { size, theme } = this.#options.screen;
    return { look: { width: size.columns, theme }, height: paneHeight(size.rows) };
  }

  #fit(): void {
    const { look, height } = this.#pane();
    const state = this.#state;
    if (state.look.width === look.width && state.height === height) return;
    const next = resized(state, look, height);
    this.#state = isNeeds(next) ? { ...state, look, height } : next;
    this.#left = undefined;
    this.forget();
  }

  // ---- keys, one after the other, each whole before the next ----

  async #work(first: () => Promise<unknown> | undefined): Promise<void> {
    this.#isBusy = true;
    try {
      const begun = first();
      if (begun) await begun;
      for (let event = this.#keys.shift(); event && this.#isOpen; event = this.#keys.shift()) {
        const step = pagerKey(this.#state, event);
        if (isNeeds(step) || step.effect) await this.#slowKey(event);
        else this.#state = step.state;
        await this.#listOn();
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#say(errorWords(error));
    }
    this.#isBusy = false;
    if (this.#isOpen) this.#options.screen.paint();
  }

  async #slowKey(event: KeyEvent): Promise<void> {
    const step = await this.#asked((state) => pagerKey(state, event));
    if (!step) return;
    this.#state = step.state;
    if (step.effect) await this.#act(step.effect);
  }

  /** Asks again after each unit that had to be read. */
  async #asked<T extends object>(ask: (state: PagerState) => T | Needs): Promise<T | undefined> {
    for (let loads = 0; loads < maxLoads; loads += 1) {
      const answer = ask(this.#state);
      if (!isNeeds(answer)) return answer;
      await this.#state.source.load(answer.needs);
    }
    return undefined;
  }

  async #move(ask: (state: PagerState) => PagerState | Needs): Promise<void> {
    this.#state = (await this.#asked(ask)) ?? this.#state;
  }

  async #act(effect: PagerEffect): Promise<void> {
    switch (effect.kind) {
      case "close":
        return this.#close();
      case "transcript":
        return this.#isTranscript ? this.#show(await this.#shelf.beside(0)) : this.#showTranscript();
      case "list":
        this.#state = withItems(this.#state, await this.#shelf.items(1));
        return;
      case "step":
        return this.#show(await this.#shelf.beside(this.#isTranscript ? 0 : effect.by));
      case "open":
        return this.#show(await this.#shelf.output(effect.index));
      case "search":
        return this.#search(effect.from);
    }
  }

  // ---- what is shown ----

  get #isTranscript(): boolean {
    return this.#state.source instanceof Transcript;
  }

  async #show(taken: Taken): Promise<void> {
    if ("why" in taken) return this.#say(taken.why);
    if (this.#isTranscript) this.#left = this.#state;
    this.#state = withSource(this.#state, taken.source);
    if (this.#isTranscript) await this.#move(atEnd);
  }

  async #showAt(message: MessageId): Promise<void> {
    const taken = await this.#shelf.transcriptWith(message);
    if ("why" in taken) return this.#say(taken.why);
    this.#state = withSource(this.#state, taken.source);
    await this.#move((state) => atUnit(state, taken.unit));
  }

  /** Where it was left. */
  async #showTranscript(): Promise<void> {
    const left = this.#left;
    if (left) this.#state = { ...withSource(this.#state, left.source), top: left.top };
    else await this.#show(await this.#shelf.transcript());
  }

  /** The list goes on with older ones as its end comes near. */
  async #listOn(): Promise<void> {
    const { mode, height } = this.#state;
    if (mode.kind !== "outputs" || this.#shelf.isWhole) return;
    const { selected, matches, items } = mode.picker;
    if (selected + height < matches.length) return;
    this.#state = withItems(this.#state, await this.#shelf.items(items.length + 1));
  }

  #readAhead(): void {
    const { source, top, height } = this.#state;
    if (!(source instanceof Transcript) || this.#isBusy) return;
    for (const unit of [top.unit - readAhead, top.unit + height + readAhead]) {
      source.load(Math.max(0, Math.min(unit, source.units - 1))).catch(() => {
        // Asked again, and told, when it is needed.
      });
    }
  }

  // ---- searching: a key ends it ----

  async #search(start: SearchFrom): Promise<void> {
    this.#isSearching = true;
    try {
      for (let from: SearchFrom | undefined = start; from; from = await this.#searchOn(from)) {
        if (!this.#isSearching) return this.#say("the search was stopped");
      }
    } finally {
      this.#isSearching = false;
    }
  }

  /** Where to go on; undefined: it is over. */
  async #searchOn(from: SearchFrom): Promise<SearchFrom | undefined> {
    const { search, source } = this.#state;
    if (!search) return undefined;
    const step = searchStep(this.#state, search.pattern, from);
    if ("none" in step) this.#say(`not found: ${search.words}`);
    else if ("hit" in step) await this.#move((state) => found(quiet(state), step));
    if ("none" in step || "hit" in step) return undefined;
    if (isNeeds(step)) await source.load(step.needs);
    const next = isNeeds(step) ? from : step.next;
    this.#say(`searching ${source.noun} ${next.unit + 1}, esc stops`);
    this.#options.screen.paint();
    await new Promise((resolve) => setImmediate(resolve));
    return next;
  }

  #say(words: string): void {
    this.#state = { ...this.#state, said: sanitize(words) };
  }
}

function quiet(state: PagerState): PagerState {
  const { said: _said, ...rest } = state;
  return rest;
}
