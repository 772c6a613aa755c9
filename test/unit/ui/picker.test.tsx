import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import { key } from "../../../src/ui/key-event.ts";
import { Picker, pickerPage } from "../../../src/ui/picker.tsx";
import { createPicker, type PickerItem, type PickerState, pickerReducer } from "../../../src/ui/picker-state.ts";
import { expectFits, frameLines } from "../../helpers/screen.ts";

afterEach(cleanup);
const many: readonly PickerItem[] = Array.from({ length: 5_000 }, (_, index) => ({
  id: `s${index}`,
  label: `session ${index}`,
  detail: `${index} turns`,
}));

function press(state: PickerState, ...keys: readonly string[]): PickerState {
  return keys.reduce((current, name) => {
    const event =
      name.length === 1
        ? ({ kind: "text", text: name } as const)
        : name.startsWith("ctrl+")
          ? key(name.slice(5), { ctrl: true })
          : key(name);
    return pickerReducer(current, { type: "key", event, page: 10, commands: ["ctrl+d"] });
  }, state);
}
const at = (state: PickerState): string | undefined => state.matches[state.selected]?.id;

describe("pickerReducer", () => {
  const state = createPicker({ items: many });

  it("moves by rows, pages and ends, and stops at the ends", () => {
    expect(at(press(state, "down", "down", "up"))).toBe("s1");
    expect(at(press(state, "pagedown", "pagedown", "pageup"))).toBe("s10");
    expect(at(press(state, "end", "down"))).toBe("s4999");
    expect(at(press(state, "end", "home", "up"))).toBe("s0");
  });

  it("filters by every word, those in the label first", () => {
    const items = [
      { id: "1", label: "other", search: "fix zone" },
      { id: "2", label: "fix the zone" },
      { id: "3", label: "fix" },
    ];
    const filtered = press(createPicker({ items }), ..."zone fix");
    expect(filtered.matches.map((item) => item.id)).toEqual(["2", "1"]);
  });

  it("edits the filter by grapheme and word, and escape clears it before it leaves", () => {
    const typed = press(state, ..."ab cd");
    expect(press(typed, "backspace").query).toBe("ab c");
    expect(press(typed, "ctrl+w").query).toBe("ab ");
    expect(press(typed, "ctrl+u").query).toBe("");
    expect(press(typed, "escape").outcome).toBeUndefined();
    expect(press(typed, "escape", "escape").outcome).toEqual({ kind: "cancelled" });
  });

  it("ends with the selected item, or with a key of the owner's on it", () => {
    expect(press(state, "down", "enter").outcome).toEqual({ kind: "chosen", item: many[1] });
    expect(press(state, "down", "ctrl+d").outcome).toEqual({ kind: "command", chord: "ctrl+d", item: many[1] });
    expect(press(state, ..."nothing like it", "enter").outcome).toBeUndefined();
  });

  it("keeps the selection when items change around it", () => {
    const moved = pickerReducer(press(state, "down", "down"), {
      type: "items",
      items: [{ id: "new", label: "new" }, ...many],
    });
    expect(at(moved)).toBe("s2");
  });

  it("leaves filtering to the owner where it is external", () => {
    const external = press(createPicker({ items: many, filter: "external" }), "x");
    expect(external.query).toBe("x");
    expect(external.matches).toBe(many);
  });

  it("takes the first line of a paste, made safe", () => {
    const pasted = pickerReducer(state, { type: "key", event: { kind: "paste", text: "17\x1b[2J\nrest" }, page: 10 });
    expect(pasted.query).toBe("17");
  });
});

describe("Picker", () => {
  const draw = (state: PickerState, width: number, maxRows: number): readonly string[] =>
    frameLines(render(<Picker state={state} title="Sessions" width={width} maxRows={maxRows} />).lastFrame());

  it.each([1, 20, 80, 200])("fits %i columns and any height", (width) => {
    const odd = createPicker({
      items: [
        { id: "a", label: "日本語".repeat(40), detail: "x".repeat(100) },
        { id: "b", label: "\x1b[2J\u202e" },
        { id: "c", label: "" },
      ],
    });
    for (const rows of [1, 2, 5, 12]) {
      for (const state of [
        odd,
        createPicker({ items: many }),
        createPicker({ items: [] }),
        press(odd, ..."a filter that is rather long"),
      ]) {
        expectFits(draw(state, width, rows), { cols: width, rows });
      }
    }
  });

  it("shows count, filter, the rows around the selection and the keys", () => {
    const state = press(createPicker({ items: many }), ..."99", "down", "down", "down", "down");
    const lines = draw(state, 60, 9);
    expect(lines[0]).toBe("Sessions (95 of 5000)");
    expect(lines[1]).toBe("/ 99");
    expect(lines.slice(2, -1)).toHaveLength(pickerPage(9));
    expect(lines).toContain(`> session 499${" ".repeat(60 - 13 - 9)}499 turns`);
    expect(lines.at(-1)).toContain("enter choose");
  });

  it("says when there is nothing, and when nothing fits", () => {
    expect(draw(createPicker({ items: [] }), 40, 9)).toContain("nothing here");
    expect(draw(press(createPicker({ items: many }), "z"), 40, 9)).toContain('nothing fits "z"');
  });
});
