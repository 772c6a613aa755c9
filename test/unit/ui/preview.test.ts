import { describe, expect, it } from "vitest";
import type { PreviewFile } from "../../../src/commands/command.ts";
import { type KeyEvent, key } from "../../../src/ui/key-event.ts";
import { previewLines, previewPage } from "../../../src/ui/preview-lines.ts";
import { createPreview, type PreviewState, previewReducer } from "../../../src/ui/preview-state.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { expectFits } from "../../helpers/screen.ts";
import { plainTheme } from "./view-samples.ts";

function file(path: string, more: Partial<PreviewFile> = {}): PreviewFile {
  const plain = { action: "write", added: 4, removed: 1, isSuspected: false, isChosen: true, isMerged: false } as const;
  return { path, ...plain, ...more };
}

const files = [
  file("src/clock.ts", { diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n" }),
  file("src/merged.ts", { isMerged: true }),
  file("made.txt", { isSuspected: true, isChosen: false }),
  file("mine.ts", { isChosen: false, obstacle: "changed since: left alone" }),
];
const fresh = createPreview({ title: "Take back 1 turn", files });
const open = previewReducer(fresh, { type: "drawn", width: 80 });

function press(state: PreviewState, ...keys: readonly (string | KeyEvent)[]): PreviewState {
  return keys.reduce<PreviewState>((current, each) => {
    return previewReducer(current, { type: "key", event: eventOf(each), page: 5 });
  }, state);
}

/** One character is typed, a longer name is a key. */
function eventOf(each: string | KeyEvent): KeyEvent {
  if (typeof each !== "string") return each;
  return each.length === 1 ? { kind: "text", text: each } : key(each);
}

function chosen({ outcome }: PreviewState): readonly string[] | undefined {
  return outcome?.kind === "apply" ? outcome.chosen.map(({ path }) => path) : undefined;
}

function shown(state: PreviewState, { width = 80, rows = 12 } = {}): readonly string[] {
  return previewLines(state, { width, theme: plainTheme }, rows).map(lineText);
}

describe("choosing files", () => {
  it("starts with what is safe, and enter takes that", () => {
    expect(chosen(press(open, "enter"))).toEqual(["src/clock.ts", "src/merged.ts"]);
  });

  it("does not take an enter that was pressed before the list was drawn", () => {
    expect(press(fresh, "enter").outcome).toBeUndefined();
    expect(press(fresh, "escape").outcome).toEqual({ kind: "leave" });
  });

  it("does not take an enter that ends words meant for the composer", () => {
    const typed = press(open, { kind: "text", text: "go on" }, "enter");
    expect(typed.outcome).toBeUndefined();
    expect(press(open, { kind: "paste", text: "a" }, "enter").outcome).toBeUndefined();
    expect(chosen(press(typed, "down", "enter"))).toHaveLength(2);
  });

  it("ticks and unticks the selected file with space", () => {
    expect(chosen(press(open, " ", "down", "down", " ", "enter"))).toEqual(["src/merged.ts", "made.txt"]);
  });

  it("ticks all that can be with a, and none with another one", () => {
    expect(chosen(press(open, "a", "enter"))).toEqual(["src/clock.ts", "src/merged.ts", "made.txt"]);
    expect(chosen(press(open, "a", "a", "enter"))).toEqual([]);
  });

  it("never ticks a file that stands in the way, even if it came as chosen", () => {
    expect(chosen(press(open, "end", " ", "enter"))).not.toContain("mine.ts");
    const wrong = createPreview({ title: "t", files: [file("x", { obstacle: "content was not kept" })] });
    expect(wrong.ticked.size).toBe(0);
  });

  it("changes nothing on escape", () => {
    expect(press(open, "a", "escape").outcome).toEqual({ kind: "leave" });
  });

  it.each(["d", "right"])("looks at a diff with %s, where enter and escape only go back", (look) => {
    const diff = press(open, look);
    expect(shown(diff)).toContain("1 + new");
    for (const back of ["enter", "escape", "left", "d"]) {
      const list = press(diff, back);
      expect(list.outcome, back).toBeUndefined();
      expect(list.diff, back).toBeUndefined();
    }
  });

  it("scrolls a diff no further than its end", () => {
    const long = createPreview({ title: "t", files: [file("x", { diff: "+line\n".repeat(40) })] });
    const end = press(previewReducer(long, { type: "drawn", width: 80 }), "d", "end", "down", "pagedown");
    expect(end.diff?.scroll).toBe(35);
    expect(shown(end, { rows: 7 }).at(-1)).toContain("lines 36-40 of 40");
    expect(press(end, "home").diff?.scroll).toBe(0);
  });
});

describe("how a preview looks", () => {
  it("shows each file with its box, its counts and what is special about it", () => {
    const lines = shown(press(open, "down"));
    expect(lines[0]).toBe("Take back 1 turn");
    expect(lines[1]).toMatch(/^ {2}\[x\] src\/clock\.ts +\+4 -1$/);
    expect(lines[2]).toMatch(/^❯ \[x\] src\/merged\.ts +merged with your change {2}\+4 -1$/);
    expect(lines[3]).toMatch(/^ {2}\[ \] made\.txt +changed by a command {2}\+4 -1$/);
    expect(lines[4]).toMatch(/^ {3}- {2}mine\.ts +changed since: left alone {2}\+4 -1$/);
    expect(lines.at(-1)).toContain("enter: change 2 of 4 files");
  });

  it("tells the words about the selected file where the rows are too narrow for them", () => {
    const lines = shown(press(open, "down", "down"), { width: 40 });
    expect(lines[3]).toMatch(/^❯ \[ \] made\.txt +\+4 -1$/);
    expect(lines).toContain("  changed by a command");
  });

  it("says what a file that was made or deleted becomes", () => {
    const state = createPreview({
      title: "t",
      files: [file("a", { action: "remove" }), file("b", { action: "create" })],
    });
    expect(shown(state)[1]).toMatch(/is removed {2}\+4 -1$/);
    expect(shown(state)[2]).toMatch(/comes back {2}\+4 -1$/);
  });

  it("tells what to press first after stray text", () => {
    expect(shown(press(open, "x")).at(-1)).toContain("press an arrow or space first");
  });

  it.each([1, 5, 9, 12, 24, 40, 80])("fits %d columns at every height, list and diff", (width) => {
    const wide = createPreview({
      title: "a long title ".repeat(9),
      files: [file("宽/".repeat(40), { diff: "+宽".repeat(99) }), ...files],
    });
    const state = previewReducer(wide, { type: "drawn", width });
    for (let rows = 1; rows < 16; rows += 1) {
      expectFits(shown(state, { width, rows }), { cols: width, rows });
      expectFits(shown(press(state, "d"), { width, rows }), { cols: width, rows });
    }
  });

  it("wraps an open diff anew when the window changed", () => {
    const state = press(open, "d");
    expect(previewReducer(state, { type: "drawn", width: 3 }).diff?.rows.length).toBeGreaterThan(
      state.diff?.rows.length ?? 0,
    );
  });

  it("draws thousands of files as fast as a few: only the rows of the window", () => {
    const many = createPreview({ title: "t", files: Array.from({ length: 20_000 }, (_, index) => file(`f${index}`)) });
    const state = press(previewReducer(many, { type: "drawn", width: 80 }), "end");
    const lines = shown(state, { rows: 12 });
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe("t (19991-20000 of 20000)");
    expect(lines.join("\n")).toContain("f19999");
    expect(lines.filter((line) => line.includes("[x]"))).toHaveLength(previewPage(12, 80));
  });

  it("lets no path, words or diff act on the terminal, and shows what is hidden in a diff", () => {
    const evil = createPreview({
      title: "\x1b[2Jt",
      files: [file("a\x1b[31m\nb", { obstacle: "\x9b2J", diff: "+a\u202eb\x1b[2J" })],
    });
    const state = previewReducer(evil, { type: "drawn", width: 80 });
    for (const each of [state, press(state, "d")])
      expect(shown(each).join("")).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
    expect(shown(press(state, "d")).join("")).toContain("\\u202e");
  });
});
