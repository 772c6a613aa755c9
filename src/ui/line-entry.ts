// What a typed line does where there are no keys: it answers what is asked, is a word of this list, or is sent. A line
// that comes while something is asked, and is no answer to it, is kept and not sent. Text that was not sent stays in the
// composer, and with that in the ledger.
import { composerText, isComposerEmpty } from "./composer-state.ts";
import { typedLine } from "./line-keys.ts";
import { answerKeys } from "./line-questions.ts";
import { type LineTeller, lineRows } from "./line-teller.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { armedNotice, type KeyActions } from "./screen-keys.ts";

export class LineEntry {
  readonly #screen: Screen;
  readonly #teller: LineTeller;
  readonly #actions: KeyActions;
  /** The last line ended in `\`. */
  #goesOn = false;
  #hasEnded = false;

  constructor(options: { screen: Screen; teller: LineTeller; actions: KeyActions }) {
    this.#screen = options.screen;
    this.#teller = options.teller;
    this.#actions = options.actions;
  }

  line(raw: string): void {
    const screen = this.#screen;
    if (screen.view.notice !== undefined) screen.dispatch({ type: "notice" });
    const typed = typedLine(raw);
    if (typed.kind === "keys") this.#pressed(typed.isEscape);
    else if (screen.modal) this.#answer(screen.modal, typed.text);
    else this.#enter(typed.text);
    screen.paint();
  }

  /** ctrl+c. */
  interrupt(): void {
    const { view } = this.#screen;
    this.#teller.breakLine();
    if (view.notice === armedNotice) return this.#actions.quit();
    if (!this.#actions.stop()) this.#screen.dispatch({ type: "notice", text: armedNotice });
    this.#screen.paint();
  }

  /** ctrl+d: no line can follow. */
  end(): void {
    this.#hasEnded = true;
    this.#actions.quit();
  }

  /** Whoever cannot answer any more is not asked: what runs in the background is left running. */
  told(): void {
    if (this.#hasEnded && this.#screen.modal) this.#actions.quit();
  }

  /** Not even an empty line, which would be an answer to some questions. */
  #pressed(isEscape: boolean): void {
    const { modal, view } = this.#screen;
    if (modal) return this.#teller.askAgain();
    if (!isEscape) return this.#say("arrows and other keys do nothing here: type words, or ? for help");
    if (!this.#actions.stop() && !view.turn) this.#say("nothing runs that esc could stop");
  }

  #answer(modal: Modal, text: string): void {
    const keys = this.#screen.gate.takes(modal) ? answerKeys(modal.view, text) : undefined;
    if (!keys) {
      if (text.trim() !== "") this.#keep(text);
      return this.#teller.askAgain();
    }
    for (const each of keys) {
      if (this.#screen.modal !== modal) return;
      modal.onKey(each, lineRows);
    }
  }

  /** Told as not sent, for its echo looks as if it were. */
  #keep(text: string): void {
    const before = composerText(this.#screen.composer);
    this.#screen.compose({ type: "set", text: before === "" ? text : `${before}\n${text}` });
  }

  #enter(text: string): void {
    const screen = this.#screen;
    if (text.endsWith("\\")) {
      this.#append(text.slice(0, -1));
      this.#goesOn = true;
      return;
    }
    if (this.#goesOn) {
      this.#append(text);
      return this.#sendAll();
    }
    switch (text.trim()) {
      case "":
        return;
      case "?":
        return screen.print({ kind: "lines", lines: lineHelp });
      case "/send":
        return isComposerEmpty(screen.composer) ? this.#say("there is nothing to send") : this.#sendAll();
      case "/drop":
        screen.compose({ type: "clear" });
        return this.#say("dropped");
      default:
        this.#actions.enter(text);
    }
  }

  #append(text: string): void {
    this.#keep(text);
    this.#teller.knows(this.#screen.composer);
  }

  #sendAll(): void {
    this.#goesOn = false;
    const text = composerText(this.#screen.composer);
    this.#screen.compose({ type: "clear" });
    if (text.trim() !== "") this.#actions.enter(text);
  }

  #say(text: string): void {
    this.#screen.print({ kind: "lines", lines: [text] });
  }
}

const lineHelp: readonly string[] = [
  "A line is sent when you press enter; while a turn runs it waits in the queue.",
  "A line that ends in \\ goes on with the next one.",
  "ctrl+c stops the turn; twice, it quits. ctrl+d quits. /stop and /quit do the same.",
  "esc and enter stop the turn too. Arrows and other keys do nothing here.",
  "Questions are answered by a line: a letter, a number, or words where it says so.",
  "/send sends text that was kept, /drop drops it. /approve changes what is asked about.",
  "/help lists the commands.",
];
