import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { snippetParts } from "../../../src/ledger/snippet.ts";

/** As it comes from SQLite: hits in brackets. */
function snippet(text: string, match = '"heron"'): string {
  return snippetParts(text.replaceAll("[", "\u0002").replaceAll("]", "\u0003"), match)
    .map((part) => (part.isHit ? `[${part.text}]` : part.text))
    .join("");
}

const far = (word: string) => `${word} `.repeat(100);

describe("a snippet", () => {
  it.each([
    ["all of a short text", "a grey [heron] came by"],
    ["a hit alone", "[heron]"],
    ["nothing", ""],
  ])("is %s", (_, text) => {
    expect(snippet(text)).toBe(text);
  });

  it("is cut between words, and says where", () => {
    const shown = snippet(`${far("left")}[heron] ${far("right")}`);
    expect(shown).toMatch(/^…(left )+\[heron\]( right)+…$/);
    expect(shown.length).toBeLessThan(300);
  });

  it("stands where most different words are found together", () => {
    expect(snippet(`[heron] [heron] ${far("x")}a [heron] in the [pond] ${far("y")}`)).toContain(
      "[heron] in the [pond]",
    );
  });

  it("is short also around a word that is not", () => {
    const shown = snippet(`${"x".repeat(9000)} [${"y".repeat(9000)}] ${"z".repeat(9000)}`);
    expect(shown.length).toBeLessThan(300);
    expect(shown).toContain("[y");
  });

  it("takes no longer where a text repeats the word a hundred thousand times", () => {
    expect(snippet("[heron] ".repeat(100_000)).length).toBeLessThan(500);
  });

  it("finds the words itself in a text that is too long to be marked", () => {
    const text = `${far("herons")}a Heron/Pond, ${far("pond")}`;
    expect(snippet(text, '"heron.pond" NOT "x"')).toContain("a [Heron/Pond], pond");
    expect(snippet("my herons", '"her"*')).toBe("my [herons]");
    expect(snippet("nothing of it", '"heron"')).toBe("nothing of it");
  });

  it("is a piece of the text, whatever that is", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", " ", "\n", "\u0002", "\u0003", "\ud83d", "世"),
      maxLength: 900,
    });
    fc.assert(
      fc.property(text, (marked) => {
        const parts = snippetParts(marked, '"a"');
        expect(parts.every((part) => part.text !== "" && part.text.isWellFormed())).toBe(true);
        expect(parts.map((part) => part.text).join("").length).toBeLessThan(300);
      }),
    );
  });
});
