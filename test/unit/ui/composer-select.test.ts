import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectionWindow } from "../../../src/ui/composer-layout.ts";
import { isSelecting } from "../../../src/ui/composer-select.ts";
import { selectedRange } from "../../../src/ui/composer-selection.ts";
import {
  type ComposerAction,
  type ComposerState,
  composerReducer,
  composerText,
  createComposer,
  submitComposer,
} from "../../../src/ui/composer-state.ts";

type Step = ComposerAction["type"] | ComposerAction;

const run = (state: ComposerState, ...steps: readonly Step[]): ComposerState =>
  steps.reduce<ComposerState>(
    (now, step) => composerReducer(now, typeof step === "string" ? ({ type: step } as ComposerAction) : step),
    state,
  );
const start = (text: string): ComposerState => createComposer({ width: 40, text });
const insert = (text: string): ComposerAction => ({ type: "insert", text });
/** What is drawn, the selected part in brackets. */
const drawn = ({ buffer, mark }: ComposerState): readonly string[] =>
  selectionWindow(buffer, 40, { maxRows: 20, selection: selectedRange(buffer, mark) }).rows.map(({ text, selected }) =>
    selected ? `${selected.before}[${selected.text}]${selected.after}` : text,
  );

const paste = "pasted\n".repeat(9);

describe("a selection", () => {
  it("grows by graphemes, words and lines, and shrinks again", () => {
    const state = start("one two 👩‍💻");
    expect(drawn(run(state, "select-left"))).toEqual(["one two [👩‍💻]"]);
    expect(drawn(run(state, "select-word-left"))).toEqual(["one [two 👩‍💻]"]);
    expect(drawn(run(state, "select-home", "select-word-right"))).toEqual(["one[ two 👩‍💻]"]);
    expect(isSelecting(run(state, "select-left", "select-right"))).toBe(false);
    expect(drawn(run(start("one\n\ntwo"), "select-up", "select-up"))).toEqual(["one[ ]", "[ ]", "[two]"]);
  });

  it("takes a paste whole", () => {
    const state = run(start("a "), { type: "paste", text: paste }, insert("z"), "select-left", "select-word-left");
    expect(drawn(state)).toEqual(["a [[9 lines]z]"]);
    expect(composerText(run(state, "backspace"))).toBe("a ");
    expect(composerText(run(state, "backspace", "undo"))).toBe(`a ${paste}z`);
  });

  it.each<[Step, string]>([
    [insert("x"), "one x"],
    ["newline", "one \n"],
    [{ type: "paste", text: "three four" }, "one three four"],
    ["backspace", "one "],
    ["delete", "one "],
    ["cut-space-word-left", "one "],
    ["cut-to-end", "one "],
  ])("is replaced or taken out by %o, and one undo brings it back", (step, after) => {
    const state = run(start("one two"), "select-word-left", step);
    expect(composerText(state)).toBe(after);
    expect(composerText(run(state, "undo"))).toBe("one two");
    expect(isSelecting(state)).toBe(false);
  });

  it("is kept for yank by the keys that cut, and by them alone", () => {
    const cut = run(start("one two"), "select-word-left", "cut-to-end");
    expect(composerText(run(cut, "home", "yank"))).toBe("twoone ");
    const deleted = run(start("one two"), "select-word-left", "backspace");
    expect(composerText(run(deleted, "yank"))).toBe("one ");
    // With nothing to put in its place it stays.
    expect(composerText(run(start("one two"), "select-word-left", "yank"))).toBe("one two");
  });

  it("is ended by a plain move, by sending and by a text that comes from elsewhere", () => {
    const state = run(start("one two"), "select-word-left");
    for (const step of ["left", "end", "undo", "unmark"] as const) expect(isSelecting(run(state, step))).toBe(false);
    expect(composerText(run(state, "left", "backspace"))).toBe("on two");
    expect(submitComposer(state).text).toBe("one two");
    expect(isSelecting(run(state, { type: "set", text: "other" }))).toBe(false);
  });

  it("does not go on into the history", () => {
    const state = createComposer({ width: 40, history: ["earlier"], text: "now" });
    expect(composerText(run(state, "select-up"))).toBe("now");
    expect(composerText(run(state, "mark", "up"))).toBe("now");
    expect(composerText(run(state, "up"))).toBe("earlier");
  });

  it("is what plain moves extend after a mark, until the mark is set again", () => {
    const marked = run(start("one two"), "mark", "word-left", "left");
    expect(drawn(marked)).toEqual(["one[ two]"]);
    expect(composerText(run(marked, insert("!")))).toBe("one!");
    expect(isSelecting(run(start("x"), "mark", "mark"))).toBe(false);
    expect(isSelecting(run(marked, "unmark", "left"))).toBe(false);
  });

  it("of any text, cut and put back, loses nothing, and undone, leaves the text as it was", () => {
    const piece = fc.constantFrom("a", "b c", "\n", "e\u0301", "\u0301", "👩‍💻", "🇩🇪", "🇩", "日本", "\u200d", " ");
    const move = fc.constantFrom<Step>(
      ...(["left", "right", "up", "down", "word-left", "home", "text-start", "text-end"] as const),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(move), fc.array(move), (pieces, before, after) => {
        const text = pieces.join("");
        const state = run(start(text), ...before, "mark", ...after);
        const range = selectedRange(state.buffer, state.mark);
        const cut = run(state, "cut-to-end");
        expect(composerText(run(cut, "undo"))).toBe(composerText(state));
        if (range === undefined) return;
        // What came together may be one grapheme now, which nothing is put into.
        expect([...composerText(run(cut, "yank"))].sort()).toEqual([...text].sort());
        expect(composerText(cut).length).toBeLessThan(text.length);
      }),
    );
  });
});

describe("a text that was put there to be mended or replaced", () => {
  const put = (text = "/model nope"): ComposerState =>
    run(start(""), { type: "set", text, isSelected: true } as ComposerAction);

  it("is shown as selected, also in another width, and is what is sent", () => {
    expect(drawn(put())).toEqual(["[/model nope]"]);
    expect(drawn(run(put(), { type: "resize", width: 40 }))).toEqual(["[/model nope]"]);
    expect(submitComposer(put()).text).toBe("/model nope");
  });

  it.each<[ComposerAction, string]>([
    [insert("/"), "/"],
    [insert("x"), "x"],
    [{ type: "paste", text: "three four" }, "three four"],
  ])("gives way to %o, and undo brings it back", (step, after) => {
    const state = run(put(), step);
    expect(composerText(state)).toBe(after);
    expect(composerText(run(state, "undo"))).toBe("/model nope");
    expect(composerText(run(state, insert("y")))).toBe(`${after}y`);
  });

  it.each<[Step, string]>([
    ["backspace", "/model nopx"],
    ["left", "/model nopxe"],
    ["end", "/model nopex"],
    ["home", "x/model nope"],
    ["cut-space-word-left", "/model x"],
    ["cut-to-start", "x"],
    ["newline", "/model nope\nx"],
    ["unmark", "/model nopex"],
  ])("is edited from %o on", (step, after) => {
    expect(composerText(run(put(), step, insert("x")))).toBe(after);
  });
});
