import fc from "fast-check";
import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import { Composer, type ComposerProps } from "../../../src/ui/composer.tsx";
import { composerColumns, composerWindow } from "../../../src/ui/composer-layout.ts";
import { composerReducer, createComposer } from "../../../src/ui/composer-state.ts";
import { cellWidth } from "../../../src/ui/text-width.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { expectFits, frameLines } from "../../helpers/screen.ts";

afterEach(cleanup);
const sizes = [1, 20, 80, 200];

function draw(text: string, props: Partial<ComposerProps> & { width: number }): readonly string[] {
  const state = createComposer({ width: composerColumns(props.width), text });
  return frameLines(render(<Composer state={state} maxRows={5} {...props} />).lastFrame());
}

describe("Composer", () => {
  it.each(sizes)("fits %i columns and five rows, whatever is in it", (width) => {
    for (const text of [
      "",
      "short",
      "word ".repeat(60),
      "日本語".repeat(30),
      "a\n\n\nb\nc\nd\ne\nf",
      "\x1b[2J\u202e\tx",
    ]) {
      expectFits(draw(text, { width, placeholder: "Ask anything" }), { cols: width, rows: 5 });
    }
  });

  it("shows the prompt sign once and wraps at words", () => {
    expect(draw("the quick brown fox jumps over", { width: 20 })).toEqual(["> the quick brown", "  fox jumps over"]);
    expect(draw("one\ntwo", { width: 20 })).toEqual(["> one", "  two"]);
  });

  it("shows the placeholder while it is empty, in plain ASCII", () => {
    expect(draw("", { width: 40, placeholder: "Ask anything" })).toEqual(["> Ask anything"]);
    expect(draw("x", { width: 40, placeholder: "Ask anything" })).toEqual(["> x"]);
  });

  it("keeps the cursor's row in the window and marks what is hidden", () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
    expect(draw(text, { width: 20 })).toEqual(["^ line 15", "  line 16", "  line 17", "  line 18", "  line 19"]);
    let state = createComposer({ width: 18, text });
    for (let index = 0; index < 10; index++) state = composerReducer(state, { type: "up" });
    const lines = frameLines(render(<Composer state={state} width={20} maxRows={5} />).lastFrame());
    expect(lines).toEqual(["^ line 7", "  line 8", "  line 9", "  line 10", "v line 11"]);
  });

  it("shows a paste as its placeholder and spells out what cannot be seen", () => {
    const state = composerReducer(createComposer({ width: 78, text: "a\x1b\u202e" }), {
      type: "paste",
      text: "x\n".repeat(42),
    });
    expect(frameLines(render(<Composer state={state} width={80} maxRows={5} />).lastFrame())).toEqual([
      "> a\\x1b\\u202e[42 lines]",
    ]);
  });

  it("takes a changed text at once", () => {
    const state = createComposer({ width: 18, text: "a" });
    const { rerender, lastFrame } = render(<Composer state={state} width={20} maxRows={5} />);
    rerender(<Composer state={composerReducer(state, { type: "insert", text: "b" })} width={20} maxRows={5} />);
    expect(frameLines(lastFrame())).toEqual(["> ab"]);
  });
});

describe("composerWindow", () => {
  const text = fc
    .array(fc.constantFrom("a", "word", " ", "    ", "\n", "日本", "👩\u200d👩\u200d👧", "\t", "\u202e"), {
      maxLength: 30,
    })
    .map((parts) => parts.join(""));
  const move = fc.constantFrom(...(["left", "up", "home", "word-left", "end", "down"] as const));

  it("fits, holds the cursor, and its parts are the row", () => {
    fc.assert(
      fc.property(
        text,
        fc.array(move, { maxLength: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 6 }),
        (content, moves, width, rows) => {
          const state = moves.reduce(
            (current, type) => composerReducer(current, { type }),
            createComposer({ width, text: content }),
          );
          const view = composerWindow(state.buffer, width, rows);
          expect(view.rows.length).toBeLessThanOrEqual(rows);
          view.rows.forEach((row, index) => {
            expect(cellWidth(row.text)).toBeLessThanOrEqual(width);
            expect(row.cursor !== undefined).toBe(index === view.cursorRow);
          });
          const cursor = view.rows[view.cursorRow]?.cursor;
          if (cursor === undefined) throw new Error("no cursor");
          expect(cursor.x).toBeLessThan(width);
          expect(cellWidth(cursor.before)).toBeLessThanOrEqual(cursor.x);
          expect(cellWidth(cursor.before + cursor.at + cursor.after)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: fullNumber(1_500, 375) },
    );
  });

  it("does not look at lines outside the window", () => {
    const state = createComposer({ width: 40, text: "x\n".repeat(4_000) });
    const forbidden = {
      get line(): never {
        throw new Error("looked too far");
      },
      rest: undefined,
    };
    let { above } = state.buffer;
    const near: (typeof above)[] = [];
    for (let index = 0; index < 6; index++) [near[index], above] = [above, above?.rest];
    const cut = near.reduceRight<typeof above>(
      (rest, each) => (each === undefined ? rest : { line: each.line, rest }),
      forbidden,
    );
    expect(composerWindow({ ...state.buffer, above: cut }, 40, 5).rows).toHaveLength(5);
  });
});
