import { describe, expect, it } from "vitest";
import { createTheme, showsLinks, wantsColor } from "../../../src/ui/theme.ts";

describe("createTheme", () => {
  it("has no colour in any role when colours are off", () => {
    const { styles } = createTheme({ color: false });
    expect(Object.values(styles).filter((style) => style.color !== undefined)).toEqual([]);
    expect(styles.cursor).toEqual({ inverse: true });
  });

  it("has signs of one cell, in plain ASCII unless asked otherwise", () => {
    expect(Object.values(createTheme().glyphs).join("")).toMatch(/^[\x21-\x7e]+$/);
    expect(Object.values(createTheme({ unicode: true }).glyphs).every((glyph: string) => glyph.length === 1)).toBe(
      true,
    );
  });
});

describe("wantsColor", () => {
  it.each([
    [{}, true],
    [{ NO_COLOR: "1" }, false],
    [{ NO_COLOR: "" }, true],
    [{ TERM: "dumb" }, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true],
    [{ FORCE_COLOR: "0" }, false],
  ])("%j: %s", (env, expected) => expect(wantsColor(env)).toBe(expected));
});

describe("showsLinks", () => {
  it.each([
    [{}, false],
    [{ TERM: "xterm-256color" }, false],
    [{ TERM_PROGRAM: "Apple_Terminal" }, false],
    [{ TERM_PROGRAM: "iTerm.app" }, true],
    [{ TERM_PROGRAM: "vscode" }, true],
    [{ TERM: "xterm-kitty" }, true],
    [{ WT_SESSION: "x" }, true],
    [{ VTE_VERSION: "6800" }, true],
    [{ VTE_VERSION: "4600" }, false],
    [{ TERM: "xterm-kitty", TMUX: "x" }, false],
    [{ TERM: "screen-256color", TERM_PROGRAM: "iTerm.app" }, false],
    [{ TERM_PROGRAM: "iTerm.app", NO_COLOR: "1" }, false],
    [{ TERM: "dumb", WT_SESSION: "x" }, false],
  ])("%j: %s", (env, expected) => expect(showsLinks(env)).toBe(expected));
});
