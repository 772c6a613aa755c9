import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import { CommandMenu, initialMenu, type MenuCommand, menuItems, menuReducer } from "../../../src/ui/command-menu.tsx";
import { expectFits, frameLines } from "../../helpers/screen.ts";

afterEach(cleanup);
const commands: readonly MenuCommand[] = [
  { name: "help", usage: "[command]", summary: "commands and keys" },
  { name: "resume", aliases: ["continue"], usage: "[session]", summary: "pick an earlier session" },
  { name: "redo", usage: "[n]", summary: "forward again, files too" },
  { name: "retry", summary: "the last prompt again" },
  { name: "branch", aliases: ["fork"], summary: "a new session from here" },
  { name: "undo", aliases: ["rewind"], usage: "[n] [--chat|--files]", summary: "take back turns" },
];
const names = (text: string): readonly string[] => menuItems(text, commands).map((item) => item.id);

describe("menuItems", () => {
  it.each([
    ["lists all in their own order for a slash alone", "/", ["help", "resume", "redo", "retry", "branch", "undo"]],
    ["puts prefixes first, an alias's after them", "/re", ["resume", "redo", "retry", "undo"]],
    ["finds letters in order", "/rtr", ["retry"]],
    ["finds by alias", "/fork", ["branch"]],
    ["knows no case", "/UNDO", ["undo"]],
    ["keeps the command alone once arguments begin", "/undo 2", ["undo"]],
    ["keeps it for an alias too", "/rewind ", ["undo"]],
    ["is empty for text, a path, an unknown command and a second line", "hello", []],
    ["is empty for a path", "/usr/bin", []],
    ["is empty for an unknown command with arguments", "/zzz 1", []],
    ["is empty once there is a second line", "/undo\nx", []],
  ])("%s", (_title, text, expected) => expect(names(text)).toEqual(expected));

  it("says which alias was meant and completes to the name", () => {
    const [item] = menuItems("/rew", commands);
    expect(item?.label).toContain("/undo (rewind)");
    expect(item?.choice).toMatchObject({ type: "complete", from: 0, text: "/undo " });
  });
});

describe("what enter does", () => {
  const isWhole = (text: string): readonly boolean[] => menuItems(text, commands).map((item) => item.isWhole);

  it("sends what is named in full, by an alias too, and completes the rest first", () => {
    expect(isWhole("/redo")).toEqual([true]);
    expect(isWhole("/fork")).toEqual([true]);
    expect(isWhole("/bran")).toEqual([false]);
  });

  it("keeps what is typed behind a command: its usage is no choice", () => {
    const [usage] = menuItems("/undo 2", commands);
    expect(usage).toMatchObject({ isWhole: true, label: "/undo [n] [--chat|--files]" });
    expect(usage?.choice).toBeUndefined();
  });
});

describe("menuReducer", () => {
  it("stays closed in its place whatever is typed on, and opens in another one", () => {
    const at = (place: string, text: string) => ({ type: "text", place, text }) as const;
    const closed = menuReducer(menuReducer(initialMenu, at("@4", "@a")), { type: "close" });
    expect(menuReducer(closed, at("@4", "@ab")).closed).toBe(true);
    expect(menuReducer(closed, at("@9", "@")).closed).toBe(false);
  });

  it("selects nothing where it is told to, until somebody moves", () => {
    const open = menuReducer(initialMenu, { type: "text", text: "/model ", selected: -1 });
    expect(open.selected).toBe(-1);
    expect(menuReducer(open, { type: "down", count: 3 }).selected).toBe(0);
    expect(menuReducer(open, { type: "up", count: 3 }).selected).toBe(2);
  });

  it("moves around the ends, starts again with a new text, stays closed until then", () => {
    const open = menuReducer(initialMenu, { type: "text", text: "/" });
    const last = menuReducer(open, { type: "up", count: 6 });
    expect(last.selected).toBe(5);
    expect(menuReducer(last, { type: "down", count: 6 }).selected).toBe(0);
    const closed = menuReducer(last, { type: "close" });
    expect(menuReducer(closed, { type: "text", text: "/" }).closed).toBe(true);
    expect(menuReducer(closed, { type: "text", text: "/r" })).toEqual({ text: "/r", selected: 0, closed: false });
  });
});

describe("CommandMenu", () => {
  const draw = (width: number, maxRows: number, selected = 0): readonly string[] =>
    frameLines(
      render(
        <CommandMenu
          items={menuItems("/", commands)}
          state={{ ...initialMenu, selected }}
          width={width}
          maxRows={maxRows}
        />,
      ).lastFrame(),
    );

  it.each([1, 20, 80, 200])("fits %i columns", (width) => expectFits(draw(width, 4), { cols: width, rows: 4 }));

  it("has columns of name and summary, and the usage of a command that is alone", () => {
    expect(draw(80, 2)).toEqual(["> /help    commands and keys", "  /resume  pick an earlier session"]);
    expect(menuItems("/und", commands)[0]?.label).toBe("/undo [n] [--chat|--files]");
  });

  it("keeps the selected row in sight", () => {
    expect(draw(80, 3, 5).map((line) => line.slice(0, 9).trimEnd())).toEqual(["  /retry", "  /branch", "> /undo"]);
  });

  it.each([1, 7, 20, 80])("cuts paths at their start and says what is to say below, at %i columns", (width) => {
    const items = [
      "src/ledger/async-session-db.ts",
      "文書/日本語のとても長い名前のファイル🎉.md",
      "evil\x1b[2J\u202e.ts",
    ].map((label) => ({ id: label, label, summary: "", keepsEnd: true, isWhole: false }));
    const lines = frameLines(
      render(
        <CommandMenu items={items} state={initialMenu} width={width} maxRows={4} note="there are more" />,
      ).lastFrame(),
    );
    expectFits(lines, { cols: width, rows: 4 });
    expect(lines).toHaveLength(4);
    expect(lines.join("\n")).not.toMatch(/[\x1b\u202e]/);
    if (width === 20) expect(lines[0]).toBe("> ~ync-session-db.ts");
  });

  it("is nothing when it is closed", () => {
    const closed = render(
      <CommandMenu items={menuItems("/", commands)} state={{ ...initialMenu, closed: true }} width={80} maxRows={4} />,
    );
    expect(frameLines(closed.lastFrame())).toEqual([""]);
  });
});
