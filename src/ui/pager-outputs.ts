// The outputs of a conversation's tools and its long prompts, newest first, read from the ledger as far back as
// somebody asks.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { MessageId, SessionId, ToolOutcome } from "../ledger/types.ts";
import { answerText, type MadeCall } from "./block.ts";
import { pasteLabel } from "./composer-paste.ts";
import { mayAsk, storedMessages } from "./pager-messages.ts";
import { outputSource } from "./pager-output.ts";
import type { PagerSource } from "./pager-source.ts";
import type { PickerItem } from "./picker-state.ts";
import { isLongPrompt } from "./prompt-lines.ts";
import { sanitize } from "./sanitize.ts";
import { callLabel, describe, isEdit, isFolded } from "./tool-lines.ts";

export type OutputReader = Pick<AsyncSessionDB, "path" | "callsOfMessages" | "blob">;

/** `isFolded`: not whole in the scrollback. */
export type StoredOutput =
  | { readonly made: MadeCall; readonly outcome: ToolOutcome; readonly isFolded: boolean }
  | { readonly prompt: string; readonly isFolded: true };

/** Messages of one read: outputs of up to 50 KB each. */
const pageMessages = 40;
/** Read along with them: the calls that the first results answer. */
const lookBack = 16;
/** How far back the first output is looked for; who wants an older one says so. */
const maxFirst = 10;

export class OutputList {
  readonly #db: OutputReader;
  readonly #session: SessionId;
  #from: MessageId | undefined;
  readonly #found: StoredOutput[] = [];

  constructor(options: { db: OutputReader; session: SessionId; head: MessageId }) {
    this.#db = options.db;
    this.#session = options.session;
    this.#from = options.head;
  }

  get found(): readonly StoredOutput[] {
    return this.#found;
  }
  /** The first message has been read. */
  get isWhole(): boolean {
    return this.#from === undefined;
  }

  /** Reads on until there are more, or all, or enough was looked at. */
  async more(): Promise<void> {
    const known = this.#found.length;
    for (let page = 0; page < maxFirst && !this.isWhole && this.#found.length === known; page += 1) {
      await this.#read();
    }
  }

  /** Index of the newest that is not whole in the scrollback; undefined: none is near. */
  async newestFolded(): Promise<number | undefined> {
    for (let page = 0; page < maxFirst; page += 1) {
      const at = this.#found.findIndex(({ isFolded: folded }) => folded);
      if (at !== -1) return at;
      if (this.isWhole) break;
      await this.#read();
    }
    return this.#found.length > 0 ? 0 : undefined;
  }

  /** The whole of it, where the ledger has more than what was shown. */
  async source(output: StoredOutput): Promise<PagerSource> {
    if ("prompt" in output) return outputSource(promptLabel(output.prompt), output.prompt);
    const { made, outcome } = output;
    const text = outcome.blob === undefined ? outcome.output : await this.#whole(outcome);
    const title = `${callLabel(made)} · ${describe(made, outcome).detail}`;
    return outputSource(title, text ?? "", { isDiff: outcome.kind === "ok" && isEdit(made.tool) });
  }

  async #whole({ blob }: ToolOutcome): Promise<string | undefined> {
    return blob && new TextDecoder().decode(await this.#db.blob(blob));
  }

  async #read(): Promise<void> {
    const from = this.#from;
    if (from === undefined) return;
    const { messages } = await this.#db.path(this.#session, { from, limit: pageMessages + lookBack });
    const calls = await this.#db.callsOfMessages(messages.filter(mayAsk).map(({ id }) => id));
    const before = Math.max(0, messages.length - pageMessages);
    for (const { message, made } of storedMessages(messages, calls, before).toReversed()) {
      const asked = message.role === "user" ? answerText(message.parts) : "";
      if (isLongPrompt(asked)) this.#found.push({ prompt: asked, isFolded: true });
      const results = message.parts.flatMap((part) => (part.kind === "tool-result" ? [part.outcome] : []));
      const outputs = results.flatMap((outcome, index): StoredOutput[] => {
        const call = made[index];
        if (call === undefined || (outcome.output ?? "").trim() === "") return [];
        return [{ made: call, outcome, isFolded: isFolded(call, outcome) }];
      });
      this.#found.push(...outputs.toReversed());
    }
    this.#from = messages[before]?.parent;
  }
}

/** For a list: the id is the index. */
export function outputItems(outputs: readonly StoredOutput[]): readonly PickerItem[] {
  return outputs.map((output, index) => {
    const { label, detail } = outputWords(output);
    return { id: String(index), label, detail: `${detail}${output.isFolded ? " · folded" : ""}` };
  });
}

function outputWords(output: StoredOutput): { readonly label: string; readonly detail: string } {
  if ("prompt" in output) return { label: promptLabel(output.prompt), detail: pasteLabel(output.prompt) };
  return { label: callLabel(output.made), detail: describe(output.made, output.outcome).detail };
}

function promptLabel(text: string): string {
  return `prompt ${sanitize(text.slice(0, maxLabel).trim().split("\n", 1)[0] ?? "")}`;
}

const maxLabel = 200;
