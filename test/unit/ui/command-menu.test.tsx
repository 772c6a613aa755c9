import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import {
  CommandMenu,
  initialMenu,
  type MenuCommand,
  menuCompletion,
  menuItems,
  menuReducer,
} from "../../../src/ui/command-menu.tsx";
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
const names = (text: string): readonly string[] => menuItems(text, commands).map((item) => item.command.name);

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
    expect(item?.alias).toBe("rewind");
    expect(item && menuCompletion(item)).toBe("/undo ");
  });
});

describe("menuReducer", () => {
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

  it("has columns of name, usage and summary", () => {
    expect(draw(80, 2)).toEqual([
      "> /help [command]             commands and keys",
      "  /resume [session]           pick an earlier session",
    ]);
  });

  it("keeps the selected row in sight", () => {
    expect(draw(80, 3, 5).map((line) => line.slice(0, 9).trimEnd())).toEqual(["  /retry", "  /branch", "> /undo ["]);
  });

  it("is nothing when it is closed", () => {
    const closed = render(
      <CommandMenu items={menuItems("/", commands)} state={{ ...initialMenu, closed: true }} width={80} maxRows={4} />,
    );
    expect(frameLines(closed.lastFrame())).toEqual([""]);
  });
});
