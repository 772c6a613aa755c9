// A waiting prompt whose text is in the composer: it is held meanwhile, so that what runs is never a text that
// somebody is about to change. Sent, the new text takes its place in the queue; left, it waits on as it was. A crash
// leaves it held, and its text as a draft.

import { holdForEdit, wasBeingEdited } from "../agent/edit-hold.ts";
import type { Runner } from "../agent/runner.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Admission, AdmissionId } from "../ledger/types.ts";
import { note } from "./block.ts";
import { isComposerEmpty } from "./composer-state.ts";
import { errorWords } from "./error-words.ts";
import type { Screen } from "./live-screen.ts";

const takenWords = "The input holds another text: send or cut it first.";

interface Options {
  readonly db: Pick<AsyncSessionDB, "admission" | "hold" | "release">;
  readonly screen: Screen;
  readonly runner: Runner;
}

export class WaitingEdit {
  readonly #options: Options;
  /** As it was before. */
  #row: Admission | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#row !== undefined;
  }

  /** Into the composer with it; said where it cannot be changed any more. */
  async begin(id: AdmissionId, text: string): Promise<void> {
    const { db, screen, runner } = this.#options;
    const isTaken = () => !isComposerEmpty(screen.composer);
    if (isTaken()) return screen.print(note(takenWords));
    const row = await db.admission(id);
    await holdForEdit(db, id);
    if ((await db.admission(id)).status !== "queued") return screen.print(note("It has begun already.", "warning"));
    // Typed meanwhile: it is not lost for this one.
    if (isTaken()) return this.#waitOn(row).then(() => screen.print(note(takenWords)));
    this.#row = row;
    screen.compose({ type: "set", text });
    screen.dispatch({ type: "editing", admission: id });
    await runner.tellQueue();
  }

  /** After a kill its text is in the composer, as the draft that it was: the edit goes on. */
  async goOn(waiting: readonly Admission[]): Promise<void> {
    const { db, screen, runner } = this.#options;
    const { conversation } = runner.session;
    const row = waiting.find((each) => each.conversation === conversation && wasBeingEdited(each));
    if (!row || this.#row || isComposerEmpty(screen.composer)) return;
    this.#row = row;
    await holdForEdit(db, row.id);
    screen.dispatch({ type: "editing", admission: row.id });
    await runner.tellQueue();
  }

  /** False: none was being changed. */
  leave(): boolean {
    const row = this.#close();
    if (!row) return false;
    this.#options.screen.compose({ type: "cut" });
    void this.#waitOn(row).catch((error: unknown) => this.#options.screen.print(note(errorWords(error), "error")));
    return true;
  }

  /** The new text, stored in the place of the old one. */
  send(changed: Parameters<Runner["edit"]>[1]): Promise<Admission> {
    const row = this.#close();
    if (!row) throw new Error("no waiting prompt is being changed");
    return this.#options.runner.edit(row, changed);
  }

  #close(): Admission | undefined {
    const row = this.#row;
    this.#row = undefined;
    if (row) this.#options.screen.dispatch({ type: "editing" });
    return row;
  }

  async #waitOn({ id, held }: Admission): Promise<void> {
    const { db, runner } = this.#options;
    if (held === undefined) await db.release(id);
    else await db.hold(id, held);
    await runner.tellQueue();
    runner.wake();
  }
}
