// What a person does at the keyboard, as every part of the screen gets it.
export type KeyEvent =
  | { readonly kind: "text"; readonly text: string }
  /** `name` is a lower-case character or one of: enter escape tab backspace delete insert space up down left right home end pageup pagedown f1..f12. */
  | {
      readonly kind: "key";
      readonly name: string;
      readonly ctrl: boolean;
      readonly alt: boolean;
      readonly shift: boolean;
    }
  /** Exactly what was pasted, control characters too; its line ends: paste-bytes.ts. */
  | { readonly kind: "paste"; readonly text: string };

export function key(name: string, modifiers: { ctrl?: boolean; alt?: boolean; shift?: boolean } = {}): KeyEvent {
  return { kind: "key", name, ctrl: false, alt: false, shift: false, ...modifiers };
}

/** `ctrl+alt+shift+name`, the modifiers that are held in this order; undefined for text and pastes. */
export function chord(event: KeyEvent): string | undefined {
  if (event.kind !== "key") return undefined;
  return `${event.ctrl ? "ctrl+" : ""}${event.alt ? "alt+" : ""}${event.shift ? "shift+" : ""}${event.name}`;
}
