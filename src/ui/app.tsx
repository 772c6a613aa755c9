// The screen from its first frame to its last line: paints before anything is opened, boots, and gives the terminal
// back as it was on every way out. Resolves with the exit code and never rejects.

import { shownImages } from "../agent/images/image-text.ts";
import type { ApprovalAsk, ApprovalReply } from "../agent/turn-context.ts";
import { EXIT, exitCodeOf } from "../exit-codes.ts";
import type { RecoveryStep } from "../ledger/recovery.ts";
import type { AdmissionId } from "../ledger/types.ts";
import { askApproval } from "./ask-approval.ts";
import { askPick } from "./ask-pick.ts";
import { note } from "./block.ts";
import { bootBlocks, bootTold } from "./boot-blocks.ts";
import { isComposerEmpty } from "./composer-state.ts";
import type { Conversation } from "./conversation.ts";
import { errorWords, turnError } from "./error-words.ts";
import { keymapOf } from "./keymap.ts";
import { patience, waitingWords, within } from "./leaving.ts";
import { Screen } from "./live-screen.ts";
import { themeFor } from "./locale.ts";
import { Notices } from "./notices.ts";
import { taken } from "./output-pace.ts";
import { pastingNotice } from "./pasting.ts";
import { blockingTurn } from "./recovery.ts";
import { sanitize } from "./sanitize.ts";
import { handleKeys, type KeyActions, type SentAs } from "./screen-keys.ts";
import type { Booted, ScreenStart } from "./screen-start.ts";
import { type GuardOptions, guardTerminal, type TerminalGuard } from "./terminal-guard.ts";
import { terminalName } from "./terminal-name.ts";
import { reflowOf } from "./terminal-reflow.ts";
import { windowRoom } from "./window-tail.ts";

export function openScreen(start: ScreenStart): Promise<number> {
  return new OpenScreen(start).done;
}

class OpenScreen {
  readonly done: Promise<number>;
  readonly #start: ScreenStart;
  readonly #screen: Screen;
  readonly #guard: TerminalGuard;
  readonly #notices: Notices;
  #resolve: (code: number) => void = () => {};
  #booted: Booted | undefined;
  #conversation: Conversation | undefined;
  #openPager: typeof import("./pager.ts").openPager | undefined;
  /** Entered before the ledger was open. */
  readonly #early: { readonly key: number; readonly text: string; readonly how: SentAs }[] = [];
  #isLeaving = false;
  /** The text is in another program, which has the terminal. */
  #editing: AbortController | undefined;
  /** Whether what runs in the background shall be stopped: who quits again without an answer leaves it running. */
  #wasAsked = false;

  constructor(start: ScreenStart) {
    this.#start = start;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#screen = new Screen({
      stdout: process.stdout,
      stdin: process.stdin,
      teller: start.lines?.teller,
      theme: themeFor(start.env, { plain: true }),
      reflow: reflowOf(start.env),
    });
    this.#notices = new Notices(this.#screen, start);
    const actions = this.#keyActions();
    const options: GuardOptions = {
      onKeys: (events) => {
        this.#notices.touched();
        handleKeys(this.#screen, events, actions);
      },
      onBytes: (bytes) => {
        this.#screen.gate.heard(bytes.length);
        this.#notices.see(bytes);
      },
      onPasting: (bytes) => this.#screen.dispatch(pastingNotice(bytes)),
      extras: this.#notices.extras,
      onResize: () => this.#screen.resized(),
      onContinue: () => this.#screen.resume(),
      onSignal: (signal) => void this.#leave(EXIT.stopped, signal),
      onCrash: (error) => void this.#crash(error),
    };
    this.#guard = start.lines?.open(this.#screen, options, actions) ?? guardTerminal(options);
    const words = `  stele ${start.version}  ${sanitize(start.folder)}`;
    this.#screen.print({ kind: "lines", lines: [words, ""], role: "strong" });
    if (start.prompt !== undefined) this.#enter(start.prompt);
    this.#screen.paint();
    this.#notices.ask();
    // The first frame is on its way to the terminal before anything is loaded.
    setImmediate(() => void this.#boot());
  }

  #keyActions(): KeyActions {
    return {
      enter: (text, how) => this.#enter(text, how),
      run: (command) => void this.#conversation?.run(command),
      leaveEdit: () => this.#conversation?.leaveEdit() ?? false,
      stop: () => {
        const { turn } = this.#screen.view;
        const runner = this.#booted?.runner;
        if (!runner || turn?.isStopping) return false;
        const isPaused = this.#pauseLoop(turn?.admission);
        if (!turn && !runner.isWaiting) return isPaused;
        runner.stop();
        return true;
      },
      quit: () => this.#askToQuit(),
      suspend: () => void this.#suspend(),
      page: () => this.#page(),
      back: () => {
        const hasTurns = this.#conversation && this.#booted?.runner.known !== undefined;
        return hasTurns ? () => this.#conversation?.enter("/undo --to") : undefined;
      },
      prompts: () => this.#booted?.context.db.promptHistory(searchedPrompts),
      edit: () => void this.#edit(),
      mode: () => {
        const booted = this.#booted;
        if (!booted) return undefined;
        const { runner, context } = booted;
        return {
          now: runner.mode,
          mayBeAuto: context.settings.mayBeAuto,
          set: (mode) => {
            runner.mode = mode;
            this.#screen.dispatch({ type: "mode", mode });
          },
        };
      },
    };
  }

  /** Unless the turn that is stopped is another one than the loop's. */
  #pauseLoop(running: AdmissionId | undefined): boolean {
    const keeper = this.#booted?.context.loop;
    const isOther = running !== undefined && running !== keeper?.lastFired;
    if (keeper?.loop?.state !== "active" || isOther) return false;
    void keeper.pause("you stopped it");
    return true;
  }

  /** A prompt that came as an argument runs nothing: only what was seen as a command does. */
  #enter(text: string, how: SentAs = {}): void {
    if (this.#conversation) return this.#conversation.enter(text, how);
    const key = this.#early.length;
    this.#early.push({ key, text, how });
    this.#screen.dispatch({ type: "submitted", key, text: shownImages(text) });
  }

  // ---- booting ----

  async #boot(): Promise<void> {
    const steps: RecoveryStep[] = [];
    const loaded = Promise.all([import("./conversation.ts"), import("./screen-commands.ts"), import("./pager.ts")]);
    try {
      this.#booted = await this.#start.boot({
        onStep: (step) => {
          steps.push(step);
          this.#screen.dispatch({ type: "step", step });
        },
        ask: (question, signal) => this.#ask(question, signal),
        isFree: () => this.#isFree(),
      });
    } catch (error) {
      return this.#fail(error);
    }
    const [conversation, commands, pager] = await loaded;
    this.#openPager = pager.openPager;
    if (!this.#isLeaving) await this.#begin(this.#booted, { ...conversation, ...commands, steps });
  }

  async #begin(
    booted: Booted,
    { Conversation, menuCommands, steps }: Loaded & { steps: readonly RecoveryStep[] },
  ): Promise<void> {
    const { runner, open, waiting, history } = booted;
    const screen = this.#screen;
    screen.keymap = keymapOf(booted.keys);
    this.#notices.begin(booted.display);
    screen.menu.commands = menuCommands();
    screen.compose({ type: "history", entries: [...history, ...this.#early.map(({ text }) => text)] });
    const blocked = blockingTurn(open, runner.session.conversation)?.admission.id;
    screen.dispatch({
      type: "booted",
      session: runner.session,
      mode: runner.mode,
      waiting,
      ...(blocked && { blocked }),
    });
    const told = bootTold(booted);
    screen.print(...bootBlocks(booted, steps, { told, room: windowRoom(screen) }));
    const conversation = new Conversation({
      booted,
      screen,
      terminal: { stdout: process.stdout, name: terminalName() },
      quit: () => void this.#leave(EXIT.done),
    });
    this.#conversation = conversation;
    conversation.begin(booted, told.messages);
    for (const { key, text, how } of this.#early) {
      screen.dispatch({ type: "admitted", key });
      conversation.enter(text, how);
    }
    screen.paint();
    runner.wake();
    void booted.context.loop?.open();
    await this.#askTrust(booted);
    if (open.length > 0) await conversation.decide(open);
    if (booted.openPicker !== undefined) await conversation.run(booted.openPicker);
  }

  /** As a list, so that text typed ahead filters it and never answers. */
  async #askTrust({ trust }: Booted): Promise<void> {
    if (!trust) return;
    const items = [
      { command: "no", label: "No: leave those settings out", detail: "" },
      { command: "yes", label: "Yes, I trust this folder", detail: "" },
    ];
    const picked = await askPick(this.#screen, { title: trust.question, items, empty: "", enter: "answers" });
    if (!picked) return;
    this.#screen.print(...(await trust.answer(picked.command === "yes")).map((line) => note(line)));
  }

  #isFree(): boolean {
    const { modal, overlay, composer, view } = this.#screen;
    return !modal && !overlay && !this.#editing && isComposerEmpty(composer) && view.unsent.length === 0;
  }

  async #ask(question: ApprovalAsk, signal: AbortSignal): Promise<ApprovalReply> {
    const { reply, stops } = await askApproval(this.#screen, question, signal);
    if (stops) this.#booted?.runner.stop();
    return reply;
  }

  /** Stopped, the program saves nothing: what is unsent is saved first. */
  async #suspend(): Promise<void> {
    const unsent = this.#conversation?.unsent;
    this.#screen.paint();
    this.#screen.suspend();
    if (unsent && !unsent.isSaved) await within(unsent.save(), patience.draft);
    if (!this.#isLeaving) this.#guard.suspend();
  }

  async #edit(): Promise<void> {
    if (this.#editing || this.#isLeaving) return;
    const editing = new AbortController();
    this.#editing = editing;
    const { editOutside } = await import("./edit-outside.ts");
    await editOutside({
      screen: this.#screen,
      guard: this.#guard,
      env: this.#start.env,
      signal: editing.signal,
      save: () => within(this.#conversation?.unsent.save() ?? Promise.resolve(), patience.draft),
    });
    this.#editing = undefined;
  }

  #page(): void {
    if (!this.#booted || this.#isLeaving) return;
    const { runner, context } = this.#booted;
    const { session, known: head } = runner;
    this.#openPager?.({ screen: this.#screen, stdout: process.stdout, db: context.db, session, head });
  }

  // ---- leaving ----

  async #fail(error: unknown): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    for (const { text } of this.#early) this.#screen.print(note(`not sent: ${shownImages(text)}`, "warning"));
    this.#screen.print(note(errorWords(error), "error"));
    await this.#finish(exitCodeOf(turnError(error).code));
  }

  /** What runs in the background is asked about first, as /quit does. */
  #askToQuit(): void {
    if (this.#isLeaving || !this.#conversation || this.#wasAsked) return void this.#leave(EXIT.done);
    this.#wasAsked = true;
    void this.#conversation.run("/quit");
  }

  /** Asked again by a person, there is no more waiting for the turn; a second hang-up changes nothing. */
  async #leave(code: number, signal?: NodeJS.Signals): Promise<void> {
    if (this.#isLeaving) return signal === undefined || signal === "SIGINT" ? this.#finish(code) : undefined;
    this.#isLeaving = true;
    this.#editing?.abort();
    this.#screen.dispatch({ type: "closing" });
    this.#screen.closeOverlay();
    this.#screen.paint();
    void this.#conversation?.unsent.save();
    const { runner, context } = this.#booted ?? {};
    if (context?.loop) await within(context.loop.close(), patience.draft);
    if (runner) await within(runner.close(signal === "SIGHUP" ? "hang-up" : "asked"), patience.turn);
    await this.#finish(code);
  }

  #finishing: Promise<void> | undefined;

  #finish(code: number): Promise<void> {
    this.#finishing ??= this.#restore(code);
    return this.#finishing;
  }

  async #restore(code: number): Promise<void> {
    const waiting = this.#screen.view.queue.length;
    if (waiting > 0) this.#screen.print(note(waitingWords(waiting), "warning"));
    this.#screen.close();
    await within(this.#notices.settled(), patience.answer);
    this.#guard.close();
    const session = this.#booted?.runner.session;
    const isKept = session?.head !== undefined || this.#conversation?.unsent.isEmpty === false;
    if (this.#conversation) await within(this.#conversation.leave(), patience.shutdown);
    await within(this.#start.shutdown(), patience.shutdown);
    this.#screen.paint();
    if (session && isKept) process.stdout.write(`resume with: ${this.#start.called} -r ${session.id}\n`);
    await within(taken(process.stdout), patience.shutdown);
    this.#resolve(code);
    // A tool that would not end must not keep the program: all that can be saved is.
    setTimeout(() => process.exit(code), patience.exit).unref();
  }

  async #crash(error: unknown): Promise<void> {
    if (this.#finishing) return;
    this.#isLeaving = true;
    this.#editing?.abort();
    this.#screen.close();
    this.#guard.close();
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${sanitize(`stele broke off: ${words}`, { keepNewlines: true })}\n`);
    if (this.#booted) await within(this.#booted.runner.close(), patience.crashTurn);
    await this.#finish(EXIT.turnFailed);
  }
}

/** The newest ones, which ctrl+r looks through. */
const searchedPrompts = 1_000;

type Loaded = typeof import("./conversation.ts") & typeof import("./screen-commands.ts");
