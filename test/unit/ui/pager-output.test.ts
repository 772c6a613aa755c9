import { describe, expect, it } from "vitest";
import { outputSource } from "../../../src/ui/pager-output.ts";
import { sanitize } from "../../../src/ui/sanitize.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { cellWidth } from "../../../src/ui/text-width.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { numbered, outputOf, press, rowsOf } from "./pager-samples.ts";
import { plainTheme } from "./view-samples.ts";

const look = { width: 20, theme: plainTheme };

function allRows(text: string, width = 20): readonly string[] {
  const source = outputSource("t", text);
  return Array.from({ length: source.units }, (_, unit) => source.rows(unit, { ...look, width }) ?? [])
    .flat()
    .map(lineText);
}

describe("an output in the pager", () => {
  it("is cut by cells, so that columns stay columns, and keeps every character", () => {
    expect(allRows("a  b  c  d  e  f  g  h  i")).toEqual(["a  b  c  d  e  f  g ", " h  i"]);
    expect(allRows("日本語日本語日本語日本語")).toEqual(["日本語日本語日本語日", "本語"]);
  });

  it("is the same when its lines are cleaned one by one as when it is cleaned whole", () => {
    const texts = [
      "a\r\nb\rc\u2028d\n\ne",
      "\x1b[31mred\x1b[0m\n\x1b]0;title\x07after\n\x1b]52;c;unfinished\nshown",
      "cut \x1b[3\n1m on\n\x90dcs\x1b\\x\r\n",
      "tab\tstop\n\ttab\u202e bidi\u200b zero",
      "\u{1f469}\u200d\u{1f469}\n\ud800 lone",
    ];
    for (const text of texts) {
      const whole = sanitize(text, { keepNewlines: true, tabs: 4 }).replace(/\n$/, "");
      expect(allRows(text, 400).join("\n")).toBe(whole);
    }
  });

  it("shows a line without end in pieces, with nothing lost and no sequence cut", () => {
    const line = `${"x\x1b[31my".repeat(20_000)}\x1b]0;${"t".repeat(40_000)}\x07end 日本語👩‍👩‍👧‍👦`;
    const rows = allRows(line, 80);
    expect(rows.join("")).toBe(`${"xy".repeat(20_000)}end 日本語👩‍👩‍👧‍👦`);
    expect(Math.max(...rows.map(cellWidth))).toBe(80);
  });

  it("opens 5 MB, goes to its end and finds its last word in a moment (limits are wide: machines are shared), however its lines are", () => {
    const lines = numbered(100_000, " with some more words that make it long enough");
    const colored = lines.replaceAll("some", "\x1b[32msome\x1b[0m");
    for (const text of [lines, colored, lines.replaceAll("\n", " ")]) {
      let end = outputOf(`${text}\nlast word`, { columns: 80, rows: 24 });
      const toEnd = cpuTime(() => {
        end = press(outputOf(`${text}\nlast word`, { columns: 80, rows: 24 }), "G");
        expect(rowsOf(end)).toContain("last word");
      });
      expect(toEnd).toBeLessThan(1_000);
      expect(cpuTime(() => press(end, ...Array.from({ length: 50 }, () => "pageup"))) / 50).toBeLessThan(25);
      expect(rowsOf(press(end, "g", "/", "last word", "enter"))).toContain("last word");
    }
  });

  it("has one empty line when there is nothing", () => {
    expect(rowsOf(outputOf(""))[0]).toBe("");
  });
});
