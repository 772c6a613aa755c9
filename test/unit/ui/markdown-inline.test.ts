import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OpenMark, readInline } from "../../../src/ui/markdown-inline.ts";
import { lineText, paintLine } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { answerRows, drawn, roles } from "./markdown-samples.ts";

function read(text: string): string {
  return roles(readInline(text).spans).join(" ");
}

describe("emphasis", () => {
  it.each([
    ["**a** b *c* __d e__ _f_", "strong:a emphasis:c strong:d e emphasis:f"],
    ["***a***", "strong-emphasis:a"],
    ["**a *b* c**", "strong:a  strong-emphasis:b strong: c"],
    ["~~a~~ ~b~", "struck:a"],
    ["a*b*c", "emphasis:b"],
    ["snake_case_name and 2 * 3 * 4", ""],
    ["**这是「引用」**的", "strong:这是「引用」"],
    ["`a` ``b ` c`` ` d `", "code:a code:b ` c code:d"],
    ["`**a**` **`b`**", "code:**a** code:b"],
    ["\\*a\\* \\`b\\`", ""],
    ["__init__ and __all__", ""],
    ["*\ufe0f\u20e3a* and *\ufe0f\u20e3", ""],
    ["src/**/*.ts and **/*.js and **src/**", "strong:src/"],
  ])("%s", (text, expected) => expect(read(text)).toBe(expected));

  it("leaves visible what does not close, and every sign that is no mark", () => {
    for (const text of [
      "**a",
      "a** b",
      "2 * 3",
      "a_b_c",
      "*",
      "`a",
      "~a~",
      "* a*",
      "[a",
      "a]",
      "![",
      "&nope;",
      "<b>",
    ]) {
      expect(lineText(readInline(text).spans)).toBe(text);
    }
  });

  it("knows escapes and the few names of signs", () =>
    expect(lineText(readInline("\\*a\\* \\d &lt;b&gt; &amp;amp; &nbsp;&#27;").spans)).toBe("*a* \\d <b> &amp;  &#27;"));
});

describe("a mark that goes over lines", () => {
  it("has its look in each of them, and stays visible, because nobody knows yet that it is one", () => {
    const rows = answerRows("a **b\nc** d\n~~e\nf~~ g `h\ni` j");
    expect(rows.map((row) => roles(row.slice(1)).join(" "))).toEqual([
      "strong:b",
      "strong:c",
      "struck:e",
      "struck:f code:h",
      "code:i`",
    ]);
    expect(drawn("a **b\nc** d")).toEqual(["a **b", "c** d"]);
  });

  it("ends with its paragraph", () => {
    for (const end of ["\n\nb", "\n# b", "\n- b", "\n> b", "\n```\nb"]) {
      const rows = answerRows(`**a${end}`);
      expect(roles((rows.at(-1) ?? []).slice(1)).filter((each) => each.startsWith("strong"))).toEqual([]);
    }
  });

  it("is none where it may be something else", () => {
    expect(readInline("a * b").open).toEqual([]);
    expect(readInline("_private and **/x").open).toEqual([]);
    expect(readInline("**a").open).toEqual<OpenMark[]>([{ char: "*", length: 2 }]);
  });
});

describe("links", () => {
  it.each([
    ["[a b](https://x.dev/a_(b)?c=d)", "a b (https://x.dev/a_(b)?c=d)"],
    ['[a](https://x.dev "title") b', "a (https://x.dev) b"],
    ["[**a**](<https://x.dev>)", "a (https://x.dev)"],
    ["![a](https://x.dev/i.png)", "a (https://x.dev/i.png)"],
    ["[https://x.dev](https://x.dev)", "https://x.dev"],
    ["<https://x.dev> <me@x.dev>", "https://x.dev me@x.dev"],
    ["(see https://x.dev/a).", "(see https://x.dev/a)."],
    ["[a](src/b.ts)", "a (src/b.ts)"],
    ["[a](javascript:alert(1))", "a (javascript:alert(1))"],
    ["[ ](https://x.dev)", " https://x.dev"],
    ["[a][b] [c]", "[a][b] [c]"],
  ])("%s", (text, expected) => expect(drawn(text)).toEqual([expected]));

  const links = createTheme({ unicode: true, links: true });
  const painted = (text: string) =>
    answerRows(text, 80, links)
      .map((row) => paintLine(row, links))
      .join("\n");

  it("are clicked where the terminal is known for it", () => {
    expect(painted("[a b](https://x.dev)")).toContain("\x1b]8;;https://x.dev\x1b\\\x1b[4;36ma b\x1b[0m\x1b]8;;\x1b\\");
    expect(drawn("[a b](https://x.dev)", 80, links)).toEqual(["a b"]);
  });

  it("stay clickable in every row when they wrap", () => {
    const rows = answerRows("[one two three](https://x.dev)", 10, links);
    expect(rows.map((row) => row.at(-1)?.href)).toEqual(["https://x.dev", "https://x.dev"]);
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://x.dev/\u00e9",
    "vscode://x",
    `https://x.dev/${"a".repeat(2_000)}`,
  ])("never open %s", (address) => expect(painted(`[a](<${address}>)`)).not.toContain("\x1b]8"));

  it("show both addresses where the text is one too", () => {
    expect(drawn("[https://bank.example](https://evil.example)", 80, links)).toEqual([
      "https://bank.example (https://evil.example)",
    ]);
    expect(drawn("[bank.example](https://evil.example)", 80, links)[0]).toContain("(https://evil.example)");
  });
});

describe("any line", () => {
  const piece = fc.constantFrom(
    "*",
    "**",
    "_",
    "__",
    "`",
    "``",
    "~~",
    "[",
    "](",
    ")",
    "!",
    "\\",
    "<",
    ">",
    " ",
    "a",
    "b1",
    "é",
    "日",
    "(",
    "&",
  );

  it("keeps every letter and digit, in order", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const letters = (line: string) => line.replace(/[^\p{L}\p{N}]/gu, "");
        expect(letters(lineText(readInline(text).spans))).toBe(letters(text));
      }),
      { numRuns: fullNumber(3_000, 750) },
    );
  });

  it.each([
    "*",
    "**a ",
    "`",
    "`a``b```c",
    "[",
    "[a](",
    "](",
    "[a](b",
    "_a*",
    "~~",
    "<",
    "https://a)",
    "&amp",
    "![",
    "\\",
  ])("does not take long over many %s", (sign) => {
    const text = sign.repeat(4_000).slice(0, 4_000);
    // Of the order of 10 ms; what grows with the cube takes minutes.
    expect(cpuTime(() => readInline(text))).toBeLessThan(1_500);
  });

  it("is shown as it is when it is very long", () => {
    const text = "**a** ".repeat(1_000);
    expect(readInline(text).spans).toEqual([{ text, role: "plain" }]);
  });
});
