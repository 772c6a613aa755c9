// The screen over a terminal that changes its size before the program hears of it, as tmux and others do: what is
// finished stays, each line once and in order.
import xterm from "@xterm/headless";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testScreen } from "./test-screen.ts";
import { delta, session, started } from "./view-samples.ts";

// Ink paints nothing but a last frame where it believes to be in CI; it looks once, when it is loaded.
vi.hoisted(() => {
  for (const name of Object.keys(process.env)) if (/^CI(_|$)|^CONTINUOUS_INT/.test(name)) delete process.env[name];
});

interface Size {
  readonly cols: number;
  readonly rows: number;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function start(size: Size, typed: string) {
  const emulator = new xterm.Terminal({ ...size, scrollback: 10_000, allowProposedApi: true, convertEol: true });
  let written = "";
  const stdout = {
    columns: size.cols,
    rows: size.rows,
    write: (text: string) => {
      written += text;
    },
  };
  const screen = testScreen(stdout);
  ends.push(() => {
    screen.close();
    emulator.dispose();
  });
  screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
  screen.compose({ type: "set", text: typed });
  screen.dispatch(started);
  let count = 0;
  const settle = (): Promise<void> => {
    const text = written;
    written = "";
    return new Promise((resolve) => emulator.write(text, resolve));
  };
  async function stream(lines: number): Promise<void> {
    for (const last = count + lines; count < last; ) {
      count += 1;
      screen.dispatch(delta(`line ${count}.\nand`));
      screen.paint();
      await settle();
      screen.dispatch(delta(" so on\n"));
      screen.paint();
      await settle();
    }
  }
  return {
    stream,
    /** The window alone; the program hears of it `late` lines later. */
    async resize({ cols, rows }: Size, late: number): Promise<void> {
      emulator.resize(cols, rows);
      await stream(late);
      Object.assign(stdout, { columns: cols, rows });
      screen.redraw();
      await settle();
    },
    kept: () => lines(emulator).filter((line) => /^(●|\s)*line \d+\.$/.test(line)),
    wanted: () => Array.from({ length: count }, (_, at) => `${at === 0 ? "●" : " "} line ${at + 1}.`),
  };
}

function lines({ buffer: { active } }: xterm.Terminal): readonly string[] {
  return Array.from({ length: active.length }, (_, at) =>
    (active.getLine(at)?.translateToString(true) ?? "").trimEnd(),
  );
}

const steps: readonly Size[] = [
  { cols: 40, rows: 15 },
  { cols: 100, rows: 30 },
  { cols: 80, rows: 24 },
  { cols: 80, rows: 8 },
  { cols: 30, rows: 30 },
  { cols: 80, rows: 24 },
];

describe("a resize that is told late", () => {
  it.each([
    ["nothing", ""],
    ["a line wider than the next window", "word ".repeat(13).trim()],
    ["several lines", "one\ntwo\nthree\nfour"],
  ])("loses no line of the answer with %s in the composer", async (_name, typed) => {
    const terminal = start({ cols: 80, rows: 24 }, typed);
    await terminal.stream(30);
    for (const [index, size] of steps.entries()) {
      await terminal.resize(size, index % 2 === 0 ? 6 : 2);
      await terminal.stream(10);
    }
    expect(terminal.kept()).toEqual(terminal.wanted());
  });

  it("loses no line where it is told at once", async () => {
    const terminal = start({ cols: 80, rows: 24 }, "");
    await terminal.stream(30);
    for (const size of steps) {
      await terminal.resize(size, 0);
      await terminal.stream(3);
    }
    expect(terminal.kept()).toEqual(terminal.wanted());
  });
});
