import { describe, expect, it } from "vitest";
import { composerAction, composerBindings } from "../../../src/ui/composer-keys.ts";
import { keymapOf } from "../../../src/ui/keymap.ts";
import { createKeyDecoder } from "../../../src/ui/keys.ts";
import { defaultTable, keysHelp } from "../../../src/ui/keys-help.ts";

function actionsOf(input: string): readonly (string | undefined)[] {
  return createKeyDecoder()
    .push(new TextEncoder().encode(input))
    .map((event) => composerAction(event)?.type);
}

describe("composerAction", () => {
  it.each([
    ["arrows", "\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]],
    [
      "words",
      "\x1bb\x1bf\x1b[1;5D\x1b[1;5C\x1b[1;3D",
      ["word-left", "word-right", "word-left", "word-right", "word-left"],
    ],
    ["line ends", "\x01\x05\x1b[H\x1b[F", ["home", "end", "home", "end"]],
    [
      "cuts",
      "\x0b\x15\x17\x1b\x7f\x1bd",
      ["cut-to-end", "cut-to-start", "cut-space-word-left", "cut-word-left", "cut-word-right"],
    ],
    ["yank and undo", "\x19\x1f\x1b[47;5u\x1b[45;6u", ["yank", "undo", "undo", "undo"]],
    ["older cuts and redo", "\x1by\x1b/\x1b[121;3u\x1b[47;3u", ["yank-older", "redo", "yank-older", "redo"]],
    [
      "the text's ends",
      "\x1b[1;5H\x1b[1;5F\x1b<\x1b>\x1b[60;4u",
      ["text-start", "text-end", "text-start", "text-end", "text-start"],
    ],
    [
      "selecting",
      "\x1b[1;2D\x1b[1;4D\x1b[1;6C\x1b[1;8C\x1b[d\x1b\x1b[1;2D\x1b[1;2A\x1b[1;2H\0\x1b[32;5u",
      [
        "select-left",
        "select-word-left",
        "select-word-right",
        "select-word-right",
        "select-left",
        "select-word-left",
        "select-up",
        "select-home",
        "mark",
        "mark",
      ],
    ],
    ["new lines", "\n\x1b\r\x1b[13;2u\x1b[106;5u", ["newline", "newline", "newline", "newline"]],
    ["deleting", "\x7f\x08\x1b[3~\x04", ["backspace", "backspace", "delete", "delete"]],
    ["text and pastes", "ab\x1b[200~c\x1b[201~", ["insert", "paste"]],
    ["enter, escape, tab and ctrl+c are the owner's", "\r\t\x03\x1b[27u", [undefined, undefined, undefined, undefined]],
  ])("%s", (_title, input, expected) => expect(actionsOf(input)).toEqual(expected));
});

describe("the table of keys", () => {
  it("binds no chord twice", () => {
    const chords = composerBindings.flatMap(({ keys }) => keys);
    expect(new Set(chords).size).toBe(chords.length);
  });

  it("is what the help shows: every key named there does something, and no name is misspelled", () => {
    const chords = new Set<string>(composerBindings.flatMap(({ keys }) => keys));
    const elsewhere = new Set(["y", "a", "e", "n", "t", "pgdn", "pgup", "space", "d", "?", "/", "@", "!", "!!"]);
    for (const name of ["\\ enter", "esc"]) elsewhere.add(name);
    const named = keysHelp(defaultTable).flatMap(({ keys }) => keys.split(", "));
    expect(named.filter((name) => !chords.has(name) && !elsewhere.has(name) && !keymapOf({}).screen.has(name))).toEqual(
      [],
    );
    for (const name of ["ctrl+r", "ctrl+g", "ctrl+y", "alt+y", "alt+/", "ctrl+_", "@"]) expect(named).toContain(name);
  });
});
