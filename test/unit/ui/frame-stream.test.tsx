// What the terminal shows after frames and prints of every kind, drawn by Ink through the frame's stream.
import { PassThrough } from "node:stream";
import xterm from "@xterm/headless";
import fc from "fast-check";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openFrame } from "../../../src/ui/frame.tsx";
import { useTerminalCursor } from "../../../src/ui/use-terminal-cursor.ts";

// Ink paints nothing but a last frame where it believes to be in CI; it looks once, when it is loaded.
vi.hoisted(() => {
  for (const name of Object.keys(process.env)) if (/^CI(_|$)|^CONTINUOUS_INT/.test(name)) delete process.env[name];
});

const size = { cols: 20, rows: 10 };
const ends = new Set<() => void>();
afterEach(() => {
  for (const end of ends) end();
});

interface Step {
  readonly rows: readonly string[];
  /** Row of the cursor; undefined: none in this frame. */
  readonly cursor: number | undefined;
  readonly printed: readonly string[];
}

function Frame({ rows, cursor }: Step): ReactNode {
  const ref = useTerminalCursor(cursor === undefined ? undefined : { x: 2, y: cursor });
  return (
    <Box ref={ref} flexDirection="column" width={size.cols}>
      {rows.map((row, index) => (
        <Text key={index} wrap="truncate-end">
          {row || " "}
        </Text>
      ))}
    </Box>
  );
}

function open() {
  const emulator = new xterm.Terminal({ ...size, scrollback: 10_000, allowProposedApi: true, convertEol: true });
  let written: string[] = [];
  const stdout = { columns: size.cols, rows: size.rows, write: (text: string) => written.push(text) };
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const frame = openFrame({ stdout, stdin, reflow: "but-cursor-row" });
  const end = (): void => {
    ends.delete(end);
    frame.clear();
    emulator.dispose();
  };
  ends.add(end);
  return {
    emulator,
    end,
    /** What was written for it. */
    async draw(step: Step): Promise<readonly string[]> {
      written = [];
      const print = step.printed.length > 0 ? `${step.printed.join("\n")}\n` : undefined;
      frame.draw(<Frame {...step} />, print);
      // A row that was moved draws itself once more, for its cursor.
      await new Promise(setImmediate);
      await new Promise<void>((resolve) => emulator.write(written.join(""), resolve));
      return written;
    },
    seen(): readonly string[] {
      const { active } = emulator.buffer;
      const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
      return all.join("\n").trimEnd().split("\n");
    },
    styles(): string {
      const { active } = emulator.buffer;
      return Array.from({ length: active.length }, (_, at) =>
        Array.from({ length: size.cols }, (_each, x) => {
          const cell = active.getLine(at)?.getCell(x);
          return cell && (cell.isBold() || cell.isInverse() || !cell.isFgDefault()) ? "x" : ".";
        }).join(""),
      )
        .join("\n")
        .replace(/[.\n]+$/, "");
    },
  };
}

function fail(): never {
  throw new Error("no step");
}

const words = fc.stringMatching(/^[a-z ]{0,12}$/);
const wide = fc.constantFrom("日本語", "e\u0301tude", "👩‍👩‍👧 ok", "🇩🇪", "a\u0308", "");
const style = fc.constantFrom("", "\x1b[1m", "\x1b[31m", "\x1b[2m\x1b[36m", "\x1b[38;5;120m", "\x1b[7m");
const row = fc
  .tuple(style, words, style, wide, words)
  .map(([one, first, two, second, end]) => `${one}${first}${two}${second}\x1b[0m${end}`.trimEnd());
const fixed = ["  status of it all", " -----------------", " > "];
const step: fc.Arbitrary<Step> = fc.record({
  rows: fc
    .tuple(fc.array(row, { minLength: 0, maxLength: 4 }), fc.subarray(fixed))
    .map(([own, same]) => [...own, ...same].slice(0, size.rows - 1))
    .filter((rows) => rows.length > 0),
  cursor: fc.option(fc.nat(3), { nil: undefined }),
  printed: fc.oneof(
    { weight: 3, arbitrary: fc.constant<readonly string[]>([]) },
    { weight: 2, arbitrary: fc.array(words, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom("x".repeat(20), "short"), { minLength: 8, maxLength: 25 }) },
  ),
});

describe("the frame's stream", () => {
  it("shows after any drawing what a terminal shows that is drawn anew", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const [drawn, anew] = [open(), open()];
        const valid = steps.map((each) => ({
          ...each,
          cursor: each.cursor === undefined ? undefined : each.cursor % each.rows.length,
        }));
        for (const each of valid) await drawn.draw(each);
        const printed = valid.flatMap((each) => each.printed);
        const last = valid.at(-1) ?? fail();
        await anew.draw({ ...last, printed });
        expect(drawn.seen()).toEqual(anew.seen());
        expect(drawn.styles()).toBe(anew.styles());
        const { active } = drawn.emulator.buffer;
        if (last.cursor !== undefined) expect(active.cursorX).toBe(2);
        expect(active.baseY + active.cursorY - printed.length).toBe(last.cursor ?? 0);
        drawn.end();
        anew.end();
      }),
      { numRuns: 30 },
    );
  });

  it("writes of a row that grows what is new, and nothing else", async () => {
    const { draw } = open();
    const frame = (text: string): Step => ({ rows: [text, ...fixed], cursor: undefined, printed: [] });
    await draw(frame("an answer"));
    expect(await draw(frame("an answer that"))).toEqual([" that"]);
    expect(await draw(frame("an answer that"))).toEqual([]);
    expect(await draw(frame("an answer that 日"))).toEqual([" 日"]);
  });

  it("writes of a frame below a finished row only the row itself and the next one", async () => {
    const { draw } = open();
    await draw({ rows: ["first", ...fixed], cursor: undefined, printed: [] });
    const [text] = await draw({ rows: ["second", ...fixed], cursor: undefined, printed: ["first line"] });
    expect(text).toContain("first line");
    expect(text).toContain("second");
    for (const row of fixed) expect(text).not.toContain(row);
  });
});
