import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeFiles, mergeTexts } from "../../../../src/agent/file-changes/merge.ts";

const text = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

describe("merging three texts", () => {
  test.each([
    ["changes apart", text("a", "b", "c", "d"), text("A", "b", "c", "d"), text("a", "b", "c", "D"), "A\nb\nc\nD\n"],
    ["the same change", text("a", "b"), text("x", "b"), text("x", "b"), "x\nb\n"],
    ["lines added and removed", text("a", "b", "c"), text("0", "a", "b", "c"), text("a", "b"), "0\na\nb\n"],
    [
      "several changes of both",
      text(..."abcdefg"),
      text(..."aBcdefg"),
      text(..."abcdEfg", "h"),
      "a\nB\nc\nd\nE\nf\ng\nh\n",
    ],
    ["a last line without an end", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"],
    ["one side alone", text("a"), text("a"), "", ""],
    ["an empty base", "", text("a"), text("a"), "a\n"],
  ])("takes %s", (_, base, ours, theirs, merged) => {
    expect(mergeTexts(base, ours, theirs)).toEqual({ clean: merged });
    expect(mergeTexts(base, theirs, ours)).toEqual({ clean: merged });
  });

  test.each([
    ["the same line", text("a", "b", "c"), text("a", "x", "c"), text("a", "y", "c"), 2],
    ["neighbouring lines", text("a", "b", "c"), text("A", "b", "c"), text("a", "B", "c"), 1],
    ["different lines at the same place", text("a", "b"), text("a", "x", "b"), text("a", "y", "b"), 2],
    ["a changed and a removed line", text("a", "b", "c"), text("a", "x", "c"), text("a", "c"), 2],
    ["all of it", text("a"), text("b"), "", 1],
  ])("is a conflict for %s", (_, base, ours, theirs, line) => {
    const conflict = { conflict: `both changed it at line ${line}` };
    expect(mergeTexts(base, ours, theirs)).toEqual(conflict);
    expect(mergeTexts(base, theirs, ours)).toEqual(conflict);
  });

  test("keeps the line ends of ours, also where somebody changed all of them", () => {
    const crlf = (value: string) => value.replaceAll("\n", "\r\n");
    const [base, ours, theirs] = [text("a", "b", "c"), text("a", "b", "C"), text("A", "b", "c")];
    expect(mergeTexts(crlf(base), crlf(ours), crlf(theirs))).toEqual({ clean: "A\r\nb\r\nC\r\n" });
    expect(mergeTexts(base, crlf(ours), theirs)).toEqual({ clean: "A\r\nb\r\nC\r\n" });
    expect(mergeTexts(crlf(base), ours, crlf(theirs))).toEqual({ clean: "A\nb\nC\n" });
    expect(mergeTexts("a\r\nb\nc\n", "a\r\nb\nC\n", "A\r\nb\nc\n")).toEqual({ clean: "A\r\nb\nC\n" });
  });

  test("leaves texts alone that are too different", () => {
    const many = (mark: string) => text(...Array.from({ length: 5000 }, (_, index) => `${mark}${index}`));
    expect(mergeTexts(many("a"), many("b"), many("a"))).toEqual({ conflict: "it changed too much since" });
  });

  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
  const texts = fc.tuple(lines, fc.boolean()).map(([all, ends]) => all.join("\n") + (ends ? "\n" : ""));

  test("gives one side where the other changed nothing, or the same", () => {
    fc.assert(
      fc.property(texts, texts, (base, other) => {
        expect(mergeTexts(base, other, base)).toEqual({ clean: other });
        expect(mergeTexts(base, base, other)).toEqual({ clean: other });
        expect(mergeTexts(base, other, other)).toEqual({ clean: other });
      }),
    );
  });

  test("answers the same whichever side is called ours", () => {
    fc.assert(
      fc.property(texts, texts, texts, (base, ours, theirs) => {
        expect(mergeTexts(base, ours, theirs)).toEqual(mergeTexts(base, theirs, ours));
      }),
    );
  });

  test("has both changes where an unchanged line lies between them", () => {
    const distinct = fc.uniqueArray(fc.integer({ min: 0, max: 999 }).map(String), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(distinct, fc.nat(), lines, lines, (all, where, first, second) => {
        const middle = 1 + (where % (all.length - 2));
        const [head, line, tail] = [all.slice(0, middle), all[middle] ?? "", all.slice(middle + 1)];
        const [changedHead, changedTail] = [
          [...first, ...head.slice(1)],
          [...tail.slice(1), ...second],
        ];
        const merged = mergeTexts(
          text(...all),
          text(...changedHead, line, ...tail),
          text(...head, line, ...changedTail),
        );
        expect(merged).toEqual({ clean: text(...changedHead, line, ...changedTail) });
      }),
    );
  });
});

describe("merging files", () => {
  const bytes = (value: string) => Buffer.from(value, "latin1");

  test("goes byte for byte through text", () => {
    const [base, ours, theirs] = ["\uFEFFa\nb\nc\n", "\uFEFFa\nb\nc\u00e9\n", "\uFEFFA\nb\nc\n"].map((value) =>
      Buffer.from(value),
    );
    expect(mergeFiles(base ?? bytes(""), ours ?? bytes(""), theirs ?? bytes(""))).toEqual({
      clean: Buffer.from("\uFEFFA\nb\nc\u00e9\n"),
    });
  });

  test.each([
    ["a NUL", "a\0b\n"],
    ["what is not UTF-8", "caf\xe9\n"],
  ])("with %s is a conflict", (_, other) => {
    expect(mergeFiles(bytes("a\n"), bytes("a\n"), bytes(other))).toEqual({ conflict: "it is not text" });
    expect(mergeFiles(bytes(other), bytes("a\n"), bytes("b\n"))).toEqual({ conflict: "it is not text" });
  });
});
