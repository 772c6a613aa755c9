import { createHash } from "node:crypto";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, it, test } from "vitest";
import type { ModelError, ModelStreamPart } from "../../../../src/agent/models/model.ts";
import { openAiCompatibleModel } from "../../../../src/agent/models/openai-compatible.ts";
import type { WireLimits } from "../../../../src/agent/models/wire.ts";
import type { Hash } from "../../../../src/ledger/types.ts";
import {
  type ModelScript,
  type ModelServer,
  type StreamReply,
  startModelServer,
} from "../../../helpers/model-server.ts";
import { ask, assistant, textOf, toRequest } from "./ask.ts";

const KEY = "sk-secret-0123456789";
const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(script: ModelScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  return server;
}

function modelAt(url: string, limits: Partial<WireLimits> = {}, options = {}) {
  const route = { provider: "local", model: "tiny", options };
  return openAiCompatibleModel({
    route,
    baseURL: url,
    apiKey: KEY,
    keyName: "LOCAL_KEY",
    kind: "openai-compatible",
    limits,
  });
}

async function answerTo(reply: StreamReply, limits: Partial<WireLimits> = {}): Promise<ModelStreamPart[]> {
  const server = await serve([reply]);
  return ask(modelAt(server.url, limits));
}

/** The one error a stream ended with. */
function errorOf(parts: readonly ModelStreamPart[]): ModelError {
  const last = parts.at(-1);
  expect(parts.filter((part) => part.type === "error" || part.type === "finish")).toHaveLength(1);
  if (last?.type !== "error") throw new Error(`no error but ${JSON.stringify(last)}`);
  expect(JSON.stringify(last.error)).not.toContain(KEY);
  return last.error;
}

describe("a whole answer", () => {
  it("streams text in the server's pieces and ends with the usage", async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 7 },
    };
    expect(await answerTo({ text: ["Hel", "lo ", "wörld"], usage })).toEqual([
      { type: "text-delta", text: "Hel" },
      { type: "text-delta", text: "lo " },
      { type: "text-delta", text: "wörld" },
      {
        type: "finish",
        reason: "stop",
        usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64, reasoningTokens: 7 },
      },
    ]);
  });

  it("has no usage when the server told none", async () => {
    expect((await answerTo({ text: "hi" })).at(-1)).toEqual({ type: "finish", reason: "stop" });
  });

  it("gives reasoning apart from text and closes it with its provider", async () => {
    expect(await answerTo({ reasoning: ["hm", "…"], text: "yes" })).toEqual([
      { type: "reasoning-delta", text: "hm" },
      { type: "reasoning-delta", text: "…" },
      { type: "reasoning-end", opaque: { provider: "local", data: "tiny" } },
      { type: "text-delta", text: "yes" },
      { type: "finish", reason: "stop" },
    ]);
  });

  it("puts parallel calls together from alternating fragments", async () => {
    const calls = [
      { id: "a", name: "read_file", arguments: ['{"pa', 'th":"x', '.ts"}'] },
      { id: "b", name: "shell", arguments: ['{"comm', 'and":"ls"}'] },
    ];
    expect(await answerTo({ text: "Both.", calls })).toEqual([
      { type: "text-delta", text: "Both." },
      { type: "tool-call", call: "a", tool: "read_file", input: { path: "x.ts" } },
      { type: "tool-call", call: "b", tool: "shell", input: { command: "ls" } },
      { type: "finish", reason: "tool-calls" },
    ]);
  });

  it("takes calls for the reason even where the server says stop", async () => {
    const parts = await answerTo({ calls: [{ name: "todo", arguments: "{}" }], finish: "stop" });
    expect(parts.at(-1)).toEqual({ type: "finish", reason: "tool-calls" });
  });

  test.each([
    ['{"path": "a', { unparsed: '{"path": "a' }],
    ["", {}],
  ])("reads the arguments %j as %j", async (text, input) => {
    const parts = await answerTo({ calls: [{ id: "a", name: "read_file", arguments: text }] });
    expect(parts[0]).toEqual({ type: "tool-call", call: "a", tool: "read_file", input });
  });

  it("is whole without [DONE] when the finish reason came and the body ended properly", async () => {
    expect((await answerTo({ text: "hi", done: false })).at(-1)).toEqual({ type: "finish", reason: "stop" });
  });

  it("is over at [DONE] even when the server keeps the connection open", async () => {
    const parts = await answerTo({ text: "hi", faults: [{ kind: "stall", after: 3 }] });
    expect(parts.at(-1)).toEqual({ type: "finish", reason: "stop" });
  });

  it("lets comments and unknown fields of the event stream pass", async () => {
    const raw = ": PROCESSING\n\nid: 7\nretry: 10\nx-note: a\n\n";
    const parts = await answerTo({ text: ["a", "b"], faults: [{ kind: "raw", after: 1, text: raw }] });
    expect(textOf(parts)).toBe("ab");
    expect(parts.at(-1)?.type).toBe("finish");
  });

  it("tells a refusal and a length limit apart from a normal end", async () => {
    expect((await answerTo({ finish: "content_filter" })).at(-1)).toEqual({ type: "finish", reason: "refusal" });
    expect((await answerTo({ text: "and so", finish: "length" })).at(-1)).toEqual({ type: "finish", reason: "length" });
  });

  it("does not let an answer act that ran into its length limit", async () => {
    const parts = await answerTo({
      text: "I",
      calls: [{ name: "shell", arguments: '{"command":"rm"}' }],
      finish: "length",
    });
    expect(parts.map((part) => part.type)).toEqual(["text-delta", "finish"]);
  });
});

describe("the request", () => {
  it("is digested and announced before it leaves", async () => {
    const server = await serve([{ text: "hi" }]);
    const told: { digest: string; requests: number }[] = [];
    await ask(modelAt(server.url), {
      beforeSend: async (digest) => {
        await new Promise((resolve) => setImmediate(resolve));
        told.push({ digest, requests: server.requests.length });
      },
    });
    const sent = createHash("sha256")
      .update(server.requests[0]?.text ?? "")
      .digest("hex");
    expect(told).toEqual([{ digest: sent, requests: 0 }]);
  });

  it("never leaves when the announcement fails, and that error passes unchanged", async () => {
    const server = await serve([{ text: "hi" }]);
    const lost = new Error("the lease is lost");
    await expect(ask(modelAt(server.url), { beforeSend: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect(server.requests).toHaveLength(0);
  });

  it("carries system, texts, images, calls, every outcome and only its own provider's reasoning", async () => {
    const server = await serve([{ text: "hi" }]);
    const kinds = [
      { kind: "ok", output: "180 lines" },
      { kind: "failed", exitCode: 2, output: "boom" },
      { kind: "cancelled" },
      { kind: "denied" },
      { kind: "unknown" },
    ] as const;
    const image = { kind: "file", blob: "ff" as Hash, mediaType: "image/png", bytes: 3 } as const;
    const archive = {
      kind: "file",
      blob: "ee" as Hash,
      mediaType: "application/zip",
      name: "a.zip",
      bytes: 9,
    } as const;
    await ask(modelAt(server.url, {}, { effort: "high", maxOutputTokens: 99 }), {
      system: "Be brief.",
      tools: [{ name: "shell", description: "Runs.", input: { type: "object", properties: {} } }],
      loadBlob: (hash) => Promise.resolve(hash === "ff" ? Uint8Array.of(1, 2, 3) : Uint8Array.of()),
      messages: [
        { role: "user", parts: [{ kind: "text", text: "look" }, image, archive] },
        assistant(
          { kind: "reasoning", text: "mine", opaque: { provider: "local", data: "tiny" } },
          { kind: "reasoning", text: "foreign", opaque: { provider: "other", data: "x" } },
          { kind: "text", text: "I look." },
          ...kinds.map((_, n) => ({ kind: "tool-call", call: `c${n}`, tool: "shell", input: { n } }) as const),
        ),
        { role: "tool", parts: kinds.map((outcome, n) => ({ kind: "tool-result", call: `c${n}`, outcome })) },
      ],
    });
    const { body, headers, path } = server.requests[0] ?? {};
    expect(path).toBe("/v1/chat/completions");
    expect(headers?.authorization).toBe(`Bearer ${KEY}`);
    expect(body).toMatchObject({
      model: "tiny",
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: "high",
      max_tokens: 99,
      tools: [{ type: "function", function: { name: "shell", description: "Runs." } }],
    });
    const [system, asked, said, ...results] = body?.messages ?? [];
    expect(system).toEqual({ role: "system", content: "Be brief." });
    expect(asked?.content).toEqual([
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
      { type: "text", text: expect.stringContaining("a.zip, application/zip, 9 bytes") },
    ]);
    expect(said).toMatchObject({ content: "I look.", reasoning_content: "mine" });
    expect(results.map((result) => [result.role, result.tool_call_id, result.content])).toEqual([
      ["tool", "c0", "180 lines"],
      ["tool", "c1", "exit code 2\nboom"],
      ["tool", "c2", expect.stringContaining("stopped")],
      ["tool", "c3", expect.stringContaining("did not allow")],
      ["tool", "c4", expect.stringContaining("unknown whether")],
    ]);
  });

  it("throws on what loadBlob throws", async () => {
    const server = await serve([{ text: "hi" }]);
    const image = { kind: "file", blob: "ff" as Hash, mediaType: "image/png", bytes: 3 } as const;
    await expect(ask(modelAt(server.url), { messages: [{ role: "user", parts: [image] }] })).rejects.toThrow("no blob");
  });

  it("is sent once only, whatever comes back", async () => {
    const server = await serve([{ status: 503 }, { text: "second" }]);
    expect(errorOf(await ask(modelAt(server.url))).code).toBe("model_server");
    expect(server.requests).toHaveLength(1);
  });
});

describe("a refused request", () => {
  const error = (message: string, code?: string) => ({ error: { message, ...(code === undefined ? {} : { code }) } });
  test.each([
    [400, error("bad field"), "model_bad_request", false, "does not accept"],
    [
      400,
      error("maximum context length is 8192", "context_length_exceeded"),
      "model_context_overflow",
      false,
      "/compress",
    ],
    [401, error(`Incorrect API key provided: ${KEY}`), "model_auth", false, "LOCAL_KEY"],
    [403, error("no access"), "model_auth", false, "LOCAL_KEY"],
    [404, error("no such model", "model_not_found"), "model_not_found", false, "stele models"],
    [404, "404 page not found", "model_not_found", false, "stele models"],
    [429, error("slow down"), "model_rate_limit", true, "Wait"],
    [429, error("You exceeded your current quota", "insufficient_quota"), "model_billing", false, "credit"],
    [500, error("oops"), "model_server", true, "later"],
    [502, "<html><title>Bad gateway</title><body>nginx</body></html>", "model_server", true, "later"],
    [503, "", "model_server", true, "later"],
    [422, { detail: [{ msg: "field required" }] }, "model_bad_request", false, "does not accept"],
    [308, "", "model_bad_request", false, "redirects"],
  ] as const)("with status %i and %j is %s", async (status, body, code, retryable, hint) => {
    const server = await serve([{ status, body }]);
    const fault = errorOf(await ask(modelAt(server.url)));
    expect(fault).toMatchObject({ code, retryable });
    expect(fault.message).toContain(String(status));
    expect(fault.hint).toContain(hint);
    expect(fault.retryAfterMs).toBeUndefined();
  });

  it("keeps the provider's own words, without the key in them", async () => {
    const server = await serve([{ status: 401, body: error(`Incorrect API key provided: ${KEY}.`) }]);
    expect(errorOf(await ask(modelAt(server.url))).message).toBe(
      "local answered 401 Unauthorized: Incorrect API key provided: [key].",
    );
  });

  test.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "9", "retry-after-ms": "150" }, 150],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
  ] as const)("asks to wait as %j says", async (headers, ms) => {
    const server = await serve([{ status: 429, headers, body: error("slow down") }]);
    expect(errorOf(await ask(modelAt(server.url))).retryAfterMs).toBe(ms);
  });

  it("by a redirect is not followed: the conversation goes nowhere but where it was sent", async () => {
    const other = await serve([{ text: "hi" }]);
    const server = await serve([{ status: 307, headers: { location: `${other.url}/chat/completions` } }]);
    expect(errorOf(await ask(modelAt(server.url))).hint).toContain("redirects");
    expect(other.requests).toHaveLength(0);
  });

  it("by nobody listening is no connection, and not worth repeating at once", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const fault = errorOf(await ask(modelAt(`http://127.0.0.1:${port}/v1`)));
    expect(fault).toMatchObject({ code: "model_refused", retryable: false });
    expect(fault.message).toContain(`127.0.0.1:${port}/v1 (ECONNREFUSED)`);
    expect(fault.hint).toContain("start the server");
  });

  it("by a port that fetch never asks is not worth repeating", async () => {
    const fault = errorOf(await ask(modelAt("http://127.0.0.1:1/v1")));
    expect(fault).toMatchObject({ code: "model_refused", retryable: false });
  });

  it("by a connection that is dropped before an answer may be repeated", async () => {
    const dropping = createServer((socket) => socket.once("data", () => socket.destroy()));
    await new Promise<void>((resolve) => dropping.listen(0, "127.0.0.1", resolve));
    const { port } = dropping.address() as AddressInfo;
    const fault = errorOf(await ask(modelAt(`http://127.0.0.1:${port}/v1`)));
    expect(fault).toMatchObject({ code: "model_refused", retryable: true });
    await new Promise((resolve) => dropping.close(resolve));
  });
});

describe("an answer that breaks off", () => {
  const calls = [{ name: "shell", arguments: '{"command":"ls"}' }];
  test.each<[string, StreamReply]>([
    ["by a destroyed socket", { text: ["a", "b"], faults: [{ kind: "cut", after: 1 }] }],
    ["by a destroyed socket after its calls", { text: "a", calls, faults: [{ kind: "cut" }] }],
    ["by a clean end without a finish reason", { text: "a", calls, faults: [{ kind: "end" }] }],
    ["with [DONE] but no finish reason", { text: "a", calls, finish: null }],
    ["with a finish reason nobody knows", { text: "a", calls, finish: "weather" }],
    ["before anything came", { text: "a", faults: [{ kind: "end", after: 0 }] }],
    ["by a destroyed socket after the finish reason", { text: "a", faults: [{ kind: "cut", after: 2 }] }],
  ])("%s is cut, may be repeated, and calls nothing", async (_, reply) => {
    const parts = await answerTo(reply);
    expect(errorOf(parts)).toMatchObject({ code: "model_cut", retryable: true });
    expect(parts.some((part) => part.type === "tool-call")).toBe(false);
  });

  it("by silence is stalled after the given time, and the connection is closed", async () => {
    const server = await serve([{ text: "a", faults: [{ kind: "stall" }] }]);
    const parts = await ask(modelAt(server.url, { stallMs: 60 }));
    expect(textOf(parts)).toBe("a");
    expect(errorOf(parts)).toMatchObject({ code: "model_stalled", retryable: true });
    expect(errorOf(parts).message).toContain("nothing came for 0.1 s");
    expect(await server.requests[0]?.closed).toBe("early");
  });

  it("by silence before the first byte is stalled after its own time", async () => {
    const server = await serve([{ text: "a", faults: [{ kind: "stall", after: 0 }] }]);
    expect(errorOf(await ask(modelAt(server.url, { firstByteMs: 60 }))).code).toBe("model_stalled");
  });
});

describe("an answer that cannot be read", () => {
  test.each([
    ["a JSON that is broken", "data: {oops\n\n", "{oops"],
    ["an event of another shape", 'data: {"choices":7}\n\n', '{"choices":7}'],
    ["a line that is no field", "<b>502 Bad Gateway</b>\n\n", "502 Bad Gateway"],
    ["a broken JSON with the key in it", `data: {${KEY}\n\n`, "[key]"],
  ])("because of %s is malformed", async (_, text, shown) => {
    const fault = errorOf(await answerTo({ text: ["a", "b"], faults: [{ kind: "raw", after: 1, text }] }));
    expect(fault).toMatchObject({ code: "model_malformed", retryable: true });
    expect(fault.message).toContain(shown);
  });

  test.each([
    ["<html><body>Sign in</body></html>", "Sign in"],
    ['{"error":{"message":"streaming is off"}}', "streaming is off"],
  ])("because the body is %j is no event stream, and not worth repeating", async (body, words) => {
    const server = await serve([{ status: 200, body }]);
    const fault = errorOf(await ask(modelAt(server.url)));
    expect(fault).toMatchObject({ code: "model_malformed", retryable: false });
    expect(fault.message).toContain(words);
  });

  it("because it is too large is malformed", async () => {
    const fault = errorOf(await answerTo({ text: ["x".repeat(3000), "y"] }, { maxBytes: 2000 }));
    expect(fault).toMatchObject({ code: "model_malformed", retryable: false });
  });

  test.each([
    ['{"error":{"message":"Overloaded","code":503}}', "model_overloaded", true],
    ['{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}', "model_rate_limit", true],
    ['{"error":{"message":"too much","code":"context_length_exceeded"}}', "model_context_overflow", false],
    ['{"error":"llama runner crashed"}', "model_server", true],
    ['{"object":"error","message":"engine died","code":500}', "model_server", true],
    [
      '{"id":"1","choices":[{"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"upstream"}}',
      "model_server",
      true,
    ],
  ])("because the server reports %s in the middle is %s", async (event, code, retryable) => {
    const text = `data: ${event}\n\n`;
    const fault = errorOf(await answerTo({ text: ["a", "b"], faults: [{ kind: "raw", after: 1, text }] }));
    expect(fault).toMatchObject({ code, retryable });
    expect(fault.message).toContain("reported an error while answering");
  });

  test.each<[string, StreamReply]>([
    ["nothing", {}],
    ["only reasoning", { reasoning: "hm" }],
    ["only blanks", { text: [" ", "\n"] }],
    ["nothing, by length", { finish: "length" }],
    ["only a call that may not act, by length", { calls: [{ name: "shell", arguments: "{}" }], finish: "length" }],
  ])("because it holds %s is empty, not an answer", async (_, reply) => {
    expect(errorOf(await answerTo(reply))).toMatchObject({ code: "model_empty", retryable: false });
  });
});

describe("stopping", () => {
  it("in the middle closes the connection, and the server sees it", async () => {
    const server = await serve([{ text: ["a", "b"], faults: [{ kind: "stall", after: 1 }] }]);
    const stop = new AbortController();
    const model = modelAt(server.url);
    const parts: ModelStreamPart[] = [];
    for await (const part of model.stream(toRequest(model, { signal: stop.signal }))) {
      parts.push(part);
      stop.abort();
    }
    expect(textOf(parts)).toBe("a");
    expect(errorOf(parts)).toMatchObject({ code: "model_aborted", retryable: false });
    expect(await server.requests[0]?.closed).toBe("early");
  });

  it("before the start sends nothing and announces nothing", async () => {
    const server = await serve([{ text: "hi" }]);
    let announced = 0;
    const parts = await ask(modelAt(server.url), {
      signal: AbortSignal.abort(),
      beforeSend: () => Promise.resolve(void announced++),
    });
    expect(errorOf(parts).code).toBe("model_aborted");
    expect([announced, server.requests.length]).toEqual([0, 0]);
  });

  it("by no longer reading closes the connection too", async () => {
    const server = await serve([{ text: ["a", "b"], faults: [{ kind: "stall", after: 1 }] }]);
    const model = modelAt(server.url);
    for await (const part of model.stream(toRequest(model, {}))) {
      expect(part).toEqual({ type: "text-delta", text: "a" });
      break;
    }
    expect(await server.requests[0]?.closed).toBe("early");
  });
});

describe("the bytes of an answer", () => {
  const reply: StreamReply = {
    reasoning: "größer 思考",
    text: ["naïve ", "日本語 👩‍👩‍👧", " ﻿e\u0301"],
    calls: [{ id: "a", name: "write_file", arguments: ['{"path":"ü', '.md","content":"🎉\\n"}'] }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  };

  it("give the same parts wherever they are split, inside characters too", async () => {
    let cuts: readonly number[] = [];
    const split = (body: Uint8Array): Uint8Array[] => {
      const at = [...new Set(cuts.map((cut) => cut % body.length))].sort((a, b) => a - b);
      return [0, ...at].map((start, n) => body.subarray(start, at[n] ?? body.length));
    };
    const server = await serve(() => ({ ...reply, split }));
    const whole = joined(await ask(modelAt(server.url)));
    expect(whole).toContainEqual({
      type: "tool-call",
      call: "a",
      tool: "write_file",
      input: { path: "ü.md", content: "🎉\n" },
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5000 }), { maxLength: 12 }), async (points) => {
        cuts = points;
        expect(joined(await ask(modelAt(server.url)))).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it("give the same parts byte by byte, and with any line ends", async () => {
    const whole = joined(await answerTo(reply));
    const bytes = (body: Uint8Array): Uint8Array[] => Array.from(body, (_, n) => body.subarray(n, n + 1));
    const crlf = (body: Uint8Array): Uint8Array[] => [
      Buffer.from(Buffer.from(body).toString().replaceAll("\n", "\r\n")),
    ];
    expect(joined(await answerTo({ ...reply, split: bytes }))).toEqual(whole);
    expect(joined(await answerTo({ ...reply, split: crlf }))).toEqual(whole);
  });

  function joined(parts: readonly ModelStreamPart[]): ModelStreamPart[] {
    return [{ type: "text-delta", text: textOf(parts) }, ...parts.filter((part) => part.type !== "text-delta")];
  }
});
