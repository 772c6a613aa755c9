// The keys in force: those of the two tables, but where the person chose others in the config (checked there by
// key-settings.ts). Lists, questions and the pager have their own keys, which nobody changes.
import type { KeySettings } from "../config/config.ts";
import { readChord } from "./chords.ts";
import { type Binding, type BoundAction, byChord } from "./composer-keys.ts";
import { defaultTable, type KeyHelp, type KeyTable, keysHelp, type ScreenKey } from "./keys-help.ts";

export interface Keymap {
  readonly screen: ReadonlyMap<string, ScreenKey>;
  readonly composer: ReadonlyMap<string, BoundAction>;
  readonly help: readonly KeyHelp[];
  /** What opens the pager; empty: no key does. */
  readonly pageKey: string;
}

export function keymapOf(settings: KeySettings): Keymap {
  const table = tableOf(settings);
  const pageKey = table.screen.find(({ action }) => action === "page")?.keys[0] ?? "";
  return { screen: byChord(table.screen), composer: byChord(table.composer), help: keysHelp(table), pageKey };
}

/** What cannot be read is left out. */
export function tableOf(settings: KeySettings): KeyTable {
  const chosen = <Action extends string>(bindings: readonly Binding<Action>[]): readonly Binding<Action>[] =>
    bindings.map((binding) => {
      const chords = Object.hasOwn(settings, binding.action) ? settings[binding.action] : undefined;
      if (chords === undefined) return binding;
      const read = listed(chords).map(readChord);
      return { ...binding, keys: [...new Set(read.flatMap((each) => (each.ok ? each.chord : [])))] };
    });
  return { screen: chosen(defaultTable.screen), composer: chosen(defaultTable.composer) };
}

export function listed(chords: string | readonly string[]): readonly string[] {
  return typeof chords === "string" ? [chords] : chords;
}
