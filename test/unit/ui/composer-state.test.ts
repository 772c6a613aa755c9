import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bufferOf } from "../../../src/ui/composer-buffer.ts";
import {
  type ComposerAction,
  type ComposerState,
  composerReducer,
  composerText,
  createComposer,
  submitComposer,
} from "../../../src/ui/composer-state.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

type Step = ComposerAction | ComposerAction["type"];
const family = "👩\u200d👩\u200d👧";
const longPaste = Array.from({ length: 42 }, (_, index) => `line ${index}\t\x1b[31m`).join("\n");

function run(state: ComposerState, ...steps: readonly Step[]): ComposerState {
  return steps.reduce<ComposerState>(
    (current, step) => composerReducer(current, typeof step === "string" ? ({ type: step } as ComposerAction) : step),
    state,
  );
}
const insert = (text: string): ComposerAction => ({ type: "insert", text });
const paste = (text: string): ComposerAction => ({ type: "paste", text });
/** The text with a bar for the cursor. */
const marked = (state: ComposerState): string => composerText(composerReducer(state, insert("|")));
const start = (text = "", width = 40): ComposerState => createComposer({ width, text });

describe("editing by grapheme", () => {
  it.each([family, "🇩🇪", "e\u0301", "👍🏽", "日", "한", "❤\ufe0f", "\u0e01\u0e33"])(
    "backspace, delete and the arrows take %s as one",
    (each) => {
      const state = start(`a${each}b`);
      expect(composerText(run(state, "left", "backspace"))).toBe("ab");
      expect(marked(run(state, "left", "left"))).toBe(`a|${each}b`);
      expect(composerText(run(state, "left", "left", "delete"))).toBe("ab");
      expect(marked(run(state, "home", "right", "right"))).toBe(`a${each}|b`);
    },
  );

  it("a combining mark or the second half of a flag joins what is before it", () => {
    expect(composerText(run(start("e"), insert("\u0301"), "backspace"))).toBe("");
    expect(composerText(run(start("🇩"), insert("🇪"), "backspace"))).toBe("");
    expect(composerText(run(start("👩"), insert("\u200d"), insert("💻"), "backspace"))).toBe("");
  });

  it("deleting what stood between two characters may make them one", () => {
    const state = run(start("ex\u0301"), "home", "right", "delete");
    expect(composerText(state)).toBe("e");
    const joined = run(start("ax"), "left", insert("\u200b"), "home");
    expect(composerText(joined)).toBe("a\u200bx");
  });

  it("moves and cuts by words, lines and line ends", () => {
    const state = start("one two-three  four");
    expect(marked(run(state, "word-left"))).toBe("one two-three  |four");
    expect(marked(run(state, "word-left", "word-left"))).toBe("one two-|three  four");
    expect(marked(run(state, "home", "word-right"))).toBe("one| two-three  four");
    expect(marked(run(state, "home", "word-right", "word-right"))).toBe("one two|-three  four");
    expect(marked(run(state, "cut-space-word-left", "cut-space-word-left"))).toBe("one |");
    expect(marked(run(state, "cut-word-left", "cut-word-left"))).toBe("one two-|");
    expect(marked(run(state, "home", "cut-word-right"))).toBe("| two-three  four");
    expect(marked(run(start("ab\ncd"), "home", "left", "end"))).toBe("ab|\ncd");
  });

  it("lines are joined by backspace at the start, delete at the end and cutting to the end", () => {
    expect(marked(run(start("ab\ncd"), "home", "backspace"))).toBe("ab|cd");
    expect(marked(run(start("ab\ncd"), "up", "end", "delete"))).toBe("ab|cd");
    expect(marked(run(start("ab\ncd"), "up", "end", "cut-to-end"))).toBe("ab|cd");
    expect(marked(run(start("ab\ncd"), "home", "cut-to-start"))).toBe("ab|cd");
  });

  it("cuts in a row come back as one text, in order and with their line breaks", () => {
    const cut = run(start("one two\nthree"), "up", "home", "cut-to-end", "cut-to-end", "cut-to-end");
    expect(composerText(cut)).toBe("");
    expect(composerText(run(cut, "yank", "yank"))).toBe("one two\nthreeone two\nthree");
    const backwards = run(start("one two"), "cut-word-left", "cut-word-left");
    expect(composerText(run(backwards, insert("x"), "yank"))).toBe("xone two");
    expect(composerText(run(start("one two"), "cut-word-left", "left", "right", "cut-word-left", "yank"))).toBe("one ");
  });

  it("undo takes back a word, a cut, a paste, a set text", () => {
    const typed = run(start(), ...[..."ab cd"].map(insert));
    expect(composerText(run(typed, "undo"))).toBe("ab");
    expect(composerText(run(typed, "undo", "undo"))).toBe("");
    expect(composerText(run(typed, "cut-to-start", "undo"))).toBe("ab cd");
    expect(composerText(run(typed, paste(longPaste), "undo"))).toBe("ab cd");
    expect(composerText(run(typed, { type: "set", text: "other" }, "undo"))).toBe("ab cd");
    expect(composerText(run(start(), "undo"))).toBe("");
  });
});

describe("what was cut, and undone", () => {
  const cuts = run(start("one two three"), "cut-word-left", "left", "cut-word-left", "left", "cut-word-left");

  it("yank goes on to older cuts in place of the newest, and around", () => {
    const yanked = run(
      start(),
      ...["a", "b", "c"].flatMap((each) => [insert(each), "cut-to-start" as const, "left" as const]),
      "yank",
    );
    const shown = [0, 1, 2, 3].map((times) =>
      composerText(run(yanked, ...Array.from({ length: times }, () => "yank-older" as const))),
    );
    expect(shown).toEqual(["c", "b", "a", "c"]);
  });

  it("an older cut comes only directly behind a yank", () => {
    const yanked = run(cuts, "yank");
    expect(run(yanked, "left", "yank-older")).toEqual(run(yanked, "left"));
    expect(run(cuts, "yank-older")).toEqual(cuts);
    expect(composerText(run(start("x"), "yank", "yank-older"))).toBe("x");
  });

  it("a yank with all its turns is one step of undo", () => {
    const before = run(
      start("keep "),
      insert("x"),
      "backspace",
      insert("first"),
      "cut-word-left",
      "left",
      "end",
      insert("second"),
      "cut-word-left",
    );
    const after = run(before, "yank", "yank-older", "yank-older", "yank-older", "undo");
    expect(composerText(after)).toBe(composerText(before));
  });

  it("pastes and line breaks come back from the ring with their exact bytes", () => {
    const state = run(
      start(),
      paste(longPaste),
      "newline",
      insert("日本"),
      "text-start",
      "cut-to-end",
      "cut-to-end",
      "cut-to-end",
    );
    expect(composerText(state)).toBe("");
    expect(composerText(run(state, "yank"))).toBe(`${longPaste}\n日本`);
  });

  it("forgets the oldest cuts", () => {
    const many = Array.from(
      { length: 50 },
      (_, index) => [insert(`c${index}`), "cut-to-start", "left"] as const,
    ).flat();
    expect(run(start(), ...many).ring).toHaveLength(20);
  });

  it("redo brings back what undo took, until something else is typed", () => {
    const typed = run(start(), ...[..."ab cd"].map(insert), "cut-word-left");
    expect(composerText(run(typed, "undo", "undo", "redo"))).toBe("ab cd");
    expect(composerText(run(typed, "undo", "undo", "redo", "redo"))).toBe("ab ");
    expect(composerText(run(typed, "undo", "undo", "redo", "redo", "redo"))).toBe("ab ");
    expect(composerText(run(typed, "undo", insert("x"), "redo"))).toBe("ab cdx");
  });

  it("what is sent or recalled begins anew", () => {
    const { state } = submitComposer(run(start("sent"), insert("x"), "undo"));
    expect(composerText(run(state, "redo"))).toBe("");
    expect(composerText(run(state, "undo"))).toBe("");
  });
});

describe("what a menu puts in", () => {
  it("stands in place of the cells before the cursor, as one step of undo", () => {
    const state = run(start("see @日本 now"), "word-left", "left");
    const done = run(state, { type: "complete", from: 4, text: "@文書/日本語.md" });
    expect(marked(done)).toBe("see @文書/日本語.md| now");
    expect(composerText(run(done, "undo"))).toBe("see @日本 now");
  });

  it("may take what stands behind the cursor too", () => {
    const state = run(start("/redo"), "left", "left");
    expect(marked(run(state, { type: "complete", from: 0, to: Number.POSITIVE_INFINITY, text: "/redo " }))).toBe(
      "/redo |",
    );
  });
});

describe("start and end of the text", () => {
  it("are one key away from anywhere, whatever the lines", () => {
    const state = run(start("first 👩‍💻\n\n最後"), "up");
    expect(marked(run(state, "text-start"))).toBe("|first 👩‍💻\n\n最後");
    expect(marked(run(state, "text-start", "text-end"))).toBe("first 👩‍💻\n\n最後|");
    expect(marked(run(start(""), "text-start", "text-end"))).toBe("|");
  });
});

describe("pastes", () => {
  it("a long paste is one cell with a placeholder and gives back its exact bytes", () => {
    const state = run(start("a"), paste(longPaste), insert("b"));
    expect(composerText(state)).toBe(`a${longPaste}b`);
    expect(state.buffer.line).toEqual(["a", { paste: longPaste, label: "[42 lines]" }, "b"]);
    expect(composerText(run(state, "left", "backspace"))).toBe("ab");
    expect(marked(run(state, "left", "left"))).toBe(`a|${longPaste}b`);
    expect(marked(run(state, "word-left", "word-left"))).toBe(`a|${longPaste}b`);
  });

  it("a long line is counted in characters, a final line break is no line", () => {
    expect(run(start(), paste("x".repeat(401))).buffer.line).toMatchObject([{ label: "[401 characters]" }]);
    expect(run(start(), paste("a\nb\nc\nd\n")).buffer.line).toMatchObject([{ label: "[4 lines]" }]);
  });

  it("a small paste is ordinary text", () => {
    expect(marked(run(start("xy"), "left", paste("a\nb\nc"), "backspace"))).toBe("xa\nb\n|y");
  });

  it("a huge text set from outside is one cell", () => {
    const text = "word ".repeat(100_000);
    const state = run(start(), { type: "set", text });
    expect(state.buffer.line).toHaveLength(1);
    expect(composerText(state)).toBe(text);
  });

  it("a cut paste comes back whole", () => {
    expect(composerText(run(start(), paste(longPaste), "cut-to-start", "yank"))).toBe(longPaste);
  });
});

describe("rows and history", () => {
  it("up and down go by rows of the screen and keep to their column", () => {
    const state = start("aaaa bbbb cccc\nx\ndddddddd", 6);
    expect(marked(run(state, "up"))).toBe("aaaa bbbb cccc\nx\nddd|ddddd");
    expect(marked(run(state, "up", "up"))).toBe("aaaa bbbb cccc\nx|\ndddddddd");
    expect(marked(run(state, "up", "up", "up"))).toBe("aaaa bbbb ccc|c\nx\ndddddddd");
    expect(marked(run(state, "up", "up", "up", "up"))).toBe("aaaa bbb|b cccc\nx\ndddddddd");
    expect(marked(run(state, "up", "up", "up", "up", "down", "down", "down"))).toBe("aaaa bbbb cccc\nx\nddd|ddddd");
  });

  it("a wide character is not split by the column", () => {
    expect(marked(run(start("日本語\nabc"), "up"))).toBe("日|本語\nabc");
  });

  it("beyond the first row is the history, beyond its end the text that was left", () => {
    const state = run(createComposer({ width: 40, history: ["first", "second\nline"] }), insert("draft"));
    expect(composerText(run(state, "up"))).toBe("second\nline");
    expect(composerText(run(state, "up", "up"))).toBe("second\nline");
    expect(composerText(run(state, "up", "up", "up"))).toBe("first");
    expect(composerText(run(state, "up", "up", "up", "up"))).toBe("first");
    expect(composerText(run(state, "up", "up", "up", "down", "down"))).toBe("draft");
    expect(composerText(run(state, "down"))).toBe("draft");
  });
});

describe("enter", () => {
  it("gives the whole text and leaves an empty composer", () => {
    const { state, text } = submitComposer(run(start("a\nb"), paste(longPaste)));
    expect(text).toBe(`a\nb${longPaste}`);
    expect(composerText(state)).toBe("");
  });

  it("after a backslash begins a line in its place", () => {
    const { state, text } = submitComposer(start("a\\"));
    expect(text).toBeUndefined();
    expect(marked(state)).toBe("a\n|");
  });

  it("sends nothing for white space", () => {
    const state = start(" \n ");
    expect(submitComposer(state)).toEqual({ state });
  });
});

describe("for any keys", () => {
  const text = fc.constantFrom("a", "é", " ", "日", family, "\u0301", "\u200d", "🇩", "🇪", "_", "-");
  const action = fc.oneof(
    text.map(insert),
    fc.constantFrom(paste("p\nq"), paste(longPaste)),
    fc
      .constantFrom(
        ...([
          "newline",
          "backspace",
          "delete",
          "left",
          "right",
          "word-left",
          "word-right",
          "home",
          "end",
          "up",
          "down",
        ] as const),
        ...([
          "cut-to-end",
          "cut-to-start",
          "cut-space-word-left",
          "cut-word-left",
          "cut-word-right",
          "yank",
          "yank-older",
          "undo",
          "redo",
          "text-start",
          "text-end",
        ] as const),
      )
      .map((type): ComposerAction => ({ type })),
  );

  it("lines are always cut into graphemes as the segmenter does, and the cursor is inside", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), fc.integer({ min: 1, max: 10 }), (actions, width) => {
        const { buffer } = run(start("", width), ...actions);
        expect(buffer.column).toBeGreaterThanOrEqual(0);
        expect(buffer.column).toBeLessThanOrEqual(buffer.line.length);
        const runs: string[][] = [[]];
        for (const cell of buffer.line) {
          if (typeof cell === "string") runs.at(-1)?.push(cell);
          else runs.push([]);
        }
        for (const cells of runs) expect(cells).toEqual([...bufferOf(cells.join("")).line]);
      }),
      { numRuns: fullNumber(1_500, 375) },
    );
  });

  it("inserting and taking back leaves the text as it was", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
        const before = run(start(), ...actions, "end");
        const after = run(before, "newline", insert("word"), "cut-to-start", "backspace");
        expect(composerText(after)).toBe(composerText(before));
      }),
    );
  });

  it("undo to the start and redo to the end is where it was", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const state = run(start(), ...actions.filter(({ type }) => type !== "undo" && type !== "redo"));
        const steps = Array.from({ length: 40 });
        const back = run(state, ...steps.map(() => "undo" as const));
        expect(composerText(back)).toBe("");
        expect(composerText(run(back, ...steps.map(() => "redo" as const)))).toBe(composerText(state));
      }),
    );
  });

  it("a key shares everything above and below its line with the state before it", () => {
    const state = run(start(Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join("\n")), "up", "up", "up");
    const next = run(state, insert("x"), "left", "backspace", "home");
    expect(next.buffer.above).toBe(state.buffer.above);
    expect(next.buffer.below).toBe(state.buffer.below);
  });
});

describe("a text that was taken away as a whole", () => {
  it.each(["one", "one\ntwo\n\nfour", longPaste])(
    "comes back by undo and by yank, from wherever the cursor was",
    (text) => {
      const cut = run(start(), paste(text), insert(" end"), "up", "home", "cut");
      expect(composerText(cut)).toBe("");
      expect(composerText(run(cut, "undo"))).toBe(`${text} end`);
      expect(composerText(run(cut, insert("x"), "yank"))).toBe(`x${text} end`);
      expect(composerText(run(cut, "undo", "redo"))).toBe("");
    },
  );

  it("is kept apart from what is cut next", () => {
    const cut = run(start(), insert("first"), "cut", insert("second"), "cut-to-start", "yank");
    expect(composerText(cut)).toBe("second");
    expect(composerText(run(cut, "yank-older"))).toBe("first");
  });

  it("brings back too what was being written before an earlier prompt was looked at", () => {
    const looking = run(createComposer({ width: 40, history: ["earlier"] }), insert("mine"), "up", "cut");
    expect(composerText(run(looking, "undo"))).toBe("earlier");
    expect(composerText(run(looking, "undo", "undo"))).toBe("mine");
  });
});
