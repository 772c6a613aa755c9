import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputSource } from "../../../src/ui/pager-output.ts";
import { createPager, pagerKey, resized } from "../../../src/ui/pager-state.ts";
import { pagerPicture } from "../../../src/ui/pager-view.ts";
import { cellWidth } from "../../../src/ui/text-width.ts";
import { firstRow, here, numbered, outputOf, press, pressed, rowsOf } from "./pager-samples.ts";
import { plainTheme } from "./view-samples.ts";

describe("the keys of the pager", () => {
  const state = outputOf(numbered(100));

  it.each([
    [["down"], "line 2"],
    [["j", "enter", "k"], "line 2"],
    [[" "], "line 10"],
    [["pagedown", "pagedown", "pageup"], "line 10"],
    [["d", "u", "d"], "line 6"],
    [["G"], "line 91"],
    [["end", "up"], "line 90"],
    [["G", "down", " "], "line 91"],
    [["G", "g"], "line 1"],
    [["G", "home", "up", "b"], "line 1"],
  ])("%j scroll to %s", (keys, expected) => {
    expect(firstRow(press(state, ...keys))).toBe(expected);
  });

  it.each(["q", "escape", "ctrl+c", "ctrl+o"])("%s closes it", (name) => {
    const event = name.startsWith("ctrl+")
      ? ({ kind: "key", name: name.slice(5), ctrl: true, alt: false, shift: false } as const)
      : pressed(name);
    expect(here(pagerKey(state, event))).toMatchObject({ effect: { kind: "close" } });
  });

  it("asks for the conversation, the list of outputs, and the outputs beside this one", () => {
    const effects = ["t", "o", "tab"].map((name) => here(pagerKey(state, pressed(name))));
    expect(effects).toMatchObject([
      { effect: { kind: "transcript" } },
      { effect: { kind: "list" } },
      { effect: { kind: "step", by: 1 } },
    ]);
  });

  it("shows a text that is lower than the window from its first line", () => {
    const short = press(outputOf("one\ntwo"), "G", "down", " ");
    expect(rowsOf(short).slice(0, 3)).toEqual(["one", "two", ""]);
    expect(rowsOf(short).at(-1)).toContain("1-2 of 2 lines · 100%");
  });
});

describe("a search", () => {
  const text = outputOf(`${numbered(50)}\nThe Needle is here\n${numbered(60)}\nanother needle`);

  it("finds without case, goes on, back, and round the end", () => {
    const first = press(text, "/", "needle", "enter");
    expect(rowsOf(first)).toContain("The Needle is here");
    const second = press(first, "n");
    expect(rowsOf(second)).toContain("another needle");
    expect(second.hit?.unit).toBe(111);
    expect(press(second, "n").hit?.unit).toBe(50);
    expect(press(second, "N").hit?.unit).toBe(50);
    expect(press(first, "N").hit?.unit).toBe(111);
  });

  it("minds case when a capital was typed, and takes signs as they are", () => {
    expect(press(text, "/", "Needle", "enter", "n").hit?.unit).toBe(50);
    const signs = outputOf("a+b\naab\n(x)[0].*");
    expect(press(signs, "/", "a+b", "enter", "n").hit?.unit).toBe(0);
    expect(press(signs, "/", "[0].*", "enter").hit?.unit).toBe(2);
  });

  it("finds any words that stand in the text, whatever they are made of", () => {
    const sign = fc.constantFrom(..."\\^$.*+?()[]{}|/-&~#,:= aA1é日");
    fc.assert(
      fc.property(fc.string({ unit: sign, minLength: 1, maxLength: 12 }), (words) => {
        fc.pre(words.trim() !== "");
        const state = press(outputOf(`nothing\n<${words}>\nnothing`), "/", words, "enter");
        expect(state.hit).toMatchObject({ unit: 1, hit: { start: 1, end: words.length + 1 } });
      }),
    );
  });

  it("finds every hit of a line, and one that a wrap has parted", () => {
    const wrapped = outputOf(`${"x".repeat(37)}needle${"y".repeat(60)}needle`);
    const first = press(wrapped, "/", "needle", "enter");
    expect(first.hit).toMatchObject({ unit: 0, index: 0, hit: { row: 0, start: 37, endRow: 1, end: 3 } });
    expect(press(first, "n").hit).toMatchObject({ unit: 0, index: 1, hit: { row: 2, start: 23, endRow: 2, end: 29 } });
  });

  it("marks what is in sight, the hit gone to in another way", () => {
    const colored = press(outputOf("one two one"), "/", "one", "enter");
    expect(pagerPicture(colored, 11).rows[0]).toBe("\x1b[7mone\x1b[0m two \x1b[1mone\x1b[0m");
  });

  it("says when there is nothing, and is left by escape and by taking all letters back", () => {
    expect(press(text, "/", "nowhere", "enter").said).toBe("not found");
    expect(press(text, "/", "x", "escape").mode.kind).toBe("read");
    expect(press(text, "/", "x", "backspace", "backspace").mode.kind).toBe("read");
    expect(press(text, "n").said).toContain("nothing was searched for");
  });

  it("repeats the last words when none are written", () => {
    const first = press(text, "/", "needle", "enter");
    expect(press(first, "/", "enter").hit?.unit).toBe(111);
  });
});

describe("a new size", () => {
  it("keeps the place in the text", () => {
    const state = press(outputOf(numbered(100, " and words that will be wrapped in a small window")), "G", "pageup");
    const top = firstRow(state);
    const small = here(resized(state, { width: 12, theme: plainTheme }, 5));
    expect(small.top.unit).toBe(state.top.unit);
    expect(top + rowsOf(state)[1]).toContain(firstRow(small));
    const wide = here(resized(small, { width: 200, theme: plainTheme }, 10));
    expect(rowsOf(wide)[0]).toMatch(/^line \d+ and words .* small window$/);
  });

  it("never shows a row wider than the window, whatever is shown", () => {
    const words = [
      "plain words",
      "日本語の文字",
      "👩‍👩‍👧‍👦 family",
      "e\u0301\u0301 marks",
      "\ttabs\there",
      "\x1b[31mred\x1b[0m",
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 60 }),
        fc.array(fc.constantFrom("down", " ", "G", "g", "u", "/"), { maxLength: 6 }),
        (columns, rows, parts, keys) => {
          const state = press(outputOf(parts.join(parts.length % 2 ? "\n" : " "), { columns, rows }), ...keys);
          const picture = pagerPicture(state, rows).rows;
          expect(picture).toHaveLength(rows);
          for (const row of picture) expect(cellWidth(stripVTControlCharacters(row))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe("the last line", () => {
  it.each([
    [200, /^shell npm test · 1-10 of 100 lines · 10% · q close {2}\/ search {2}t transcript {2}\? keys {2}o outputs/],
    [80, /^shell npm test · 1-10 of 100 lines · 10% · q close {2}\/ search/],
    [46, /^1-10 of 100 lines · 10% · q close {2}\/ search$/],
    [34, /^1-10 of 100 lines · 10% · q close$/],
    [20, /^1-10 · q close$/],
    [12, /^q close$/],
    [1, /^(?:1|…)$/],
  ])(
    "at %d columns says how to close it, then where one is, then what it is, then the other keys",
    (columns, expected) => {
      expect(rowsOf(outputOf(numbered(100), { columns, rows: 11 })).at(-1)).toMatch(expected);
    },
  );

  it("cuts a long title before the keys, also while something is searched for", () => {
    const source = outputSource(`shell ${"for i in 1 2 3; ".repeat(20)}`, numbered(200));
    const state = createPager(source, { look: { width: 80, theme: plainTheme }, height: 10 });
    expect(rowsOf(state).at(-1)).toMatch(/^shell .*… · 1-10 of 200 lines · 5% · q close {2}\/ search {2}t transcript/);
    const searching = press(state, "/", "9", "enter");
    expect(rowsOf(searching).at(-1)).toMatch(/ · q close {2}n next {2}N before {2}\/ search/);
  });

  it("gives way to what each key does, until the next key", () => {
    const state = press(outputOf(numbered(100), { columns: 80, rows: 11 }), " ");
    const keys = press(state, "?");
    expect(rowsOf(keys).slice(0, 2)).toEqual([
      expect.stringMatching(/^q {2}esc +close$/),
      expect.stringMatching(/^\/ +search$/),
    ]);
    expect(rowsOf(keys).at(-1)).toMatch(/ · any key goes back$/);
    expect(pagerKey(keys, pressed("q"))).toEqual({ state });
  });

  it("says that somebody asks, instead of the keys", () => {
    const { rows } = pagerPicture(
      outputOf(numbered(100), { columns: 80, rows: 11 }),
      11,
      "an approval waits, q shows it",
    );
    expect(stripVTControlCharacters(rows.at(-1) ?? "")).toBe(
      "! an approval waits, q shows it · 1-10 of 100 lines · 10%",
    );
  });
});
