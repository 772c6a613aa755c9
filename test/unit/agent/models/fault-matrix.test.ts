// Every provider × every fault, each at a strict server of its kind: what comes of it is the same for all.
import { afterEach, describe, expect, it, test } from "vitest";
import { anthropicModel } from "../../../../src/agent/models/anthropic.ts";
import type { EndpointOptions } from "../../../../src/agent/models/client-stream.ts";
import { googleModel } from "../../../../src/agent/models/google.ts";
import type { Model, ModelError, ModelStreamPart } from "../../../../src/agent/models/model.ts";
import { openAiCompatibleModel } from "../../../../src/agent/models/openai-compatible.ts";
import { openAiResponsesModel } from "../../../../src/agent/models/openai-responses.ts";
import type { WireLimits } from "../../../../src/agent/models/wire.ts";
import { anthropicFormat } from "../../../helpers/anthropic-server.ts";
import { chatFormat } from "../../../helpers/chat-server.ts";
import { googleFormat } from "../../../helpers/google-server.ts";
import {
  type Block,
  type ProviderAnswer,
  type ProviderFormat,
  type ProviderReply,
  type ProviderServer,
  startProviderServer,
} from "../../../helpers/provider-server.ts";
import { responsesFormat } from "../../../helpers/responses-server.ts";
import type { ScriptedFault } from "../../../helpers/stream-server.ts";
import { ask, assistant, textOf, user } from "./ask.ts";
import { type ProviderWords, type Talker, WORDS } from "./fault-words.ts";
import { partsOf } from "./provider-setup.ts";

const KEY = "key-secret-0123456789";

interface Provider {
  readonly format: ProviderFormat;
  readonly model: string;
  readonly open: (options: EndpointOptions) => Model;
}

const chat = (options: EndpointOptions): Model => openAiCompatibleModel({ ...options, kind: "openai-compatible" });
const PROVIDERS: Record<Talker, Provider> = {
  anthropic: { format: anthropicFormat, model: "claude-sonnet-4-5", open: anthropicModel },
  openai: { format: responsesFormat, model: "gpt-5", open: openAiResponsesModel },
  google: { format: googleFormat, model: "gemini-3-flash-preview", open: googleModel },
  chat: { format: chatFormat, model: "tiny", open: chat },
  ollama: { format: chatFormat, model: "qwen3", open: chat },
};

const servers: ProviderServer[] = [];
afterEach(async () => {
  const closing = servers.splice(0);
  await Promise.all(closing.map((server) => server.close()));
  expect(closing.flatMap(({ problems }) => problems)).toEqual([]);
});

async function open(name: Talker, script: readonly ProviderReply[], limits: Partial<WireLimits> = {}) {
  const { format, model, open: opened } = PROVIDERS[name];
  const server = await startProviderServer(format, script);
  servers.push(server);
  const route = { provider: name, model };
  return { server, model: opened({ route, baseURL: server.url, apiKey: KEY, keyName: "THE_KEY", limits }) };
}

async function answerTo(name: Talker, reply: ProviderReply, limits: Partial<WireLimits> = {}) {
  return ask((await open(name, [reply], limits)).model);
}

/** The one error that a stream ended with: nothing of it acts, and no key is in it. */
function faultOf(parts: readonly ModelStreamPart[]): ModelError {
  const last = parts.at(-1);
  if (last?.type !== "error") throw new Error(`no error but ${JSON.stringify(last)}`);
  expect(parts.filter(({ type }) => type === "error" || type === "finish")).toHaveLength(1);
  expect(parts.some(({ type }) => type === "tool-call")).toBe(false);
  expect(JSON.stringify(last.error)).not.toContain(KEY);
  expect(last.error.hint ?? "").not.toBe("");
  return last.error;
}

const CALLS: readonly Block[] = [
  { call: "read_file", id: "a1", input: ['{"pa', 'th":"x', '.ts"}'] },
  { call: "shell", id: "b2", input: { command: "ls" } },
];
const WORK: readonly Block[] = [{ say: ["a", "b"] }, ...CALLS];
const broken = (fault: ScriptedFault): ProviderAnswer => ({ blocks: WORK, faults: [fault] });

describe.each(Object.keys(WORDS) as Talker[])("%s", (name) => {
  const words: ProviderWords = WORDS[name];

  test.each<[string, ProviderReply, ModelError["code"], boolean]>([
    ["a stream that ends early", broken({ kind: "end" }), "model_cut", true],
    ["a connection that is closed in the middle", broken({ kind: "cut", after: 3 }), "model_cut", true],
    ["a connection that is reset in the middle", broken({ kind: "reset", after: 3 }), "model_cut", true],
    ["an end without a reason", { blocks: WORK, finish: null }, "model_cut", true],
    [
      "half an event",
      { ...broken({ kind: "raw", text: 'data: {"type":"content_' }), isEnded: false },
      "model_cut",
      true,
    ],
    ["a rate limit", words.rate, "model_rate_limit", true],
    ["an overload", words.overloaded, "model_overloaded", true],
    ["a fault of the server", words.broken, "model_server", true],
    ["a bad key", words.badKey, "model_auth", false],
    ["an answer without anything", { blocks: [] }, "model_empty", false],
    ["an answer of empty texts", { blocks: [{ say: "" }, { say: [" ", "\n"] }] }, "model_empty", false],
  ])("%s", async (_, reply, code, retryable) => {
    expect(faultOf(await answerTo(name, reply))).toMatchObject({ code, retryable });
  });

  test.each(words.tooLong.map((reply) => [JSON.stringify(reply.body), reply] as const))(
    "a conversation that is too long, %s",
    async (_, reply) => {
      expect(faultOf(await answerTo(name, reply))).toMatchObject({ code: "model_context_overflow", retryable: false });
    },
  );

  it("a conversation that is too long, told inside the stream", async () => {
    const after = name === "anthropic" || name === "openai" ? 1 : 0;
    const fault = faultOf(await answerTo(name, broken({ kind: "raw", after, text: words.tooLongEvent })));
    expect(fault).toMatchObject({ code: "model_context_overflow", retryable: false });
  });

  test.each(words.noCredit.map((reply) => [JSON.stringify(reply.body), reply] as const))(
    "an account without credit, %s",
    async (_, reply) => {
      expect(faultOf(await answerTo(name, reply))).toMatchObject({ code: "model_billing", retryable: false });
    },
  );

  it("a rate limit says how long to wait where the provider does", async () => {
    const asked = await answerTo(name, { ...words.rate, headers: { "retry-after": "3" } });
    expect(faultOf(asked).retryAfterMs).toBe(3_000);
    expect(faultOf(await answerTo(name, words.rate)).retryAfterMs).toBeUndefined();
  });

  it("silence in the middle is stalled, and the connection is closed", async () => {
    const { server, model } = await open(name, [broken({ kind: "stall" })], { stallMs: 60 });
    expect(faultOf(await ask(model))).toMatchObject({ code: "model_stalled", retryable: true });
    expect(await server.requests[0]?.closed).toBe("early");
  });

  it("half a call never acts, wherever the stream is cut", async () => {
    const events = PROVIDERS[name].format.events({ blocks: WORK }, "m").content.length;
    for (let after = 1; after <= events; after += 1) {
      const fault = faultOf(await answerTo(name, broken({ kind: "cut", after })));
      expect(fault).toMatchObject({ code: "model_cut", retryable: true });
    }
  });

  it("calls with the same id are told apart, and their results find them", async () => {
    const again = CALLS.map((call) => ({ ...call, id: "same" }));
    const { server, model } = await open(name, [{ blocks: again }, { blocks: [{ say: "done" }] }]);
    const answer = partsOf(await ask(model), name);
    const calls = answer.flatMap((part) => (part.kind === "tool-call" ? [part.call] : []));
    expect(new Set(calls).size).toBe(2);
    const results = calls.map(
      (call, n) => ({ kind: "tool-result", call, outcome: { kind: "ok", output: `r${n}` } }) as const,
    );
    const parts = await ask(model, { messages: [user("go"), assistant(...answer), { role: "tool", parts: results }] });
    expect(textOf(parts)).toBe("done");
    expect(server.requests[1]?.text.indexOf("r0")).toBeGreaterThan(0);
  });

  it("empty texts around an answer leave nothing behind that is refused later", async () => {
    const blocks: Block[] = [{ say: "" }, { say: "hi" }, { say: "" }];
    const { model } = await open(name, [{ blocks }, { blocks: [{ say: "more" }] }]);
    const answer = partsOf(await ask(model), name);
    expect(answer.map((part) => (part.kind === "text" ? part.text : part.kind)).join("")).toBe("hi");
    const said = [user("one"), assistant({ kind: "text", text: "" }, ...answer), user("two")];
    expect(textOf(await ask(model, { messages: said }))).toBe("more");
  });

  it("half a character passes in an answer, and does not go back", async () => {
    const { server, model } = await open(name, [{ blocks: [{ say: ["a\ud83d", "z"] }] }, { blocks: [{ say: "ok" }] }]);
    const answer = partsOf(await ask(model), name);
    expect(answer).toHaveLength(1);
    const result = { kind: "tool-result", call: "c\ud83d", outcome: { kind: "ok", output: "\udc00out" } } as const;
    const call = { kind: "tool-call", call: "c\ud83d", tool: "shell", input: { command: "\ud83d" } } as const;
    const messages = [user("q\ud83d"), assistant(...answer, call), { role: "tool", parts: [result] } as const];
    expect(textOf(await ask(model, { system: "s\ud83d", messages }))).toBe("ok");
    expect(server.requests[1]?.text).toContain("out");
  });

  it("an answer of two megabytes is whole", async () => {
    const say = Array.from({ length: 60 }, () => "wörter und so ".repeat(2_500));
    const parts = await answerTo(name, { blocks: [{ say }] });
    expect(parts.at(-1)?.type).toBe("finish");
    expect(textOf(parts)).toBe(say.join(""));
  });

  it("a refusal and a length limit are outcomes, and nothing of them acts", async () => {
    for (const [finish, reason] of [
      ["refusal", "refusal"],
      ["length", "length"],
    ] as const) {
      const parts = await answerTo(name, { blocks: WORK, finish });
      expect(parts.at(-1)).toMatchObject({ type: "finish", reason });
      expect(parts.some(({ type }) => type === "tool-call")).toBe(false);
    }
  });
});

it("a window that was full before the answer began is too long, not empty", async () => {
  const closing = [
    { type: "message_delta", delta: { stop_reason: "model_context_window_exceeded" }, usage: { output_tokens: 0 } },
    { type: "message_stop" },
  ];
  const text = closing.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const fault = faultOf(await answerTo("anthropic", { blocks: [], faults: [{ kind: "raw", text }], isEnded: false }));
  expect(fault).toMatchObject({ code: "model_context_overflow", retryable: false });
});

test.each([
  ["a rate in tokens", 429, "Rate limit reached: too many tokens per minute"],
  ["a word about a window that is none", 500, "no window to answer in"],
])("%s is not taken for a conversation that is too long", async (_, status, message) => {
  const fault = faultOf(await answerTo("chat", { status, body: { error: { message } } }));
  expect(fault.code).not.toBe("model_context_overflow");
});
