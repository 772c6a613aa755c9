import { describe, expect, it, test } from "vitest";
import { type LoopWords, parseLoop } from "../../../src/commands/loop-grammar.ts";

const limits = { minIntervalMs: 30_000 };

function wish(text: string): object {
  const words = parseLoop(text, limits);
  if (words.kind !== "start") throw new Error(words.kind === "wrong" ? words.problem : words.kind);
  const { isForeground: _, ...asked } = words.wish;
  return asked;
}

describe("what is typed behind /loop", () => {
  test.each<[string, object]>([
    ["look at the build", { text: "look at the build" }],
    ["5m look at the build", { text: "look at the build", everyMs: 300_000 }],
    ["every 1h30m look", { text: "look", everyMs: 5_400_000 }],
    ["EVERY 45s look", { text: "look", everyMs: 45_000 }],
    ["every file has a test?", { text: "every file has a test?" }],
    ["5 files are missing: find them", { text: "5 files are missing: find them" }],
    ["every 5 look", { text: "every 5 look" }],
    ['5m it\'s "quoted" as it stands', { text: 'it\'s "quoted" as it stands', everyMs: 300_000 }],
    ["--times 3 5m look", { text: "look", everyMs: 300_000, times: 3 }],
    ["5m look --times=3 twice", { text: "look twice", everyMs: 300_000, times: 3 }],
    ["look --budget $0.50 --times 2", { text: "look", budgetUsd: 0.5, times: 2 }],
    ["look --until all tests pass, --times 3 too", { text: "look", until: "all tests pass, --times 3 too" }],
    ["1m /usage", { text: "/usage", everyMs: 60_000 }],
    ["run ls --color=never in each folder", { text: "run ls --color=never in each folder" }],
    ["1m two\nlines", { text: "two\nlines", everyMs: 60_000 }],
    ["10 min hi", { text: "hi", everyMs: 600_000 }],
    ["every 2 hours hi", { text: "hi", everyMs: 7_200_000 }],
    ["1d look", { text: "look", everyMs: 86_400_000 }],
    ["3 files changed: look", { text: "3 files changed: look" }],
    ["5m look --until all green --times 2", { text: "look", everyMs: 300_000, until: "all green", times: 2 }],
    ['5m look --until "all green" --foreground', { text: "look", everyMs: 300_000, until: "all green" }],
  ])("%j is a loop", (typed, asked) => {
    expect(wish(typed)).toEqual(asked);
  });

  test.each<[string, LoopWords["kind"]]>([
    ["", "status"],
    ["status", "status"],
    [" Pause ", "pause"],
    ["resume", "resume"],
    ["resume --foreground", "resume"],
    ["stop --foreground", "stop"],
    ["resume the talks", "start"],
    ["stop", "stop"],
    ["clear", "stop"],
    ["cancel", "stop"],
    ["help", "help"],
    ["stop the server and look", "start"],
  ])("%j is %s", (typed, kind) => {
    expect(parseLoop(typed, limits).kind).toBe(kind);
  });

  test.each([
    ["5m", "A prompt is missing"],
    ["--times 3", "A prompt is missing"],
    ["10s look", "Every 10s is too often: at least 30s (loops.minInterval)."],
    ["look --times 0", "--times takes a whole number above 0"],
    ["look --times", "--times takes a whole number above 0"],
    ["look --times 2.5", "--times takes a whole number above 0"],
    ["look --budget nothing", "--budget takes US dollars"],
    ["look --budget 0", "--budget takes US dollars"],
    ["look --until", "--until needs"],
    ["-5m look", "-5 m is no interval"],
    ["99999999d look", "99999999d is no interval"],
    ["99 days look", "99 days is no interval"],
    ["look --time 3", "There is no flag --time; nearest: --times."],
    ["look --untill done", "There is no flag --untill; nearest: --until."],
  ])("%j is refused: %s", (typed, problem) => {
    expect(parseLoop(typed, limits)).toEqual({ kind: "wrong", problem: expect.stringContaining(problem) });
  });

  it("may ask to be run without a screen", () => {
    expect(parseLoop("--foreground 5m look", limits)).toMatchObject({ wish: { isForeground: true, text: "look" } });
    expect(parseLoop("5m look", limits)).toMatchObject({ wish: { isForeground: false } });
  });
});
