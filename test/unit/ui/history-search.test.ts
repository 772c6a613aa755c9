import { describe, expect, it } from "vitest";
import { historySearchLines } from "../../../src/ui/history-search-lines.ts";
import {
  createHistorySearch,
  type HistorySearch,
  historySearchReducer,
  shownPrompt,
  withPrompts,
} from "../../../src/ui/history-search-state.ts";
import { key } from "../../../src/ui/key-event.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { cellWidth } from "../../../src/ui/text-width.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { plainTheme } from "./view-samples.ts";

const prompts = [
  "newest thing",
  "fix the parser\nand its tests",
  "Fix the CLOCK",
  "文書を直す 👩‍💻 fix",
  "newest thing",
  "oldest (a+b)*",
];

/** Letters are typed one by one; a chord stands in angle brackets. */
function press(state: HistorySearch, keys: string): HistorySearch {
  return [...keys.matchAll(/<([^>]+)>|[^<]/gsu)].reduce((current, [text, chord]) => {
    if (chord === undefined) return historySearchReducer(current, { kind: "text", text });
    const parts = chord.split("+");
    return historySearchReducer(current, key(parts.at(-1) ?? "", { ctrl: parts.includes("ctrl") }));
  }, state);
}
const search = (keys: string): HistorySearch => press(createHistorySearch(prompts), keys);

describe("the search among earlier prompts", () => {
  it("begins at the newest, and ctrl+r goes on to older ones, each once", () => {
    const keys = ["", "<ctrl+r>", "<ctrl+r><ctrl+r>", "<ctrl+r><ctrl+r><ctrl+r><ctrl+r>"];
    expect(keys.map((each) => shownPrompt(search(each)))).toEqual([prompts[0], prompts[1], prompts[2], prompts[5]]);
  });

  it("narrows by words in any order, without case, and goes on from what is shown", () => {
    expect(shownPrompt(search("clock fix"))).toBe("Fix the CLOCK");
    expect(shownPrompt(search("fix"))).toBe(prompts[1]);
    expect(shownPrompt(search("fix<ctrl+r>"))).toBe(prompts[2]);
    expect(shownPrompt(search("fix<ctrl+r><ctrl+r>"))).toBe(prompts[3]);
    expect(shownPrompt(search("fix<ctrl+r> the"))).toBe(prompts[2]);
    expect(shownPrompt(search("fix<ctrl+r><ctrl+s>"))).toBe(prompts[1]);
  });

  it("begins at the newest again when less is asked for", () => {
    expect(shownPrompt(search("fix<ctrl+r><backspace>"))).toBe(prompts[1]);
    expect(shownPrompt(search("clock<ctrl+u>"))).toBe(prompts[0]);
  });

  it("takes what was typed as it is, no pattern", () => {
    expect(shownPrompt(search("(a+b)*"))).toBe("oldest (a+b)*");
    expect(search(".*").matches).toEqual([]);
    expect(shownPrompt(search("直す"))).toBe(prompts[3]);
    expect(shownPrompt(search("👩‍💻"))).toBe(prompts[3]);
  });

  it("enter takes the prompt, a key that moves takes it and is still to be done, escape takes nothing", () => {
    expect(search("parser<enter>").outcome).toEqual({ kind: "taken", text: prompts[1] });
    expect(search("parser<left>").outcome).toEqual({ kind: "taken", text: prompts[1], then: key("left") });
    expect(search("parser<escape>").outcome).toEqual({ kind: "cancelled" });
    expect(search("parser<ctrl+c>").outcome).toEqual({ kind: "cancelled" });
    expect(search("nowhere<enter>").outcome).toBeUndefined();
  });

  it("stays where there is nothing more, and says so", () => {
    const end = search("clock<ctrl+r>");
    expect([shownPrompt(end), end.atEnd]).toEqual(["Fix the CLOCK", "oldest"]);
    expect(search("<ctrl+s>").atEnd).toBe("newest");
    expect(search("clock<ctrl+r> f").atEnd).toBeUndefined();
  });

  it("keeps what is shown when more prompts come", () => {
    const shown = press(createHistorySearch(["a fix", "b fix"], { isReading: true }), "fix<ctrl+r>");
    const more = withPrompts(shown, ["new fix", "a fix", "b fix", "old fix"]);
    expect(shownPrompt(more)).toBe("b fix");
    expect(more.isReading).toBe(false);
    expect(shownPrompt(press(more, "<ctrl+r>"))).toBe("old fix");
  });

  it("looks through 1,000 long prompts without a pause", () => {
    const long = Array.from({ length: 1_000 }, (_, index) => `${"some words of a prompt ".repeat(100)}${index}`);
    const state = createHistorySearch(long);
    press(state, "warm");
    const time = cpuTime(() => expect(shownPrompt(press(state, "998"))?.endsWith("998")).toBe(true));
    expect(time).toBeLessThan(500);
  });
});

describe("its lines", () => {
  const lines = (state: HistorySearch, width = 80, rows = 10) =>
    historySearchLines(state, { width, theme: plainTheme }, rows);
  const text = (state: HistorySearch, width?: number, rows?: number) => lines(state, width, rows).map(lineText);

  it("are the query with its place, the prompt with its hits marked, and the keys", () => {
    const state = search("fix the");
    expect(text(state)).toEqual([
      "search history: fix the   1 of 2",
      "fix the parser",
      "and its tests",
      "enter take · ctrl+r older · ctrl+s newer · esc back",
    ]);
    const marked = lines(state)[1]?.filter(({ role }) => role === "selected");
    expect(marked?.map((each) => each.text)).toEqual(["fix", "the"]);
  });

  it("say when nothing is found, when there is nothing, and when it is still looked for", () => {
    expect(text(search("nowhere"))[1]).toBe('nothing found for "nowhere" in 5 prompts');
    expect(text(createHistorySearch([]))[1]).toBe("there is no earlier prompt yet");
    expect(text(createHistorySearch([], { isReading: true }))[1]).toBe("looking…");
    expect(text(search("clock<ctrl+r>")).at(-1)).toBe("there is no older one");
  });

  it("show the hit of a long prompt, wherever it is", () => {
    const long = `${"line before\n".repeat(3_000)}here is the needle now\n${"line after\n".repeat(1_000)}`.slice(
      0,
      19_000,
    );
    const far = `${"x ".repeat(5_000)}needle`;
    for (const prompt of [`${"line before\n".repeat(1_000)}the needle is here\n${long}`, far]) {
      const shown = text(press(createHistorySearch([prompt]), "needle"), 40, 8);
      expect(shown.slice(1).join("\n")).toContain("needle");
      expect(shown.length).toBeLessThanOrEqual(8);
    }
  });

  it.each([1, 7, 20, 40, 80])("fit %i columns, at any rows, whatever the prompts hold", (width) => {
    const wild = [`${"日本語🎉👩‍👩‍👧".repeat(40)}\nneedle\x1b[2J\u202e\u0007`, "e\u0301".repeat(300)];
    for (const rows of [1, 2, 3, 4, 10]) {
      for (const keys of ["", "needle", "日本", "nowhere at all in these prompts", "<ctrl+r>", "👩"]) {
        const shown = text(press(createHistorySearch(wild), keys), width, rows);
        expect(shown.length).toBeLessThanOrEqual(rows);
        for (const line of shown) expect(cellWidth(line)).toBeLessThanOrEqual(width);
        expect(shown.join("\n")).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
      }
    }
  });
});
