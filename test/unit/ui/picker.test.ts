import { describe, expect, it } from "vitest";
import { key } from "../../../src/ui/key-event.ts";
import { layoutOf, type PickerView, pickerLines } from "../../../src/ui/picker-lines.ts";
import { createPicker, type PickerItem, type PickerState, pickerReducer } from "../../../src/ui/picker-state.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { cellWidth } from "../../../src/ui/text-width.ts";
import { expectFits, expectInOrder } from "../../helpers/screen.ts";
import { plainTheme } from "./view-samples.ts";

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

  it("does not look at the command that a row runs", () => {
    const items = [{ id: "/resume 20261130", label: "pears", search: "20261130" }];
    expect(press(createPicker({ items }), ..."resume").matches).toEqual([]);
    expect(press(createPicker({ items }), ..."1130").matches).toEqual(items);
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

  it("is on the best match while one only types, also when better ones come later", () => {
    const typed = press(createPicker({ items: [{ id: "far", label: "a1b2" }] }), ..."12");
    const found = pickerReducer(typed, { type: "items", items: [...typed.items, { id: "near", label: "12" }] });
    expect(at(found)).toBe("near");
    const moved = press(createPicker({ items: many }), ..."12", "down", "down");
    const wanted = at(moved);
    expect(at(pickerReducer(moved, { type: "items", items: [{ id: "near", label: "12" }, ...many] }))).toBe(wanted);
  });

  it("finds scattered letters of a label, after those that stand together or elsewhere", () => {
    const items = [
      { id: "1", label: "src/ui/picker-state.ts" },
      { id: "2", label: "plain", detail: "ups" },
      { id: "3", label: "backups" },
      { id: "4", label: "upside" },
      { id: "5", label: "nothing" },
    ];
    const filtered = press(createPicker({ items }), ..."ups");
    expect(filtered.matches.map((item) => item.id)).toEqual(["4", "3", "2", "1"]);
  });

  it("finds the same by a query typed letter by letter, pasted, or cut down to it", () => {
    const labels = Array.from({ length: 400 }, (_, at) => ({
      id: `${at}`,
      label: `${at * 7919}-${(at * 31) % 97}`,
      detail: "x",
    }));
    for (const query of ["7", "79", "19 3", "7 9 1", " 5", "x 4"]) {
      const whole = createPicker({ items: labels, query });
      const typed = press(createPicker({ items: labels }), ...query);
      const cut = press(press(createPicker({ items: labels }), ...`${query}83`), "backspace", "backspace");
      expect(typed.matches).toEqual(whole.matches);
      expect(cut.matches).toEqual(whole.matches);
    }
  });

  it("takes the first line of a paste, made safe", () => {
    const pasted = pickerReducer(state, { type: "key", event: { kind: "paste", text: "17\x1b[2J\nrest" }, page: 10 });
    expect(pasted.query).toBe("17");
  });
});

describe("pickerLines", () => {
  const view = (state: PickerState, more: Partial<PickerView> = {}): PickerView => ({
    state,
    title: "Sessions",
    empty: "Nothing here. /new begins one.",
    ...more,
  });
  const draw = (state: PickerState, width: number, rows: number, more: Partial<PickerView> = {}): readonly string[] =>
    pickerLines(view(state, more), { width, theme: plainTheme }, rows).map((line) => lineText(line).trimEnd());
  const sessions = ["日本語のタイトル", "plain", "e\u0301tude 👩‍👩‍👧 family", "x".repeat(300)].map((label, at) => ({
    id: `${at}`,
    label,
    facts: [at === 1 ? "waits for a decision" : "", "3 days ago", `${at + 1} turns`, `/home/person/código/日本/${at}`],
  }));

  it.each([1, 20, 80, 120, 200])("fits %i columns and any height", (width) => {
    const odd = createPicker({
      items: [
        { id: "a", label: "日本語".repeat(40), detail: "x".repeat(100) },
        { id: "b", label: "\x1b[2J\u202e" },
        { id: "c", label: "" },
        ...sessions,
      ],
    });
    const preview = { wish: "on", look: ["› \x1b[2Jwhat\u202e", "日本".repeat(500), ...Array(99).fill("x")] } as const;
    for (const rows of [1, 2, 5, 12, 20]) {
      for (const state of [
        odd,
        createPicker({ items: many }),
        createPicker({ items: [] }),
        press(odd, ..."a filter that is rather long"),
        press(odd, "日"),
      ]) {
        for (const more of [{}, { preview }, { preview: { wish: "auto" }, note: "the newest" }] as const) {
          const lines = draw(state, width, rows, more);
          expectFits(lines, { cols: width, rows });
          expect(lines.join("")).not.toMatch(/[\x1b\u202e]/);
        }
      }
    }
  });

  it("shows count, filter, the rows around the selection and the keys", () => {
    const state = press(createPicker({ items: many }), ..."99", "down", "down", "down", "down");
    const lines = draw(state, 60, 9);
    expect(lines[0]).toMatch(/^Sessions \(\d+ of 5000\)$/);
    expect(lines[1]).toBe("/ 99");
    expect(lines.slice(2, -1)).toHaveLength(layoutOf(view(state), 60, 9).listRows);
    expect(lines).toContain(`❯ session 993${" ".repeat(60 - 13 - 9)}993 turns`);
    expect(lines.at(-1)).toContain("enter choose");
  });

  it("marks the letters that fit, whole graphemes of them", () => {
    const state = press(createPicker({ items: sessions }), ..."tud", " ", "e");
    const [row] = pickerLines(view(state), { width: 80, theme: plainTheme }, 3).slice(1, 2);
    expect(row?.filter(({ role }) => role === "match").map(({ text }) => text)).toEqual(["e\u0301tud"]);
  });

  it("keeps its columns under each other, whatever is wide, and leaves out those there is no room for", () => {
    const state = createPicker({ items: sessions });
    const starts = (width: number) =>
      pickerLines(view(state), { width, theme: plainTheme }, 12)
        .slice(2, 6)
        .map((line) => cellWidth(lineText(line).split("3 days ago")[0] ?? ""));
    for (const width of [80, 100, 160]) expect(new Set(starts(width)).size).toBe(1);
    expect(draw(state, 160, 12)[3]).toMatch(/waits for a decision +3 days ago +2 turns +\/home\/person/);
    expect(draw(state, 20, 12).join()).not.toContain("days");
  });

  it("shows the preview beside at 100 columns, below where rows allow, else in the list's place by a key", () => {
    const state = createPicker({ items: sessions });
    const preview = { wish: "auto", look: ["› fix it", "● fixed"] } as const;
    expect(draw(state, 120, 10, { preview })[2]).toMatch(/^❯ 日本語のタイトル .*│ › fix it$/);
    expectInOrder(draw(state, 80, 20, { preview }), ["❯ 日本語のタイトル", "───", "› fix it", "● fixed", "tab hides"]);
    expect(draw(state, 80, 10, { preview }).join()).not.toContain("fix it");
    expect(draw(state, 80, 10, { preview }).at(-1)).toContain("tab previews");
    expect(draw(state, 80, 10, { preview: { ...preview, wish: "on" } }).join()).toContain("› fix it");
    expect(draw(state, 120, 10, { preview: { ...preview, wish: "off" } }).join()).not.toContain("fix it");
    expect(draw(state, 120, 10, { preview: { wish: "auto" } })[2]).toContain("reading…");
  });

  it.each([8, 12, 20, 30, 40, 80])("says at %i columns how to get back from a look in the list's place", (width) => {
    const preview = { wish: "on", look: Array(40).fill("looked at") } as const;
    for (const rows of [2, 3, 5, 7, 12, 16]) {
      const lines = draw(createPicker({ items: sessions }), width, rows, { preview });
      expectFits(lines, { cols: width, rows });
      expect(lines.at(-1)).toMatch(
        width < 12 ? /^esc/ : width < 20 ? /^esc: list$/ : /^esc or tab: (back to )?the list/,
      );
      expect(lines.join()).toContain("looked");
    }
  });

  it.each([6, 7, 8])("has its keys in %i rows, and rows of the list", (rows) => {
    for (const width of [12, 20, 30, 40]) {
      const lines = draw(createPicker({ items: many }), width, rows, { preview: { wish: "auto" } });
      expect(lines.at(-1)).toMatch(/^enter.*esc/);
      expect(lines.filter((line) => /^[❯ ] \S/.test(line)).length).toBeGreaterThanOrEqual(rows - 3);
    }
  });

  it.each([20, 40, 80, 120])("names its keys at %i columns", (width) => {
    const preview = { wish: "auto", look: [] } as const;
    const keys = draw(createPicker({ items: sessions }), width, 12, { preview }).at(-1) ?? "";
    for (const name of ["enter", "esc"]) expect(keys).toContain(name);
    expect(keys.endsWith("…")).toBe(false);
  });

  it("says what to do when there is nothing, when nothing fits, and while it looks", () => {
    expect(draw(createPicker({ items: [] }), 40, 9)).toContain("Nothing here. /new begins one.");
    const none = press(createPicker({ items: many }), "z");
    expect(draw(none, 60, 9)).toContain('nothing fits "z": backspace, or esc clears it');
    expect(draw(none, 60, 9).at(-1)).not.toContain("enter");
    expect(draw(none, 60, 9, { isLooking: true })).toContain("looking…");
  });

  it("keeps the selected row in sight, whatever moved", () => {
    let state = createPicker({ items: many });
    for (const name of ["pagedown", "end", "pageup", "up", "9", "down", "backspace", "end", "home"]) {
      state = press(state, name);
      const selected = state.matches[state.selected]?.label ?? "";
      expect(draw(state, 60, 8).some((line) => line.startsWith(`❯ ${selected} `))).toBe(true);
    }
  });
});
