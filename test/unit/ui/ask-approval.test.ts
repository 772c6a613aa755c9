// What is typed around the moment a question comes up answers nothing, and is not lost.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ApprovalAsk } from "../../../src/agent/turn-context.ts";
import type { CallId } from "../../../src/ledger/types.ts";
import { type Answered, askApproval } from "../../../src/ui/ask-approval.ts";
import { askPick } from "../../../src/ui/ask-pick.ts";
import { composerText } from "../../../src/ui/composer-state.ts";
import { searchHistory } from "../../../src/ui/history-search.ts";
import { type KeyEvent, key } from "../../../src/ui/key-event.ts";
import type { Screen } from "../../../src/ui/live-screen.ts";
import { askConfirm, askDecision, askPreview } from "../../../src/ui/modals.ts";
import { openDecision } from "../../../src/ui/recovery.ts";
import { handleKeys, type KeyActions } from "../../../src/ui/screen-keys.ts";
import { testScreen } from "./test-screen.ts";

afterEach(() => void vi.useRealTimers());

const call = {
  id: 1 as CallId,
  tool: "shell",
  input: { command: "ls" },
  effect: "external",
} as unknown as ApprovalAsk["call"];
const ask: ApprovalAsk = {
  ...{ call, summary: "ls", subject: "ls", why: "it runs a command", mode: "ask", isEditable: true },
  ...{ rule: "shell(ls)", deny: "shell(ls)" },
};
const nothing: KeyActions = {
  ...{ enter: () => {}, stop: () => false, quit: () => {}, suspend: () => {}, page: () => {} },
  ...{ prompts: () => undefined, edit: () => {}, mode: () => undefined },
};

function open() {
  const stdout = { columns: 80, rows: 24, write: () => true };
  const screen = testScreen(stdout);
  const answers: Answered[] = [];
  const entered: string[] = [];
  const actions: KeyActions = { ...nothing, enter: (text) => entered.push(text) };
  const press = (...events: readonly KeyEvent[]) => handleKeys(screen, events, actions);
  const type = (text: string) => press(...[...text].map((each) => ({ kind: "text", text: each }) as const));
  const question = () => void askApproval(screen, ask, new AbortController().signal).then((each) => answers.push(each));
  return { screen, answers, entered, press, type, question };
}
async function readTerminal(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("a question that comes up", () => {
  it.each([..."yadent"])("is not answered by a %s that waited in the terminal when it was drawn", async (letter) => {
    const { screen, answers, type, question } = open();
    question();
    type(letter);
    await readTerminal();
    expect(answers).toEqual([]);
    expect(screen.modal?.view).toMatchObject({ kind: "approval", state: { stray: true } });
    expect(composerText(screen.composer)).toBe(letter);
    screen.close();
  });

  it.each([..."yadent"])("is not answered by a %s of the keys that closed what was before it", async (letter) => {
    const { screen, answers, entered, press, question } = open();
    const before = askConfirm(screen, "Sure?");
    question();
    await readTerminal();
    const keys = ["y", letter, letter].map((text) => ({ kind: "text", text }) as const);
    press(...keys, key("enter"));
    await before;
    expect(answers).toEqual([]);
    expect(screen.modal?.view).toMatchObject({ kind: "approval", state: { stray: true } });
    expect(entered).toEqual([letter + letter]);
    screen.close();
  });

  it("leaves whoever is typing their words, and takes an answer after a pause", async () => {
    const { screen, answers, type, question } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    type("an");
    question();
    await readTerminal();
    for (const letter of "y day") {
      vi.advanceTimersByTime(200);
      type(letter);
    }
    expect(composerText(screen.composer)).toBe("any day");
    expect(answers).toEqual([]);
    vi.advanceTimersByTime(1_000);
    type("y");
    await readTerminal();
    expect(answers).toEqual([{ reply: { kind: "once" }, stops: false }]);
    expect(composerText(screen.composer)).toBe("any day");
    screen.close();
  });

  it("takes no key of who is typing, and enter sends what they write", async () => {
    const { screen, answers, entered, press, type, question } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    type("run th");
    question();
    await readTerminal();
    for (const name of ["up", "down", "tab", "right", "end", "pagedown", "enter"]) {
      vi.advanceTimersByTime(100);
      press(key(name));
    }
    vi.advanceTimersByTime(100);
    press(key("enter"), key("down"));
    type("y");
    expect(answers).toEqual([]);
    expect(entered).toEqual(["run th"]);
    expect(screen.modal?.view).toMatchObject({ state: { selected: 0, stray: true } });
    expect(composerText(screen.composer)).toBe("y");
    press(key("escape"));
    await readTerminal();
    expect(answers).toEqual([{ reply: { kind: "no" }, stops: true }]);
    screen.close();
  });

  it("is not answered by enter alone while text stands in the composer, however old", async () => {
    const { screen, answers, press, question } = open();
    screen.compose({ type: "set", text: "a draft" });
    question();
    await readTerminal();
    press(key("enter"));
    await readTerminal();
    expect(answers).toEqual([]);
    press(key("down"), key("up"), key("enter"));
    await readTerminal();
    expect(answers).toEqual([{ reply: { kind: "once" }, stops: false }]);
    expect(composerText(screen.composer)).toBe("a draft");
    screen.close();
  });

  it("shows the choices first where it would open with a command to edit", async () => {
    const { screen, answers, press } = open();
    screen.compose({ type: "set", text: "a draft" });
    void askApproval(screen, { ...ask, edited: "ls -l" }, new AbortController().signal).then((each) =>
      answers.push(each),
    );
    await readTerminal();
    press(key("enter"));
    await readTerminal();
    expect(answers).toEqual([]);
    press({ kind: "text", text: "e" }, key("enter"));
    await readTerminal();
    expect(answers).toEqual([{ reply: { kind: "edited", subject: "ls -l" }, stops: false }]);
    screen.close();
  });

  it.each([
    ["with another program", (screen: Screen) => screen.lend(), (screen: Screen) => screen.takeBack()],
    ["stopped", (screen: Screen) => screen.suspend(), (screen: Screen) => screen.resume()],
    ["behind a pager", (screen: Screen) => screen.openOverlay(overlay), (screen: Screen) => screen.closeOverlay()],
  ])("takes nothing that was typed while the terminal was %s", async (_, away, back) => {
    for (const isAskedBefore of [true, false]) {
      const { screen, answers, press, type, question } = open();
      vi.useFakeTimers({ toFake: ["performance"] });
      if (isAskedBefore) question();
      await readTerminal();
      away(screen);
      if (!isAskedBefore) question();
      await readTerminal();
      back(screen);
      press(key("enter"));
      type("y");
      await readTerminal();
      expect(answers).toEqual([]);
      expect(composerText(screen.composer)).toBe("y");
      vi.advanceTimersByTime(1_000);
      type("n");
      await readTerminal();
      expect(answers).toEqual([{ reply: { kind: "no" }, stops: false }]);
      screen.close();
      vi.useRealTimers();
    }
  });

  it.each([
    ["a list", (screen: Screen) => void askPick(screen, list)],
    ["the search of prompts", (screen: Screen) => searchHistory(screen, Promise.resolve(["an old prompt"]))],
    ["a pager", (screen: Screen) => screen.openOverlay({ ...overlay, onKey: () => screen.closeOverlay() })],
  ])("that %s hid takes no key that follows the one that left it without a pause", async (_, hide) => {
    for (const follower of [key("enter"), { kind: "text", text: "y" } as const, { kind: "text", text: "a" } as const]) {
      const { screen, answers, press, question } = open();
      vi.useFakeTimers({ toFake: ["performance"] });
      hide(screen);
      question();
      await readTerminal();
      press(key("enter"));
      for (let pressed = 0; pressed < 20; pressed += 1) {
        await readTerminal();
        vi.advanceTimersByTime(pressed === 0 ? 80 : 400);
        press(follower);
      }
      await readTerminal();
      expect(answers).toEqual([]);
      vi.advanceTimersByTime(1_000);
      press({ kind: "text", text: "n" });
      await readTerminal();
      expect(answers).toEqual([{ reply: { kind: "no" }, stops: false }]);
      screen.close();
      vi.useRealTimers();
    }
  });

  it("is scrolled at once by keys that only do that, and answered by none of them, after a pager was closed", async () => {
    const { screen, answers, press } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    const long = { ...ask, subject: Array.from({ length: 90 }, (_each, index) => `step ${index}`).join("\n") };
    void askApproval(screen, long, new AbortController().signal).then((each) => answers.push(each));
    await readTerminal();
    screen.openOverlay({ ...overlay, onKey: () => screen.closeOverlay() });
    press(key("escape"));
    const scroll = () => screen.modal?.view.kind === "approval" && screen.modal.view.state.scroll;
    const places = ["pagedown", "down", "up", "pageup", "end", "home", "end"].map((name) => {
      press(key(name));
      return scroll();
    });
    const [page = 0, , , , last = 0] = places.map(Number);
    expect(page).toBeGreaterThan(1);
    expect(last).toBeGreaterThan(page);
    expect(places).toEqual([page, page + 1, page, 0, last, 0, last]);
    press(key("down"), key("enter"), { kind: "text", text: "y" });
    await readTerminal();
    expect(answers).toEqual([]);
    expect(screen.modal?.view).toMatchObject({ state: { seen: true, selected: 0 } });
    screen.close();
  });

  it("leaves home and end to text that was begun, and takes the other keys that scroll", async () => {
    const { screen, answers, press, type } = open();
    const long = { ...ask, subject: "step\n".repeat(90) };
    type("bc");
    void askApproval(screen, long, new AbortController().signal).then((each) => answers.push(each));
    await readTerminal();
    press(key("pagedown"), key("home"));
    type("a");
    expect(composerText(screen.composer)).toBe("abc");
    expect(screen.modal?.view).not.toMatchObject({ state: { scroll: 0 } });
    screen.close();
  });

  it("is not answered by the answer to another one that was pressed twice", async () => {
    const { screen, answers, type, question } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    question();
    question();
    await readTerminal();
    type("y");
    await readTerminal();
    vi.advanceTimersByTime(200);
    type("y");
    await readTerminal();
    expect(answers).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    type("y");
    await readTerminal();
    expect(answers).toHaveLength(2);
    screen.close();
  });

  it("waits for the keys of a long read, which come later", async () => {
    const { screen, answers, type, question } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    question();
    screen.gate.heard(24);
    await readTerminal();
    type("y");
    await readTerminal();
    expect(answers).toEqual([]);
    screen.close();
  });
});

const list = {
  ...{ title: "Models", empty: "none" },
  items: [{ command: "/model a", label: "a", detail: "" }],
};
const overlay = { onKey: () => {}, paint: () => {}, forget: () => {} };

describe("every prompt that decides something", () => {
  const file = { path: "a", action: "change", isChosen: true, added: 1, removed: 0 };
  const admission = { id: 1, summary: "go", attempts: 1 };
  const turn = { admission, session: { conversation: 1 }, calls: [] } as unknown as Parameters<typeof openDecision>[0];
  const prompts = [
    ["a question", (screen: Screen) => askConfirm(screen, "Sure?")],
    ["an interrupted turn", (screen: Screen) => askDecision(screen, openDecision(turn))],
    [
      "a preview",
      (screen: Screen) =>
        askPreview(screen, { title: "Undo", files: [file] } as unknown as Parameters<typeof askPreview>[1]),
    ],
  ] as const;

  it.each(prompts)("%s is not answered by who is typing, and not by enter alone after it", async (_, asks) => {
    const { screen, press, type } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    const answers: unknown[] = [];
    type("any da");
    void asks(screen).then((each) => answers.push(each));
    await readTerminal();
    for (const letter of "y yet") {
      vi.advanceTimersByTime(900);
      type(letter);
    }
    press(key("down"));
    vi.advanceTimersByTime(1_000);
    press(key("enter"));
    await readTerminal();
    expect(answers).toEqual([]);
    expect(composerText(screen.composer)).toBe("any day yet");
    press(key("escape"));
    await readTerminal();
    expect(answers).toHaveLength(1);
    screen.close();
  });
});
