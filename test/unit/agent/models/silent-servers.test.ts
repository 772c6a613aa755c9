// Providers of the config on this very machine: whether something listens there is found out, not taken for granted.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import { startModelServer } from "../../../helpers/model-server.ts";

const NO_SERVERS = { OLLAMA_HOST: "http://127.0.0.1:9", LMSTUDIO_BASE_URL: "http://127.0.0.1:9/v1" };

/** Listens, and knows of no list of models. */
async function serverWithoutList(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function serverThatIsGone(): Promise<string> {
  const server = await startModelServer(() => ({ text: "hi" }));
  await server.close();
  return server.url;
}

interface Declared {
  readonly models?: readonly string[];
  readonly apiKeyEnv?: string;
}

async function listed(baseURL: string, more: Declared = {}) {
  const providers = { mine: { kind: "openai-compatible", baseURL, ...more } } as const;
  const registry = modelRegistry({ env: { ...NO_SERVERS, MY_KEY: "k" }, providers });
  await registry.discover(new AbortController().signal);
  return { registry, rows: registry.list().filter(({ provider }) => provider === "mine") };
}

describe("a provider of the config at a loopback address", () => {
  it.each([{}, { apiKeyEnv: "MY_KEY" }])("where nothing listens is named so, and not available (%j)", async (more) => {
    const url = await serverThatIsGone();
    const { rows } = await listed(url, more);
    expect(rows).toMatchObject([{ id: "mine/*", available: false, why: `mine: nothing answers at ${url}` }]);
  });

  it("where nothing listens keeps the models that the config lists, and is the default still", async () => {
    const url = await serverThatIsGone();
    const { registry, rows } = await listed(url, { models: ["a"] });
    expect(rows).toMatchObject([{ id: "mine/a", available: true, why: `mine: nothing answers at ${url}` }]);
    expect(registry.defaultRoute({})).toMatchObject({ source: "found", route: { provider: "mine", model: "a" } });
  });

  it.each([{}, { models: ["a"] }])("that listens without a list of models can be used (%j)", async (more) => {
    const { rows } = await listed(await serverWithoutList(), more);
    expect(rows.map(({ available, why }) => ({ available, why }))).toEqual([{ available: true, why: undefined }]);
  });

  it("whose key is missing says that first", async () => {
    const { rows } = await listed(await serverThatIsGone(), { apiKeyEnv: "NOT_SET" });
    expect(rows).toMatchObject([{ available: false, why: "mine: NOT_SET is not set" }]);
  });
});
