// What left and right set on the items of a list: each has its turns, one of them set. It is shown as the item's first
// fact, and decides which command choosing the item runs; an item that nobody turned runs its own.
import type { PickTurn } from "../commands/command.ts";
import type { PickerItem } from "./picker-state.ts";

interface Turned {
  readonly turns: readonly PickTurn[];
  readonly at: number;
  readonly isTouched: boolean;
}

export class PickTurns {
  readonly #items = new Map<string, Turned>();

  add(id: string, turns: readonly PickTurn[]): void {
    const set = turns.findIndex(({ isSet }) => isSet === true);
    this.#items.set(id, { turns, at: Math.max(0, set), isTouched: false });
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#items.has(id);
  }

  /** False where there is nothing to turn. The ends stay the ends: who holds the key sees where they are. */
  turn(id: string | undefined, by: number): boolean {
    const known = id === undefined ? undefined : this.#items.get(id);
    if (id === undefined || known === undefined) return false;
    const at = Math.min(known.turns.length - 1, Math.max(0, known.at + by));
    this.#items.set(id, { ...known, at, isTouched: known.isTouched || at !== known.at });
    return true;
  }

  command(id: string): string {
    const known = this.#items.get(id);
    return known?.isTouched === true ? (known.turns[known.at]?.command ?? id) : id;
  }

  shown(item: PickerItem): PickerItem {
    const known = this.#items.get(item.id);
    if (known === undefined || item.facts === undefined) return item;
    const [, ...facts] = item.facts;
    return { ...item, facts: [known.turns[known.at]?.label ?? "", ...facts] };
  }
}
