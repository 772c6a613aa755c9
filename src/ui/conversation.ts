// Between the person and the program, once it has booted: sends prompts, runs commands and acts on what they
// answer, and passes the runner's events on to the screen in their order. What was shown is marked as delivered, what
// is unsent is kept.
import type { SessionEvent } from "../agent/events.ts";
import { shownImages } from "../agent/images/image-text.ts";
import type { Runner, SubmitOptions } from "../agent/runner.ts";
import { isFarBehind } from "../agent/search-all.ts";
import { typedPrompt } from "../agent/typed-command.ts";
import type { CommandContext, CommandResult } from "../commands/command.ts";
import { lookAgain } from "../commands/look-again.ts";
import { parseCommand } from "../commands/parse-command.ts";
import { registry } from "../commands/registry.ts";
import { runCommand } from "../commands/run-command.ts";
import type { OpenTurn } from "../ledger/recovery.ts";
import type { Admission, AdmissionId, CallId, MessageId, Payload, SessionId } from "../ledger/types.ts";
import { AnswersTold, type NamedTerminal } from "./answers-told.ts";
import { askPick } from "./ask-pick.ts";
import { type Block, madeCall, note } from "./block.ts";
import { openCompletion } from "./completion.ts";
import { isComposerEmpty } from "./composer-state.ts";
import { lastTurn, openedWindow } from "./conversation-window.ts";
import { errorWords, turnError } from "./error-words.ts";
import { ImageInput } from "./image-input.ts";
import { leftOutImages } from "./image-words.ts";
import { decideAll } from "./interrupted-turns.ts";
import type { Screen } from "./live-screen.ts";
import { askConfirm, askPreview, whileWaiting } from "./modals.ts";
import { isCommand } from "./screen-commands.ts";
import type { SentAs } from "./screen-keys.ts";
import type { Booted } from "./screen-start.ts";
import { watchSharedModel } from "./shared-model.ts";
import { showAt } from "./show-at.ts";
import { watchSpending } from "./spending.ts";
import { callLabel } from "./tool-lines.ts";
import { UnsentText } from "./unsent-text.ts";
import { WaitingEdit } from "./waiting-edit.ts";
import { windowRoom } from "./window-tail.ts";

export class Conversation {
  readonly runner: Runner;
  readonly #context: CommandContext;
  readonly #screen: Screen;
  readonly #quit: () => void;
  /** Events that came while the window is read again, to be shown after it. */
  #held: SessionEvent[] | undefined;
  #reload: Promise<void> = Promise.resolve();
  #lines: Promise<void> = Promise.resolve();
  #nextKey = 1;
  /** Prompts behind a command that is not done with, by key. */
  readonly #behind = new Map<number, string>();
  readonly #leaving = new AbortController();
  readonly #told: AnswersTold;
  readonly #unsent: UnsentText;
  readonly #editing: WaitingEdit;
  readonly #completion: ReturnType<typeof openCompletion>;
  readonly #images: Booted["images"];
  readonly #withoutImages = new Set<string>();

  constructor(options: { booted: Booted; screen: Screen; terminal: NamedTerminal; quit: () => void }) {
    const { booted, screen, terminal, quit } = options;
    const { runner, context, images } = booted;
    this.runner = runner;
    this.#context = context;
    this.#screen = screen;
    this.#quit = quit;
    this.#told = new AnswersTold({ db: context.db, screen, terminal });
    this.#unsent = new UnsentText({ db: context.db, screen, window: terminal.name });
    this.#editing = new WaitingEdit({ db: context.db, screen, runner });
    this.#completion = openCompletion({ ...context, runner }, () => screen.refreshMenu());
    screen.menu.completion = this.#completion;
    this.#images = images;
    screen.images = new ImageInput({ screen, shelf: images, cwd: () => runner.session.cwd });
    runner.listen((event) => this.#hear(event));
  }

  /** What comes back with the conversation that was opened at the start; `told` was given to the screen. */
  begin({ drafts, waiting, models, window: { messages } }: Booted, told: readonly MessageId[]): void {
    this.#told.written(told);
    this.#unsent.open(this.runner.session.conversation, { drafts, messages, waiting });
    // In lines nothing is edited in place.
    if (!this.#screen.isInLines) void this.#editing.goOn(waiting).catch(() => undefined);
    const dispatch = this.#screen.dispatch.bind(this.#screen);
    watchSpending({ db: this.#context.db, runner: this.runner, models, dispatch });
    watchSharedModel({ runner: this.runner, models: this.#context.models, dispatch });
  }

  /** Nothing is asked any more; resolves when what is unsent and what was told is stored. Never rejects. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    this.#completion.close();
    await Promise.all([this.#unsent.save(), this.#told.settled()]);
  }

  get unsent(): Pick<UnsentText, "save" | "isSaved" | "isEmpty"> {
    return this.#unsent;
  }

  /** What was entered, a prompt or a command; one after the other, in order. */
  enter(text: string, how: SentAs = {}): void {
    const key = -this.#nextKey++;
    if (isCommand(text)) this.#editing.leave();
    if (!isCommand(text)) {
      this.#screen.dispatch({ type: "submitted", key, text: shownImages(text) });
      this.#behind.set(key, text);
    }
    this.#lines = this.#lines.then(async () => {
      if (isCommand(text)) await this.run(text);
      else if (this.#behind.delete(key)) await this.#send(text, { key, how });
    });
  }

  /** A waiting prompt is no more changed; false: none was. */
  leaveEdit(): boolean {
    return this.#editing.leave();
  }

  /**
   * The command before them asks something first, and that may take for ever and lead elsewhere: they are the composer's
   * text again, and so a draft in the ledger, instead of waiting where a kill would lose them.
   */
  #giveBackPrompts(): void {
    const screen = this.#screen;
    if (screen.isInLines || this.#behind.size === 0) return;
    const text = [...this.#behind.values()].join("\n");
    for (const key of this.#behind.keys()) screen.dispatch({ type: "admitted", key });
    this.#behind.clear();
    if (isComposerEmpty(screen.composer)) screen.compose({ type: "set", text });
    else writeInFront(screen, `${text}\n`);
    screen.print(note("not sent: the command before it asks something first. Your text is in the input again."));
  }

  /** A command as it is typed. Never rejects: what goes wrong is printed. */
  async run(text: string, edit = (result: CommandResult) => result): Promise<CommandResult | undefined> {
    const parsed = parseCommand(text, registry);
    const said = parsed.ok ? await this.#runParsed(parsed) : parsed.usage;
    const result = said && edit(said);
    await this.#reload;
    if (result) await this.#act(result, text);
    return result;
  }

  async #runParsed(parsed: Extract<ReturnType<typeof parseCommand>, { ok: true }>) {
    return this.#attempt(() =>
      parsed.args.flags["wait"] === true || parsed.command.isLong ? this.#runWaiting(parsed) : this.#runShown(parsed),
    );
  }

  /** Undefined: it went wrong, and that was printed. */
  async #attempt(action: () => Promise<CommandResult>): Promise<CommandResult | undefined> {
    try {
      return await action();
    } catch (error) {
      this.#screen.print(note(errorWords(error), "error"));
      return undefined;
    }
  }

  /** A search may have to wait for the index: that is shown, and escape ends it. */
  async #runShown(parsed: Extract<ReturnType<typeof parseCommand>, { ok: true }>): Promise<CommandResult> {
    const context = this.#context;
    const needsIndex = parsed.command.needsIndex || parsed.args.flags["fix"] === true;
    if (!needsIndex || !(await isFarBehind(context.db))) return runCommand(parsed, context);
    return whileWaiting(this.#screen, { title: "search index", signal: this.#leaving.signal }, (wait) =>
      runCommand(parsed, { ...context, ...wait }),
    );
  }

  /** What it waits for may take long: it is shown, and escape ends the waiting. */
  async #runWaiting(parsed: Extract<ReturnType<typeof parseCommand>, { ok: true }>): Promise<CommandResult> {
    const context = this.#context;
    const { isLong, name } = parsed.command;
    const call = isLong
      ? undefined
      : await context.db.call(Number(parsed.args.words[0]) as CallId).catch(() => undefined);
    const title = call ? callLabel(madeCall(call)) : isLong ? name : "waiting";
    return whileWaiting(this.#screen, { title, signal: this.#leaving.signal }, (wait) =>
      runCommand(parsed, { ...context, ...wait }),
    );
  }

  async #send(text: string, { key, how }: { key: number; how: SentAs }): Promise<void> {
    const isEdit = this.#editing.isOpen;
    try {
      const typed = how.isShell ? typedPrompt(text) : undefined;
      const made = typed ? { ok: true as const, prompt: typed, blobs: [] } : await this.#withImages(text);
      if (!made.ok) return this.#notSent(text, { key, why: made.why });
      const { prompt, blobs } = made;
      await this.#store({ prompt, blobs, kind: typed ? "shell" : how.steers ? "steer" : "prompt" });
      this.#screen.dispatch({ type: "admitted", key });
      void this.#unsent.save();
      if (blobs.length === 0) return;
      await this.#images.stored();
      const { route } = this.runner.session;
      this.#screen.print(...leftOutImages(route, this.#context.settings.models(), this.#withoutImages));
    } catch (error) {
      // Another window was first.
      if (isEdit && turnError(error).code === "illegal_edge")
        return this.#notSent(text, {
          key,
          why: "the prompt that it was has begun, or was dropped. Enter sends it as another.",
        });
      if (this.#screen.view.isGone)
        return this.#notSent(text, { key, why: "the conversation is deleted. After /new, enter sends it there." });
      this.#screen.dispatch({ type: "not-admitted", key, error: turnError(error) });
      // The words are the person's only copy.
      if (isComposerEmpty(this.#screen.composer)) this.#screen.compose({ type: "set", text });
    }
  }

  #store({ prompt, ...options }: Pick<Payload, "prompt"> & SubmitOptions): Promise<Admission> {
    const { kind = "prompt", blobs = [] } = options;
    if (!this.#editing.isOpen) return this.runner.submit(prompt, options);
    return this.#editing.send({ prompt, blobs, steers: kind === "steer" });
  }

  async #withImages(text: string): ReturnType<Booted["images"]["prompt"]> {
    const { isInLines, images } = this.#screen;
    const line = isInLines && images ? await images.inLine(text) : { text };
    return "why" in line ? { ok: false, why: line.why } : this.#images.prompt(line.text);
  }

  #notSent(text: string, { key, why }: { key: number; why: string }): void {
    this.#screen.dispatch({ type: "admitted", key });
    const isFree = isComposerEmpty(this.#screen.composer);
    if (isFree) this.#screen.compose({ type: "set", text });
    this.#screen.print(note(`not sent: ${why}${isFree ? "" : " The up key brings your text back."}`, "warning"));
  }

  // ---- events ----

  #hear(event: SessionEvent): void {
    if (this.#held) {
      this.#held.push(event);
      return;
    }
    this.#screen.dispatch(event);
    this.#told.hear(event);
    if (event.type === "turn-blocked" && event.why !== undefined) void this.#askToGoOn(event.admission.id);
    if (event.type !== "head-moved") return;
    this.#held = [];
    this.#reload = this.#showMoved(event.session, event.head).finally(() => {
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const each of held) this.#hear(each);
    });
  }

  async #showMoved(session: SessionId, head: MessageId | undefined): Promise<void> {
    if (head === undefined) return this.#screen.print({ kind: "separator", text: "the conversation is empty now" });
    const separator: Block = { kind: "separator", text: "the conversation ends here now" };
    try {
      this.#screen.print(
        separator,
        ...(await lastTurn(this.#context.db, { id: session, head }, windowRoom(this.#screen))),
      );
    } catch (error) {
      this.#screen.print(separator, note(errorWords(error), "error"));
    }
  }

  /** The next request would not be the one that a crash cut off. */
  async #askToGoOn(id: AdmissionId): Promise<void> {
    const isYes = await askConfirm(this.#screen, "Go on all the same, with the changed request?");
    if (isYes) await this.run(`/recover resume ${id} --changed`);
  }

  // ---- what a command answers ----

  async #act(result: CommandResult, typed: string): Promise<void> {
    const screen = this.#screen;
    switch (result.kind) {
      case "loop":
      case "lines":
        if (result.lines.length === 0) return;
        return screen.print({ kind: "lines", lines: ["", ...result.lines] });
      case "rows":
        return screen.print(
          ...(result.rows.length === 0
            ? [note(result.empty)]
            : [
                { kind: "lines", lines: [""] } as const,
                { kind: "table", columns: result.columns, rows: result.rows } as const,
              ]),
        );
      case "sides":
        return screen.print({ kind: "lines", lines: [""] }, result);
      case "open-session":
        return this.#open(result);
      case "pick": {
        if (result.items.length === 0 && !result.isBlank) return screen.print(note(result.empty));
        if (screen.isInLines && result.printed) return this.#act(await result.printed(), typed);
        this.#giveBackPrompts();
        const picked = await askPick(screen, result);
        if (picked?.again) await this.#listAgain(typed, { command: picked.command, ...picked.again });
        else if (picked && result.isWritten) writeInFront(screen, `${picked.command} `);
        else if (picked) await this.run(picked.command);
        return;
      }
      case "submit":
        return this.enter(result.text);
      case "turn":
        return screen.print(...result.lines.map((line) => note(line)), ...this.#elsewhere(result.runner));
      case "prefill":
        if (result.edits && !screen.isInLines) return this.#editing.begin(result.edits.admission, result.edits.text);
        screen.offer(result.text);
        return screen.print(...[...result.lines, ...offeredWords(result.text)].map((line) => note(line)));
      case "confirm":
        this.#giveBackPrompts();
        if (await askConfirm(screen, result.question)) await this.run(result.command);
        else screen.print(note("Nothing was changed."));
        return;
      case "recovery":
        screen.print(...result.steps.map((step): Block => ({ kind: "step", step })));
        this.#told.tell(result.undelivered, ({ session }) => session.conversation === this.runner.session.conversation);
        if (result.open.length > 0) this.#giveBackPrompts();
        return this.decide(result.open);
      case "preview": {
        this.#giveBackPrompts();
        const chosen = await askPreview(screen, result);
        if (chosen === undefined) return screen.print(note("Nothing was changed."));
        const done = await this.#attempt(() => result.apply(chosen));
        await this.#reload;
        return done && this.#act(done, typed);
      }
      case "mode":
        screen.dispatch({ type: "mode", mode: result.mode });
        return screen.print(...result.lines.map((line) => note(line)));
      case "stop":
        return this.runner.stop();
      case "quit":
        return this.#quit();
      case "usage":
        // So that a slip is mended, not typed again; what is typed in its place is no end of it.
        if (isComposerEmpty(screen.composer)) screen.compose({ type: "set", text: typed, isSelected: true });
        return screen.print(note([result.message, ...(result.hint ? [result.hint] : [])].join("  "), "warning"));
      case "refused":
        return screen.print(note(result.why, "warning"));
      default:
        return result satisfies never;
    }
  }

  /** What a key of a list did is said by the list, where it says something and the list is still one. */
  async #listAgain(typed: string, { command, item, index }: { command: string; item: string; index: number }) {
    let said = "";
    await this.run(command, (result) => {
      if (result.kind !== "lines") return result;
      said = result.lines.join(" ");
      return { kind: "lines", lines: [] };
    });
    await this.run(typed, (list) => {
      if (list.kind !== "pick" || list.items.length === 0) return list;
      const selected = list.items.some((each) => each.command === item) ? item : list.items.at(index)?.command;
      return { ...list, note: said, selected: selected ?? list.items.at(-1)?.command ?? item };
    });
  }

  async #open(result: Extract<CommandResult, { kind: "open-session" }>): Promise<void> {
    if (result.session.conversation !== this.runner.session.conversation || !result.at) await this.#goTo(result);
    if (result.at) await showAt({ screen: this.#screen, db: this.#context.db, runner: this.runner }, result.at);
  }

  async #goTo({ session, resumed, lines }: Extract<CommandResult, { kind: "open-session" }>): Promise<void> {
    const { db } = this.#context;
    const [{ messages, blocks }, drafts, waiting] = await Promise.all([
      openedWindow(db, session, windowRoom(this.#screen)),
      db.drafts(session.conversation),
      db.openAdmissions(session.conversation),
    ]);
    await this.runner.open(session, resumed);
    const title: Block = { kind: "separator", text: session.title ?? "new conversation" };
    this.#screen.print(title, ...blocks, ...lines.map((line) => note(line)));
    this.#unsent.open(session.conversation, { drafts, messages, waiting });
  }

  #elsewhere(runner: Runner): readonly Block[] {
    if (runner === this.runner) return [];
    return [note(`It goes on in its own conversation: /resume ${runner.session.id}`)];
  }

  /** About interrupted turns. Never rejects. */
  decide(open: readonly OpenTurn[]): Promise<void> {
    return decideAll(open, {
      screen: this.#screen,
      db: this.#context.db,
      run: (command, edit) => this.run(command, edit),
      look: (turn) => lookAgain(turn, this.#context),
      goTo: async ({ session }) => {
        if (session.conversation === this.runner.session.conversation) return;
        await this.#open({ kind: "open-session", session, resumed: true, lines: [] });
      },
    });
  }
}

/** What was typed meanwhile stays behind it. */
function writeInFront(screen: Screen, text: string): void {
  screen.compose({ type: "unmark" });
  screen.compose({ type: "text-start" });
  screen.compose({ type: "insert", text });
  screen.refresh();
}

/** How to be rid of a prompt that was put into the input is nothing that one could see. */
function offeredWords(text: string): readonly string[] {
  return text === "" ? [] : ["The prompt is in the input again: enter asks it, ctrl+c clears it."];
}
