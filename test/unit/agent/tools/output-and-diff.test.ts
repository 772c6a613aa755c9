import fc from "fast-check";
import { expect, test } from "vitest";
import { diffTexts, formatDiff } from "../../../../src/agent/tools/file-diff.ts";

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
