// The keys that have to do with what waits: into the turn that runs, and the list of what waits before earlier prompts.
import { describe, expect, it } from "vitest";
import { key } from "../../../src/ui/key-event.ts";
import { handleKeys, type KeyActions, type SentAs } from "../../../src/ui/screen-keys.ts";
import { testScreen } from "./test-screen.ts";
import { admitted, openView, started } from "./view-samples.ts";

const steer = key("s", { ctrl: true });

function desk({ isEditing = false } = {}) {
  const screen = testScreen({ columns: 80, rows: 24, write: () => true });
  const sent: { text: string; how: SentAs | undefined }[] = [];
  const done: string[] = [];
  const actions: KeyActions = {
    ...{ quit: () => done.push("quit"), suspend: () => {}, page: () => {}, edit: () => {} },
    ...{ prompts: () => undefined, mode: () => undefined },
    enter: (text, how) => sent.push({ text, how }),
    run: (command) => done.push(command),
    stop: () => done.push("stop") > 0,
    leaveEdit: () => isEditing && done.push("left") > 0,
  };
  screen.view = openView();
  const press = (...keys: readonly (string | ReturnType<typeof key>)[]) =>
    handleKeys(
      screen,
      keys.map((each) => (typeof each === "string" ? ({ kind: "text", text: each } as const) : each)),
      actions,
    );
  return { screen, sent, done, press };
}

describe("ctrl+s", () => {
  it.each([
    ["ctrl+s", steer, true],
    ["ctrl+enter", key("enter", { ctrl: true }), true],
    ["enter", key("enter"), false],
  ])("%s sends the text, into the turn or behind it", (_, pressed, steers) => {
    const { sent, press, screen } = desk();
    press("use tabs", pressed);
    expect(sent).toEqual([{ text: "use tabs", how: { isShell: false, steers } }]);
    screen.close();
  });

  it("takes the first that waits, where nothing is written and a turn runs", () => {
    const { screen, done, press } = desk();
    screen.dispatch(admitted(8, "one"));
    press(steer);
    expect(done).toEqual([]);
    screen.dispatch(started);
    screen.dispatch(admitted(9, "two"));
    press(steer);
    expect(done).toEqual(["/queue steer 8"]);
    screen.close();
  });
});

describe("up", () => {
  it("shows what waits before earlier prompts, and only where nothing is written", () => {
    const { screen, done, press } = desk();
    screen.compose({ type: "history", entries: ["earlier"] });
    press(key("up"));
    expect(screen.composer.recalled).toBeDefined();
    press(key("down"));
    screen.dispatch(admitted(8, "one"));
    press("x", key("up"), key("backspace"));
    expect(done).toEqual([]);
    press(key("c", { ctrl: true }));
    screen.compose({ type: "clear" });
    done.length = 0;
    press(key("up"));
    expect(done).toEqual(["/queue"]);
    screen.close();
  });
});

describe("a waiting prompt in the input", () => {
  it.each([
    ["escape", key("escape")],
    ["ctrl+c", key("c", { ctrl: true })],
  ])("is left by %s, which stops nothing then", (_, pressed) => {
    const { screen, done, press } = desk({ isEditing: true });
    press("x", pressed);
    expect(done).toEqual(["left"]);
    screen.close();
  });
});
