import { describe, expect, it } from "vitest";
import { openAnswer, pushAnswer, tailLines } from "../../../src/ui/answer-stream.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { answerRows, drawn, roles } from "./markdown-samples.ts";

const small = "| Name | Size |\n|:-----|-----:|\n| a | 1 |\n| `bcdefg` | 1,000 |";

describe("a table", () => {
  it("has columns as wide as their widest cell, and stands to the sides its head says", () => {
    expect(drawn(small)).toEqual(["Name   │  Size", "───────┼──────", "a      │     1", "bcdefg │ 1,000"]);
    expect(drawn("a | b\n:-:|---\nwide | x\ny | z\n\nend")).toEqual([
      " a   │ b",
      "─────┼──",
      "wide │ x",
      " y   │ z",
      "",
      "end",
    ]);
  });

  it("measures by cells and not by characters", () => {
    expect(drawn("| a | b |\n|---|---|\n| 日本 | x |\n| 👩\u200d💻 | y |")).toEqual([
      "a    │ b",
      "─────┼──",
      "日本 │ x",
      "👩\u200d💻   │ y",
    ]);
  });

  it("has marks and links in its cells, and bars that are escaped", () => {
    const rows = answerRows("|a|b|\n|-|-|\n|**x** \\| y|[z](https://z.dev)|");
    expect(lineText(rows[2] ?? [])).toBe("  x | y │ z (https://z.dev)");
    expect(roles(rows[2] ?? [])).toEqual(["strong:x", "muted: │ ", "link:z", "address: (https://z.dev)"]);
  });

  it("wraps cells where the window is too narrow, and cuts nothing", () => {
    expect(drawn("| Name | Text |\n|---|---|\n| a | one two three four five six |\n| b | x<br>y |", 24)).toEqual([
      "Name │ Text",
      "─────┼────────────────",
      "a    │ one two three",
      "     │ four five six",
      "b    │ x",
      "     │ y",
    ]);
  });

  it("is a line for each cell where columns could not be read", () => {
    const source = "| Name | What | More |\n|---|---|---|\n| alpha beta | one two three | x |\n| c |  | z |\n\nend";
    expect(drawn(source, 22)).toEqual([
      "Name: alpha beta",
      "What: one two",
      "  three",
      "More: x",
      "",
      "Name: c",
      "More: z",
      "",
      "end",
    ]);
  });

  it("fills rows that are short and loses nothing of those that are long", () => {
    expect(drawn("|a|b|\n|-|-|\n|1|\n|2|3|4|")).toEqual(["a │ b", "──┼──────", "1 │", "2 │ 3 | 4"]);
  });

  it("stands in items and quotes", () => {
    expect(drawn("- a\n\n  |b|c|\n  |-|-|\n  |1|2|\n- d")).toEqual(["• a", "", "  b │ c", "  ──┼──", "  1 │ 2", "• d"]);
    expect(drawn("> |b|c|\n> |-|-|\n> |1|2|\nd")).toEqual(["│ b │ c", "│ ──┼──", "│ 1 │ 2", "d"]);
  });

  it("is only what has a line under its head, of as many columns", () => {
    expect(drawn("a | b\nc | d")).toEqual(["a | b", "c | d"]);
    expect(drawn("a | b\n---\nc")).toEqual(["a | b", "─".repeat(60), "c"]);
    expect(drawn("a | b | c\n--|--\nd")).toEqual(["a | b | c", "--|--", "d"]);
    expect(drawn("a || b")).toEqual(["a || b"]);
  });
});

describe("a table that streams", () => {
  function pushed(text: string) {
    return pushAnswer(openAnswer, text, 80);
  }

  it("leaves when it ends, and is shown meanwhile as it would look", () => {
    const { stream, lines } = pushed(`${small}\n| c`);
    expect(lines).toEqual([]);
    const [table] = tailLines(stream);
    expect(table?.line.kind === "table" && table.line.table.rows).toHaveLength(3);
    expect(pushAnswer(stream, " | 2 |\n\n", 80).lines.map(({ line }) => line.kind)).toEqual(["table"]);
  });

  it("holds a line back only until the next one tells what it is", () => {
    const { stream, lines } = pushed("x | y\n");
    expect(lines).toEqual([]);
    expect(tailLines(stream)).toMatchObject([{ line: { kind: "text", spans: [{ text: "x | y" }] } }]);
    expect(pushAnswer(stream, "z\n", 80).lines).toHaveLength(2);
  });

  it("is not kept back without end: a long one is printed as it comes, in the same columns", () => {
    const row = (index: number) => `| row ${index} | ${"x".repeat(index % 7)} |\n`;
    const source = `| a | b |\n|---|---|\n${Array.from({ length: 500 }, (_, index) => row(index)).join("")}`;
    const { stream, lines } = pushed(source);
    expect(stream.markdown.table?.rows).toHaveLength(40);
    expect(lines.length).toBeGreaterThan(450);
    const bars = new Set(
      drawn(source)
        .slice(2)
        .map((line) => line.indexOf("│")),
    );
    expect([...bars]).toEqual([10]);
    expect(drawn(source)).toHaveLength(502);
  });

  it("shows only the last rows of a long one in the live part", () => {
    const { stream } = pushed(`|a|\n|-|\n${"|x|\n".repeat(30)}`);
    const [table] = tailLines(stream);
    expect(table?.line.kind === "table" && table.line.table).toMatchObject({ hasHead: false, rows: { length: 8 } });
  });
});
