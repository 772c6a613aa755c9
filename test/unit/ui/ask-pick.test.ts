// A list that asks a ledger: what is typed finds what was not listed, and nothing is read that nobody looks at.
import { describe, expect, it, vi } from "vitest";
import type { PickItem, PickList } from "../../../src/commands/command.ts";
import { askPick } from "../../../src/ui/ask-pick.ts";
import { key } from "../../../src/ui/key-event.ts";
import { type PickerView, pickerLines } from "../../../src/ui/picker-lines.ts";
import { handleKeys, type KeyActions } from "../../../src/ui/screen-keys.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import type { Look } from "../../../src/ui/tool-lines.ts";
import { testScreen } from "./test-screen.ts";
import { plainTheme } from "./view-samples.ts";

const actions: KeyActions = {
  ...{ enter: () => {}, stop: () => false, quit: () => {}, suspend: () => {}, page: () => {} },
  ...{ prompts: () => undefined, edit: () => {}, mode: () => undefined },
};
const item = (name: string): PickItem => ({ command: `/go ${name}`, label: name, detail: "" });

function open(columns: number, more: Partial<PickList>) {
  const stdout = { columns, rows: 14, write: () => true };
  const screen = testScreen(stdout);
  const list = { title: "Go", empty: "", items: ["one", "two", "three"].map(item), ...more };
  const chosen = askPick(screen, list);
  const press = (...names: readonly string[]) => {
    const events = names.map((name) => (name.length === 1 ? ({ kind: "text", text: name } as const) : key(name)));
    handleKeys(screen, events, actions);
  };
  const view = (): PickerView => {
    const shown = screen.modal?.view;
    if (shown?.kind !== "picker") throw new Error("no picker");
    return shown.view;
  };
  return { screen, chosen, press, view };
}

describe("askPick", () => {
  it("finds what was not listed by what is typed, keeps what was, and runs the command that was chosen", async () => {
    const asked: string[] = [];
    const find = (words: string) => {
      asked.push(words);
      return Promise.resolve(["older", "one"].map(item));
    };
    const { screen, chosen, press, view } = open(80, { find });
    press("o", "l");
    expect(view()).toMatchObject({ isLooking: true, state: { matches: [] } });
    await vi.waitFor(() => expect(view().state.matches.map(({ label }) => label)).toEqual(["older"]), {
      timeout: 30_000,
    });
    expect(asked).toEqual(["o", "ol"]);
    press("escape");
    expect(view().state.matches.map(({ label }) => label)).toEqual(["one", "two", "three"]);
    press("o", "l");
    await vi.waitFor(() => expect(view().state.matches.map(({ label }) => label)).toEqual(["older"]), {
      timeout: 30_000,
    });
    press("enter");
    expect(await chosen).toEqual({ command: "/go older" });
    screen.close();
  });

  it("turns what an item has to turn with left and right, shows it, and runs what is set", async () => {
    const turns = ["default", "low", "high"].map((label) => ({
      label,
      command: `/go two ${label}`,
      ...(label === "low" && { isSet: true }),
    }));
    const items = [item("one"), { ...item("two"), facts: ["low"], turns }];
    const lines = (list: ReturnType<typeof open>) =>
      pickerLines(list.view(), { width: 80, theme: plainTheme } as Look, 10).map((line) => lineText(line));
    const list = open(80, { items, turned: "effort" });
    list.press("right");
    expect(lines(list).at(-1)).not.toContain("effort");
    list.press("down");
    expect(lines(list).at(-1)).toMatch(/^enter choose · ← → effort · /);
    expect(lines(list).join("\n")).toMatch(/two +low/);
    list.press("right", "right", "right");
    expect(lines(list).join("\n")).toMatch(/two +high/);
    list.press("enter");
    expect(await list.chosen).toEqual({ command: "/go two high" });
    list.screen.close();

    const untouched = open(80, { items, turned: "effort" });
    untouched.press("down", "enter");
    expect(await untouched.chosen).toEqual({ command: "/go two" });
    untouched.screen.close();
  });

  it("shows what was turned also after a filter came and went", async () => {
    const turns = ["low", "high"].map((label) => ({ label, command: `/go two ${label}` }));
    const list = open(80, { items: [item("one"), { ...item("two"), facts: ["low"], turns }], turned: "effort" });
    const facts = () => list.view().state.matches.map(({ facts: [fact] = [] }) => fact);
    list.press("down", "right");
    list.press("t", "w");
    expect(facts()).toEqual(["high"]);
    list.press("escape");
    expect(facts()).toEqual([undefined, "high"]);
    list.press("down", "enter");
    expect(await list.chosen).toEqual({ command: "/go two high" });
    list.screen.close();
  });

  describe("with more to be read", () => {
    /** Windows of 40, each answered when the test says so. */
    function long(windows: number) {
      const answers: (() => void)[] = [];
      let read = 0;
      const more = () =>
        new Promise<readonly PickItem[]>((resolve) => {
          const from = 40 * read;
          read += 1;
          const isOver = read > windows;
          answers.push(() => resolve(isOver ? [] : Array.from({ length: 40 }, (_, at) => item(`n${from + at}`))));
        });
      const list = open(80, { items: Array.from({ length: 60 }, (_, at) => item(`first ${at}`)), more });
      const selected = () => list.view().state.matches[list.view().state.selected]?.label;
      const answerNext = async (): Promise<void> => {
        await vi.waitFor(() => expect(answers).not.toHaveLength(0), { timeout: 30_000 });
        answers.shift()?.();
      };
      return { ...list, selected, answers, answerNext, reads: () => read };
    }

    it("goes to the last one of all by end, and shows that it reads on", async () => {
      const { press, view, selected, answerNext, reads, screen } = long(5);
      expect(reads()).toBe(0);
      press("end");
      expect(selected()).toBe("first 59");
      for (let window = 0; window <= 5; window += 1) {
        await vi.waitFor(() => expect(view().isLooking).toBe(true), { timeout: 30_000 });
        await answerNext();
      }
      await vi.waitFor(() => expect(view()).toMatchObject({ isPart: false, isLooking: false }), { timeout: 30_000 });
      expect(selected()).toBe("n199");
      expect(reads()).toBe(6);
      screen.close();
    });

    it.each(["up", "home", "f"])(
      "stays where one went by %s meanwhile, and reads no more than that needs",
      async (name) => {
        const { press, view, selected, answerNext, answers, reads, screen } = long(5);
        press("end");
        await answerNext();
        await vi.waitFor(() => expect(selected()).toBe("n39"), { timeout: 30_000 });
        await vi.waitFor(() => expect(answers).toHaveLength(1), { timeout: 30_000 });
        press(name);
        const there = selected();
        await answerNext();
        await vi.waitFor(() => expect(view().state.items).toHaveLength(140), { timeout: 30_000 });
        expect(selected()).toBe(there);
        screen.paint();
        expect(reads()).toBe(2);
        screen.close();
      },
    );
  });

  it("counts what is listed, and says where that is not all there is", async () => {
    const titles = (list: ReturnType<typeof open>) => {
      return pickerLines(list.view(), { width: 80, theme: plainTheme } as Look, 10)[0]
        ?.map(({ text }) => text)
        .join("");
    };
    const part = open(80, { find: () => Promise.resolve(["older", "old"].map(item)) });
    expect(titles(part)).toBe("Go (3 and more)");
    part.press("o", "l");
    await vi.waitFor(() => expect(titles(part)).toBe("Go (2 found)"), { timeout: 30_000 });
    part.press("escape");
    expect(titles(part)).toBe("Go (3 and more)");
    part.screen.close();
    const whole = open(80, {});
    whole.press("t");
    expect(titles(whole)).toBe("Go (2 of 3)");
    whole.screen.close();
  });

  it("reads a preview only when it is on the screen, of the item one stays at, each once", async () => {
    const asked: string[] = [];
    const preview = ({ label }: PickItem) => {
      asked.push(label);
      return Promise.resolve([`a look at ${label}`]);
    };
    const narrow = open(80, { preview });
    expect(asked).toEqual([]);
    narrow.press("tab");
    expect(asked).toEqual(["one"]);
    await vi.waitFor(() => expect(narrow.view().preview?.look).toEqual(["a look at one"]), { timeout: 30_000 });
    narrow.press("escape", "down");
    expect(asked).toEqual(["one"]);
    narrow.press("escape");
    expect(await narrow.chosen).toBeUndefined();
    narrow.screen.close();

    asked.length = 0;
    const wide = open(120, { preview });
    wide.press("down", "down", "up", "up", "down", "down");
    await vi.waitFor(() => expect(wide.view().preview?.look).toEqual(["a look at three"]), { timeout: 30_000 });
    wide.press("up", "up");
    wide.press("down", "down");
    expect(asked).toEqual(["one", "three"]);
    wide.screen.close();
  });

  it("says what went wrong where a preview cannot be read", async () => {
    const { screen, view } = open(120, { preview: () => Promise.reject(new Error("the ledger is closed")) });
    await vi.waitFor(() => expect(JSON.stringify(view().preview?.look)).toContain("the ledger is closed"), {
      timeout: 30_000,
    });
    screen.close();
  });

  it("reads on when one gets to the end, one window at a time, and keeps the place", async () => {
    let next = 0;
    const asked: ((items: readonly PickItem[]) => void)[] = [];
    const more = () => new Promise<readonly PickItem[]>((resolve) => asked.push(resolve));
    const window = () => Array.from({ length: 30 }, () => item(`n${next++}`));
    const { screen, chosen, press, view } = open(80, { items: window(), more, find: () => Promise.resolve([]) });
    expect(asked).toHaveLength(0);
    press("pagedown", "pagedown", "end", "up");
    expect(asked).toHaveLength(1);
    expect(view()).toMatchObject({ isPart: true, isLooking: true });
    asked[0]?.(window());
    await vi.waitFor(() => expect(view().state.items).toHaveLength(60), { timeout: 30_000 });
    expect(view().state.matches[view().state.selected]?.label).toBe("n28");
    press("end");
    await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 30_000 });
    asked[1]?.([]);
    await vi.waitFor(() => expect(view().isPart).toBe(false), { timeout: 30_000 });
    press("up", "down", "home", "end");
    expect(asked).toHaveLength(2);
    press("enter");
    expect(await chosen).toEqual({ command: "/go n59" });
    screen.close();
  });

  it("has keys of its own, which are no filter, and ends with what they do to the item", async () => {
    const keys = [{ chord: "delete", does: "del drops", command: ({ label }: PickItem) => `/drop ${label}` }];
    const { screen, chosen, press, view } = open(80, { keys });
    expect(view().keys).toEqual(["del drops"]);
    press("t", "w", "delete");
    expect(await chosen).toEqual({ command: "/drop two", again: { item: "/go two", index: 0 } });
    screen.close();
  });
});
