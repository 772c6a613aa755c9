import { describe, expect, it } from "vitest";
import { countdownWords, type RetryWait, waitWords } from "../../../src/ui/retry-words.ts";
import { turnId } from "./view-samples.ts";

function wait(ms: number, code = "model_rate_limit"): RetryWait {
  return {
    type: "retry-wait",
    admission: turnId,
    retry: 2,
    of: 8,
    waitMs: ms,
    at: 1_000 + ms,
    error: { code, message: "" },
  };
}

describe("the words of a wait", () => {
  it("count down to the second, never below the truth, and say when the model is asked again", () => {
    const words = (now: number) => countdownWords(wait(7_000), now, 80);
    expect(words(1_000)).toBe("rate limited · again in 7 s · esc stops");
    expect(words(1_001)).toBe("rate limited · again in 7 s · esc stops");
    expect(words(7_999)).toBe("rate limited · again in 1 s · esc stops");
    expect(words(8_000)).toBe("rate limited · asked again, retry 2 of 8 · esc stops");
  });

  it("fit the width as far as they can", () => {
    const words = (width: number) => countdownWords(wait(300_000), 1_000, width);
    expect(words(40)).toBe("rate limited · again in 5 min");
    expect(words(20)).toBe("again in 5 min");
    expect(words(3)).toBe("again in 5 min");
  });

  it("say a fault that has no words of its own", () => {
    expect(waitWords(wait(400, "model_strange"))).toBe("no answer, asked again in 1 s (retry 2 of 8)");
  });
});
