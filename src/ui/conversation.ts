// Between the person and the program, once it has booted: sends prompts, runs commands and acts on what they
// answer, decides about interrupted turns, and passes the runner's events on to the screen in their order.
import type { SessionEvent } from "../agent/events.ts";
import type { Runner } from "../agent/runner.ts";
import { usageOf } from "../commands/args.ts";
import type { CommandContext, CommandResult } from "../commands/command.ts";
import { parseCommand } from "../commands/parse-command.ts";
import { registry } from "../commands/registry.ts";
import { runCommand } from "../commands/run-command.ts";
import type { OpenTurn } from "../ledger/recovery.ts";
import type { MessageId, SessionId } from "../ledger/types.ts";
import { type Block, note, windowBlocks } from "./block.ts";
import { earlierBlocks } from "./boot-blocks.ts";
import type { MenuCommand } from "./command-menu.tsx";
import { errorWords, turnError } from "./error-words.ts";
import type { Screen } from "./live-screen.ts";
import { askConfirm, askDecision, askPick } from "./modals.ts";
import { type DecideState, openDecision, ownTurns, turnDetails } from "./recovery.ts";
import type { Booted } from "./screen-start.ts";

/** Of a session that is gone to, and of what is left after the head moved. */
const windowMessages = { opened: 100, moved: 12 };

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

  constructor(options: { booted: Booted; screen: Screen; quit: () => void }) {
    this.runner = options.booted.runner;
    this.#context = options.booted.context;
    this.#screen = options.screen;
    this.#quit = options.quit;
    this.runner.listen((event) => this.#hear(event));
  }

  /** What was entered, a prompt or a command; one after the other, in order. */
  enter(text: string): void {
    const key = -this.#nextKey++;
    if (!isCommand(text)) this.#screen.dispatch({ type: "submitted", key, text });
    this.#lines = this.#lines.then(async () => {
      if (isCommand(text)) await this.run(text);
      else await this.#send(text, key);
    });
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
    try {
      return await runCommand(parsed, this.#context);
    } catch (error) {
      this.#screen.print(note(errorWords(error), "error"));
      return undefined;
    }
  }

  async #send(text: string, key: number): Promise<void> {
    try {
      await this.runner.submit([{ kind: "text", text }]);
      this.#screen.dispatch({ type: "admitted", key });
    } catch (error) {
      this.#screen.dispatch({ type: "not-admitted", key, error: turnError(error) });
      // The words are the person's only copy.
      if (this.#screen.composer.buffer.line.length === 0) this.#screen.compose({ type: "set", text });
    }
  }

  // ---- events ----

  #hear(event: SessionEvent): void {
    if (this.#held) {
      this.#held.push(event);
      return;
    }
    this.#screen.dispatch(event);
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
      this.#screen.print(separator, ...(await this.#lastTurn(session, head)));
    } catch (error) {
      this.#screen.print(separator, note(errorWords(error), "error"));
    }
  }

  /** Where the conversation stands now: its last turn, or only its two ends when it was long. */
  async #lastTurn(session: SessionId, head: MessageId): Promise<readonly Block[]> {
    const { db } = this.#context;
    const { messages } = await db.path(session, { from: head, limit: windowMessages.moved });
    const turn = messages.filter((message) => message.turn === messages.at(-1)?.turn);
    const isWhole = turn[0]?.role === "user";
    const shown = isWhole ? turn : turn.slice(-1);
    const calls = await db.callsOfMessages(shown.map(({ id }) => id));
    return windowBlocks(shown, calls);
  }

  async #window(session: SessionId, wanted: { from?: MessageId; limit: number }): Promise<readonly Block[]> {
    const { db } = this.#context;
    const { messages, earlier } = await db.path(session, wanted);
    const calls = await db.callsOfMessages(messages.map(({ id }) => id));
    return [...earlierBlocks(earlier), ...windowBlocks(messages, calls)];
  }

  // ---- what a command answers ----

  async #act(result: CommandResult, typed: string): Promise<void> {
    const screen = this.#screen;
    switch (result.kind) {
      case "lines":
        return screen.print({ kind: "lines", lines: result.lines });
      case "rows":
        return screen.print(
          result.rows.length === 0 ? note(result.empty) : { kind: "table", columns: result.columns, rows: result.rows },
        );
      case "open-session":
        return this.#open(result);
      case "pick": {
        if (result.items.length === 0) return screen.print(note(result.empty));
        const command = await askPick(screen, result);
        if (command !== undefined) await this.run(command);
        return;
      }
      case "submit":
        return this.enter(result.text);
      case "turn":
        return screen.print(...result.lines.map((line) => note(line)), ...this.#elsewhere(result.runner));
      case "prefill":
        screen.compose({ type: "set", text: result.text });
        return screen.print(...result.lines.map((line) => note(line)));
      case "confirm":
        if (await askConfirm(screen, result.question)) await this.run(result.command);
        else screen.print(note("Nothing was changed."));
        return;
      case "recovery":
        screen.print(...result.steps.map((step): Block => ({ kind: "step", step })));
        return this.decide(result.open);
      case "mode":
        screen.dispatch({ type: "mode", mode: result.mode });
        return screen.print(...result.lines.map((line) => note(line)));
      case "stop":
        return this.runner.stop();
      case "quit":
        return this.#quit();
      case "usage":
        // So that a slip is mended, not typed again.
        if (screen.composer.buffer.line.length === 0) screen.compose({ type: "set", text: typed });
        return screen.print(note([result.message, ...(result.hint ? [result.hint] : [])].join("  "), "warning"));
      case "refused":
        return screen.print(note(result.why, "warning"));
      default:
        return result satisfies never;
    }
  }

  async #open(result: Extract<CommandResult, { kind: "open-session" }>): Promise<void> {
    const { session, resumed, lines } = result;
    const window = await this.#window(session.id, { limit: windowMessages.opened });
    await this.runner.open(session, resumed);
    const title: Block = { kind: "separator", text: session.title ?? "new conversation" };
    this.#screen.print(title, ...window, ...lines.map((line) => note(line)));
  }

  #elsewhere(runner: Runner): readonly Block[] {
    if (runner === this.runner) return [];
    return [note(`It goes on in its own conversation: /resume ${runner.session.id}`)];
  }

  // ---- interrupted turns ----

  /** Never rejects. One after the other; a turn that is resumed is watched first, the others wait for /recover. */
  async decide(open: readonly OpenTurn[]): Promise<void> {
    const own = ownTurns(open);
    const others = open.length - own.length;
    if (others > 0) this.#screen.print(note(`${others} ${others === 1 ? "turn runs" : "turns run"} elsewhere.`));
    for (const [index, turn] of own.entries()) {
      const end = await this.#decideTurn(turn).catch((error: unknown) => {
        this.#screen.print(note(errorWords(error), "error"));
        return "later" as const;
      });
      if (end !== "resumed") continue;
      const left = own.length - index - 1;
      if (left > 0) this.#screen.print(note(`${left} more interrupted: /recover`));
      return;
    }
  }

  async #decideTurn(turn: OpenTurn): Promise<"resumed" | "settled" | "later"> {
    let state: DecideState = openDecision(turn);
    for (;;) {
      const choice = await askDecision(this.#screen, state);
      if (choice.kind === "look") {
        this.#screen.print({ kind: "lines", lines: turnDetails(state.turn), role: "muted" });
        continue;
      }
      if (choice.kind !== "run") return "later";
      if (choice.resumes) await this.#goTo(turn);
      await this.run(choice.command, withoutNext);
      const { db } = this.#context;
      const admission = await db.admission(turn.admission.id);
      const calls = await db.callsOf(admission.id);
      if (admission.status === "terminal") return "settled";
      if (admission.status === "started") return "resumed";
      state = openDecision({ ...turn, admission, calls });
    }
  }

  /** A turn goes on where it is watched, and where its questions can be asked. */
  async #goTo({ session }: OpenTurn): Promise<void> {
    if (session.conversation === this.runner.session.conversation) return;
    await this.#open({ kind: "open-session", session, resumed: true, lines: [] });
  }
}

/** What to type next is offered as a choice right below. */
function withoutNext(result: CommandResult): CommandResult {
  if (result.kind !== "lines") return result;
  return { ...result, lines: result.lines.map((line) => line.replace(/ Next: \/recover .*$/, "")) };
}

/** `/usr/bin is missing` is a prompt. */
export function isCommand(text: string): boolean {
  return /^\/[^\s/]*(\s|$)/.test(text);
}

/** Turns of this conversation that stand in its way. */
export function blockingTurn(open: readonly OpenTurn[], { session }: Runner): OpenTurn | undefined {
  return ownTurns(open).find((turn) => turn.session.conversation === session.conversation);
}

/** The commands as the menu shows them. */
export function menuCommands(): readonly MenuCommand[] {
  return registry.commands.map((command) => {
    const { name, aliases, summary } = command;
    const usage = usageOf("", command).trim();
    return { name, summary, ...(aliases && { aliases }), ...(usage !== "" && { usage }) };
  });
}
