import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffTexts, formatDiff } from "../../../src/agent/tools/file-diff.ts";
import { diffBody } from "../../../src/ui/diff-body.ts";
import { diffRole } from "../../../src/ui/diff-line.ts";
import { diffRows } from "../../../src/ui/diff-rows.ts";
import { changedWords, type Range } from "../../../src/ui/diff-words.ts";
import { lineText, lineWidth } from "../../../src/ui/styled-line.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { roles } from "./markdown-samples.ts";

function marked(before: string, after: string): readonly (readonly string[])[] | undefined {
  const marks = changedWords(before, after);
  const cut = (text: string, ranges: readonly Range[]) => ranges.map(([start, end]) => text.slice(start, end));
  return marks && [cut(before, marks.before), cut(after, marks.after)];
}

describe("words that changed", () => {
  it.each([
    ["const a = 1;", "const b = 1;", ["a"], ["b"]],
    ["f(x)", "f(x, y)", [], [", y"]],
    ["new Date(text)", "parseIso(text)", ["new Date"], ["parseIso"]],
    ["left one middle two", "left three middle four", ["one", "two"], ["three", "four"]],
    ["größe = 1 und mehr", "größer = 1 und mehr", ["größe"], ["größer"]],
  ])("%s → %s", (before, after, old, now) => expect(marked(before, after)).toEqual([old, now]));

  it("are not marked between lines that have little in common, are the same, or are very long", () => {
    expect(marked("completely different", "nothing alike here!")).toBeUndefined();
    expect(marked("a", "a")).toBeUndefined();
    expect(marked(`${"a ".repeat(1_001)}b`, `${"a ".repeat(1_001)}c`)).toBeUndefined();
    expect(marked("", "a")).toBeUndefined();
  });

  it("what is not marked is the same in both", () => {
    const words = fc
      .array(fc.constantFrom("a", "b", " ", "(", "é", "👩", "12"), { maxLength: 30 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(words, words, (before, after) => {
        const marks = changedWords(before, after);
        if (!marks) return;
        const rest = (text: string, ranges: readonly Range[]) =>
          [...ranges].reverse().reduce((left, [start, end]) => left.slice(0, start) + left.slice(end), text);
        expect(rest(before, marks.before).replaceAll(" ", "")).toBe(rest(after, marks.after).replaceAll(" ", ""));
      }),
      { numRuns: fullNumber(3_000, 750) },
    );
  });

  it("are found in bounded time", () => {
    const time = cpuTime(() => {
      for (let run = 0; run < 20; run += 1) changedWords("a b ".repeat(400), "b a ".repeat(400));
    });
    expect(time).toBeLessThan(1_000);
  });
});

describe("a diff in the transcript", () => {
  const look = { width: 40, ellipsis: "…" };
  const before = Array.from({ length: 12 }, (_, index) => `line ${index}`);
  const after = before.map((line, index) => (index === 9 ? "line nine" : line));
  const body = formatDiff("a.ts", diffTexts(before.join("\n"), after.join("\n")))
    .split("\n")
    .slice(1);

  it("has the numbers of its lines in a column, and marks within lines that replace each other", () => {
    const rows = diffBody(body, look);
    expect(rows.map(lineText)).toEqual([
      " 8   line 7",
      " 9   line 8",
      "10 - line 9",
      "10 + line nine",
      "11   line 10",
      "12   line 11",
    ]);
    expect(roles(rows[2] ?? [])).toEqual(["muted:10 ", "removed:- ", "removed:line ", "removed-word:9"]);
    expect(roles(rows[3] ?? [])).toEqual(["muted:10 ", "added:+ ", "added:line ", "added-word:nine"]);
  });

  it("counts the lines of a patch, and takes its head for no line", () => {
    const patch = [
      "--- a/x",
      "+++ b/x",
      "@@ -9,3 +9,3 @@ f()",
      " a",
      "-- b",
      "+c",
      "\\ No newline at end of file",
      "é",
    ];
    expect(diffBody(patch, look).map(lineText)).toEqual([
      "   --- a/x",
      "   +++ b/x",
      "   @@ -9,3 +9,3 @@ f()",
      " 9   a",
      "10 - - b",
      "10 + c",
      "   \\ No newline at end of file",
      "   é",
    ]);
  });

  it("shows a change that stands far right", () => {
    const long = "x".repeat(60);
    const rows = diffBody([`1 - ${long} = old;`, `1 + ${long} = new;`], look);
    expect(rows.map(lineText)).toEqual(["1 - …xxxxx = old;".replace("xxxxx", "xxxxxx"), "1 + …xxxxxx = new;"]);
  });

  it("says what is no line of a file without a sign", () => {
    expect(diffBody(["1 - a", "[3 more lines of this diff]"], look).map(roles)).toEqual([
      ["muted:1 ", "removed:- ", "removed:a"],
      ["muted:  ", "muted:[3 more lines of this diff]"],
    ]);
    expect(diffBody(["[too many changes to show]"], look).map(lineText)).toEqual(["[too many changes to show]"]);
  });
});

describe("a diff to look at", () => {
  it("wraps beside its numbers and spells out what cannot be seen", () => {
    const rows = diffRows("@@ -1 +1 @@\n-one two three four\n+a\u202eb\n", 16).map(lineText);
    expect(rows).toEqual(["  @@ -1 +1 @@", "1 - one two", "  three four", "1 + a\\u202eb"]);
  });

  it.each([1, 2, 7, 30])("has no row wider than %d columns", (width) => {
    const diff = "@@ -1,2 +1,2 @@\n-a long line of 日本語 text\n+a long line of 中文 text\n b";
    for (const row of diffRows(diff, width)) expect(lineWidth(row)).toBeLessThanOrEqual(width);
  });

  it("says when there is nothing, and how much it leaves out", () => {
    expect(diffRows("", 80).map(lineText)).toEqual(["no text to show"]);
    expect(diffRows(undefined, 80)).toHaveLength(1);
    expect(lineText(diffRows("+a\n".repeat(6_000), 80).at(-1) ?? [])).toBe("+1000 more lines");
  });
});

it("knows the side of a line", () => {
  expect(["@@ x", "  1 - a", "+a", "  1   a", "a"].map(diffRole)).toEqual([
    "muted",
    "removed",
    "added",
    "plain",
    "plain",
  ]);
});
