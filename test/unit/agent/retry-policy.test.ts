import { describe, expect, it } from "vitest";
import type { ModelError } from "../../../src/agent/models/model.ts";
import { type Failed, nextStep, RETRY_LIMIT } from "../../../src/agent/retry-policy.ts";

const fault = (more: Partial<ModelError> = {}): ModelError => ({
  code: "model_server",
  message: "answered 500",
  retryable: true,
  ...more,
});

function step(more: Partial<Failed> = {}) {
  return nextStep({ error: fault(), failures: 1, limit: RETRY_LIMIT, hasFallback: false, random: () => 0.5, ...more });
}

function waits(random: number, error = fault()): readonly number[] {
  const all: number[] = [];
  for (let failures = 1; ; failures += 1) {
    const next = step({ error, failures, random: () => random });
    if (next.kind !== "wait") return all;
    all.push(next.ms);
  }
}

describe("a request that failed", () => {
  it("waits twice as long each time, up to a bound, and a bounded number of times", () => {
    expect(waits(0.5)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000]);
  });

  it("waits a quarter shorter or longer by chance", () => {
    const [shortest, longest] = [waits(0), waits(0.999_999)];
    expect(shortest[0]).toBe(375);
    expect(longest[0]).toBe(625);
    for (const [at, ms] of waits(0.3).entries()) {
      expect(ms).toBeGreaterThan(shortest[at] ?? 0);
      expect(ms).toBeLessThan(longest[at] ?? 0);
    }
  });

  it.each([0, 1, 7_000, 600_000])("waits at least the %s ms that the server asks for, and little more", (asked) => {
    for (const random of [0, 0.5, 0.999]) {
      const next = step({ error: fault({ retryAfterMs: asked }), random: () => random });
      if (next.kind !== "wait") throw new Error(next.kind);
      expect(next.ms).toBeGreaterThanOrEqual(asked);
      expect(next.ms).toBeLessThanOrEqual(asked * 1.1 + 1);
    }
  });

  it("is not waited for when the server wants more than ten minutes, and the wish is handed on", () => {
    const error = fault({ code: "model_rate_limit", retryAfterMs: 600_001 });
    expect(step({ error })).toEqual({ kind: "give-up", askedMs: 600_001 });
    expect(step({ error, hasFallback: true })).toEqual({ kind: "fall-back" });
  });

  it.each(["model_auth", "model_bad_request", "model_not_found", "model_empty", "model_aborted"] as const)(
    "%s is never repeated, nor left to the fallback",
    (code) => {
      expect(step({ error: fault({ code, retryable: false, retryAfterMs: 1 }), hasFallback: true })).toEqual({
        kind: "give-up",
      });
    },
  );

  it("goes to the fallback when retries ran out, and at once where there are none", () => {
    expect(step({ failures: RETRY_LIMIT, hasFallback: true }).kind).toBe("wait");
    expect(step({ failures: RETRY_LIMIT + 1, hasFallback: true }).kind).toBe("fall-back");
    expect(step({ limit: 0, hasFallback: true }).kind).toBe("fall-back");
    expect(step({ limit: 0 })).toEqual({ kind: "give-up" });
  });

  it.each(["answered 529", "answered 503 Service Unavailable", "Overloaded", "no capacity left"])(
    "goes to the fallback after two retries when the model is overloaded: %s",
    (message) => {
      const error = fault({ message });
      expect(step({ error, failures: 2, hasFallback: true }).kind).toBe("wait");
      expect(step({ error, failures: 3, hasFallback: true }).kind).toBe("fall-back");
      expect(step({ error, failures: 3 }).kind).toBe("wait");
    },
  );
});
