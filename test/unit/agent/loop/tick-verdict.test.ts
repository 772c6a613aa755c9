import { describe, expect, it, test } from "vitest";
import { answerDigest } from "../../../../src/agent/loop/answer-digest.ts";
import { type EndedTick, tickVerdict } from "../../../../src/agent/loop/tick-verdict.ts";
import type { Loop, LoopPlan } from "../../../../src/ledger/types.ts";

function loop(plan: Partial<LoopPlan> = {}, more: Partial<Loop> = {}): Loop {
  const whole = {
    text: "look",
    approval: "auto",
    cwd: "/",
    floorMs: 60_000,
    ceilingMs: 900_000,
    maxTicks: 100,
    ...plan,
  };
  return {
    plan: whole,
    state: "active",
    ticks: 1,
    ticksOfRun: 1,
    failures: 0,
    spentUsd: 0,
    delayMs: 60_000,
    ...more,
  } as Loop;
}

function ended(more: Partial<EndedTick> = {}): EndedTick {
  return { loop: loop(), outcome: "completed", answer: "all quiet", judged: { kind: "open" }, ...more };
}

describe("what comes after a tick", () => {
  test.each<[string, EndedTick, object]>([
    ["a stop pauses it", ended({ outcome: "interrupted" }), { state: "paused", why: "its turn was stopped" }],
    ["LOOP_COMPLETE alone on a line ends it", ended({ answer: "all done\nLOOP_COMPLETE." }), { state: "done" }],
    [
      "LOOP_COMPLETE inside a sentence does not",
      ended({ answer: "I will say LOOP_COMPLETE later" }),
      { state: "active" },
    ],
    ["a met condition ends it", ended({ judged: { kind: "done", why: "green" } }), { state: "done", why: "green" }],
    [
      "a blocked one pauses it",
      ended({ judged: { kind: "blocked", why: "no key" } }),
      { state: "paused", why: "no key" },
    ],
    [
      "its number of times ends it",
      ended({ loop: loop({ times: 3 }, { ticks: 3 }) }),
      { state: "done", why: "it ran 3 times" },
    ],
    [
      "the most in a row pauses it",
      ended({ loop: loop({ maxTicks: 5 }, { ticks: 9, ticksOfRun: 5 }) }),
      { state: "paused" },
    ],
    ["0 at most is no limit", ended({ loop: loop({ maxTicks: 0 }, { ticksOfRun: 5_000 }) }), { state: "active" }],
    [
      "a spent budget pauses it",
      ended({ loop: loop({ budgetUsd: 1 }, { spentUsd: 0.9 }), usd: 0.2 }),
      { state: "paused" },
    ],
    ["a failed turn goes on", ended({ outcome: "failed", answer: "" }), { state: "active", delayMs: 120_000 }],
    [
      "the third one in a row pauses it",
      ended({ outcome: "failed", loop: loop({}, { failures: 2 }), error: { code: "model_server", message: "down" } }),
      { state: "paused", why: "3 ticks in a row failed: down" },
    ],
    [
      "a spending limit pauses it at once",
      ended({ outcome: "failed", error: { code: "spending_limit", message: "the limit is reached" } }),
      { state: "paused", why: "the limit is reached" },
    ],
  ])("%s", (_, tick, next) => {
    expect(tickVerdict(tick)).toMatchObject(next);
  });

  it("keeps its interval, or sets its own pace between floor and ceiling", () => {
    expect(tickVerdict(ended({ loop: loop({ everyMs: 300_000 }) }))).toEqual({ state: "active", delayMs: 300_000 });
    const own = (delayMs: number, digest: string) =>
      tickVerdict(ended({ loop: loop({}, { delayMs, digest: "same" }), digest }));
    expect(own(60_000, "same")).toMatchObject({ delayMs: 120_000 });
    expect(own(800_000, "same")).toMatchObject({ delayMs: 900_000 });
    expect(own(800_000, "other")).toMatchObject({ delayMs: 60_000 });
  });
});

describe("an answer", () => {
  const quiet = answerDigest("All quiet at 12:03:04 on 2026-11-30, after 3 minutes.");
  test.each([
    "all quiet at 9:15 pm on 2026-12-01, after 45 s.",
    "All  quiet at 23:59 on\n2026-01-01, after 1.5 hours.",
  ])("says nothing new where only times differ: %s", (answer) => {
    expect(answerDigest(answer)).toBe(quiet);
  });

  test.each(["All quiet but one at 12:03, on 2026-11-30, after 3 minutes.", "3 builds failed", "4 builds failed"])(
    "says something new otherwise: %s",
    (answer) => {
      expect(answerDigest(answer)).not.toBe(quiet);
      expect(answerDigest("3 builds failed")).not.toBe(answerDigest("4 builds failed"));
    },
  );
});
