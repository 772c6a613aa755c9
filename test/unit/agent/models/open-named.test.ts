import { describe, expect, it, test } from "vitest";
import { nameProblems, nameProblemWords, openInstead } from "../../../../src/agent/models/open-named.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import type { ModelRoute } from "../../../../src/ledger/types.ts";

const kind = "openai-compatible";
const baseURL = "http://127.0.0.1:9/v1";
const aliases = { fast: "local/a", lost: "nowhere/x" };
const models = modelRegistry({
  env: { ANTHROPIC_API_KEY: "k-1", OPENAI_API_KEY: "k-1" },
  providers: { local: { kind, baseURL, models: ["a"] }, locked: { kind, baseURL, apiKeyEnv: "LOCKED_KEY" } },
  aliases,
});

describe("models that the config names for later", () => {
  test.each(["local/a", "fast", "guide/guide", "anthropic/claude-of-tomorrow"])("%s is fine", (name) => {
    expect(nameProblems(models, { fallback: name, compaction: { model: name }, aliases: { mine: name } })).toEqual([]);
  });

  test.each([
    ["a provider that is not there", "locla/a", "local/a"],
    ["a model that its provider does not have", "local/aa", "local/a"],
    ["a name of nothing", "fsat", "fast"],
    ["an alias that leads nowhere", "lost", "nowhere"],
    ["a model without its provider", "a", "local/a"],
  ])("%s is told under each key, with what to do", (_, name, word) => {
    const found = nameProblems(models, { fallback: name, compaction: { model: name }, aliases: {} });
    expect(found.map(({ key }) => key)).toEqual(["fallback", "compaction.model"]);
    for (const each of found) {
      expect(nameProblemWords(each)).toContain(`${each.key} in the config names "${name}", which cannot be used: `);
      expect(nameProblemWords(each)).toMatch(name === "lost" ? /nowhere/ : new RegExp(`(Nearest|there is).*${word}`));
      expect(each.hint).not.toBe("");
    }
  });

  it("that lack a key are told; of aliases, which nobody may need, only those that lead nowhere", () => {
    const config = { fallback: "locked/c", compaction: {}, aliases: { ...aliases, spare: "locked/c" } };
    const found = nameProblems(models, config);
    expect(found.map(({ key }) => key)).toEqual(["fallback", "aliases.lost"]);
    expect(found[0]?.hint).toContain("LOCKED_KEY");
  });
});

describe("a model that stands in for another", () => {
  const from = (effort?: string): ModelRoute => ({
    provider: "anthropic",
    model: "claude-opus-5-5",
    options: { temperature: 0.5, ...(effort !== undefined && { effort }) },
  });
  const standIn = (name: string, effort?: string) => {
    const opened = openInstead(models, from(effort), name);
    if (!opened.ok) throw new Error(opened.problem);
    return { effort: opened.model.route.options?.effort, lost: opened.lostEffort, route: opened.model.route };
  };

  test.each([
    ["the level that both know", "local/a", "high", { effort: "high", lost: undefined }],
    ["no level where none was set", "local/a", undefined, { effort: undefined, lost: undefined }],
    [
      "its default for a level that it does not know, and says which",
      "local/a",
      "max",
      { effort: undefined, lost: "max" },
    ],
    ["nothing where it does not think, and says which", "guide/guide", "low", { effort: undefined, lost: "low" }],
    [
      "nothing where it is of a family that does not think",
      "openai/gpt-4.1",
      "low",
      { effort: undefined, lost: "low" },
    ],
  ])("has %s", (_, name, effort, expected) => {
    expect(standIn(name, effort)).toMatchObject(expected);
  });

  it("has no other option of the first, and its own address", () => {
    expect(standIn("local/a", "high").route).toEqual({
      provider: "local",
      model: "a",
      options: { effort: "high", baseURL },
    });
  });
});
