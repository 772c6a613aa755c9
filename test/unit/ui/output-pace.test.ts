import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, vi } from "vitest";
import type { MessageId } from "../../../src/ledger/types.ts";
import { type Block, note } from "../../../src/ui/block.ts";
import type { Screen } from "../../../src/ui/live-screen.ts";
import { linesOf, maxWaiting, taken, tooMany } from "../../../src/ui/output-pace.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { testScreen } from "./test-screen.ts";
import { answer, session, settled, started } from "./view-samples.ts";

// Ink paints nothing but a last frame where it believes to be in CI; it looks once, when it is loaded.
vi.hoisted(() => {
  for (const name of Object.keys(process.env)) if (/^CI(_|$)|^CONTINUOUS_INT/.test(name)) delete process.env[name];
});

/** A terminal that takes nothing until it is told to. */
class Stopped extends Writable {
  readonly columns = 80;
  readonly rows = 24;
  text = "";
  #isRunning = false;
  #resume: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    if (this.#isRunning) done();
    else this.#resume = done;
  }
  run(): void {
    this.#isRunning = true;
    this.#resume?.();
  }
}

function stopped(): { stdout: Stopped; screen: Screen } {
  const stdout = new Stopped();
  const screen = testScreen(stdout);
  screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
  screen.dispatch(started);
  screen.paint();
  return { stdout, screen };
}

function stream(screen: Screen, lines: number): void {
  for (let at = 0; at < lines; at += 1) {
    screen.dispatch({ type: "text-delta", text: `this is line ${at} of the answer\n` });
    screen.paint();
  }
}

describe("a terminal that takes nothing", () => {
  it("is given no more than its buffer, however long the answer is", () => {
    const { stdout, screen } = stopped();
    stream(screen, 3_000);
    const behind = stdout.writableLength;
    expect(behind).toBeLessThan(stdout.writableHighWaterMark + 8_192);
    stream(screen, fullNumber(20_000, 5_000));
    expect(stdout.writableLength).toBe(behind);
    expect(linesOf(screen.view.blocks)).toBeLessThanOrEqual(maxWaiting.lines);
    screen.close();
  });

  it("shows what is now once it takes text again, each finished line once and in order", async () => {
    const { stdout, screen } = stopped();
    stream(screen, 1_000);
    screen.dispatch({ type: "notice", text: "a newer notice" });
    screen.paint();
    expect(stdout.text).not.toContain("a newer notice");
    stdout.run();
    await taken(stdout as unknown as NodeJS.WriteStream);
    await vi.waitFor(() => expect(stdout.text).toContain("a newer notice"), { timeout: 30_000 });
    const shown = stripVTControlCharacters(stdout.text);
    const numbers = [...shown.matchAll(/this is line (\d+) of/g)].map(([, number]) => Number(number));
    const printed = numbers.filter((number, at) => numbers.indexOf(number) === at);
    expect(printed).toEqual(Array.from({ length: 1_000 }, (_, at) => at));
    expect(shown).not.toContain("left out");
    screen.close();
  });

  it("is told how much is left out after too long, and an answer in that is not delivered", async () => {
    const { stdout, screen } = stopped();
    const delivered: number[] = [];
    stream(screen, 2_000);
    screen.dispatch(answer(9, "short"));
    screen.whenPrinted(() => delivered.push(9 as MessageId));
    stream(screen, 5_000);
    screen.dispatch(settled());
    stdout.run();
    await vi.waitFor(() => expect(stripVTControlCharacters(stdout.text)).toMatch(/\d+ lines left out/), {
      timeout: 30_000,
    });
    expect(stripVTControlCharacters(stdout.text)).toContain("this is line 4999 of");
    expect(delivered).toEqual([]);
    screen.close();
  });

  it("gets all that was waiting when the screen is closed", () => {
    const { stdout, screen } = stopped();
    stream(screen, 500);
    screen.print(note("the last words"));
    screen.close();
    screen.paint();
    stdout.run();
    expect(stdout.text).toContain("the last words");
  });
});

describe("tooMany", () => {
  const lines = (count: number): Block => ({ kind: "lines", lines: Array.from({ length: count }, () => "x") });

  it("leaves what is bounded alone, and else keeps the newest ones", () => {
    expect(tooMany([])).toBe(0);
    expect(tooMany([lines(maxWaiting.lines)])).toBe(0);
    expect(tooMany([lines(maxWaiting.lines + 1)])).toBe(0);
    expect(tooMany([lines(maxWaiting.lines), lines(1)])).toBe(1);
    const many = Array.from({ length: maxWaiting.lines + 1 }, () => lines(1));
    expect(tooMany(many)).toBe(maxWaiting.lines + 1 - maxWaiting.kept);
  });
});
