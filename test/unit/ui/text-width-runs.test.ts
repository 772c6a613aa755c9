import fc from "fast-check";
import stringWidth from "string-width";
import { expect, it } from "vitest";
import { cellWidth, graphemes } from "../../../src/ui/text-width.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

const pieces = fc.constantFrom(
  "a",
  "word ",
  "日",
  "한",
  "é",
  "e\u0301",
  "🙂",
  "👩‍👩‍👧",
  "🙂‍↔️",
  "🇩🇪",
  "❤️",
  "\u0301",
  "\u200d",
  "↔",
  "1️⃣",
  "กำ",
  "…",
);

it("splits and measures mixed text as one pass over all of it would", () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (list) => {
      const text = list.join("");
      expect(graphemes(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
      expect(cellWidth(text)).toBe(stringWidth(text));
    }),
    { numRuns: fullNumber(2_000, 500) },
  );
});
