// One new size while the screen rests, told at once: nothing finished goes, and nothing of the frame stays.
import xterm from "@xterm/headless";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Screen } from "../../../src/ui/live-screen.ts";
import { askConfirm } from "../../../src/ui/modals.ts";
import { testScreen } from "./test-screen.ts";
import { delta, session, started } from "./view-samples.ts";

// Ink paints nothing but a last frame where it believes to be in CI; it looks once, when it is loaded.
vi.hoisted(() => {
  for (const name of Object.keys(process.env)) if (/^CI(_|$)|^CONTINUOUS_INT/.test(name)) delete process.env[name];
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const states: Readonly<Record<string, (screen: Screen) => void>> = {
  idle: () => {},
  "a draft of several lines": (screen) => screen.compose({ type: "set", text: `one\ntwo\n${"word ".repeat(20)}` }),
  "a turn that has said nothing": (screen) => screen.dispatch(started),
  "an answer that streams": (screen) => {
    screen.dispatch(started);
    screen.dispatch(delta("the end of it"));
  },
  "a question": (screen) => void askConfirm(screen, "Shall all that stands here be taken away, the rest of it too?"),
};
const sizes = [
  [20, 6],
  [60, 6],
  [40, 10],
  [53, 24],
  [80, 10],
  [120, 40],
  [20, 40],
] as const;

describe.each(Object.keys(states))("a new size with %s", (state) => {
  // Rows that a lower window pushed into the scrollback cannot be taken back.
  const own = sizes.filter(([, rows]) => rows > 6 || state !== "a draft of several lines");
  it.each(own)("of %i × %i takes no finished line and leaves no row of the frame", async (columns, rows) => {
    const emulator = new xterm.Terminal({ cols: 80, rows: 24, scrollback: 1_000, allowProposedApi: true });
    emulator.options.convertEol = true;
    let written = "";
    const stdout = { columns: 80, rows: 24, write: (text: string) => (written += text) };
    const screen = testScreen(stdout);
    const settle = async (): Promise<void> => {
      await new Promise(setImmediate);
      const text = written;
      written = "";
      await new Promise<void>((resolve) => emulator.write(text, resolve));
    };
    const finished = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
    screen.print({ kind: "lines", lines: finished });
    states[state]?.(screen);
    screen.paint();
    await settle();
    vi.advanceTimersByTime(1_000);
    emulator.resize(columns, rows);
    Object.assign(stdout, { columns, rows });
    screen.resized();
    await settle();
    screen.close();
    await settle();
    const { active } = emulator.buffer;
    const left = Array.from({ length: active.length }, (_, at) =>
      active.getLine(at)?.translateToString(true).trimEnd(),
    );
    expect(left.join("\n").trimEnd().split("\n")).toEqual(finished);
    emulator.dispose();
  });
});
