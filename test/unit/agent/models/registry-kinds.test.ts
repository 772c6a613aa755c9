import { afterEach, expect, it, test } from "vitest";
import type { ProviderConfig } from "../../../../src/agent/models/providers.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import { startModelServer } from "../../../helpers/model-server.ts";
import { startProviderServer } from "../../../helpers/provider-server.ts";
import { ask, textOf } from "./ask.ts";
import { closeServers, NAMES, PROVIDERS, setUp } from "./provider-setup.ts";

afterEach(closeServers);

const KEYS = { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY", google: "GEMINI_API_KEY" } as const;

test.each(NAMES)("a provider of kind %s in the config is asked in its own way", async (kind) => {
  const { server } = await setUp(kind, [{ blocks: [{ say: "hi" }] }]);
  const provider: ProviderConfig = { kind, baseURL: server.url, ...(kind === "openai" && { api: "responses" }) };
  const registry = modelRegistry({ env: { [KEYS[kind]]: "the-key" }, providers: { mine: provider } });
  const opened = registry.open({ provider: "mine", model: PROVIDERS[kind].model });
  if (!opened.ok) throw new Error(opened.problem);
  expect(textOf(await ask(opened.model))).toBe("hi");
  expect(JSON.stringify(server.requests[0]?.headers)).toContain("the-key");
});

test.each(NAMES)("%s is there without config once its key is, and says which key it lacks", (name) => {
  const listed = (env: Record<string, string>) =>
    modelRegistry({ env, providers: {} })
      .list()
      .filter(({ provider }) => provider === name);
  expect(listed({}).length).toBeGreaterThan(0);
  expect(listed({}).every(({ why }) => why === `${name}: ${KEYS[name]} is not set`)).toBe(true);
  expect(listed({ [KEYS[name]]: "k-1" }).every(({ available }) => available)).toBe(true);
  const found = modelRegistry({ env: { [KEYS[name]]: "k-1" }, providers: {} }).defaultRoute({});
  expect(found).toMatchObject({ source: "found", route: { provider: name } });
});

it("asks a copy of OpenAI's endpoint for chat completions, unless it is said to have Responses", async () => {
  const chat = await startModelServer(() => ({ text: "chat" }));
  const responses = await startProviderServer(PROVIDERS.openai.format, [{ blocks: [{ say: "responses" }] }]);
  const registry = modelRegistry({
    env: { OPENAI_API_KEY: "k-1" },
    providers: {
      copy: { kind: "openai", baseURL: chat.url },
      other: { kind: "openai", baseURL: responses.url, api: "responses" },
    },
  });
  for (const [provider, said] of [
    ["copy", "chat"],
    ["other", "responses"],
  ] as const) {
    const opened = registry.open({ provider, model: "gpt-5" });
    if (!opened.ok) throw new Error(opened.problem);
    expect(textOf(await ask(opened.model))).toBe(said);
  }
  await Promise.all([chat.close(), responses.close()]);
});
