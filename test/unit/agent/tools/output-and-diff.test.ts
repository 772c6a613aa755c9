import fc from "fast-check";
import { expect, test } from "vitest";
import { diffTexts, formatDiff } from "../../../../src/agent/tools/file-diff.ts";
import { createOutputCapture } from "../../../../src/agent/tools/output-capture.ts";

test("whatever the chunks are, output below the bound is whole, and above it head and tail are kept and the rest counted", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 30 })), (chunks) => {
      const capture = createOutputCapture(40);
      for (const chunk of chunks) capture.add(Buffer.from(chunk));
      const all = chunks.join("");
      const dropped = all.length - 40;
      const expected =
        dropped <= 0 ? all : `${all.slice(0, 20)}\n[${dropped} bytes of output dropped here]\n${all.slice(-20)}`;
      expect(capture.text()).toBe(expected);
    }),
  );
});

test("a diff's counts and lines rebuild the new text from the old one", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { hunks = [], added, removed } = diffTexts(before, after);
      const lines = before.split("\n").slice(0, -1);
      expect(lines.length + added - removed).toBe(after.split("\n").length - 1);
      const now = after.split("\n");
      for (const { sign, number, text: line } of hunks.flat()) {
        expect((sign === "-" ? lines : now)[number - 1]).toBe(line);
      }
    }),
  );
});

test("texts too different to compare are counted, and a long diff is cut and said", () => {
  const numbered = (count: number, word: string) =>
    Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join("");
  expect(formatDiff("a", diffTexts(numbered(9000, "x"), numbered(9000, "y")))).toContain("[too many changes to show]");
  const lines = formatDiff("a", diffTexts("", numbered(300, "x"))).split("\n");
  expect(lines[0]).toBe("a +300 -0");
  expect(lines.at(-1)).toBe("[140 more lines of this diff]");
});
