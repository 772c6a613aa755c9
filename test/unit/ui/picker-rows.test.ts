// Rows and looks of a list at every size: never wider or higher than the window, and nothing untrusted gets through.
import { describe, expect, it } from "vitest";
import type { PickLook } from "../../../src/commands/command.ts";
import { pickerLines } from "../../../src/ui/picker-lines.ts";
import { pickerLook } from "../../../src/ui/picker-look.ts";
import { createPicker, type PickerItem } from "../../../src/ui/picker-state.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { expectFits } from "../../helpers/screen.ts";
import { plainTheme } from "./view-samples.ts";

const hostile = "\x1b[2J\u202e\x07日本👩‍👩‍👧 e\u0301";
const kinds: Readonly<Record<string, readonly PickerItem[]>> = {
  turns: [
    {
      id: "a",
      label: ` 12  ${hostile.repeat(30)}`,
      detail: "",
      facts: ["interrupted, 12 files", "3 days ago", "9 tools"],
    },
    { id: "b", label: "  1  short", detail: "", facts: ["", "just now", ""] },
  ],
  files: [
    { id: "a", label: `src/${hostile}/${"deep/".repeat(60)}a.ts`, detail: "", facts: ["+1000 -1", "turn 5", hostile] },
    { id: "b", label: "", detail: "", facts: ["", "turn 1", ""] },
  ],
  commands: [
    { id: "a", label: `/undo [n] ${hostile}`, detail: `take back ${hostile.repeat(20)}`, hint: `[n] ${hostile}` },
    { id: "b", label: "/quit", detail: "leave", hint: "" },
  ],
};
const looks: readonly PickLook[] = [
  { kind: "exchange", prompt: [hostile.repeat(80), "second", "third"], answer: Array(99).fill(hostile) },
  { kind: "diff", diff: `${hostile} +1 -1\n  1 - ${hostile}\n  1 + ${"x".repeat(10_000)}` },
  [hostile],
];

describe.each(Object.entries(kinds))("a list of %s", (_, items) => {
  it.each([1, 20, 40, 80, 200])("fits %i columns and 2, 10 and 24 rows", (width) => {
    for (const rows of [2, 10, 24]) {
      for (const query of ["", "日", hostile]) {
        for (const look of looks) {
          for (const wish of ["auto", "on"] as const) {
            const state = createPicker({ items, query });
            const view = { state, title: hostile, empty: hostile, enter: "takes it back", preview: { wish, look } };
            const lines = pickerLines(view, { width, theme: plainTheme }, rows).map(lineText);
            expectFits(lines, { cols: width, rows });
            expect(lines.join("")).not.toMatch(/[\x00-\x1f\u202e]/);
          }
        }
      }
    }
  });
});

describe("a look at an item", () => {
  const rowsOf = (look: PickLook, width: number, rows: number) => pickerLook(look, width, rows).map(lineText);

  it("shows how a prompt begins and how its answer ends", () => {
    const prompt = ["› one", "two", "three", "four"];
    const answer = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    expect(rowsOf({ kind: "exchange", prompt, answer }, 40, 6)).toEqual([
      "› one",
      "two …",
      "…",
      "line 47",
      "line 48",
      "line 49",
    ]);
    expect(rowsOf({ kind: "exchange", prompt: ["› one"], answer: ["● two"] }, 40, 6)).toEqual(["› one", "● two"]);
  });

  it("reads no more of a text than can be in sight", () => {
    const long = "x".repeat(5_000_000);
    const started = performance.now();
    for (let turn = 0; turn < 20; turn += 1) {
      pickerLook({ kind: "exchange", prompt: [long], answer: [long] }, 80, 8);
      pickerLook({ kind: "diff", diff: `a +1 -1\n  1 + ${long}` }, 80, 8);
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
