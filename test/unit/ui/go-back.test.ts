// Escape twice: asks for the turn to go back to where nothing else is escaped from.
import { describe, expect, it, vi } from "vitest";
import { type KeyEvent, key } from "../../../src/ui/key-event.ts";
import { handleKeys, type KeyActions } from "../../../src/ui/screen-keys.ts";
import { testScreen } from "./test-screen.ts";

function desk({ hasTurns = true, runs = false } = {}) {
  const screen = testScreen({ columns: 80, rows: 24, write: () => true });
  const done: string[] = [];
  let isRunning = runs;
  const actions: KeyActions = {
    ...{ enter: () => {}, quit: () => {}, suspend: () => {}, page: () => {}, edit: () => {} },
    ...{ prompts: () => undefined, mode: () => undefined },
    stop: () => {
      if (!isRunning) return false;
      isRunning = false;
      done.push("stop");
      return true;
    },
    back: () => (hasTurns ? () => done.push("back") : undefined),
  };
  const press = (...keys: readonly (string | KeyEvent)[]) => {
    const events = keys.map((each) => (typeof each === "string" ? ({ kind: "text", text: each } as const) : each));
    handleKeys(screen, events, actions);
  };
  return { screen, done, press };
}
const escape = key("escape");

describe("escape twice", () => {
  it("goes back, and the first one says so", () => {
    const { screen, done, press } = desk();
    press(escape);
    expect(screen.view.notice).toContain("esc again");
    expect(done).toEqual([]);
    press(escape);
    expect(done).toEqual(["back"]);
    expect(screen.view.notice).toBeUndefined();
    screen.close();
  });

  it("does not when the first one is long over, and says so no more", () => {
    vi.useFakeTimers();
    const { screen, done, press } = desk();
    press(escape);
    vi.advanceTimersByTime(4_000);
    expect(screen.view.notice).toContain("esc again");
    press("x", key("backspace"), escape);
    vi.advanceTimersByTime(4_000);
    expect(screen.view.notice).toContain("esc again");
    vi.advanceTimersByTime(2_000);
    expect(screen.view.notice).toBeUndefined();
    press(escape);
    expect(done).toEqual([]);
    expect(screen.view.notice).toContain("esc again");
    screen.dispatch({ type: "notice", text: "something else" });
    vi.advanceTimersByTime(60_000);
    expect(screen.view.notice).toBe("something else");
    screen.close();
    vi.useRealTimers();
  });

  it("does not when anything comes between", () => {
    const { screen, done, press } = desk();
    press(escape, "a", key("backspace"), escape);
    expect(done).toEqual([]);
    screen.close();
  });

  it("stops first what waits, and only then counts", () => {
    const { screen, done, press } = desk({ runs: true });
    press(escape, escape);
    expect(done).toEqual(["stop"]);
    press(escape);
    expect(done).toEqual(["stop", "back"]);
    screen.close();
  });

  it("never leaves a text that was begun, nor offers what is not there", () => {
    const begun = desk();
    begun.press("x", escape, escape, escape);
    expect(begun.done).toEqual([]);
    expect(begun.screen.view.notice).toBeUndefined();
    begun.screen.close();
    const empty = desk({ hasTurns: false });
    empty.press(escape, escape);
    expect([empty.done, empty.screen.view.notice]).toEqual([[], undefined]);
    empty.screen.close();
  });
});
