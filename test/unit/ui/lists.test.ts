import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchRank, rankBy } from "../../../src/ui/fuzzy.ts";
import { clampIndex, rowWindow, wrapIndex } from "../../../src/ui/row-window.ts";

describe("matchRank", () => {
  it("orders the name itself, prefixes, words, parts and letters in order", () => {
    const names = ["s-e-s", "possess", "my-session", "session", "ses"];
    expect(rankBy(names, (name) => matchRank("ses", name))).toEqual([
      "ses",
      "session",
      "my-session",
      "possess",
      "s-e-s",
    ]);
  });
  it("is undefined for what does not fit and alike for an empty query", () => {
    expect(matchRank("xyz", "session")).toBeUndefined();
    expect(rankBy(["b", "a"], (name) => matchRank("", name))).toEqual(["b", "a"]);
  });
});

describe("rowWindow", () => {
  it("is full, inside the list, and holds the selected row", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(59),
        fc.integer({ min: 1, max: 20 }),
        (count, wanted, rows) => {
          const selected = clampIndex(wanted, count);
          const { start, end } = rowWindow(count, selected, rows);
          expect(end - start).toBe(Math.min(rows, count));
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(count);
          expect(selected >= start && selected < end).toBe(true);
        },
      ),
    );
  });
  it("of an empty list is empty", () => expect(rowWindow(0, 0, 5)).toEqual({ start: 0, end: 0 }));
});

describe("indexes", () => {
  it("stop at the ends or go around", () => {
    expect([clampIndex(-1, 3), clampIndex(9, 3), clampIndex(0, 0)]).toEqual([0, 2, 0]);
    expect([wrapIndex(-1, 3), wrapIndex(3, 3), wrapIndex(5, 0)]).toEqual([2, 0, 0]);
  });
});
