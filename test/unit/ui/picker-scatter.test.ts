// What a filter finds by letters that do not stand together: names and paths, and no sentences.
import { describe, expect, it } from "vitest";
import { pickerLines } from "../../../src/ui/picker-lines.ts";
import { createPicker } from "../../../src/ui/picker-state.ts";
import { plainTheme } from "./view-samples.ts";

const prompts = [
  "make the flaky test of the parser pass, and say which of the clocks it reads while it does so, for every time zone",
  "rename the function that reads the test list, then look whether it is flaky or whether the machine is at its end",
  "write a page about quick brown foxes that jump over lazy dogs, zebras, vixens, and every other letter there may be",
];
const turns = prompts.map((text, at) => ({ id: `/undo --to ${at}`, label: `${at + 1}  ${text}`, search: text }));

function found(items: readonly { id: string; label: string }[], query: string): readonly string[] {
  return createPicker({ items, query }).matches.map(({ label }) => label);
}

describe("a filter over long texts", () => {
  it("finds words and parts of words, and never letters scattered over them", () => {
    expect(found(turns, "zebra")).toEqual([turns[2]?.label]);
    expect(found(turns, "aky")).toHaveLength(2);
    for (const [at, text] of prompts.entries()) {
      const letters = text.replace(/[^a-z]/g, "");
      for (let from = 0; from + 25 < letters.length; from += 1) {
        const query = [0, 5, 11, 17, 23].map((step) => letters[from + step]).join("");
        if (!prompts.some((each) => each.includes(query))) expect(found(turns, query), `${at}: ${query}`).toEqual([]);
      }
    }
  });

  it("puts those first in which the words stand together as they were typed", () => {
    expect(found(turns, "flaky test")).toEqual([turns[0]?.label, turns[1]?.label]);
    expect(found(turns.toReversed(), "flaky test")).toEqual([turns[0]?.label, turns[1]?.label]);
    expect(found(turns, "test list")).toEqual([turns[1]?.label]);
    expect(found(turns, "list flaky")).toEqual([turns[1]?.label]);
  });
});

describe("a filter over names", () => {
  const names = [
    "src/ui/picker-state.ts",
    "anthropic/claude-sonnet-4.5",
    "say the first answer",
    `${"deep/".repeat(30)}last.ts`,
  ];
  const items = names.map((label) => ({ id: label.length.toString(), label }));

  it("finds letters in order in one word of them, however long a path is", () => {
    expect(found(items, "supst")).toEqual([names[0]]);
    expect(found(items, "son45")).toEqual([names[1]]);
    expect(found(items, "frst")).toEqual([names[2]]);
    expect(found(items, "depls")).toEqual([names[3]]);
  });

  it("joins no letters of one word to those of the next", () => {
    expect(found(items, "saythe")).toEqual([]);
    expect(found(items, "stfa")).toEqual([]);
  });
});

describe("the marks in a row", () => {
  const marked = (item: { id: string; label: string; search?: string }, query: string, width = 60) => {
    const view = { state: createPicker({ items: [item], query }), title: "t", empty: "" };
    const lines = pickerLines(view, { width, theme: plainTheme }, 12);
    return lines.flat().flatMap(({ text, role }) => (role === "match" ? [text] : []));
  };

  it("are where the letters stand closest together", () => {
    expect(marked({ id: "1", label: "src/ui/picker-state.ts" }, "icks")).toEqual(["ick", "s"]);
    expect(marked({ id: "1", label: "the first answer" }, "frst")).toEqual(["f", "rst"]);
  });

  it("are none where the word stands in a part that is not shown", () => {
    const [turn] = turns;
    expect(marked(turn ?? { id: "", label: "" }, "zone", 30)).toEqual([]);
    expect(marked({ id: "1", label: "alpha", search: "aha" }, "aha")).toEqual([]);
  });
});
