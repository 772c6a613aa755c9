import { describe, expect, it } from "vitest";
import { createTheme } from "../../../src/ui/theme.ts";
import { answerRows, drawn, roles } from "./markdown-samples.ts";

describe("lists", () => {
  it("stand under each other by level, however far the source indents them", () => {
    const expected = ["• a", "  • b", "    • c", "• d"];
    expect(drawn("- a\n  - b\n    - c\n- d")).toEqual(expected);
    expect(drawn("* a\n    + b\n        - c\n* d")).toEqual(expected);
    expect(drawn("1. a\n  - b\n10. c\n    1) d")).toEqual(["1. a", "   • b", "10. c", "    1) d"]);
  });

  it("hang: what wraps stands under the text", () => {
    expect(drawn("- one two three\n  10. four five six seven", 24)).toEqual([
      "• one two three",
      "  10. four five six",
      "      seven",
    ]);
  });

  it("keep as much of their indent as a narrow window has room for", () => {
    const source = "1. one\n   - nested\n     - deeper\n       text under it";
    expect(drawn(source, 26)).toEqual(["1. one", "   • nested", "    • deeper", "      text under it"]);
    expect(drawn(source, 23)).toEqual(["1. one", "   • nested", "   • deeper", "     text under it"]);
  });

  it.each(["", "> ", "> > "])(
    "have no item left of the one it is under, in a window of 24 columns or more (%s)",
    (quote) => {
      const marks = ["-", "1.", "- [ ]", "10."];
      for (const start of marks.keys()) {
        const items = Array.from({ length: 9 }, (_, level) => `${marks[(start + level) % 4]} w${level}`);
        const source = items.map((item, level) => `${quote}${"    ".repeat(level)}${item}`).join("\n");
        for (let width = 24; width <= 120; width += 1) {
          const rows = drawn(source, width).filter((row) => /w\d/.test(row));
          const columns = rows.map((row) => row.replaceAll("│", " ").search(/\S/));
          expect(columns, `${width} columns`).toEqual(columns.toSorted((a, b) => a - b));
          expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(width);
        }
      }
    },
  );

  it("have tasks that are done or not", () => {
    expect(drawn("- [ ] a\n- [x] b\n1. [X] c\n- [y] d")).toEqual(["[ ] a", "[x] b", "1. [x] c", "• [y] d"]);
  });

  it("keep paragraphs and code under their item, and end where a line stands before it", () => {
    const source = "1. a\ngoes on\n\n   under it\n\n   ```\n   code\n     in\n   ```\n\nafter";
    expect(drawn(source)).toEqual([
      "1. a",
      "   goes on",
      "",
      "   under it",
      "",
      "   ```",
      "   code",
      "     in",
      "   ```",
      "",
      "after",
    ]);
  });

  it("end at a heading", () => expect(drawn("- a\n# b\nc")).toEqual(["• a", "b", "c"]));
  it("have items that begin with code or are empty", () =>
    expect(drawn("- ```\n  x\n  ```\n-\n- b")).toEqual(["• ```", "  x", "  ```", "•", "• b"]));
  it("are not what only looks like one", () =>
    expect(drawn("-a\n1.b\n**x** y\n+1")).toEqual(["-a", "1.b", "x y", "+1"]));
});

describe("quotes", () => {
  it("have bars before every row, as many as they are deep", () => {
    expect(drawn("> one two three four\n> > five\n>\n> - six\nseven", 20)).toEqual([
      "│ one two three",
      "│ four",
      "│ │ five",
      "│",
      "│ • six",
      "seven",
    ]);
  });

  it("hold code, which ends with them", () => {
    expect(drawn("> ```\n> a\n> > b\n> ```\n> **c**")).toEqual(["│ ```", "│ a", "│ > b", "│ ```", "│ c"]);
    expect(drawn("> ```\n> a\n**b**")).toEqual(["│ ```", "│ a", "b"]);
  });

  it("stand within an item", () => expect(drawn("- a\n  > b")).toEqual(["• a", "  │ b"]));
  it("are drawn in ASCII where the terminal has nothing else", () =>
    expect(drawn("> - a\n\n---", 20, createTheme())).toEqual(["| - a", "", "-".repeat(18)]));
});

describe("headings, rules and paragraphs", () => {
  it("have no marks of their own", () => {
    expect(drawn("# a **b** `c` #\n###### d\n#\n#no")).toEqual(["a b c", "d", "", "#no"]);
    expect(roles(answerRows("# a **b** `c`")[0] ?? [])).toEqual([
      "accent:● ",
      "heading:a ",
      "heading:b",
      "heading: ",
      "code:c",
    ]);
  });

  it.each(["---", "***", "_ _ _", "- - -"])("draws a line for %s", (rule) => {
    expect(drawn(`${rule}\n\na`, 12)).toEqual(["──────────", "", "a"]);
  });

  it("takes an underlined title as it comes", () =>
    expect(drawn("a\n===\nb\n---", 6)).toEqual(["a", "────", "b", "────"]));
  it("shows indented code as it is, but not the rest of a paragraph", () =>
    expect(drawn("a\n    **b**\n\n    **c**")).toEqual(["a", "b", "", "**c**"]));
});

describe("code blocks", () => {
  it("end at a fence as long as the one they began with, of the same kind", () => {
    expect(drawn("````\n```\n~~~\n`````\n**a**")).toEqual(["````", "```", "~~~", "`````", "a"]);
    expect(drawn("~~~\n```\n~~~\n**a**")).toEqual(["~~~", "```", "~~~", "a"]);
  });

  it("keep empty lines and indents", () =>
    expect(drawn("```\n\n  a\n\n\tb\n```")).toEqual(["```", "", "  a", "", "    b", "```"]));
  it("are coloured by the language that the fence names", () => {
    const [, code] = answerRows("```ts title=x\nconst a = 1;");
    expect(roles(code ?? [])).toEqual(["code-keyword:const", "code-number:1"]);
    expect(roles(answerRows("```nothing\nconst a = 1;")[1] ?? [])).toEqual([]);
  });
});

describe("narrow windows", () => {
  const source =
    "- one\n  - two\n    1. three\n> four\n\n| a | b |\n|---|---|\n| five | six |\n```\nseven\n```\n---\n# eight";
  it.each([1, 2, 3, 5, 8, 13])("lose no letter at %d columns", (width) => {
    const all = answerRows(source, width).map((row) => row.map(({ text }) => text).join(""));
    expect(all.join("").replace(/[^a-z]/g, "")).toMatch(/one.*two.*three.*four.*five.*six.*seven.*eight/);
  });
});
