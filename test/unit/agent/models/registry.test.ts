import { afterEach, describe, expect, it, test } from "vitest";
import type { ProviderConfig } from "../../../../src/agent/models/providers.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import { type ModelServer, startModelServer } from "../../../helpers/model-server.ts";
import { ask, textOf } from "./ask.ts";

const LOCAL: Record<string, ProviderConfig> = {
  local: {
    kind: "openai-compatible",
    baseURL: "http://127.0.0.1:9/v1",
    apiKeyEnv: "LOCAL_KEY",
    models: ["qwen3", "a/b"],
  },
};
const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(models: readonly string[] = []): Promise<ModelServer> {
  const server = await startModelServer(() => ({ text: "hi" }), models);
  servers.push(server);
  return server;
}

describe("a name", () => {
  const registry = modelRegistry({
    env: { OPENROUTER_API_KEY: "k" },
    providers: LOCAL,
    aliases: { fast: "local/qwen3", broken: "nowhere/x" },
  });

  test.each([
    ["local/qwen3", { provider: "local", model: "qwen3" }],
    ["local/a/b", { provider: "local", model: "a/b" }],
    ["openrouter/anthropic/claude-x", { provider: "openrouter", model: "anthropic/claude-x" }],
    ["ollama/llama3:8b", { provider: "ollama", model: "llama3:8b" }],
    [" fast ", { provider: "local", model: "qwen3" }],
    ["guide/guide", { provider: "guide", model: "guide" }],
  ])("like %j is the route %j", (name, route) => {
    expect(registry.resolve(name)).toEqual({ ok: true, route });
  });

  test.each([
    ["local/qwen", 'no model "qwen"', "local/qwen3"],
    ["loacl/qwen3", 'no provider "loacl"', "local/qwen3"],
    ["qwen3", 'called "qwen3"', "local/qwen3"],
    ["fats", 'called "fats"', "fast"],
    ["local", "lacks the model", "local/a/b"],
    ["local/", "lacks the model", "local/a/b"],
    ["guide/gude", "one model", "guide/guide"],
    ["broken", 'no provider "nowhere"', undefined],
    ["", 'called ""', undefined],
    ["constructor", 'called "constructor"', undefined],
  ])("like %j is refused, with the nearest", (name, problem, near) => {
    const resolved = registry.resolve(name);
    if (resolved.ok) throw new Error(JSON.stringify(resolved.route));
    expect(resolved.problem).toContain(problem);
    if (near === undefined) expect(resolved.nearest).toEqual([]);
    else expect(resolved.nearest).toContain(near);
  });
});

describe("opening", () => {
  it("gives a model that answers, with the key of the environment, which the route does not hold", async () => {
    const server = await serve();
    const providers: Record<string, ProviderConfig> = {
      local: { kind: "openai-compatible", baseURL: server.url, apiKeyEnv: "LOCAL_KEY" },
    };
    const registry = modelRegistry({ env: { LOCAL_KEY: "secret-key\n" }, providers });
    const opened = registry.open({ provider: "local", model: "m" });
    if (!opened.ok) throw new Error(opened.problem);
    expect(textOf(await ask(opened.model))).toBe("hi");
    expect(server.requests[0]?.headers.authorization).toBe("Bearer secret-key");
    expect(JSON.stringify(opened.model.route)).not.toContain("secret-key");
  });

  it("reads the key at that moment", () => {
    const env: Record<string, string> = {};
    const registry = modelRegistry({ env, providers: {} });
    expect(registry.open({ provider: "openai", model: "gpt-5" }).ok).toBe(false);
    env.OPENAI_API_KEY = "k-now-there";
    expect(registry.open({ provider: "openai", model: "gpt-5" }).ok).toBe(true);
  });

  it("of openai honours OPENAI_BASE_URL and names the output limit as it wants", async () => {
    const server = await serve();
    const registry = modelRegistry({
      env: { OPENAI_API_KEY: "k-openai", OPENAI_BASE_URL: `${server.url}/` },
      providers: {},
    });
    const opened = registry.open({ provider: "openai", model: "gpt-5", options: { maxOutputTokens: 7 } });
    if (!opened.ok) throw new Error(opened.problem);
    await ask(opened.model);
    expect(server.requests[0]?.path).toBe("/v1/chat/completions");
    expect(server.requests[0]?.body).toMatchObject({ model: "gpt-5", max_completion_tokens: 7 });
    expect(server.requests[0]?.body.max_tokens).toBeUndefined();
  });

  it("of ollama needs no key and takes OLLAMA_HOST without scheme or path", async () => {
    const server = await serve();
    const registry = modelRegistry({ env: { OLLAMA_HOST: new URL(server.url).host }, providers: {} });
    const opened = registry.open({ provider: "ollama", model: "qwen3" });
    if (!opened.ok) throw new Error(opened.problem);
    await ask(opened.model);
    expect(server.requests[0]?.path).toBe("/v1/chat/completions");
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test.each<[string, ProviderConfig, string, string]>([
    [
      "a missing key",
      { kind: "openai-compatible", baseURL: "http://h/v1", apiKeyEnv: "MY_KEY" },
      "MY_KEY is not set",
      "MY_KEY",
    ],
    [
      "a key with a blank in it",
      { kind: "openai-compatible", baseURL: "http://h/v1", apiKeyEnv: "BAD_KEY" },
      "BAD_KEY",
      "copied",
    ],
    ["a missing base URL", { kind: "openai-compatible" }, "baseURL is missing", "providers.p.baseURL"],
    [
      "a base URL of another kind",
      { kind: "openai-compatible", baseURL: "ftp://h" },
      "not an http address",
      "providers.p.baseURL",
    ],
    ["Anthropic's key", { kind: "anthropic" }, "ANTHROPIC_API_KEY is not set", "ANTHROPIC_API_KEY"],
    ["Google's key", { kind: "google" }, "GEMINI_API_KEY is not set", "GEMINI_API_KEY"],
  ])("is refused for %s, with what to do", (_, config, problem, hint) => {
    const registry = modelRegistry({ env: { BAD_KEY: "ab cd" }, providers: { p: config } });
    const opened = registry.open({ provider: "p", model: "m" });
    if (opened.ok) throw new Error("it opened");
    expect(opened.problem).toContain(problem);
    expect(opened.problem).not.toContain("ab cd");
    expect(opened.hint).toContain(hint);
  });

  it("is refused for a provider that is gone from the config", () => {
    const opened = modelRegistry({ env: {}, providers: {} }).open({ provider: "local", model: "m" });
    expect(opened).toMatchObject({ ok: false, problem: expect.stringContaining("local") });
  });

  it("always gives the guide, which the config cannot replace", () => {
    const providers: Record<string, ProviderConfig> = { guide: { kind: "openai-compatible", baseURL: "http://h/v1" } };
    const opened = modelRegistry({ env: {}, providers }).open({ provider: "guide", model: "guide" });
    if (!opened.ok) throw new Error(opened.problem);
    expect(opened.model.route).toEqual({ provider: "guide", model: "guide" });
  });
});

describe("the list", () => {
  it("holds what can be used, and why the others cannot", () => {
    const list = modelRegistry({ env: { OPENROUTER_API_KEY: "k" }, providers: LOCAL }).list();
    const byId = new Map(list.map((one) => [one.id, one]));
    expect(byId.get("local/qwen3")).toEqual({
      id: "local/qwen3",
      provider: "local",
      available: false,
      why: "local: LOCAL_KEY is not set",
    });
    expect(byId.get("openrouter/openrouter/auto")?.available).toBe(true);
    expect(byId.get("openai/gpt-6.2-sol")?.why).toContain("OPENAI_API_KEY is not set");
    expect(byId.get("anthropic/claude-haiku-4-5")?.why).toContain("ANTHROPIC_API_KEY is not set");
    expect(byId.get("google/gemini-4-argon")?.why).toContain("GEMINI_API_KEY is not set");
    expect(byId.get("ollama/*")?.why).toContain("start Ollama");
    expect(list.at(-1)).toEqual({ id: "guide/guide", provider: "guide", available: true });
  });
});

describe("the default route", () => {
  const env = { STELE_MODEL: "local/a/b", LOCAL_KEY: "k", OPENAI_API_KEY: "k" };
  const all = modelRegistry({ env, providers: LOCAL });

  it("is the flag's, else the environment's, else the config's, else the first usable, else the guide", () => {
    expect(all.defaultRoute({ flag: "guide/guide", configured: "local/qwen3" })).toMatchObject({ source: "flag" });
    expect(all.defaultRoute({ configured: "local/qwen3" })).toMatchObject({
      source: "environment",
      route: { model: "a/b" },
    });
    const quiet = modelRegistry({ env: { ...env, STELE_MODEL: "" }, providers: LOCAL });
    expect(quiet.defaultRoute({ configured: "local/qwen3" })).toMatchObject({
      source: "config",
      route: { model: "qwen3" },
    });
    expect(quiet.defaultRoute({})).toEqual({ ok: true, source: "found", route: { provider: "local", model: "qwen3" } });
    const keyless = modelRegistry({ env: { OPENAI_API_KEY: "k" }, providers: LOCAL });
    expect(keyless.defaultRoute({})).toMatchObject({ source: "found", route: { provider: "openai" } });
    const bare = modelRegistry({ env: {}, providers: {} });
    expect(bare.defaultRoute({})).toEqual({ ok: true, source: "guide", route: { provider: "guide", model: "guide" } });
  });

  it("is refused with the names that begin with or contain it before those that look like it", () => {
    const models = ["m1", "other-m2", "m2-large", "n2"];
    const many = modelRegistry({ env: {}, providers: { local: { ...LOCAL.local, models } } as typeof LOCAL });
    const refused = many.resolve("m2");
    expect(refused.ok ? [] : refused.nearest).toEqual(["local/m2-large", "local/other-m2", "local/m1"]);
  });

  it("is an error, not another model, when the name that was given fits nothing", () => {
    const refused = all.defaultRoute({ flag: "local/qwen4" });
    expect(refused).toMatchObject({ ok: false, source: "flag" });
    expect(refused.ok ? [] : refused.nearest[0]).toBe("local/qwen3");
  });

  it("is a local server's first model once that server was found", async () => {
    const server = await serve(["llama3:8b", "qwen3"]);
    const registry = modelRegistry({ env: { OLLAMA_HOST: server.url }, providers: {} });
    expect(registry.defaultRoute({}).source).toBe("guide");
    await registry.discover(new AbortController().signal);
    expect(registry.defaultRoute({})).toMatchObject({
      source: "found",
      route: { provider: "ollama", model: "llama3:8b" },
    });
    expect(registry.list().filter((one) => one.provider === "ollama")).toHaveLength(2);
  });

  it("stays the guide's when no local server answers", async () => {
    const server = await startModelServer([]);
    await server.close();
    const registry = modelRegistry({ env: { OLLAMA_HOST: server.url }, providers: {} });
    await registry.discover(new AbortController().signal);
    expect(registry.defaultRoute({}).source).toBe("guide");
  });
});
