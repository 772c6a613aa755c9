// Which key does what in the composer; the owner asks this after its own keys, and treats enter itself.
// Undefined: not a key of the composer.
import type { ComposerAction } from "./composer-state.ts";
import { chord, type KeyEvent } from "./key-event.ts";

const actions: Readonly<Record<string, ComposerAction["type"]>> = {
  left: "left",
  right: "right",
  up: "up",
  down: "down",
  home: "home",
  end: "end",
  backspace: "backspace",
  delete: "delete",
  "ctrl+h": "backspace",
  "shift+backspace": "backspace",
  "ctrl+d": "delete",
  "ctrl+b": "left",
  "ctrl+f": "right",
  "ctrl+p": "up",
  "ctrl+n": "down",
  "ctrl+a": "home",
  "ctrl+e": "end",
  "alt+b": "word-left",
  "alt+f": "word-right",
  "ctrl+left": "word-left",
  "ctrl+right": "word-right",
  "alt+left": "word-left",
  "alt+right": "word-right",
  "ctrl+k": "cut-to-end",
  "ctrl+u": "cut-to-start",
  "ctrl+w": "cut-space-word-left",
  "alt+backspace": "cut-word-left",
  "ctrl+backspace": "cut-word-left",
  "alt+d": "cut-word-right",
  "ctrl+delete": "cut-word-right",
  "ctrl+y": "yank",
  "ctrl+_": "undo",
  "alt+enter": "newline",
  "shift+enter": "newline",
  "ctrl+j": "newline",
};

export function composerAction(event: KeyEvent): ComposerAction | undefined {
  if (event.kind === "text") return { type: "insert", text: event.text };
  if (event.kind === "paste") return { type: "paste", text: event.text };
  // Terminals differ in whether ctrl+_ and ctrl+/ come with shift.
  const name = event.ctrl && (event.name === "_" || event.name === "/" || event.name === "-") ? "ctrl+_" : chord(event);
  const type = name === undefined ? undefined : actions[name];
  return type === undefined ? undefined : ({ type } as ComposerAction);
}
