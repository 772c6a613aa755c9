// Which key does what in the composer; the owner asks this after its own keys, and treats enter itself.
// Undefined: not a key of the composer. The help of these keys is made from the same table (keys-help.ts).
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

const actions: ReadonlyMap<string, BoundAction> = new Map(
  composerBindings.flatMap(({ action, keys }) => keys.map((name) => [name, action] as const)),
);

export function composerAction(event: KeyEvent): ComposerAction | undefined {
  if (event.kind === "text") return { type: "insert", text: event.text };
  if (event.kind === "paste") return { type: "paste", text: event.text };
  const type = actions.get(nameOf(event));
  return type && { type };
}

/** Terminals differ in whether ctrl+_, ctrl+/ and the signs on other keys' upper half come with shift. */
function nameOf(event: KeyEvent & { kind: "key" }): string {
  if (event.ctrl && !event.alt && (event.name === "_" || event.name === "/" || event.name === "-")) return "ctrl+_";
  const isSign = event.name.length === 1 && !/[a-z]/.test(event.name);
  return chord(isSign ? { ...event, shift: false } : event) ?? "";
}
