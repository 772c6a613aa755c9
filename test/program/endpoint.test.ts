// `stele run` against a real local endpoint: a whole turn with tools, and every way in which an endpoint fails.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelReply, type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function connected(
  script: readonly ModelReply[],
  more: object = {},
): Promise<{ place: Workplace; server: ModelServer }> {
  const server = await startModelServer(script);
  servers.push(server);
  return { place: configured(server.url, more), server };
}

function configured(baseURL: string, more: object = {}): Workplace {
  const place = workplace();
  mkdirSync(place.home, { mode: 0o700 });
  const providers = { local: { kind: "openai-compatible", baseURL, apiKeyEnv: "LOCAL_KEY", models: ["m1"] } };
  writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ model: "local/m1", providers, ...more }));
  return place;
}

const KEY = { env: { LOCAL_KEY: "sk-very-secret-0123456789" } };

describe("an endpoint", () => {
  it("is asked with the tools, its calls are run, and its answer is stored with what it cost", async () => {
    const { place, server } = await connected([
      { calls: [{ name: "write_file", arguments: { path: "made.txt", content: "hello" } }] },
      { text: ["It is ", "written."], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } },
    ]);
    const ended = await place.stele(["run", "--yes", "write a file"], KEY);
    expect(ended).toMatchObject({ code: 0, out: "It is written.\n" });
    expect(readFileSync(path.join(place.folder, "made.txt"), "utf8")).toBe("hello");
    expect(server.requests).toHaveLength(2);
    const roles = server.requests[1]?.body.messages.map((message) => message.role);
    expect(roles).toEqual(["system", "user", "assistant", "tool"]);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY.env.LOCAL_KEY}`);
  });

  it("may repeat or leave out the ids of its calls: each is run and answered", async () => {
    const call = (command: string, id: string) => ({ id, name: "shell", arguments: { command } });
    const { place, server } = await connected([
      { calls: [call("echo one", "x"), call("echo two", "x"), call("echo three", "")] },
      { text: "done" },
    ]);
    const ended = await place.stele(["run", "--yes", "three"], KEY);
    expect(ended, ended.err).toMatchObject({ code: 0, out: "done\n" });
    const results = server.requests[1]?.body.messages.filter((message) => message.role === "tool") ?? [];
    expect(results.map((message) => String(message.content).trim())).toEqual(["one", "two", "three"]);
    expect(new Set(results.map((message) => message["tool_call_id"])).size).toBe(3);
  });

  it("never gets its key into the ledger", async () => {
    const { place } = await connected([{ status: 401, body: { error: { message: `bad key ${KEY.env.LOCAL_KEY}` } } }]);
    const ended = await place.stele(["run", "--json", "hello"], KEY);
    expect(ended.code).toBe(1);
    expect(ended.out + ended.err).not.toContain(KEY.env.LOCAL_KEY);
    expect(readFileSync(path.join(place.home, "state.db")).includes(KEY.env.LOCAL_KEY)).toBe(false);
  });
});

const FAULTS: readonly (readonly [string, ModelReply, RegExp])[] = [
  ["401", { status: 401, body: { error: { message: "no such key" } } }, /no such key/],
  ["a model that is not there", { status: 404, body: { error: { message: "model m1 not found" } } }, /m1 not found/],
  ["429", { status: 429, headers: { "retry-after": "1" }, body: { error: { message: "slow down" } } }, /slow down/],
  ["500", { status: 500, body: "the server fell over" }, /fell over|500/],
  ["a cut stream", { text: ["half an an"], faults: [{ kind: "cut", after: 1 }] }, /cut|ended|before its end/i],
  ["a stream without its end", { text: ["half"], faults: [{ kind: "end" }] }, /cut|ended|before its end/i],
  ["a malformed event", { text: ["a"], faults: [{ kind: "raw", text: "data: {broken\n\n" }] }, /./],
  ["an empty answer", { text: "" }, /empty/i],
];

describe("an endpoint that fails", () => {
  it.each(FAULTS)(
    "%s: the turn failed with its words, the prompt is kept, and retry works",
    async (_, fault, words) => {
      const { place } = await connected([fault, { text: "now it works" }], { retries: 0 });
      const failed = await place.stele(["run", "--json", "hello"], KEY);
      expect(failed.code, failed.err).toBe(1);
      const settled = failed.events.find((event) => event["type"] === "turn-settled");
      expect(settled).toMatchObject({ outcome: "failed" });
      expect(JSON.stringify(settled)).toMatch(words);
      expect(JSON.stringify(failed.events)).not.toContain('"role":"assistant"');

      const retried = await place.stele(["retry", "-c"], KEY);
      expect(retried.code, retried.err).toBe(0);
      const session = failed.events[0]?.["session"] as string;
      const shown = JSON.parse((await place.stele(["sessions", "show", session, "--json"])).out) as {
        messages: readonly { role: string; parts: readonly { text?: string }[] }[];
      };
      expect(shown.messages.map((message) => message.parts[0]?.text)).toEqual(["hello", "now it works"]);
    },
  );

  it("refused: the turn failed and says where nobody listens", async () => {
    const place = configured(`http://127.0.0.1:${await freePort()}/v1`);
    const ended = await place.stele(["run", "--json", "hello"], KEY);
    expect(ended.code).toBe(1);
    expect(ended.out).toContain("model_refused");
  });

  it("without its key: the turn failed and names the variable", async () => {
    const { place } = await connected([]);
    const ended = await place.stele(["run", "hello"]);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain("LOCAL_KEY");
  });
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 1;
}
