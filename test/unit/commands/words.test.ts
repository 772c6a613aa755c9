import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteWord, splitWords } from "../../../src/commands/words.ts";

describe("splitting what was typed", () => {
  it.each([
    ["a  b\tc\nd", ["a", "b", "c", "d"]],
    ["'a b' c", ["a b", "c"]],
    ['"a \\"b\\" \\\\ \\n"', ['a "b" \\ \\n']],
    ["don't panic", ["don't", "panic"]],
    ["a\\ b \\'c", ["a b", "'c"]],
    ["--title='x y' --n=\"1 2\"", ["--title=x y", "--n=1 2"]],
    ["'' \"\"", ["", ""]],
    ["'a'b", ["ab"]],
    ["tail\\", ["tail\\"]],
    ["", []],
  ])("reads %j", (text, words) => {
    expect(splitWords(text)).toEqual({ ok: true, words });
  });

  it.each(["'open", '"open', "a 'b", "--x='y"])("says that the quote of %j is open", (text) => {
    expect(splitWords(text)).toMatchObject({ ok: false, problem: expect.stringContaining("is not closed") });
  });

  it("never throws and never loses the end of what it reads", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const split = splitWords(text);
        if (split.ok) expect(split.words.join("").length).toBeLessThanOrEqual(text.length);
        else expect(text).toMatch(/['"]/);
      }),
    );
  });

  it("reads back every list of words that was quoted", () => {
    const word = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[ '"\\=\n-]{0,6}$/));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitWords(words.map(quoteWord).join(" "))).toEqual({ ok: true, words });
      }),
    );
  });
});
