import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AnswerLine,
  type AnswerStream,
  endAnswer,
  openAnswer,
  pushAnswer,
  tailLines,
} from "../../../src/ui/answer-stream.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { seenRows } from "./markdown-samples.ts";

function stream(pieces: readonly string[], width = 80): { stream: AnswerStream; lines: readonly AnswerLine[] } {
  const lines: AnswerLine[] = [];
  let state = openAnswer;
  for (const piece of pieces) {
    const step = pushAnswer(state, piece, width);
    lines.push(...step.lines);
    state = step.stream;
  }
  return { stream: state, lines };
}

const texts = (lines: readonly AnswerLine[]): readonly string[] =>
  lines.map(({ line }) => ("spans" in line ? lineText(line.spans) : ""));

describe("an answer that streams", () => {
  it("gives the same lines however it was cut", () => {
    const source = fc.array(
      fc.constantFrom(
        ..."word |**b**|`c`|\n|\n\n|```\n|```ts\n|- |  - |1. |# |> |日|\x1b[31m|**|`|/*|".split("|"),
        "| a | b |\n",
        "|---|---|\n",
        "|",
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(source, fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }), (words, cuts) => {
        const text = words.join("");
        const at = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        const streamed = stream(pieces, 400);
        const all = [...streamed.lines, ...endAnswer(streamed.stream, text).lines];
        expect(all).toEqual(endAnswer(openAnswer, text).lines);
      }),
    );
  });

  it("gives the same rows at any width, those of a long line as soon as they are sure", () => {
    const word = fc.constantFrom(
      ..."some |words |of |a |paragraph |`code ot` |**bold |it** |*em* |snake_case |_x |[a |link](b.dev) |日本 |x* |~~no~~ |".split(
        "|",
      ),
      ..."https://a.dev/b |\\* |&amp; |<b |\n|\n- |\n> |`|  |.".split("|"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.integer({ min: 1, max: 50 }), (words, width) => {
        const text = words.join("");
        const streamed = stream(words, width);
        const all = [...streamed.lines, ...endAnswer(streamed.stream, text).lines];
        expect(seenRows(all, width)).toEqual(seenRows(endAnswer(openAnswer, text).lines, width));
      }),
      { numRuns: fullNumber(2_000, 500) },
    );
  });

  it("keeps no more of a paragraph than the row being written", () => {
    const words = Array.from({ length: 200 }, (_, index) => (index % 5 === 0 ? "`code` " : `w${index} `));
    let state = openAnswer;
    for (const word of words) {
      state = pushAnswer(state, word, 40).stream;
      expect(state.tail.length).toBeLessThan(80);
    }
  });

  it("lets a line without end go in whole rows, and keeps a short tail", () => {
    const words = Array.from({ length: 4_000 }, (_, index) => `w${index} `);
    const { stream: state, lines } = stream(words, 40);
    expect(state.tail.length).toBeLessThanOrEqual(2_000);
    const all = [...texts(lines), ...texts(endAnswer(state).lines)].join(" ").replace(/\s+/g, " ").trim();
    expect(all).toBe(words.join("").trim());
  });

  it("reads the rest of a line that was let go as what it is, whatever it begins with", () => {
    const { stream: state, lines } = stream(["```ts\n", "- # > ``` ".repeat(500)], 40);
    const all = [...lines, ...endAnswer(state).lines];
    expect(new Set(all.map(({ line }) => line.kind))).toEqual(new Set(["code"]));
    // Blanks at the end of a row are not drawn.
    const blankless = (text: string) => text.replaceAll(" ", "");
    expect(blankless(texts(all).slice(1).join("")) === blankless("- # > ``` ".repeat(500))).toBe(true);
    const prose = stream(["- # > ``` ".repeat(500).slice(2)], 40);
    const kinds = [...prose.lines, ...endAnswer(prose.stream).lines].map(({ line }) => line.kind);
    expect(new Set(kinds)).toEqual(new Set(["text"]));
  });

  it("tears no word without blanks apart by more than rows", () => {
    const { stream: state, lines } = stream(["x".repeat(5_000)], 40);
    expect(texts([...lines, ...endAnswer(state).lines]).join("")).toBe("x".repeat(5_000));
  });

  it("does not take longer for a delta at the end of a long answer than at its start", () => {
    const piece = "some words of an answer, and a line end now and then\n";
    const time = (count: number): number => {
      let state = openAnswer;
      for (let index = 0; index < count; index += 1) state = pushAnswer(state, piece, 80).stream;
      return cpuTime(() => {
        for (let index = 0; index < 500; index += 1) state = pushAnswer(state, piece, 80).stream;
      });
    };
    time(500);
    // Quadratic growth would be 100 times; the slack is for a busy machine.
    expect(time(50_000)).toBeLessThan(time(500) * 20 + 20);
  });

  it("keeps as much of a block of code, a table or a list as of a line, however long it is", () => {
    const block = (line: string, count: number) => stream([`\`\`\`ts\n${line.repeat(count)}`]).stream;
    const size = ({ text: _text, ...state }: AnswerStream) => JSON.stringify(state).length;
    expect(size(block("f(`${a}`, {\n", 20_000))).toBe(size(block("f(`${a}`, {\n", 20)));
    const listed = (count: number) => stream(["- a\n  - b\n".repeat(count)]).stream;
    expect(size(listed(20_000))).toBe(size(listed(20)));
    const table = (count: number) => stream([`|a|b|\n|-|-|\n${"|c|d|\n".repeat(count)}`]).stream;
    expect(size(table(20_000))).toBe(size(table(200)));
  });

  it("shows the line being written as it would end, and nothing for white space", () => {
    expect(tailLines(stream(["a\n**b"]).stream)).toMatchObject([{ first: false }]);
    expect(tailLines(stream(["a\n  "]).stream)).toEqual([]);
    expect(texts(tailLines(stream(["a\n\nb"]).stream))).toEqual(["b"]);
    expect(texts(stream(["a\n\nb"]).lines)).toEqual(["a", ""]);
    expect(texts(tailLines(stream(["a\n\n>"]).stream))).toEqual([]);
  });

  it("drops empty lines before the first and after the last one", () => {
    expect(texts(endAnswer(openAnswer, "\n\n  \na\n\n\nb\n\n").lines)).toEqual(["a", "", "b"]);
  });

  it("keeps what stands in a code block as it is", () => {
    expect(texts(endAnswer(openAnswer, "```\n# no **head**\n```\n# head").lines)).toEqual([
      "```",
      "# no **head**",
      "```",
      "head",
    ]);
  });
});
