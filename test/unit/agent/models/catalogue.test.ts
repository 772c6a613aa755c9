import { describe, expect, it } from "vitest";
import { modelFacts } from "../../../../src/agent/models/catalogue.ts";
import { CATALOGUE, CATALOGUE_DATE } from "../../../../src/agent/models/catalogue-rows.ts";
import { costOf, costOfAll, costWords } from "../../../../src/agent/models/cost.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";

const at = Date.parse("2026-12-01");
const route = (provider: string, model: string) => ({ provider, model });

describe("what is known of a model", () => {
  it("is that of the model itself and its dated snapshots, and of no other whose name begins alike", () => {
    const sonnet = modelFacts(route("anthropic", "claude-sonnet-4-5"));
    expect(sonnet.window).toBe(200_000);
    expect(modelFacts(route("anthropic", "claude-sonnet-4-5-20250929"))).toEqual(sonnet);
    expect(modelFacts(route("openai", "gpt-5-mini-2025-08-07"))).toEqual(modelFacts(route("openai", "gpt-5-mini")));
    expect(modelFacts(route("openai", "gpt-5-mini"))).not.toEqual(modelFacts(route("openai", "gpt-5")));
    for (const name of ["claude-sonnet-4-55", "claude-sonnet-4-5-thinking", "claude", ""])
      expect(modelFacts(route("anthropic", name))).toEqual({});
    expect(modelFacts(route("mine", "claude-sonnet-4-5"))).toEqual({});
  });

  it("is what the config says, and the catalogue for the rest", () => {
    const models = {
      "mine/q": { contextWindow: 8_192, maxOutput: 1_024 },
      "openai/gpt-5": { inputPrice: 1, outputPrice: 2 },
    };
    expect(modelFacts(route("mine", "q"), models)).toEqual({ window: 8_192, maxOutput: 1_024 });
    expect(modelFacts(route("openai", "gpt-5"), models)).toEqual({ window: 400_000, prices: { input: 1, output: 2 } });
  });
});

describe("the list", () => {
  it("names each model once, before those that its name begins, and has prices that can be", () => {
    for (const rows of Object.values(CATALOGUE)) {
      expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length);
      for (const [, window = 1, maxOutput = 1, prices] of rows) {
        expect(maxOutput).toBeLessThanOrEqual(window);
        if (!prices || prices.input === 0) continue;
        expect(prices.output).toBeGreaterThan(prices.input);
        expect(prices.cacheRead ?? 0).toBeLessThan(prices.input);
        expect(prices.cacheWrite ?? prices.input * 1.25).toBeCloseTo(prices.input * 1.25, 6);
        expect(Number.isNaN(Date.parse(prices.until ?? CATALOGUE_DATE))).toBe(false);
      }
    }
  });

  it("knows the window of every model that a provider is offered with", () => {
    const listed = modelRegistry({ env: {}, providers: {} }).list();
    const own = listed.filter(({ provider }) => /^(anthropic|openai|google)$/.test(provider));
    expect(own.length).toBeGreaterThan(10);
    for (const { id } of own) {
      const [provider = "", model = ""] = id.split("/");
      expect(modelFacts(route(provider, model)).window).toBeGreaterThan(100_000);
    }
  });
});

describe("a cost", () => {
  const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

  it("prices what came from the cache and went to it apart, as parts of the input", () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 100_000,
      cacheReadTokens: 600_000,
      cacheWriteTokens: 200_000,
    };
    expect(costOf(usage, prices, at)?.usd).toBeCloseTo(0.2 * 3 + 0.6 * 0.3 + 0.2 * 3.75 + 1.5, 10);
    expect(costOf({ inputTokens: 10, outputTokens: 0, cacheReadTokens: 10 }, { input: 3, output: 1 }, at)?.usd).toBe(
      30 / 1_000_000,
    );
  });

  it("is not known without a price, or after the last day of one", () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    expect(costOf(usage, undefined, at)).toBeUndefined();
    const ending = { ...prices, until: "2026-12-02" };
    expect(costOf(usage, ending, at)).toBeDefined();
    expect(costOf(usage, ending, Date.parse("2026-12-02"))).toBeUndefined();
  });

  it("is the least where long requests cost more and there may have been one", () => {
    const tiered = { ...prices, longFrom: 1_000 };
    expect(costOf({ inputTokens: 1_000, outputTokens: 1 }, tiered, at)?.isLeast).toBe(false);
    expect(costOf({ inputTokens: 1_001, outputTokens: 1 }, tiered, at)?.isLeast).toBe(true);
  });

  it("of a session is a sum only where every model of it has a price", () => {
    const asked = (provider: string, inputTokens: number) => ({
      route: route(provider, "m"),
      calls: 1,
      usage: { inputTokens, outputTokens: 0 },
    });
    const models = { "a/m": { inputPrice: 1, outputPrice: 1 }, "b/m": { inputPrice: 2, outputPrice: 1 } };
    expect(costOfAll([asked("a", 1_000_000), asked("b", 1_000_000)], models, at)).toEqual({ usd: 3, isLeast: false });
    expect(costOfAll([asked("a", 1_000_000), asked("c", 1)], models, at)).toBeUndefined();
    expect(costOfAll([asked("a", 1_000_000), asked("c", 0)], models, at)).toEqual({ usd: 1, isLeast: false });
    expect(costOfAll([], models, at)).toBeUndefined();
  });

  it("is said with as many digits as tell it from nothing", () => {
    expect([0, 0.0041, 0.12, 12.345].map((usd) => costWords({ usd, isLeast: false }))).toEqual([
      "$0.00",
      "$0.0041",
      "$0.12",
      "$12.35",
    ]);
    expect(costWords({ usd: 1, isLeast: true })).toBe("over $1.00");
  });
});
