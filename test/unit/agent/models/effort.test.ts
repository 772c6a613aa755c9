import { expect, it, test } from "vitest";
import { CATALOGUE } from "../../../../src/agent/models/catalogue-rows.ts";
import { effortLevels, effortOf, withEffort } from "../../../../src/agent/models/effort.ts";
import type { ProviderKind } from "../../../../src/agent/models/providers.ts";

test.each<[ProviderKind, string, string]>([
  ["anthropic", "claude-opus-5-5", "low medium high xhigh max"],
  ["anthropic", "claude-haiku-5-5", "low medium high xhigh max"],
  ["anthropic", "claude-opus-4-7", "low medium high xhigh max"],
  ["anthropic", "claude-sonnet-4-6", "low medium high max"],
  ["anthropic", "claude-opus-4-5-20251101", "low medium high"],
  ["anthropic", "claude-opus-4-1", "low medium high"],
  ["anthropic", "claude-3-haiku-20240307", ""],
  ["openai", "gpt-6.2-sol", "low medium high xhigh max"],
  ["openai", "gpt-6.1-terra", "none low medium high xhigh max"],
  ["openai", "gpt-6-luna", "none low medium high xhigh max"],
  ["openai", "gpt-5.4", "none low medium high xhigh"],
  ["openai", "gpt-5.3-codex", "low medium high xhigh"],
  ["openai", "gpt-5.1", "none low medium high"],
  ["openai", "gpt-5-mini-2025-08-07", "minimal low medium high"],
  ["openai", "gpt-5.2-chat-latest", ""],
  ["openai", "gpt-4.1", ""],
  ["google", "gemini-4-argon", "low medium high"],
  ["google", "gemini-3-flash-preview", "minimal low medium high"],
  ["google", "gemini-3-pro-preview", "low high"],
  ["google", "gemini-2.0-flash", ""],
  ["ollama", "qwen3", "low medium high"],
  ["openai-compatible", "anything", "low medium high"],
])("%s %s knows the levels: %s", (kind, model, levels) => {
  expect(effortLevels({ kind, model }).join(" ")).toBe(levels);
});

it("every model of the list has levels or none, each once and from the least to the most", () => {
  const order = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
  for (const kind of ["anthropic", "openai", "google"] as const)
    for (const [model] of CATALOGUE[kind] ?? []) {
      const places = effortLevels({ kind, model }).map((level) => order.indexOf(level));
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      expect(places).not.toContain(-1);
    }
});

it("an effort goes into a route and out of it, and leaves its other options alone", () => {
  const route = { provider: "p", model: "m", options: { temperature: 0 } };
  const high = withEffort(route, "high");
  expect(effortOf(high)).toBe("high");
  expect(withEffort(high, undefined)).toEqual(route);
  expect(withEffort({ provider: "p", model: "m", options: { effort: "low" } }, undefined)).toEqual({
    provider: "p",
    model: "m",
  });
});
