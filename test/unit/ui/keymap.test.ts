import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { KeySettings } from "../../../src/config/config.ts";
import { describeIssue } from "../../../src/config/config-issues.ts";
import { readChord } from "../../../src/ui/chords.ts";
import { boundName, composerAction, composerBindings } from "../../../src/ui/composer-keys.ts";
import { keyIssues } from "../../../src/ui/key-settings.ts";
import { keymapOf } from "../../../src/ui/keymap.ts";
import { createKeyDecoder } from "../../../src/ui/keys.ts";
import { screenBindings } from "../../../src/ui/keys-help.ts";

const wrong = (keys: KeySettings): readonly string[] => keyIssues(keys).map((issue) => describeIssue(issue, { keys }));

/** What the bytes of one key do. */
function does(keys: KeySettings, bytes: string): string | undefined {
  const [event] = createKeyDecoder().push(new TextEncoder().encode(bytes));
  const keymap = keymapOf(keys);
  if (event === undefined) return undefined;
  return keymap.screen.get(boundName(event) ?? "") ?? composerAction(event, keymap.composer)?.type;
}

describe("a chord as it is written", () => {
  it.each([
    ["ctrl+x", "ctrl+x"],
    ["Shift+Alt+Left", "alt+shift+left"],
    ["control + X", "ctrl+x"],
    ["option+B", "alt+b"],
    ["Esc", "escape"],
    ["alt+Return", "alt+enter"],
    ["ctrl+/", "ctrl+_"],
    ["ctrl+@", "ctrl+space"],
    ["ctrl++", "ctrl++"],
    ["alt+shift+<", "alt+<"],
    ["f5", "f5"],
  ])("%s is %s", (written, chord) => expect(readChord(written)).toEqual({ ok: true, chord }));

  it.each([
    ["", "is no key"],
    ["ctrl+", "is no key"],
    ["ctlr+x", "not ctlr"],
    ["ctrl+lfet", "there is no lfet"],
    ["x", "is text: hold ctrl or alt"],
    ["shift+x", "is text"],
    ["ctrl+i", "is tab in a terminal"],
    ["ctrl+m", "is enter in a terminal"],
    ["super+x", "not super"],
  ])("%j cannot be one", (written, why) => {
    const read = readChord(written);
    expect(read.ok ? "" : read.why).toContain(why);
  });

  it("is what the tables have, for every key in them", () => {
    for (const { keys } of [...screenBindings, ...composerBindings]) {
      for (const chord of keys) expect(readChord(chord)).toEqual({ ok: true, chord });
    }
  });
});

it("every action stands in the page about keys with the keys it has", () => {
  const page = readFileSync("docs/keys.md", "utf8");
  for (const { action, keys } of [...screenBindings, ...composerBindings]) {
    expect(page).toContain(`| \`${action}\` | ${keys.map((chord) => `\`${chord}\``).join(" ")} |\n`);
  }
});

describe("keys that a person chose", () => {
  it("are bound instead of the ones that were there, and the help shows them", () => {
    const keys = { search: ["ctrl+t", "f3"], yank: "ctrl+r", redraw: [] };
    expect(wrong(keys)).toEqual([]);
    expect([does(keys, "\x14"), does(keys, "\x1bOR"), does(keys, "\x12")]).toEqual(["search", "search", "yank"]);
    expect([does(keys, "\x0c"), does(keys, "\x19"), does(keys, "\r")]).toEqual([undefined, undefined, "send"]);
    const { help } = keymapOf(keys);
    expect(help).toContainEqual({ keys: "ctrl+t, f3", does: "search the prompts of all conversations" });
    expect(help.some(({ does: what }) => what === "draw the screen again")).toBe(false);
    expect(help.find(({ does: what }) => what.startsWith("put back"))?.keys).toBe("ctrl+r, alt+y");
  });

  it("say what opens the pager, or that nothing does", () => {
    expect([keymapOf({}).pageKey, keymapOf({ page: "f2" }).pageKey, keymapOf({ page: [] }).pageKey]).toEqual([
      "ctrl+o",
      "f2",
      "",
    ]);
  });

  it("may be more for what must always have a key", () => {
    expect(wrong({ send: ["enter", "f8"], interrupt: ["ctrl+c", "f10"], stop: ["esc", "f9"] })).toEqual([]);
    expect(does({ send: ["enter", "f8"] }, "\x1b[19~")).toBe("send");
  });
});

describe("what is wrong with them is said with its place and what to do", () => {
  it.each<[string, KeySettings, readonly string[]]>([
    ["an action there is not", { serach: "ctrl+t" }, ["unknown key keys.serach; did you mean keys.search?"]],
    [
      "a chord that cannot be read, in a list too",
      { search: ["ctrl+t", "ctlr+x"], yank: "x" },
      [
        'keys.search.1: "ctlr+x" is no key: before the + stand ctrl, alt and shift, not ctlr',
        'keys.yank: "x" is text: hold ctrl or alt with it',
      ],
    ],
    [
      "a chord that does something else already",
      { yank: "ctrl+r" },
      ['keys.yank: ctrl+r does search already; choose another, or give search other keys: "search": []'],
    ],
    [
      "a chord that was chosen twice",
      { yank: "f5", undo: "f5" },
      ['keys.undo: f5 does yank already; choose another, or give yank other keys: "yank": []'],
    ],
    [
      "a chord that stays with another",
      { newline: "enter" },
      ["keys.newline: enter does send already; choose another"],
    ],
    ["enter taken away", { send: "f8" }, ['keys.send: enter stays the key for it; write ["enter","f8"]']],
    ["escape taken away", { stop: [] }, ['keys.stop: escape stays the key for it; write ["escape"]']],
    ["ctrl+c taken away", { interrupt: "f1" }, ['keys.interrupt: ctrl+c stays the key for it; write ["ctrl+c","f1"]']],
  ])("%s", (_title, keys, said) => expect(wrong(keys)).toEqual(said));

  it("the keys that are there without any choice are fine, ctrl+d for two moments too", () => {
    expect(wrong({})).toEqual([]);
    expect(wrong({ quit: "ctrl+q", delete: "ctrl+q" })).toEqual([]);
  });
});
