// Chords as a person writes them: `ctrl+x`, `Alt+Shift+Left`, `esc`. Read into the one form that the tables have.

export type ReadChord =
  | { readonly ok: true; readonly chord: string }
  /** `why` ends a sentence that begins with the chord. */
  | { readonly ok: false; readonly why: string };

const modifierNames: Readonly<Record<string, "ctrl" | "alt" | "shift">> = {
  ctrl: "ctrl",
  control: "ctrl",
  alt: "alt",
  option: "alt",
  meta: "alt",
  shift: "shift",
};

const keyNames: readonly string[] = [
  ..."enter escape tab backspace delete insert space up down left right home end pageup pagedown".split(" "),
  ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`),
];

const otherNames: Readonly<Record<string, string>> = {
  esc: "escape",
  return: "enter",
  del: "delete",
  ins: "insert",
  pgup: "pageup",
  pgdn: "pagedown",
};

/** What a terminal sends for them is another key. */
const sameAs: Readonly<Record<string, string>> = { "ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "escape" };

export function readChord(text: string): ReadChord {
  const parts = /^(.*\+)?(.[^+]*)$/su.exec(text.trim().toLowerCase());
  const written = parts?.[2];
  if (written === undefined) return { ok: false, why: 'is no key: write one like "ctrl+x"' };
  const held = new Set<string>();
  for (const part of (parts?.[1] ?? "").split("+").slice(0, -1)) {
    const modifier = modifierNames[part.trim()];
    if (modifier === undefined)
      return { ok: false, why: `is no key: before the + stand ctrl, alt and shift, not ${part}` };
    held.add(modifier);
  }
  const name = otherNames[written.trim()] ?? written.trim();
  const isCharacter = [...name].length === 1;
  if (!isCharacter && !keyNames.includes(name)) {
    return {
      ok: false,
      why: `is no key: there is no ${written}; keys have one character or are ${keyNames.slice(0, 15).join(", ")}, f1 to f12`,
    };
  }
  if ((isCharacter || name === "space") && !held.has("ctrl") && !held.has("alt")) {
    return { ok: false, why: `is text: hold ctrl or alt with it` };
  }
  return normal(held, name, isCharacter && !/\p{L}/u.test(name));
}

function normal(held: ReadonlySet<string>, name: string, isSign: boolean): ReadChord {
  const modifiers = ["ctrl", "alt", "shift"].filter((each) => held.has(each) && !(isSign && each === "shift"));
  const chord = [...modifiers, name].join("+");
  if (["ctrl+/", "ctrl+-"].includes(chord)) return { ok: true, chord: "ctrl+_" };
  if (chord === "ctrl+@") return { ok: true, chord: "ctrl+space" };
  const same = sameAs[chord];
  return same === undefined ? { ok: true, chord } : { ok: false, why: `is ${same} in a terminal: choose another` };
}
