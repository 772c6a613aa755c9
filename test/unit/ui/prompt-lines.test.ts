import { describe, expect, it } from "vitest";
import { isLongPrompt, promptLines } from "../../../src/ui/prompt-lines.ts";
import { lineText, lineWidth } from "../../../src/ui/styled-line.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { numbered } from "./pager-samples.ts";
import { plainTheme } from "./view-samples.ts";

const shown = (text: string, width = 40, options = {}): readonly string[] =>
  promptLines({ text }, { width, theme: plainTheme }, options).map((line) => lineText(line).trimEnd());

describe("a prompt in the transcript", () => {
  it("is whole while it is short", () => {
    expect(isLongPrompt(numbered(12))).toBe(false);
    expect(shown(numbered(12))).toHaveLength(12);
  });

  it("is its first rows and how much of it there is when it is long, by lines or by characters", () => {
    expect(shown(numbered(42)).slice(1)).toEqual(["  line 2", "  line 3", "  [42 lines] (ctrl+o opens)"]);
    expect(shown("x".repeat(5_000), 20)).toHaveLength(4);
    expect(shown("x".repeat(5_000), 60).at(-1)).toBe("  [5000 characters] (ctrl+o opens)");
    expect(isLongPrompt(numbered(42)) && isLongPrompt("x".repeat(5_000))).toBe(true);
  });

  it("never is wider than the window", () => {
    for (const width of [1, 2, 5, 20, 39]) {
      for (const line of promptLines({ text: numbered(42, " 日本語 👩‍💻") }, { width, theme: plainTheme })) {
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it("is whole in a pager, where even that has an end", () => {
    expect(shown(numbered(42), 40, { inPager: true })).toHaveLength(42);
    expect(shown(numbered(100_000), 40, { inPager: true })).toHaveLength(4);
  });

  it("costs the same with ten megabytes but for counting lines", () => {
    const text = `${"日本語 x\n".repeat(700_000)}`;
    const time = cpuTime(() => expect(shown(text).at(-1)).toBe("  [700000 lines] (ctrl+o opens)"));
    expect(time).toBeLessThan(2_000);
  });
});
