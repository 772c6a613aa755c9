import { describe, expect, it } from "vitest";
import type { MenuCommand } from "../../../src/ui/command-menu.tsx";
import { type ComposerState, composerReducer, composerText, createComposer } from "../../../src/ui/composer-state.ts";
import { type Completion, InputMenu, type Offer } from "../../../src/ui/input-menu.ts";

const commands: readonly MenuCommand[] = [
  { name: "resume", aliases: ["continue"], usage: "[session]", summary: "another conversation", argument: "session" },
  { name: "undo", usage: "[n]", summary: "take back turns", argument: "n" },
];
const files = ["src/", "my dir/", "src/a.ts", "my dir/c d.md", "文書/日本語.md"];

function menuOf(more: { isReading?: boolean; isCut?: boolean; isWhole?: boolean } = {}): InputMenu {
  const completion: Completion = {
    paths: (query) => ({
      paths: files.filter((each) => each.includes(query)),
      isReading: more.isReading ?? false,
      isCut: more.isCut ?? false,
    }),
    names: (argument) =>
      argument === "session"
        ? {
            names: [
              {
                value: "fix the clock",
                label: "fix the clock",
                summary: "2 days ago",
                search: "20260101-000000-aaaaaa",
              },
              { value: "20260102-000000-bbbbbb", label: "say hello", summary: "just now" },
            ],
            isReading: more.isReading ?? false,
            isWhole: () => more.isWhole ?? false,
          }
        : undefined,
  };
  const menu = new InputMenu();
  menu.commands = commands;
  menu.completion = completion;
  return menu;
}

const typed = (text: string): ComposerState => composerReducer(createComposer({ width: 80 }), { type: "insert", text });
const offered = (text: string, menu = menuOf()): Offer | undefined => menu.offer(typed(text));
const labels = (text: string): readonly string[] | undefined => offered(text)?.items.map(({ label }) => label);

/** The text after the item with this label was chosen. */
function chosen(text: string, label: string): string {
  const choice = offered(text)?.items.find((item) => item.label === label)?.choice;
  if (!choice) throw new Error(`${label} cannot be chosen`);
  return composerText(composerReducer(typed(text), choice));
}

describe("what is offered", () => {
  it.each([
    ["paths behind an @", "see @src", ["src/", "src/a.ts"]],
    ["paths in a command's argument too", "/undo @a.ts", ["src/a.ts"]],
    ["commands behind a slash", "/res", ["/resume [session]"]],
    ["names behind a command that takes them", "/resume ", ["fix the clock", "say hello"]],
    ["names by any of their words", "/continue clock", ["fix the clock"]],
    ["names by what they stand for", "/resume 20260101", ["fix the clock"]],
    ["the usage of a command that takes none", "/undo ", ["/undo [n]"]],
    ["the usage where no name fits", "/resume zzz", ["/resume [session]"]],
    ["the usage where the name stands there", "/resume fix the clock", ["/resume [session]"]],
    ["nothing in plain text", "hello", undefined],
    ["nothing behind a path that is over", "@src/a.ts ", undefined],
  ])("is %s", (_title, text, expected) => expect(labels(text)).toEqual(expected));

  it("is put in place of what was typed for it, folders to go on, files done", () => {
    expect(chosen("see @sr", "src/")).toBe("see @src/");
    expect(chosen("see @sr", "src/a.ts")).toBe("see @src/a.ts ");
    expect(chosen("see @my", "my dir/")).toBe('see @"my dir/');
    expect(chosen('see @"my dir/', "my dir/c d.md")).toBe('see @"my dir/c d.md" ');
    expect(chosen("日本 @日", "文書/日本語.md")).toBe("日本 @文書/日本語.md ");
    expect(chosen("/resume  clo", "fix the clock")).toBe("/resume  fix the clock");
    expect(chosen("/resume hello", "say hello")).toBe("/resume 20260102-000000-bbbbbb");
    expect(chosen("/res", "/resume [session]")).toBe("/resume ");
  });

  it.each([
    ["/", "up, down · enter takes one · 2 in all"],
    ["/und", "enter takes it"],
    ["/undo", "enter runs it; what is in [ ] may follow"],
    ["/undo 2", "enter runs it; what is in [ ] may follow"],
    ["/resume ", "down picks one · enter runs it"],
  ])("says how to go on from %s", (text, note) => expect(offered(text)?.note).toBe(note));

  it("says what it cannot list", () => {
    expect(offered("@zzz")).toMatchObject({ items: [], note: "no file or folder fits" });
    expect(offered("@zzz", menuOf({ isReading: true }))?.note).toBe("looking for files…");
    expect(offered("@src", menuOf({ isCut: true }))?.note).toBe("there are more files here than are listed");
    expect(offered("@src")?.note).toBeUndefined();
  });

  it("leaves enter to what is typed: names are chosen only when they were selected, whole paths are sent", () => {
    const menu = menuOf();
    expect(offered("/resume 2026", menu)?.mustSelect).toBe(true);
    expect(offered("/resume ", menu)?.mustSelect).toBe(true);
    expect(menu.state.selected).toBe(-1);
    expect(offered("see @src/a.ts")?.items[0]).toMatchObject({ id: "src/a.ts", isWhole: true });
    expect(offered("see @src/a")?.items[0]).toMatchObject({ id: "src/a.ts", isWhole: false });
  });

  it("gives enter the only name that fits, unless what is typed means something as it stands", () => {
    const only = offered("/resume clock");
    expect(only).toMatchObject({ mustSelect: false, note: "enter takes it", items: [{ isWhole: false }] });
    expect(offered("/resume 0102")).toMatchObject({ mustSelect: false });
    expect(offered("/resume 0102", menuOf({ isWhole: true }))).toMatchObject({ mustSelect: true });
    expect(offered("/resume clock", menuOf({ isReading: true }))).toMatchObject({ mustSelect: true });
  });

  it("is nothing for a text that came whole: from the history, a draft, another program", () => {
    const set = (text: string) => composerReducer(createComposer({ width: 80 }), { type: "set", text });
    expect(menuOf().offer(set("look at @src/a.ts"))).toBeUndefined();
    expect(menuOf().offer(set("/res"))).toBeUndefined();
    const recalled = composerReducer(createComposer({ width: 80, history: ["see @src"] }), { type: "up" });
    expect(menuOf().offer(recalled)).toBeUndefined();
    expect(menuOf().offer(composerReducer(recalled, { type: "insert", text: "/" }))).toBeDefined();
  });

  it("closed by escape stays closed for this word, and opens for the next one", () => {
    const menu = menuOf();
    let composer = typed("ask @s");
    expect(menu.offer(composer)).toBeDefined();
    menu.close();
    for (const text of ["r", "c"]) {
      composer = composerReducer(composer, { type: "insert", text });
      expect(menu.offer(composer)).toBeUndefined();
    }
    composer = composerReducer(composer, { type: "insert", text: " @my" });
    expect(menu.offer(composer)).toBeDefined();
  });

  it("keeps the selection until something else is typed, also when the list is made again", () => {
    const menu = menuOf();
    const composer = typed("@");
    menu.offer(composer);
    menu.move("down", files.length);
    menu.forget();
    menu.offer(composer);
    expect(menu.state.selected).toBe(1);
    menu.offer(composerReducer(composer, { type: "insert", text: "s" }));
    expect(menu.state.selected).toBe(0);
  });

  it("is there for what was typed before the commands were known", () => {
    const menu = new InputMenu();
    const composer = typed("/res");
    expect(menu.offer(composer)).toBeUndefined();
    menu.commands = commands;
    expect(menu.offer(composer)?.items).toHaveLength(1);
  });
});
