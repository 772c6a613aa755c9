// Which model a conversation has, over starts and flags: one unit, switched whole or not at all.
import { describe, expect, it, onTestFinished } from "vitest";
import { type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

async function connected(more: object = {}): Promise<{ place: Workplace; server: ModelServer }> {
  const server = await startModelServer(() => ({ text: "fine" }));
  onTestFinished(() => server.close());
  const place = workplace();
  writeConfig(place, configAt(server.url, more));
  return { place, server };
}

function configAt(baseURL: string, more: object = {}): object {
  const local = { kind: "openai-compatible", baseURL, models: ["m1", "m2"] };
  const locked = { kind: "openai-compatible", baseURL, apiKeyEnv: "LOCKED_KEY", models: ["c"] };
  return { model: "local/m1", providers: { local, locked }, aliases: { second: "local/m2" }, ...more };
}

async function noted(place: Workplace): Promise<string> {
  const shown = await place.stele(["sessions", "show", "latest", "--json"]);
  const messages = (shown.events[0]?.["messages"] ?? []) as { role: string }[];
  return JSON.stringify(messages.filter(({ role }) => role === "note"));
}

describe("the model of a conversation", () => {
  it("is restored by every start with its effort, whatever the config says now", async () => {
    const { place, server } = await connected();
    expect((await place.stele(["run", "--model", "second", "--effort", "high", "one"])).code).toBe(0);
    writeConfig(place, configAt(server.url, { model: "guide/guide" }));
    expect((await place.stele(["run", "-c", "two"])).code).toBe(0);
    expect(server.requests.map(({ body }) => [body.model, body["reasoning_effort"]])).toEqual([
      ["m2", "high"],
      ["m2", "high"],
    ]);
    expect((await place.stele(["model", "-c", "--json"])).events[0]).toMatchObject({
      model: "local/m2",
      effort: "high",
    });
  });

  it("gives way to a flag, which is a switch with a note and no message of anybody", async () => {
    const { place, server } = await connected();
    await place.stele(["run", "one"]);
    await place.stele(["run", "-c", "--model", "local/m2", "two"]);
    await place.stele(["run", "-c", "--effort", "low", "three"]);
    expect(server.requests.map(({ body }) => [body.model, body["reasoning_effort"]])).toEqual([
      ["m1", undefined],
      ["m2", undefined],
      ["m2", "low"],
    ]);
    const asked = server.requests[2]?.body.messages.filter(({ role }) => role === "user").map(({ content }) => content);
    expect(asked).toEqual(["one", "two", "three"]);
    expect(await noted(place)).toMatch(/local\/m1 → local\/m2.*local\/m2 → local\/m2, low effort/s);
  });

  it("stays what it was where the switch cannot be made, and nothing is asked", async () => {
    const { place, server } = await connected();
    await place.stele(["run", "one"]);
    const locked = await place.stele(["run", "-c", "--model", "locked/c", "two"]);
    expect(locked).toMatchObject({ code: 2 });
    expect(locked.err).toContain("LOCKED_KEY is not set; the conversation keeps its model");
    const huge = await place.stele(["run", "-c", "--effort", "huge", "two"]);
    expect(huge).toMatchObject({ code: 2 });
    expect(huge.err).toMatch(/local\/m1 has no effort "huge"\n +Its levels: low, medium, high, default/);
    const guide = await place.stele(["run", "--model", "guide/guide", "--effort", "low", "say hi"]);
    expect(guide.err).toContain("Its effort cannot be chosen.");
    expect(await noted(place)).toBe("[]");
    expect(server.requests).toHaveLength(1);
  });

  it("goes to the address that its provider has now, never without a note", async () => {
    const { place } = await connected();
    await place.stele(["run", "one"]);
    const moved = await startModelServer(() => ({ text: "moved" }));
    onTestFinished(() => moved.close());
    writeConfig(place, configAt(moved.url));
    expect(await place.stele(["run", "-c", "two"])).toMatchObject({ code: 0, out: "moved\n" });
    expect(await noted(place)).toContain(`local/m1 is at ${moved.url} now`);
    await place.stele(["run", "-c", "three"]);
    expect(JSON.parse(await noted(place))).toHaveLength(1);
  });

  it("takes an effort as a subcommand too", async () => {
    const { place } = await connected();
    await place.stele(["run", "one"]);
    expect((await place.stele(["model", "--effort", "high", "-c"])).out).toBe(
      "model: local/m1 → local/m1, high effort\n",
    );
  });
});

describe("a model that the config names for later, by a wrong name", () => {
  it("is told by a start, by doctor, by models and by config, and stops none of them", async () => {
    const { place } = await connected({ fallback: "locla/m1" });
    const said = /there is no provider "locla"[\s\S]*local\/m1/;
    const run = await place.stele(["run", "hello"]);
    expect(run.code).toBe(0);
    expect(run.err).toMatch(/^! fallback in the config names "locla\/m1", which cannot be used: /);
    expect(run.err).toMatch(said);
    for (const command of ["doctor", "models", "config"]) {
      const ended = await place.stele([command], { env: { OLLAMA_HOST: ":9", LMSTUDIO_BASE_URL: ":9" } });
      expect(ended.code).toBe(0);
      expect(ended.out).toMatch(said);
    }
    const { events } = await place.stele(["config", "--json"]);
    expect(events.filter(({ problem }) => problem !== undefined).map(({ key }) => key)).toEqual(["fallback"]);
  });
});

describe("stele models", () => {
  it("says what can be used, and in words what to do for the rest", async () => {
    const { place } = await connected();
    const environment = { OLLAMA_HOST: "127.0.0.1:9", LMSTUDIO_BASE_URL: "http://127.0.0.1:9/v1" };
    const { events } = await place.stele(["models", "--json"], { env: environment });
    const why = Object.fromEntries(events.map((row) => [row["id"], row["available"] === true ? "ready" : row["why"]]));
    expect(why).toMatchObject({
      "local/m1": "ready",
      "locked/c": "locked: LOCKED_KEY is not set",
      "anthropic/claude-sonnet-5-5": "anthropic: ANTHROPIC_API_KEY is not set",
      "ollama/*": "ollama: start Ollama, or set OLLAMA_HOST; nothing answers at http://127.0.0.1:9/v1",
      "lmstudio/*":
        "lmstudio: start its server (lms server start), or set LMSTUDIO_BASE_URL; nothing answers at http://127.0.0.1:9/v1",
      "guide/guide": "ready",
    });
  });

  it("finds what runs on this machine, and a start without a key takes it", async () => {
    const place = workplace();
    const server = await startModelServer(() => ({ text: "hi" }), ["text-embedding-nomic", "qwen3"]);
    const empty = await startModelServer([], []);
    onTestFinished(async () => {
      await server.close();
      await empty.close();
    });
    const env = { OLLAMA_HOST: new URL(empty.url).host, LMSTUDIO_BASE_URL: server.url };
    expect(await place.stele(["run", "hello"], { env })).toMatchObject({ code: 0, out: "hi\n" });
    expect(server.requests[0]?.body.model).toBe("qwen3");
    const { events } = await place.stele(["models", "--json"], { env });
    expect(events.filter(({ provider }) => provider === "lmstudio")).toEqual([
      { id: "lmstudio/qwen3", provider: "lmstudio", available: true, efforts: ["low", "medium", "high"] },
    ]);
    expect(events.find(({ provider }) => provider === "ollama")?.["why"]).toContain(
      "get a model with: ollama pull NAME; the server",
    );
  });
});
