// Which answers this terminal has shown: the one that a turn ended in, those of other windows, and those that were
// given while nobody was looking. Each is marked as delivered once the terminal took its text.
import type { SessionEvent } from "../agent/events.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Undelivered } from "../ledger/recovery.ts";
import type { Message, MessageId } from "../ledger/types.ts";
import { Deliveries } from "./deliveries.ts";
import { FlushWatch, type WatchedStream } from "./flush-watch.ts";
import type { Screen } from "./live-screen.ts";
import { tellUndelivered } from "./undelivered.ts";

/** The terminal, and its name. */
export interface NamedTerminal {
  readonly stdout: WatchedStream;
  readonly name: string;
}

export class AnswersTold {
  readonly #screen: Screen;
  readonly #deliveries: Deliveries;

  constructor(options: { db: Pick<AsyncSessionDB, "deliver">; screen: Screen; terminal: NamedTerminal }) {
    const { db, screen, terminal } = options;
    this.#screen = screen;
    const watch = new FlushWatch(terminal.stdout);
    this.#deliveries = new Deliveries({
      deliver: (message, channel) => db.deliver(message, channel),
      flushed: () => watch.flushed(),
      channel: terminal.name,
    });
  }

  /** After the screen has heard it. */
  hear(event: SessionEvent): void {
    const message = answerOf(event);
    if (message !== undefined) this.written([message]);
  }

  /** `isShown`: its answer stands on the screen already. */
  tell(undelivered: readonly Undelivered[], isShown: (each: Undelivered) => boolean): void {
    const { others, shown, messages } = tellUndelivered(undelivered, isShown);
    if (messages.length === 0) return;
    this.#screen.print(...others, ...shown);
    this.written(messages);
  }

  /** Given to the screen just now. */
  written(messages: readonly MessageId[]): void {
    this.#screen.whenPrinted(() => this.#deliveries.told(messages));
  }

  /** Resolves when nothing is left to mark. Never rejects. */
  settled(): Promise<void> {
    return this.#deliveries.settled();
  }
}

/** The answer that is whole with this event. */
function answerOf(event: SessionEvent): MessageId | undefined {
  if (event.type === "turn-settled") return event.outcome === "completed" ? event.message : undefined;
  if (event.type !== "message-added" || event.elsewhere !== true) return undefined;
  return isAnswer(event.message) ? event.message.id : undefined;
}

function isAnswer({ role, parts, finishReason }: Message): boolean {
  return role === "assistant" && finishReason !== "interrupted" && parts.every(({ kind }) => kind !== "tool-call");
}
