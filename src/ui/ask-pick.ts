// Lets a person pick one of a list. What a list asks of the ledger, more items or a look at one, is asked one question
// at a time and only for what is wanted now.
import type { PickItem, PickList, PickLook } from "../commands/command.ts";
import { chord, type KeyEvent, key } from "./key-event.ts";
import { LatestOnly } from "./latest-only.ts";
import type { Modal, Screen } from "./live-screen.ts";
import { PickTurns } from "./pick-turns.ts";
import type { PreviewWish } from "./picker-layout.ts";
import { layoutOf, type PickerView } from "./picker-lines.ts";
import { createPicker, type PickerItem, type PickerOutcome, type PickerState, pickerReducer } from "./picker-state.ts";
import type { ModalView } from "./screen-view.tsx";

export interface Picked {
  readonly command: string;
  /** Of the item that one of the list's own keys was pressed on: the list is wanted again, from there. */
  readonly again?: { readonly item: string; readonly index: number };
}

export function askPick(screen: Screen, list: PickList): Promise<Picked | undefined> {
  return new Promise((resolve) => {
    const prompt = new PickPrompt(screen, list, (picked) => {
      screen.closeModal(prompt);
      resolve(picked);
    });
    screen.openModal(prompt);
  });
}

class PickPrompt implements Modal {
  readonly #screen: Screen;
  readonly #list: PickList;
  readonly #done: (picked: Picked | undefined) => void;
  /** Of every item that was ever listed. */
  readonly #items = new Map<string, PickItem>();
  /** What is listed where nothing is typed. */
  #first: readonly PickerItem[];
  /** There is more than that. */
  #hasMore: boolean;
  #isReadingOn = false;
  #isOver = false;
  /** Of all there are: what is read on is gone through until there is no more, or another key is pressed. */
  #isToEnd = false;
  readonly #turns = new PickTurns();
  readonly #previews = new Map<string, PickLook>();
  readonly #previewer: LatestOnly<PickItem, PickLook> | undefined;
  readonly #finder: LatestOnly<string, readonly PickItem[]> | undefined;
  #state: PickerState;
  #wish: PreviewWish = "auto";

  constructor(screen: Screen, list: PickList, done: (picked: Picked | undefined) => void) {
    this.#screen = screen;
    this.#list = list;
    this.#done = done;
    this.#first = this.#take(list.items);
    const { preview, find, more, selected } = list;
    this.#state = createPicker({ items: this.#first, ...(selected !== undefined && { selected }) });
    this.#hasMore = more !== undefined;
    this.#previewer =
      preview &&
      new LatestOnly(
        (item) => preview(item).catch((error: unknown) => [`cannot be read: ${String(error)}`]),
        (item, lines) => this.#show(item, lines),
      );
    this.#finder =
      find &&
      new LatestOnly(
        // What is listed can be chosen all the same.
        (words) => find(words).catch(() => []),
        (_, found) => this.#found(found),
      );
    void this.#later();
  }

  /** What is known by then stands in the same places; what was looked at is looked at again. */
  async #later(): Promise<void> {
    // What is listed can be chosen all the same.
    const items = await this.#list.later?.().catch(() => undefined);
    if (!items || this.#isOver) return;
    const before = this.#first;
    const renewed = new Map(this.#take(items).map((item) => [item.id, item]));
    const newer = (item: PickerItem): PickerItem => renewed.get(item.id) ?? item;
    this.#first = before.map(newer);
    const shown = this.#state.items === before ? this.#first : this.#state.items.map(newer);
    this.#previews.clear();
    this.#state = pickerReducer(this.#state, { type: "items", items: shown });
    this.#screen.refresh();
  }

  get view(): ModalView {
    return { kind: "picker", view: this.#view };
  }

  get #view(): PickerView {
    const { title, empty, note, enter, more, turned, isWhole, keys = [] } = this.#list;
    const look = this.#previews.get(this.#selected?.id ?? "");
    const isPart = more ? this.#hasMore : this.#finder !== undefined && !isWhole;
    return {
      ...{ state: this.#state, title, empty, isPart, isLooking: this.#finder?.isAsking === true || this.#isReadingOn },
      ...(note !== undefined && (isPart || !more) && { note }),
      ...(enter !== undefined && { enter }),
      keys: keys.flatMap(({ does }) => does ?? []),
      ...(turned !== undefined && this.#turns.has(this.#selected?.id) && { turned }),
      ...(this.#previewer && { preview: { wish: this.#wish, ...(look && { look }) } }),
    };
  }

  get #selected(): PickerItem | undefined {
    return this.#state.matches[this.#state.selected];
  }

  onKey(event: KeyEvent, rows: number): void {
    const layout = layoutOf(this.#view, this.#screen.size.columns, rows);
    const name = chord(event);
    if (this.#previewer && name === "tab") return this.#toggle(layout.preview !== undefined);
    // A look in the list's place is left first.
    if (layout.preview?.place === "over" && name === "escape") return this.#toggle(true);
    if (name === "left" || name === "right") return this.#turn(name === "left" ? -1 : 1);
    const before = this.#state.query;
    this.#isToEnd = name === "end" && this.#hasMore && before.trim() === "";
    const commands = this.#list.keys?.map((each) => each.chord) ?? [];
    this.#state = pickerReducer(this.#state, { type: "key", event, page: layout.listRows, commands });
    const { outcome, query } = this.#state;
    if (outcome) return this.#end(this.#picked(outcome));
    if (query === before) return;
    if (query.trim() !== "") return this.#finder?.want(query);
    this.#finder?.forget();
    // What was found for other words is no part of the list.
    if (this.#state.items !== this.#first)
      this.#state = pickerReducer(this.#state, { type: "items", items: this.#first });
  }

  /** Nothing is read that is not on the screen, or a page or two below it. */
  onDrawn(rows: number): void {
    const { matches, selected, query } = this.#state;
    if (query.trim() === "" && matches.length - selected <= 2 * rows) void this.#readOn();
    const item = this.#items.get(this.#selected?.id ?? "");
    if (!item || !layoutOf(this.#view, this.#screen.size.columns, rows).preview) return this.#previewer?.forget();
    if (!this.#previews.has(item.command)) this.#previewer?.want(item);
  }

  #toggle(isShown: boolean): void {
    this.#wish = isShown ? "off" : "on";
  }

  #turn(by: number): void {
    const { items } = this.#state;
    if (!this.#turns.turn(this.#selected?.id, by)) return;
    const first = this.#first;
    this.#first = first.map((item) => this.#turns.shown(item));
    const turned = items === first ? this.#first : items.map((item) => this.#turns.shown(item));
    this.#state = pickerReducer(this.#state, { type: "items", items: turned });
  }

  #picked(outcome: PickerOutcome<PickerItem>): Picked | undefined {
    if (outcome.kind === "cancelled") return undefined;
    const { id } = outcome.item;
    if (outcome.kind === "chosen") return { command: this.#turns.command(id) };
    const item = this.#items.get(id);
    const own = this.#list.keys?.find((each) => each.chord === outcome.chord);
    return item && own && { command: own.command(item), again: { item: id, index: this.#state.selected } };
  }

  #end(picked: Picked | undefined): void {
    this.#isOver = true;
    this.#previewer?.close();
    this.#finder?.close();
    this.#done(picked);
  }

  #show(item: PickItem, look: PickLook): void {
    this.#previews.set(item.command, look);
    this.#screen.refresh();
  }

  /** At the end of the list, one window at a time. */
  async #readOn(): Promise<void> {
    const { more } = this.#list;
    if (!more || !this.#hasMore || this.#isReadingOn) return;
    this.#isReadingOn = true;
    // What is listed can be chosen all the same.
    const read = await more().catch(() => []);
    this.#isReadingOn = false;
    this.#hasMore = read.length > 0;
    const found = this.#state.items === this.#first ? [] : this.#state.items.slice(this.#first.length);
    this.#first = [...this.#first, ...this.#take(read)];
    const known = new Set(this.#first.map(({ id }) => id));
    const items = found.length === 0 ? this.#first : [...this.#first, ...found.filter(({ id }) => !known.has(id))];
    this.#state = pickerReducer(this.#state, { type: "items", items });
    if (this.#isToEnd) this.#state = pickerReducer(this.#state, { type: "key", event: key("end"), page: 1 });
    this.#screen.refresh();
  }

  #found(found: readonly PickItem[]): void {
    const known = new Set(this.#first.map(({ id }) => id));
    const more = this.#take(found).filter(({ id }) => !known.has(id));
    this.#state = pickerReducer(this.#state, { type: "items", items: [...this.#first, ...more] });
    this.#screen.refresh();
  }

  #take(items: readonly PickItem[]): readonly PickerItem[] {
    return items.map((item): PickerItem => {
      const { command: id, turns, ...shown } = item;
      this.#items.set(id, item);
      if (turns) this.#turns.add(id, turns);
      return this.#turns.shown({ id, ...shown });
    });
  }
}
