// The composer's text and its draft in the ledger: comes back when a conversation is opened, is kept while it is
// written, and goes along when another conversation is gone to.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { ConversationId } from "../ledger/types.ts";
import { note } from "./block.ts";
import { isComposerEmpty, unsentText } from "./composer-state.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import type { Screen } from "./live-screen.ts";
import { agoWords } from "./recovery-lines.ts";
import { type OpenedConversation, unsentDraft } from "./unsent-draft.ts";

export class UnsentText {
  readonly #screen: Screen;
  readonly #window: string;
  readonly #keeper: DraftKeeper;
  #conversation: ConversationId | undefined;

  constructor(options: { db: Pick<AsyncSessionDB, "saveComposer">; screen: Screen; window: string }) {
    const { db, screen, window } = options;
    this.#screen = screen;
    this.#window = window;
    this.#keeper = new DraftKeeper({
      save: (conversation, draft) => db.saveComposer(conversation, draft),
      window,
      text: () => unsentText(screen.composer),
      mayWrite: () => screen.view.problem === undefined,
    });
    screen.onComposed = () => this.#keeper.changed();
  }

  /** Its unsent text returns to the composer; where something is written already, to the history. */
  open(conversation: ConversationId, opened: OpenedConversation): void {
    if (conversation === this.#conversation) return;
    if (this.#conversation !== undefined) void this.#keeper.leave();
    this.#conversation = conversation;
    const draft = unsentDraft(opened, this.#window);
    const screen = this.#screen;
    if (draft === undefined) return this.#keeper.open(conversation, undefined);
    const words = `unsent text of ${agoWords(Date.now() - draft.at)}`;
    // Its window may still be there, and send it: it is put nowhere that enter sends it from.
    const isFree = draft.holder !== "unproven";
    if (!isFree && screen.isInLines) return this.#keeper.open(conversation, undefined);
    if ((isFree && isComposerEmpty(screen.composer)) || screen.isInLines) {
      if (screen.isInLines) screen.offer(draft.text);
      else screen.compose({ type: "set", text: draft.text });
      screen.print(note(`${words} restored`));
      return this.#keeper.open(conversation, draft);
    }
    screen.compose({ type: "history", entries: [...screen.composer.history, draft.text] });
    screen.print(note(`${words}: the up key brings it back`));
    this.#keeper.open(conversation, undefined);
  }

  /** At once. Never rejects. */
  save(): Promise<void> {
    return this.#keeper.flush();
  }

  get isSaved(): boolean {
    return !this.#keeper.hasChanged;
  }
  get isEmpty(): boolean {
    return unsentText(this.#screen.composer) === "";
  }
}
