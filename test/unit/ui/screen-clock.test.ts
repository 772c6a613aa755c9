import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testScreen } from "./test-screen.ts";
import { session, settled, started } from "./view-samples.ts";

// Ink paints nothing but a last frame where it believes to be in CI; it looks once, when it is loaded.
vi.hoisted(() => {
  for (const name of Object.keys(process.env)) if (/^CI(_|$)|^CONTINUOUS_INT/.test(name)) delete process.env[name];
});

describe("the clock of a turn", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("writes the second alone while a turn runs, and nothing when none does", () => {
    let written: string[] = [];
    const stdout = { columns: 80, rows: 24, write: (text: string) => written.push(text) };
    const screen = testScreen(stdout);
    screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
    screen.dispatch(started);
    vi.advanceTimersByTime(100);
    for (const second of [1, 2, 3]) {
      written = [];
      vi.advanceTimersByTime(1_000);
      expect(written).toHaveLength(1);
      expect(stripVTControlCharacters(written.join()).trim()).toBe(String(second));
    }
    screen.dispatch(settled());
    vi.advanceTimersByTime(100);
    written = [];
    vi.advanceTimersByTime(60_000);
    expect(written).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    screen.close();
  });

  it("goes on every ten seconds where little may move, also when something else is drawn", () => {
    const written: string[] = [];
    const stdout = { columns: 80, rows: 24, write: (text: string) => written.push(text) };
    const screen = testScreen(stdout);
    screen.motion = "reduced";
    screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
    screen.dispatch(started);
    const seconds: string[] = [];
    for (let second = 1; second <= 25; second += 1) {
      vi.advanceTimersByTime(1_000);
      screen.redraw();
      seconds.push(/running (\d+) s/.exec(written.splice(0).join(""))?.[1] ?? "none");
    }
    expect([...new Set(seconds)]).toEqual(["0", "10", "20"]);
    screen.close();
  });
});
