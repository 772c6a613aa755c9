import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cellWidth, graphemes, padCells, truncate, wrapLine } from "../../../src/ui/text-width.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

const piece = fc.constantFrom(
  "a",
  "word",
  " ",
  "  ",
  "日本",
  "👩\u200d👩\u200d👧",
  "e\u0301",
  "🇩🇪",
  "❤\ufe0f",
  "—",
  "│",
  "✓",
  "\u0301",
  "한",
);
const anyLine = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));

describe("cellWidth", () => {
  it.each([
    ["abc", 3],
    ["日本", 4],
    ["👩\u200d👩\u200d👧", 2],
    ["e\u0301", 1],
    ["🇩🇪", 2],
    ["│─✓●❯⎿↻", 7],
    ["", 0],
  ] as const)("%s takes %i cells", (text, width) => {
    expect(cellWidth(text)).toBe(width);
  });
  it("agrees with string-width on every character of the fast path and around it", () => {
    const differing = Array.from({ length: 0xfff0 - 0x20 }, (_, index) => String.fromCharCode(index + 0x20)).filter(
      (each) => cellWidth(each) !== stringWidth(each),
    );
    expect(differing).toEqual([]);
  });
  it("counts graphemes of the fast path as the segmenter does", () => {
    const segmenter = new Intl.Segmenter();
    fc.assert(
      fc.property(
        anyLine,
        (text) => void expect(graphemes(text)).toEqual(Array.from(segmenter.segment(text), (part) => part.segment)),
      ),
    );
  });
});

describe("wrapLine", () => {
  it.each([
    ["breaks at words", "the quick brown fox", 10, ["the quick", "brown fox"]],
    ["drops the spaces at a break", "hello   world", 5, ["hello", "world"]],
    ["keeps an indent", "  abc def", 6, ["  abc", "def"]],
    ["cuts a word longer than the row", "abcdefgh ij", 3, ["abc", "def", "gh", "ij"]],
    ["breaks between wide characters", "ab日本語", 4, ["ab日", "本語"]],
    ["never parts a grapheme", "👩\u200d👩\u200d👧👩\u200d👩\u200d👧", 3, ["👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"]],
    ["shows that a wide character did not fit", "日a", 1, ["?", "a"]],
    ["takes newlines", "a\n\nb", 9, ["a", "", "b"]],
    ["an empty line is one row", "", 5, [""]],
  ] as const)("%s", (_title, text, width, rows) => expect(wrapLine(text, width)).toEqual(rows));

  it("is never wider than the width, and loses nothing but spaces", () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: -1, max: 12 }), (text, width) => {
        const rows = wrapLine(text, width);
        for (const row of rows) expect(cellWidth(row)).toBeLessThanOrEqual(Math.max(1, width));
        if (width >= 2) expect(rows.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
      { numRuns: fullNumber(2_000, 500) },
    );
  });
});

describe("truncate and padCells", () => {
  it("marks what was cut", () => {
    expect(truncate("abcdef", 4)).toBe("abc…");
    expect(truncate("日本語", 4)).toBe("日…");
    expect(truncate("日本語", 4, "")).toBe("日本");
    expect(truncate("abc", 3)).toBe("abc");
  });
  it("fit exactly or stay below, at any width", () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 0, max: 12 }), (text, width) => {
        expect(cellWidth(truncate(text, width))).toBeLessThanOrEqual(width);
        expect(cellWidth(padCells(text, width))).toBe(width);
      }),
    );
  });
});
