// Two columns beside each other: at every width no line is wider than the window, and nothing of either side is left out.
import { describe, expect, it } from "vitest";
import { sideLines, sideTexts } from "../../../src/ui/side-lines.ts";
import { lineText, lineWidth } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";

const sides = {
  intro: ["Both are the same up to turn 1."],
  heads: ["left (here)", "right"] as const,
  rows: [
    { left: ["› one", "● an answer of a few words that go on"], right: ["› 漢字と仮名"] },
    { left: [], right: ["› three\x1b[31m", "● four"] },
  ],
  outro: ["≠ : both changed it"],
};
const looks = (width: number) => ({ width, theme: createTheme({ color: false, unicode: true }) });
const shown = (width: number) => sideLines(sides, looks(width)).map(lineText);

describe("two sides", () => {
  it("stand beside each other where there is room, each row at one height", () => {
    expect(shown(80)).toEqual([
      "Both are the same up to turn 1.",
      `left (here)${" ".repeat(27)} │ right`,
      `› one${" ".repeat(33)} │ › 漢字と仮名`,
      `● an answer of a few words that go${" ".repeat(4)} │ `,
      `  on${" ".repeat(34)} │ `,
      `${" ".repeat(38)} │ › three`,
      `${" ".repeat(38)} │ ● four`,
      "≠ : both changed it",
    ]);
  });

  it("stand one after the other below 80 columns, as in print", () => {
    expect(shown(79)).toEqual(sideTexts(sides).map((text) => text.replace("\x1b[31m", "")));
    expect(shown(79).slice(1, 5)).toEqual(["", "left (here):", "› one", "● an answer of a few words that go on"]);
  });

  it("are never wider than the window, and keep every word", () => {
    for (let width = 2; width <= 200; width += 1) {
      const lines = sideLines(sides, looks(width));
      expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(width);
      const letters = lines.map(lineText).join("").replace(/[\s│]/g, "");
      for (const word of ["answer", "words", "three", "four", "漢"]) expect(letters).toContain(word);
    }
  });
});
