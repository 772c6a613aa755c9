// What is text in a line that the terminal itself edited: it knows no arrow and no escape, so their bytes end up in the
// line, unseen or as `^[[D`. Promise: what comes out holds no escape sequence and no control but newline and tab.
// Not the sanitiser: to that, the letter after an escape belongs to it; here it was typed, and is never lost.

const sequences = new RegExp(
  [
    // OSC, DCS, SOS, PM, APC, where they are whole
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)",
    // Function keys of the Linux console
    "\\x1b\\[\\[[A-E]",
    // CSI
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]",
    // SS3, as keys have it
    "(?:\\x1bO|\\x8f)\\d*[A-DFHMP-S]",
  ].join("|"),
  "g",
);
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

export type TypedLine =
  | { readonly kind: "text"; readonly text: string }
  /** Keys and nothing else; `isEscape`: the escape key alone. */
  | { readonly kind: "keys"; readonly isEscape: boolean };

export function typedLine(raw: string): TypedLine {
  const text = raw.replace(sequences, "").replace(/\r\n?/g, "\n").replace(controls, "");
  if (text.trim() !== "" || raw.trim() === "") return { kind: "text", text };
  return { kind: "keys", isEscape: /^[\s\x1b]+$/.test(raw) };
}
