import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bufferOf, insertCells, moveTo } from "../../../src/ui/composer-buffer.ts";
import { pathText, pathToken } from "../../../src/ui/path-menu.ts";

const query = (text: string): string | undefined => pathToken(bufferOf(text))?.query;

describe("pathToken", () => {
  it.each([
    ["@", ""],
    ["see @src/a", "src/a"],
    ["see (@src", "src"],
    ["two @a @b", "b"],
    ["a line\nand @日本/🎉", "日本/🎉"],
    ['open @"my dir/a', "my dir/a"],
    ['open @"my @dir/a', "my @dir/a"],
    ['@"a \\"b', 'a "b'],
    ['@"', ""],
  ])("of %j is %j", (text, expected) => expect(query(text)).toBe(expected));

  it.each(["", "me@host", "@src/a now", "@a ", 'done @"my dir/a"', 'done @"my dir/a" ', "@a\n", "x@"])(
    "there is none in %j",
    (text) => expect(query(text)).toBeUndefined(),
  );

  it("ends at the cursor, and there is none inside of a word", () => {
    expect(pathToken(moveTo(bufferOf("see @sr now"), 7))).toMatchObject({ from: 4, query: "sr", isFollowed: true });
    expect(pathToken(moveTo(bufferOf("see @sr now"), 6))).toBeUndefined();
  });

  it("is never behind a paste, and no key looks back far", () => {
    const paste = { paste: "a\nb\nc\nd", label: "[4 lines]" };
    expect(pathToken(insertCells(bufferOf("@a"), [[paste]]))).toBeUndefined();
    expect(query(`@${"x".repeat(10_000)}`)).toBeUndefined();
  });
});

describe("pathText", () => {
  it("is the plain path, in quotes where it has blanks; a folder goes on", () => {
    expect(["src/a.ts", "src/", "my dir/", "my dir/a.ts", 'a"b\\c'].map(pathText)).toEqual([
      "@src/a.ts",
      "@src/",
      '@"my dir/',
      '@"my dir/a.ts"',
      '@"a\\"b\\\\c"',
    ]);
  });

  it("of a folder is asked for again as that folder, whatever its name", () => {
    const name = fc.string({
      unit: fc.constantFrom("a", " ", '"', "\\", "@", "日", "(", "'"),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(name, (folder) => {
        expect(query(`see ${pathText(`${folder}/`)}`)).toBe(`${folder}/`);
      }),
    );
  });
});
