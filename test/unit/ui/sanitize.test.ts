import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSanitizer, reveal, revealParts, sanitize } from "../../../src/ui/sanitize.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

const clean = (text: string): string => sanitize(text, { keepNewlines: true });
const family = "👩\u200d👩\u200d👧";
const scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";

describe("terminal control", () => {
  it.each([
    ["colours and cursor movement", "a\x1b[31mb\x1b[2J\x1b[1;1Hc", "abc"],
    ["titles, links and clipboard writes", "a\x1b]0;evil\x07b\x1b]8;;http://x\x1b\\c\x1b]52;c;AAAA\x9cd", "abcd"],
    [
      "device control, application, privacy and start-of-string",
      "a\x1bPq#1\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e",
      "abcde",
    ],
    ["8-bit forms", "a\x9b31mb\x9d0;x\x07c\x90x\x9cd\x85e", "abcde"],
    ["charset switches and full reset", "a\x1b(0b\x1bcc\x1b#8d", "abcd"],
    ["a lone escape at the end", "a\x1b", "a"],
    ["an escape inside a sequence starts a new one", "a\x1b[3\x1b[31mb", "ab"],
    ["bell, null, backspace and delete", "a\x07\0\x08\x7fb", "ab"],
    ["a control inside a sequence does not end it", "a\x1b[3\x071mb", "ab"],
    ["a carriage return starts a line, with its line feed only one", "safe\rrm -rf\r\nx\n\ny", "safe\nrm -rf\nx\n\ny"],
    ["line and paragraph separators are lines", "a\u2028b\u2029c", "a\nb\nc"],
    ["an unterminated string hides its own line only", "a\x1b]0;title\nb", "a\nb"],
    ["an unterminated sequence is cut by the line's end", "a\x1b[31\nb", "a\nb"],
  ])("%s", (_title, input, expected) => expect(clean(input)).toBe(expected));
});

describe("invisible characters", () => {
  it.each([
    ["bidi overrides, isolates and marks", "a\u202eb\u2066c\u2069d\u200fe\u061cf", "abcdef"],
    ["zero-width space, joiners, BOM, soft hyphen, fillers", "a\u200bb\u200dc\u200cd\ufeffe\u00adf\u3164g", "abcdefg"],
    ["tag characters that smuggle text", "a\u{e0001}\u{e0068}\u{e0069}\u{e007f}b", "ab"],
    ["variation selectors on letters and digits", "a\ufe0fb1\ufe0f2\u{e0100}", "ab12"],
    ["lone surrogates become visible", "a\ud800b\udc00c", "a\ufffdb\ufffdc"],
  ])("%s go", (_title, input, expected) => expect(clean(input)).toBe(expected));

  it.each([
    family,
    scotland,
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "👍🏽",
    "🇩🇪",
    "👩🏽\u200d💻",
    "e\u0301",
    "日本語",
    "한국어",
    "עברית",
  ])("%s stays as it is", (text) => {
    expect(clean(`a${text}b`)).toBe(`a${text}b`);
  });

  it("a joiner with nothing to join goes", () => {
    expect(clean("👩\u200d")).toBe("👩");
    expect(clean("👩\u200da\u200d👩")).toBe("👩a👩");
  });
});

describe("lines and tabs", () => {
  it("line breaks are spaces unless they are wanted", () => expect(sanitize("a\nb\r\nc")).toBe("a b c"));
  it("tabs reach to the next stop, by cells", () => {
    expect(clean("\tx\nab\tx\n日本\tx")).toBe("        x\nab      x\n日本    x");
    expect(sanitize("a\tb\tc", { tabs: 4 })).toBe("a   b   c");
  });
});

describe("for any text", () => {
  const piece = fc.constantFrom(
    "\x1b",
    "[",
    "]",
    "P",
    "_",
    "\\",
    "\x07",
    "\x9b",
    "\x9c",
    "\x9d",
    "31",
    "m",
    ";",
    "\r",
    "\n",
    "\t",
    "\x18",
    "\x08",
    "\x7f",
    "\u2028",
    "a",
    "1",
    "#",
    "日",
    "\u200d",
    "\ufe0f",
    "\u20e3",
    "👩",
    "❤",
    "🏽",
    "\u{1f3f4}",
    "\u{e0067}",
    "\u{e007f}",
    "\u202e",
    "\u2066",
    "\ud83d",
    "\udc69",
    "é",
    "\u0301",
  );
  const anyText = fc.oneof(
    fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  );
  const forbidden = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

  it("nothing that acts on a terminal is left, and a second pass changes nothing", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, keepNewlines) => {
        const result = sanitize(text, { keepNewlines });
        expect(result).not.toMatch(forbidden);
        expect(result.isWellFormed()).toBe(true);
        if (!keepNewlines) expect(result).not.toContain("\n");
        expect(sanitize(result, { keepNewlines })).toBe(result);
      }),
      { numRuns: fullNumber(3_000, 750) },
    );
  });

  it("cuts do not matter", () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(40), { maxLength: 8 }), (text, cuts) => {
        const sanitizer = createSanitizer({ keepNewlines: true });
        const bounds = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const pieces = bounds.slice(1).map((end, index) => sanitizer.push(text.slice(bounds[index], end)));
        expect(pieces.join("") + sanitizer.end()).toBe(clean(text));
      }),
      { numRuns: fullNumber(3_000, 750) },
    );
  });

  it("what is revealed has no invisible character, and plain text is revealed as it is", () => {
    fc.assert(
      fc.property(anyText, (text) => void expect(reveal(text)).not.toMatch(forbidden)),
      { numRuns: fullNumber(1_000, 250) },
    );
    fc.assert(fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => void expect(reveal(text)).toBe(text)));
  });
});

describe("the fast path", () => {
  it("passes no character that the slow one would spell out", () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    // A zero-width space behind the character takes the text off the fast path.
    expect(all.filter((each) => `${reveal(each)}\\u200b` !== reveal(`${each}\u200b`))).toEqual([]);
  });
});

describe("reveal", () => {
  it("spells out what a person would not see", () => {
    expect(reveal("rm \u202eabc\u200b\x1b[31m\t\r\u00a0\u{e0041}")).toBe(
      "rm \\u202eabc\\u200b\\x1b[31m\\t\\r\\u00a0\\u{e0041}",
    );
  });
  it("keeps newlines and emoji sequences", () =>
    expect(reveal(`a\n${family} ❤\ufe0f 🇩🇪`)).toBe(`a\n${family} ❤\ufe0f 🇩🇪`));
  it("says which parts are escapes", () => {
    expect(revealParts("a\u202e\\u202e")).toEqual([
      { text: "a", hidden: false },
      { text: "\\u202e", hidden: true },
      { text: "\\u202e", hidden: false },
    ]);
  });
});
