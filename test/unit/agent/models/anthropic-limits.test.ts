import { afterEach, describe, expect, it, test } from "vitest";
import { longestAnswer } from "../../../../src/agent/models/anthropic-limits.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import { anthropicFormat } from "../../../helpers/anthropic-server.ts";
import { type ProviderServer, startProviderServer } from "../../../helpers/provider-server.ts";
import { ask } from "./ask.ts";

test.each([
  ["claude-2.1", 4_096],
  ["claude-instant-1.2", 4_096],
  ["claude-3-opus-20240229", 4_096],
  ["claude-3-5-sonnet-latest", 8_192],
  ["claude-3-7-sonnet-20250219", 64_000],
  ["claude-opus-4-20250514", 32_000],
  ["claude-opus-4-1", 32_000],
  ["claude-opus-4-1-20250805", 32_000],
  ["claude-opus-4-5-20251101", 64_000],
  ["claude-sonnet-4-20250514", 64_000],
  ["claude-sonnet-4@20250514", 64_000],
  ["claude-haiku-4-5", 64_000],
  ["claude-sonnet-4-6", 128_000],
  ["claude-opus-4-7-20270101", 128_000],
  ["anthropic/claude-sonnet-4.6", 128_000],
  ["claude-haiku-5", 128_000],
  ["claude-sonnet-6-1-20280101", 128_000],
  ["claude-epic-10", 128_000],
  ["claude-next", 64_000],
  ["kimi-k3", 32_000],
  ["glm-6", 32_000],
])("an answer of %s may have %i tokens", (model, tokens) => {
  expect(longestAnswer(model)).toBe(tokens);
});

describe("a request for a model of kind anthropic", () => {
  const servers: ProviderServer[] = [];
  afterEach(async () => {
    const closing = servers.splice(0);
    await Promise.all(closing.map((server) => server.close()));
    expect(closing.flatMap(({ problems }) => problems)).toEqual([]);
  });

  async function limits(model: string, more: { effort?: string; maxOutput?: number } = {}) {
    const { effort, maxOutput } = more;
    const server = await startProviderServer(anthropicFormat, [{ blocks: [{ say: "hi" }] }]);
    servers.push(server);
    const opened = modelRegistry({
      env: { THE_KEY: "k-1" },
      providers: { mine: { kind: "anthropic", baseURL: server.url, apiKeyEnv: "THE_KEY" } },
      ...(maxOutput !== undefined && { models: { [`mine/${model}`]: { maxOutput } } }),
    }).open({ provider: "mine", model, ...(effort !== undefined && { options: { effort } }) });
    if (!opened.ok) throw new Error(opened.problem);
    expect((await ask(opened.model)).at(-1)?.type).toBe("finish");
    const { max_tokens: max, thinking } = server.requests[0]?.body ?? {};
    return { max, budget: (thinking as { budget_tokens?: number } | undefined)?.budget_tokens };
  }

  it.each(["kimi-k3", "claude-next", "claude-sonnet-4-5", "claude-3-5-sonnet-latest"])(
    "names what %s can, thinking included",
    async (model) => {
      const longest = longestAnswer(model);
      expect((await limits(model)).max).toBe(longest);
      expect((await limits(model, { effort: "high" })).max).toBe(longest);
    },
  );

  it("names what the config says instead, and leaves the answer room beside the thinking", async () => {
    expect(await limits("kimi-k3", { maxOutput: 9_000 })).toEqual({ max: 9_000, budget: undefined });
    expect(await limits("claude-sonnet-4-5", { maxOutput: 9_000, effort: "high" })).toEqual({
      max: 9_000,
      budget: 4_500,
    });
    expect(await limits("claude-sonnet-4-5", { maxOutput: 1_500, effort: "low" })).toEqual({
      max: 1_500,
      budget: undefined,
    });
  });
});
