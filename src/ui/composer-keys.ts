// Which key does what in the composer where nobody chose others (keymap.ts); the owner asks this after its own keys,
// and treats enter itself. Undefined: not a key of the composer. The help is made from the same table (keys-help.ts).
import type { ComposerAction } from "./composer-state.ts";
import { chord, type KeyEvent } from "./key-event.ts";

export interface Binding<Action> {
  readonly action: Action;
  /** Chords, the one to remember first. */
  readonly keys: readonly string[];
}

export const composerBindings = [
  { action: "newline", keys: ["alt+enter", "ctrl+j", "shift+enter"] },
  { action: "left", keys: ["left", "ctrl+b"] },
  { action: "right", keys: ["right", "ctrl+f"] },
  { action: "up", keys: ["up", "ctrl+p"] },
  { action: "down", keys: ["down", "ctrl+n"] },
  { action: "home", keys: ["ctrl+a", "home"] },
  { action: "end", keys: ["ctrl+e", "end"] },
  { action: "text-start", keys: ["ctrl+home", "alt+<"] },
  { action: "text-end", keys: ["ctrl+end", "alt+>"] },
  { action: "word-left", keys: ["alt+b", "ctrl+left", "alt+left"] },
  { action: "word-right", keys: ["alt+f", "ctrl+right", "alt+right"] },
  { action: "select-left", keys: ["shift+left"] },
  { action: "select-right", keys: ["shift+right"] },
  { action: "select-up", keys: ["shift+up"] },
  { action: "select-down", keys: ["shift+down"] },
  { action: "select-home", keys: ["shift+home"] },
  { action: "select-end", keys: ["shift+end"] },
  { action: "select-word-left", keys: ["alt+shift+left", "ctrl+shift+left", "ctrl+alt+shift+left"] },
  { action: "select-word-right", keys: ["alt+shift+right", "ctrl+shift+right", "ctrl+alt+shift+right"] },
  { action: "mark", keys: ["ctrl+space"] },
  { action: "backspace", keys: ["backspace", "ctrl+h", "shift+backspace"] },
  { action: "delete", keys: ["delete", "ctrl+d"] },
  { action: "cut-space-word-left", keys: ["ctrl+w"] },
  { action: "cut-word-left", keys: ["alt+backspace", "ctrl+backspace"] },
  { action: "cut-word-right", keys: ["alt+d", "ctrl+delete", "alt+delete"] },
  { action: "cut-to-start", keys: ["ctrl+u"] },
  { action: "cut-to-end", keys: ["ctrl+k"] },
  { action: "yank", keys: ["ctrl+y"] },
  { action: "yank-older", keys: ["alt+y"] },
  { action: "undo", keys: ["ctrl+_"] },
  { action: "redo", keys: ["alt+/", "ctrl+alt+_"] },
] as const satisfies readonly Binding<ComposerAction["type"]>[];

export type BoundAction = (typeof composerBindings)[number]["action"];

/** By chord. */
export function byChord<Action>(bindings: readonly Binding<Action>[]): ReadonlyMap<string, Action> {
  return new Map(bindings.flatMap(({ action, keys }) => keys.map((name) => [name, action] as const)));
}

const byDefault = byChord<BoundAction>(composerBindings);

export function composerAction(event: KeyEvent, actions = byDefault): ComposerAction | undefined {
  if (event.kind === "text") return { type: "insert", text: event.text };
  if (event.kind === "paste") return { type: "paste", text: event.text };
  const type = actions.get(boundName(event) ?? "");
  return type && ({ type } as ComposerAction);
}

/**
 * The chord that a table has. Terminals differ in whether ctrl+_, ctrl+/ and the signs on other keys' upper half come
 * with shift.
 */
export function boundName(event: KeyEvent): string | undefined {
  if (event.kind !== "key") return undefined;
  if (event.ctrl && !event.alt && (event.name === "_" || event.name === "/" || event.name === "-")) return "ctrl+_";
  const isSign = event.name.length === 1 && !/[a-z]/.test(event.name);
  return chord(isSign ? { ...event, shift: false } : event);
}
