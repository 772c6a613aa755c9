import { describe, expect, it } from "vitest";
import { themeFor } from "../../../src/ui/locale.ts";
import { colorDepth, fixedColor, type Hue } from "../../../src/ui/palette.ts";
import { paintLine, span } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";

const hues: readonly Hue[] = ["accent", "green", "red", "yellow", "magenta"];
const backgrounds = {
  dark: ["#000000", "#1e1e1e", "#282c34", "#2e3440", "#002b36"],
  light: ["#ffffff", "#fafafa", "#fdf6e3", "#eee8d5"],
} as const;

function rgb(hex: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** As WCAG 2 has it. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = rgb(hex).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Of xterm's cube of 6 × 6 × 6. */
function cubeColor(index: number): string {
  const level = (value: number): string => (value === 0 ? 0 : 55 + 40 * value).toString(16).padStart(2, "0");
  const at = index - 16;
  return `#${level(Math.floor(at / 36))}${level(Math.floor(at / 6) % 6)}${level(at % 6)}`;
}

describe("fixed colours", () => {
  const all = (["dark", "light"] as const).flatMap((background) => hues.map((hue) => ({ background, hue })));

  it.each(all)("$hue can be read on every $background background", ({ background, hue }) => {
    const { hex } = fixedColor(hue, background);
    for (const behind of backgrounds[background]) expect(contrast(hex, behind)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(all)("$hue on $background is the same among 256 and among all colours", ({ background, hue }) => {
    const { hex, index } = fixedColor(hue, background);
    expect(cubeColor(index)).toBe(hex);
  });
});

describe("colorDepth", () => {
  it.each([
    [{}, "named"],
    [{ TERM: "xterm" }, "named"],
    [{ TERM: "linux" }, "named"],
    [{ TERM: "xterm-256color" }, "indexed"],
    [{ TERM: "tmux-256color", TMUX: "x", COLORTERM: "truecolor" }, "exact"],
    [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "exact"],
    [{ TERM: "xterm", COLORTERM: "24bit" }, "exact"],
    [{ TERM: "xterm-direct" }, "exact"],
    [{ TERM: "xterm-kitty" }, "exact"],
    [{ TERM: "screen", COLORTERM: "truecolor" }, "named"],
    [{ TERM: "screen-256color", COLORTERM: "truecolor" }, "indexed"],
    [{ TERM_PROGRAM: "Apple_Terminal", TERM: "xterm-256color" }, "indexed"],
    [{ TERM: "dumb", COLORTERM: "truecolor" }, "none"],
    [{ TERM: "xterm-256color", NO_COLOR: "1" }, "none"],
    [{ TERM: "xterm-256color", COLORTERM: "truecolor", FORCE_COLOR: "1" }, "named"],
    [{ FORCE_COLOR: "2" }, "indexed"],
    [{ FORCE_COLOR: "3", NO_COLOR: "1" }, "exact"],
    [{ FORCE_COLOR: "", TERM: "xterm-256color" }, "indexed"],
    [{ FORCE_COLOR: "0", TERM: "xterm-256color" }, "none"],
  ])("%j: %s", (env, expected) => expect(colorDepth(env)).toBe(expected));
});

describe("a theme", () => {
  const painted = (theme = createTheme()): string => paintLine([span("x", "error")], theme);

  it("takes the person's own sixteen colours where the background is not known, however many there are", () => {
    for (const depth of ["named", "indexed", "exact"] as const)
      expect(painted(createTheme({ depth }))).toBe(
        "\x1b[1;31mx\x1b[0m".replace("1;", painted().includes("1;") ? "1;" : ""),
      );
  });

  it("paints with what the terminal can show where it is", () => {
    expect(painted(createTheme({ depth: "named", background: "light" }))).toContain("31m");
    expect(painted(createTheme({ depth: "indexed", background: "light" }))).toContain("38;5;124m");
    expect(painted(createTheme({ depth: "exact", background: "light" }))).toContain("38;2;175;0;0m");
    expect(painted(createTheme({ depth: "none", background: "light" }))).not.toMatch(/3[0-8]/);
  });

  it("believes a person's word about the background first, then the terminal's, then the environment's", () => {
    const env = { TERM: "xterm-256color", COLORFGBG: "0;15" };
    const accent = (wishes: Parameters<typeof themeFor>[1]) => themeFor(env, wishes).styles.accent.color;
    expect(accent({ name: "dark", background: "light" })).toBe("ansi256(80)");
    expect(accent({ name: "auto", background: "dark" })).toBe("ansi256(80)");
    expect(accent({ name: "auto" })).toBe("ansi256(25)");
    expect(accent({ name: "none" })).toBeUndefined();
    expect(themeFor({ TERM: "xterm-256color", COLORFGBG: "15;default" }).styles.accent.color).toBe("cyan");
  });
});
