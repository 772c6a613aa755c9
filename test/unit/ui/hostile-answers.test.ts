// Whatever a model or a file says, the bytes that are written hold no control but the screen's own: styles, and links
// to an address of http, https or mailto.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnswerLine, endAnswer, openAnswer, pushAnswer, tailLines } from "../../../src/ui/answer-stream.ts";
import type { Block } from "../../../src/ui/block.ts";
import { diffRows } from "../../../src/ui/diff-rows.ts";
import { lineWidth, paintLine } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";
import { blockLines } from "../../../src/ui/transcript.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { seenRows } from "./markdown-samples.ts";

const hostile = [
  "\x1b[2J",
  "\x1b]0;t\x07",
  "\x1b]52;c;YQ==\x1b\\",
  "\x1b]8;;https://evil.example\x1b\\",
  "\x1bP q\x1b\\",
  "\x1b_G\x1b\\",
  "\x1b",
  "\x9b31m",
  "\x9d8;;x\x9c",
  "\x85",
  "\x07",
  "\b",
  "\r",
  "\0",
  "\x7f",
  "\u202e",
  "\u2066",
  "\u200b",
  "\u200d",
  "\ufe0f",
  "\u20e3",
  "\ufeff",
  "\u2028",
  "\ud83d",
  "\udc69",
  "\u{e0041}",
];
const marks =
  "*|**|_|`|```\n|```ts\n|```sh\n|~~~|~~|[|](https://x.dev/|](javascript:|](mailto:|)|<https://|>|> |- |1. |- [ ] |# |\n|\n\n|\t|    |--|---|:-:|\\|<br>|&lt;|&#27;|/*|*/|${|'|\"|<<EOF\n|@@ -1 +1 @@\n|+|-|  3 + ".split(
    "|",
  );
const words = ["a", "b c", "1", "é", "日本", "👩\u200d💻", "❤\ufe0f", "|", "| a | b |\n|---|---|\n", "https://x.dev/a"];
const text = fc
  .array(fc.oneof(fc.constantFrom(...hostile), fc.constantFrom(...marks), fc.constantFrom(...words)), { maxLength: 60 })
  .map((pieces) => pieces.join(""));
const anyText = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.string({ unit: "binary" }) });
const width = fc.constantFrom(1, 2, 7, 20, 40, 80, 200);
const themes = [
  createTheme({ color: true, unicode: true, links: true }),
  createTheme({ color: true, background: "light", links: false }),
  createTheme({ color: false }),
];

const own = /\x1b\[[0-9;]*m|\x1b\]8;;(?:(?:https?:\/\/|mailto:)[!-~]+)?\x1b\\/gi;
const forbidden =
  /[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e001f}]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|(?<![\p{Emoji}])\ufe0f/u;

function expectClean(block: Block, columns: number): void {
  for (const theme of themes) {
    for (const line of blockLines(block, { width: columns, theme })) {
      expect(lineWidth(line)).toBeLessThanOrEqual(columns);
      const painted = paintLine(line, theme);
      expect(painted.replaceAll(own, "")).not.toMatch(forbidden);
      expect(painted.isWellFormed()).toBe(true);
    }
  }
}

const runs = { numRuns: fullNumber(700, 200), seed: 4 };

describe("hostile text", () => {
  it("reaches the terminal without its controls, as an answer", () => {
    fc.assert(
      fc.property(anyText, width, (source, columns) =>
        expectClean({ kind: "answer", lines: endAnswer(openAnswer, source).lines }, columns),
      ),
      runs,
    );
  });

  it("is no worse when it streams, however it is cut", () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(80), { maxLength: 6 }), width, (source, cuts, columns) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, source.length)).sort((a, b) => a - b), source.length];
        let stream = openAnswer;
        const lines: AnswerLine[] = [];
        for (const [index, end] of at.slice(1).entries()) {
          const step = pushAnswer(stream, source.slice(at[index], end), columns);
          stream = step.stream;
          lines.push(...step.lines);
          expectClean({ kind: "answer", lines: tailLines(stream) }, columns);
        }
        expectClean({ kind: "answer", lines: [...lines, ...endAnswer(stream).lines] }, columns);
        const all = [...lines, ...endAnswer(stream).lines];
        expect(seenRows(all, columns)).toEqual(seenRows(endAnswer(openAnswer, source).lines, columns));
      }),
      runs,
    );
  });

  it("reaches it without them as a diff", () => {
    fc.assert(
      fc.property(anyText, width, (source, columns) => {
        const made = { tool: "edit_file", input: { path: source } };
        expectClean({ kind: "tool", made, outcome: { kind: "ok", output: `a +1 -1\n${source}` } }, columns);
        for (const row of diffRows(source, columns)) {
          const painted = row.map((each) => each.text).join("");
          expect(lineWidth(row)).toBeLessThanOrEqual(columns);
          expect(painted).not.toMatch(forbidden);
        }
      }),
      runs,
    );
  });
});
