import { describe, expect, it } from "vitest";
import { createTheme, wantsColor } from "../../../src/ui/theme.ts";

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
