import { afterEach, describe, expect, it, test } from "vitest";
import { serverAddress } from "../../../../src/agent/models/address.ts";
import type { Env, ProviderConfig, ProviderKind } from "../../../../src/agent/models/providers.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import { checkConfig } from "../../../../src/config/schema.ts";
import { type ModelServer, startModelServer } from "../../../helpers/model-server.ts";
import { ask, textOf } from "./ask.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(): Promise<{ server: ModelServer; host: string }> {
  const server = await startModelServer(() => ({ text: "hi" }), ["m1"]);
  servers.push(server);
  return { server, host: new URL(server.url).host };
}

const TYPED: readonly [what: string, typed: (host: string) => string][] = [
  ["whole", (host) => `http://${host}/v1`],
  ["with a slash at the end", (host) => `http://${host}/v1/`],
  ["without its path", (host) => `http://${host}`],
  ["without its path, with a slash", (host) => `http://${host}/`],
  ["without a scheme", (host) => `${host}/v1`],
  ["as host and port", (host) => host],
  ["as host and port with a slash", (host) => `${host}/`],
  ["by another name", (host) => host.replace("127.0.0.1", "localhost")],
  ["as one to listen on", (host) => host.replace("127.0.0.1", "0.0.0.0")],
  ["as that of a request", (host) => `http://${host}/v1/chat/completions`],
  ["among blanks", (host) => ` ${host} \n`],
];

const WAYS: readonly [name: string, given: (typed: string) => { env?: Env; config?: ProviderConfig }][] = [
  ["lmstudio", (typed) => ({ env: { LMSTUDIO_BASE_URL: typed } })],
  ["ollama", (typed) => ({ env: { OLLAMA_HOST: typed } })],
  ["openai", (typed) => ({ env: { OPENAI_BASE_URL: typed, OPENAI_API_KEY: "k-1" } })],
  ["mine", (baseURL) => ({ config: { kind: "openai-compatible", baseURL } })],
  ["own", (baseURL) => ({ config: { kind: "ollama", baseURL } })],
];

describe.each(WAYS)("the address of %s", (name, given) => {
  test.each(TYPED)("typed %s is where it is asked", async (_, typed) => {
    const { server, host } = await serve();
    const { env = {}, config } = given(typed(host));
    const providers: Record<string, ProviderConfig> = config ? { [name]: config } : {};
    expect(checkConfig({ providers }).ok).toBe(true);
    const registry = modelRegistry({ env, providers });
    await registry.discover(new AbortController().signal);
    if (name !== "openai") expect(registry.list().map(({ id }) => id)).toContain(`${name}/m1`);
    const opened = registry.open({ provider: name, model: "m1" });
    if (!opened.ok) throw new Error(opened.problem);
    expect(textOf(await ask(opened.model))).toBe("hi");
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
  });
});

test.each<[string, ProviderKind, string]>([
  ["https://api.anthropic.com", "anthropic", "https://api.anthropic.com/v1"],
  ["proxy.example.com", "anthropic", "https://proxy.example.com/v1"],
  ["https://api.anthropic.com/v1/messages", "anthropic", "https://api.anthropic.com/v1"],
  ["https://generativelanguage.googleapis.com/", "google", "https://generativelanguage.googleapis.com/v1beta"],
  ["https://api.openai.com", "openai", "https://api.openai.com/v1"],
  ["https://api.openai.com/v1/responses", "openai", "https://api.openai.com/v1"],
  ["box:8000", "openai-compatible", "http://box:8000/v1"],
  ["gpu.lan", "openai-compatible", "http://gpu.lan/v1"],
  ["192.168.1.7:8080", "openai-compatible", "http://192.168.1.7:8080/v1"],
  ["[::1]:8080", "openai-compatible", "http://[::1]:8080/v1"],
  ["http://localhost:8080/openai/v1/", "openai-compatible", "http://localhost:8080/openai/v1"],
  ["http://localhost:11434/api", "ollama", "http://localhost:11434/v1"],
  ["http://localhost:11434/api/chat", "ollama", "http://localhost:11434/v1"],
  // A key does not go out in the open, and an interface at the root of a host stays there.
  ["api.example.com/v1", "openai-compatible", "https://api.example.com/v1"],
  ["https://api.example.com", "openai-compatible", "https://api.example.com"],
])("%j of kind %s is %s", (text, kind, address) => {
  expect(serverAddress({ text, kind })).toBe(address);
});

it("is the same however often it is made", () => {
  for (const [, typed] of TYPED) {
    for (const kind of ["openai-compatible", "openai", "ollama", "anthropic", "google"] as const) {
      const once = serverAddress({ text: typed("127.0.0.1:1234"), kind });
      expect(serverAddress({ text: once, kind })).toBe(once);
    }
  }
});

test.each([
  "ftp://box",
  "http://",
  "what is this",
  "file:///etc/passwd",
  "http://ann:hunter2@box/v1",
  "ann:hunter2@box",
])("%j is none: the error names what was set, what to write, and no password", (typed) => {
  for (const [name, given] of WAYS) {
    const { env = {}, config } = given(typed);
    const opened = modelRegistry({ env, providers: config ? { [name]: config } : {} }).open({
      provider: name,
      model: "m",
    });
    if (opened.ok) throw new Error(`${name} was opened`);
    const setting = Object.keys(env)[0] ?? `providers.${name}.baseURL`;
    expect(opened.hint).toBe(`Set ${setting}, like "http://127.0.0.1:8080/v1".`);
    expect(opened.problem).toContain("is not an http address");
    expect(opened.problem).not.toContain("hunter2");
    if (config) expect(checkConfig({ providers: { [name]: config } }).ok).toBe(false);
  }
});

test.each(["nonsense", "local host:1", "", "v1"])("%j in the config is no address", (baseURL) => {
  expect(checkConfig({ providers: { mine: { kind: "openai-compatible", baseURL } } }).ok).toBe(false);
});

it("that may lack its path is named by the error of who answers there", async () => {
  const server = await startModelServer(() => ({ status: 404, body: { error: "Unexpected endpoint or method." } }));
  servers.push(server);
  const providers = { mine: { kind: "openai-compatible", baseURL: `${server.url.replace("/v1", "")}/llm` } } as const;
  const opened = modelRegistry({ env: {}, providers }).open({ provider: "mine", model: "m" });
  if (!opened.ok) throw new Error(opened.problem);
  const [error] = await ask(opened.model);
  expect(error?.type === "error" && error.error.hint).toContain(`Try ${providers.mine.baseURL}/v1: `);
});
