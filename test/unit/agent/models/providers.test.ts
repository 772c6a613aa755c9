import { createHash } from "node:crypto";
import { afterEach, describe, expect, it, test } from "vitest";
import type { ModelStreamPart } from "../../../../src/agent/models/model.ts";
import type { Hash } from "../../../../src/ledger/types.ts";
import type { Block, ProviderAnswer } from "../../../helpers/provider-server.ts";
import { ask, assistant, textOf, toRequest, user } from "./ask.ts";
import {
  closeServers,
  errorOf,
  KEY,
  NAMES,
  type ProviderName,
  partsOf,
  type SetupOptions,
  setUp,
} from "./provider-setup.ts";

afterEach(closeServers);

async function answerTo(
  name: ProviderName,
  answer: ProviderAnswer,
  options: SetupOptions = {},
): Promise<ModelStreamPart[]> {
  const { model } = await setUp(name, [answer], options);
  return ask(model);
}

const SHELL = { name: "shell", description: "Runs.", input: { type: "object", properties: {} } } as const;
const READ = { name: "read_file", description: "Reads.", input: { type: "object", properties: {} } } as const;
const CALLS: readonly Block[] = [
  { call: "read_file", id: "a1", input: ['{"pa', 'th":"x', '.ts"}'], secret: "sig+/=1" },
  { call: "shell", id: "b2", input: { command: "ls" } },
];

describe.each(NAMES)("an answer of %s", (name) => {
  it("streams reasoning and text in its pieces and ends with all counts", async () => {
    const usage = {
      input: 100,
      output: 20,
      cacheRead: 64,
      reasoning: 7,
      ...(name === "anthropic" && { cacheWrite: 5 }),
    };
    const blocks = [{ think: ["hm", "…"], secret: "s1" }, { say: ["Hel", "lo ", "wörld"] }];
    const parts = await answerTo(name, { blocks, usage });
    expect(parts.filter(({ type }) => type === "reasoning-delta")).toEqual([
      { type: "reasoning-delta", text: "hm" },
      { type: "reasoning-delta", text: "…" },
    ]);
    expect(parts.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", text: "Hel" },
      { type: "text-delta", text: "lo " },
      { type: "text-delta", text: "wörld" },
    ]);
    const { reasoning, cacheWrite, ...rest } = usage as typeof usage & { cacheWrite?: number };
    expect(parts.at(-1)).toEqual({
      type: "finish",
      reason: "stop",
      usage: {
        inputTokens: rest.input,
        outputTokens: rest.output,
        cacheReadTokens: rest.cacheRead,
        ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
        ...(name !== "anthropic" && { reasoningTokens: reasoning }),
      },
    });
  });

  it("gives parallel calls whole and in their order", async () => {
    const parts = await answerTo(name, { blocks: [{ say: "Both." }, ...CALLS] });
    expect(parts.filter(({ type }) => type !== "reasoning-end").map((part) => ({ ...part, opaque: 0 }))).toMatchObject([
      { type: "text-delta", text: "Both." },
      { type: "tool-call", call: "a1", tool: "read_file", input: { path: "x.ts" } },
      { type: "tool-call", call: "b2", tool: "shell", input: { command: "ls" } },
      { type: "finish", reason: "tool-calls" },
    ]);
  });

  it("keeps the place of what comes between two calls", async () => {
    const [one, two] = CALLS as [Block, Block];
    const parts = await answerTo(name, { blocks: [one, { think: "then", secret: "s2" }, two] });
    const kinds = partsOf(parts, name).map(({ kind }) => kind);
    expect(kinds).toEqual(["tool-call", "reasoning", "tool-call"]);
  });

  it("tells a refusal and a length limit apart from a normal end, and lets neither act", async () => {
    const blocks: Block[] = [{ say: "and so" }, ...CALLS];
    const cut = await answerTo(name, { blocks, finish: "length" });
    expect(cut.at(-1)).toMatchObject({ type: "finish", reason: "length" });
    const refused = await answerTo(name, { blocks: [{ say: "I" }, ...CALLS], finish: "refusal" });
    expect(refused.at(-1)).toMatchObject({ type: "finish", reason: "refusal" });
    expect([...cut, ...refused].some(({ type }) => type === "tool-call")).toBe(false);
  });

  it("of two megabytes is whole", async () => {
    const piece = "wörter und so ".repeat(60);
    const say = Array.from({ length: 2_500 }, () => piece);
    const parts = await answerTo(name, { blocks: [{ say }] });
    expect(parts.at(-1)?.type).toBe("finish");
    expect(textOf(parts)).toBe(say.join(""));
  });

  it("is empty, not an answer, when there is nothing in it", async () => {
    expect(errorOf(await answerTo(name, { blocks: [] }))).toMatchObject({ code: "model_empty", retryable: false });
  });

  it("with the same id twice keeps both calls apart", async () => {
    const again = CALLS.map((call) => ({ ...call, id: "same" }));
    const parts = await answerTo(name, { blocks: again });
    const ids = partsOf(parts, name).map((part) => (part.kind === "tool-call" ? part.call : part.kind));
    expect(new Set(ids).size).toBe(2);
  });
});

describe.each(NAMES)("an answer of %s that breaks off", (name) => {
  const blocks: Block[] = [{ say: ["a", "b"] }, ...CALLS];
  test.each<[string, ProviderAnswer]>([
    ["by a destroyed socket", { blocks, faults: [{ kind: "cut", after: 2 }] }],
    ["by a destroyed socket after its calls", { blocks, faults: [{ kind: "cut" }] }],
    ["by a clean end before its own", { blocks, faults: [{ kind: "end" }] }],
    ["by a clean end in the middle", { blocks, faults: [{ kind: "end", after: 3 }] }],
    ["before anything came", { blocks, faults: [{ kind: "end", after: 0 }] }],
    ["without its last events", { blocks, isEnded: false }],
    ["without a reason", { blocks, finish: null }],
  ])("%s is cut, may be repeated, and calls nothing", async (_, answer) => {
    const parts = await answerTo(name, answer);
    expect(errorOf(parts)).toMatchObject({ code: "model_cut", retryable: true });
    expect(parts.some(({ type }) => type === "tool-call")).toBe(false);
  });

  it("at any event is never taken for an answer", async () => {
    const whole = await answerTo(name, { blocks });
    expect(whole.at(-1)?.type).toBe("finish");
    for (let after = 0; after < 12; after += 1) {
      const parts = await answerTo(name, { blocks, isEnded: false, faults: [{ kind: "end", after }] });
      expect(errorOf(parts).code).toBe("model_cut");
    }
  });

  it("by silence is stalled, and the connection is closed", async () => {
    const { server, model } = await setUp(name, [{ blocks, faults: [{ kind: "stall" }] }], { limits: { stallMs: 60 } });
    const parts = await ask(model);
    expect(textOf(parts)).toBe("ab");
    expect(errorOf(parts)).toMatchObject({ code: "model_stalled", retryable: true });
    expect(await server.requests[0]?.closed).toBe("early");
  });

  it("by a person's stop closes the connection", async () => {
    const { server, model } = await setUp(name, [{ blocks, faults: [{ kind: "stall" }] }]);
    const stop = new AbortController();
    const parts: ModelStreamPart[] = [];
    for await (const part of model.stream(toRequest(model, { signal: stop.signal }))) {
      parts.push(part);
      stop.abort();
    }
    expect(errorOf(parts)).toMatchObject({ code: "model_aborted", retryable: false });
    expect(await server.requests[0]?.closed).toBe("early");
  });

  it("by an event that cannot be read is malformed", async () => {
    const faults = [{ kind: "raw", after: 3, text: "data: {oops\n\n" } as const];
    expect(errorOf(await answerTo(name, { blocks, faults }))).toMatchObject({
      code: "model_malformed",
      retryable: true,
    });
  });
});

describe.each(NAMES)("a request to %s", (name) => {
  it("is digested and announced before it leaves, once", async () => {
    const { server, model } = await setUp(name, [{ blocks: [{ say: "hi" }] }]);
    const told: { digest: string; requests: number }[] = [];
    await ask(model, {
      beforeSend: async (digest) => {
        await new Promise((resolve) => setImmediate(resolve));
        told.push({ digest, requests: server.requests.length });
      },
    });
    const sent = createHash("sha256").update(server.requests[0]?.text ?? "");
    expect(told).toEqual([{ digest: sent.digest("hex"), requests: 0 }]);
  });

  it("never leaves when the announcement fails, and that error passes unchanged", async () => {
    const { server, model } = await setUp(name, []);
    const lost = new Error("the lease is lost");
    await expect(ask(model, { beforeSend: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect(server.requests).toHaveLength(0);
  });

  it("brings its own opaque reasoning back byte for byte, with the results of the calls", async () => {
    const secret = 'EqQBCgIYAhIM+/=ünïcode\\n"';
    const signed = { ...CALLS[0], secret: "c2ln/+=" } as Block;
    const blocks: Block[] = [{ think: ["I  think ", "\n"], secret }, { say: "Look:" }, signed, CALLS[1] as Block];
    const { server, model } = await setUp(name, [{ blocks }, { blocks: [{ say: "done" }] }]);
    const tools = [SHELL, READ];
    const answer = partsOf(await ask(model, { tools }), name);
    const results = answer.flatMap((part) =>
      part.kind === "tool-call"
        ? [{ kind: "tool-result", call: part.call, outcome: { kind: "ok", output: "fine" } } as const]
        : [],
    );
    const messages = [user("hello"), assistant(...answer), { role: "tool", parts: results } as const];
    const parts = await ask(model, { tools, messages });
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
    expect(server.requests[1]?.text).toContain(JSON.stringify(name === "google" ? "c2ln/+=" : secret));
  });

  it("leaves out reasoning that came without anything to prove it", async () => {
    const blocks: Block[] = [{ think: "unproven" }, { say: "Look:" }];
    const { server, model } = await setUp(name, [{ blocks }, { blocks: [{ say: "done" }] }]);
    const answer = partsOf(await ask(model), name);
    await ask(model, { messages: [user("hello"), assistant(...answer), user("more")] });
    expect(server.requests[1]?.text).not.toContain("unproven");
  });

  it("carries system, images and every outcome of a call", async () => {
    const { server, model } = await setUp(name, [{ blocks: [{ say: "hi" }] }]);
    const kinds = [
      { kind: "ok", output: "180 lines" },
      { kind: "ok", output: "" },
      { kind: "ok", output: " \n" },
      { kind: "failed", exitCode: 2, output: "boom" },
      { kind: "cancelled" },
      { kind: "denied" },
      { kind: "unknown" },
    ] as const;
    const image = { kind: "file", blob: "ff" as Hash, mediaType: "image/png", bytes: 3 } as const;
    const other = { kind: "file", blob: "ee" as Hash, mediaType: "image/x-odd", name: "odd.x", bytes: 9 } as const;
    await ask(model, {
      system: "Be brief.",
      tools: [SHELL],
      loadBlob: (hash) => Promise.resolve(hash === "ff" ? Uint8Array.of(1, 2, 3) : Uint8Array.of()),
      messages: [
        { role: "user", parts: [{ kind: "text", text: "look" }, image, other] },
        assistant(...kinds.map((_, n) => ({ kind: "tool-call", call: `c${n}`, tool: "shell", input: { n } }) as const)),
        { role: "tool", parts: kinds.map((outcome, n) => ({ kind: "tool-result", call: `c${n}`, outcome })) },
      ],
    });
    const text = server.requests[0]?.text ?? "";
    for (const word of ["Be brief.", "AQID", "odd.x, image/x-odd", "180 lines", "(no output)", "exit code 2\\nboom"]) {
      expect(text).toContain(word);
    }
    for (const word of ["stopped this call", "did not allow", "unknown whether"]) expect(text).toContain(word);
  });

  it("is refused in the provider's words, without the key in them", async () => {
    const refusal = { status: 401, body: { error: { type: "authentication_error", message: `bad key: ${KEY}` } } };
    const { model } = await setUp(name, [refusal]);
    expect(errorOf(await ask(model))).toMatchObject({
      code: "model_auth",
      retryable: false,
      message: `${name} answered 401 Unauthorized: bad key: [key]`,
      hint: "Check THE_KEY.",
    });
  });

  it("that is one too many carries how long to wait, or not", async () => {
    const body = { error: { type: "rate_limit_error", message: "slow down" } };
    const { model } = await setUp(name, [
      { status: 429, body, headers: { "retry-after": "3" } },
      { status: 429, body },
    ]);
    expect(errorOf(await ask(model))).toMatchObject({ code: "model_rate_limit", retryable: true, retryAfterMs: 3000 });
    const second = errorOf(await ask(model));
    expect(second).toMatchObject({ code: "model_rate_limit", retryable: true });
    expect(second.retryAfterMs).toBeUndefined();
  });
});

describe("an error inside the stream", () => {
  const anthropic = (type: string, message: string): string =>
    `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message } })}\n\n`;
  const openai = (code: string, message: string): string =>
    `event: response.failed\ndata: ${JSON.stringify({ type: "response.failed", sequence_number: 9, response: { id: "r", created_at: 1, model: "m", status: "failed", output: [], error: { code, message }, incomplete_details: null, usage: null } })}\n\n`;
  const openaiEvent = (code: string, message: string): string =>
    `event: error\ndata: ${JSON.stringify({ type: "error", sequence_number: 9, code, message, param: null })}\n\n`;
  const google = (code: number, status: string, message: string): string =>
    `data: ${JSON.stringify({ error: { code, status, message } })}\n\n`;

  test.each<[ProviderName, string, string, boolean]>([
    ["anthropic", anthropic("overloaded_error", "Overloaded"), "model_overloaded", true],
    ["anthropic", anthropic("api_error", "Internal server error"), "model_server", true],
    ["openai", openai("server_error", "The server had an error"), "model_server", true],
    ["openai", openai("rate_limit_exceeded", "Please try again in 1.5s"), "model_rate_limit", true],
    ["openai", openaiEvent("insufficient_quota", "You exceeded your current quota"), "model_billing", false],
    ["google", google(503, "UNAVAILABLE", "The model is overloaded"), "model_overloaded", true],
    ["google", google(500, "INTERNAL", "An internal error"), "model_server", true],
  ])("of %s, %s is %s, first of all or in the middle", async (name, text, code, retryable) => {
    for (const after of [name === "google" ? 0 : 1, 3]) {
      const blocks = [{ say: ["a", "b", "c", "d"] }];
      const { model } = await setUp(name, [{ blocks, faults: [{ kind: "raw", after, text }] }]);
      const fault = errorOf(await ask(model));
      expect(fault).toMatchObject({ code, retryable });
      expect(fault.message).toContain("reported an error while answering");
      if (text.includes("1.5s")) expect(fault.retryAfterMs).toBe(1500);
    }
  });
});

describe("a status and its words", () => {
  const google = (code: number, status: string, message: string, details: readonly object[] = []) => ({
    error: { code, status, message, details },
  });
  const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
  const openai = (code: string | null, message: string, type = "invalid_request_error") => ({
    error: { code, type, message, param: null },
  });
  const quota = (id: string, retryDelay?: string) => [
    { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId: id }] },
    ...(retryDelay === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }]),
  ];

  test.each<[ProviderName, number, object, string, boolean, number | undefined]>([
    [
      "anthropic",
      400,
      anthropic("invalid_request_error", "Your credit balance is too low"),
      "model_billing",
      false,
      undefined,
    ],
    [
      "anthropic",
      400,
      anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      "model_context_overflow",
      false,
      undefined,
    ],
    [
      "anthropic",
      413,
      anthropic("request_too_large", "Request exceeds the maximum size"),
      "model_context_overflow",
      false,
      undefined,
    ],
    ["anthropic", 403, anthropic("permission_error", "no access"), "model_auth", false, undefined],
    ["anthropic", 404, anthropic("not_found_error", "model: claude-x"), "model_not_found", false, undefined],
    ["anthropic", 529, anthropic("overloaded_error", "Overloaded"), "model_overloaded", true, undefined],
    ["anthropic", 500, anthropic("api_error", "Internal server error"), "model_server", true, undefined],
    ["openai", 401, openai("invalid_api_key", "Incorrect API key provided"), "model_auth", false, undefined],
    [
      "openai",
      429,
      openai("insufficient_quota", "You exceeded your current quota", "insufficient_quota"),
      "model_billing",
      false,
      undefined,
    ],
    [
      "openai",
      429,
      openai("rate_limit_exceeded", "Rate limit reached. Please try again in 6m2.5s.", "tokens"),
      "model_rate_limit",
      true,
      362_500,
    ],
    [
      "openai",
      400,
      openai("context_length_exceeded", "Your input exceeds the context window of this model"),
      "model_context_overflow",
      false,
      undefined,
    ],
    [
      "openai",
      503,
      openai(null, "The server is currently overloaded", "service_unavailable_error"),
      "model_overloaded",
      true,
      undefined,
    ],
    [
      "google",
      400,
      google(400, "INVALID_ARGUMENT", "API key not valid.", [{ reason: "API_KEY_INVALID" }]),
      "model_auth",
      false,
      undefined,
    ],
    [
      "google",
      429,
      google(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
        quota("RequestsPerMinutePerProject", "37.5s"),
      ),
      "model_rate_limit",
      true,
      37_500,
    ],
    [
      "google",
      429,
      google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", quota("RequestsPerDayPerProject")),
      "model_rate_limit",
      false,
      undefined,
    ],
    [
      "google",
      400,
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      ),
      "model_context_overflow",
      false,
      undefined,
    ],
    [
      "google",
      503,
      google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
      "model_overloaded",
      true,
      undefined,
    ],
  ])("of %s, %i and %j, is %s", async (name, status, body, code, retryable, retryAfterMs) => {
    const { model } = await setUp(name, [{ status, body }]);
    const fault = errorOf(await ask(model));
    expect(fault).toMatchObject({ code, retryable });
    expect(fault.retryAfterMs).toBe(retryAfterMs);
    const { message } = (body as { error: { message: string } }).error;
    expect(fault.message).toContain(message);
  });
});

describe("an effort", () => {
  const bodyOf = async (name: ProviderName, model: string, effort?: string): Promise<unknown> => {
    const options = effort === undefined ? {} : { effort };
    const { server, model: asked } = await setUp(name, [{ blocks: [{ say: "hi" }] }], { model, options });
    await ask(asked, { tools: [SHELL] });
    return server.requests[0]?.body;
  };

  test.each<[ProviderName, string, string, object]>([
    ["anthropic", "claude-opus-4-6", "high", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
    ["anthropic", "claude-opus-4-5", "low", { thinking: { budget_tokens: 4_096 }, output_config: { effort: "low" } }],
    ["anthropic", "claude-sonnet-4-5", "medium", { thinking: { type: "enabled", budget_tokens: 10_240 } }],
    ["anthropic", "claude-3-7-sonnet-latest", "high", { thinking: { type: "enabled", budget_tokens: 24_576 } }],
    ["openai", "gpt-5", "medium", { reasoning: { effort: "medium", summary: "auto" } }],
    [
      "google",
      "gemini-3-flash-preview",
      "medium",
      { generationConfig: { thinkingConfig: { thinkingLevel: "medium" } } },
    ],
    ["google", "gemini-3-pro-preview", "high", { generationConfig: { thinkingConfig: { thinkingLevel: "high" } } }],
    ["anthropic", "claude-opus-5-5", "max", { thinking: { type: "adaptive" }, output_config: { effort: "max" } }],
    ["openai", "gpt-6.2-sol", "xhigh", { reasoning: { effort: "xhigh" } }],
    ["google", "gemini-2.5-flash", "low", { generationConfig: { thinkingConfig: { thinkingBudget: 2_048 } } }],
  ])("for %s %s, %s, is its own field", async (name, model, effort, fields) => {
    expect(await bodyOf(name, model, effort)).toMatchObject(fields);
  });

  test.each<[ProviderName, string]>([
    ["anthropic", "claude-3-haiku-20240307"],
    ["openai", "gpt-4.1"],
    ["google", "gemini-2.0-flash"],
  ])("is not asked of %s %s, which has none", async (name, model) => {
    const body = JSON.stringify(await bodyOf(name, model, "high"));
    expect(body).not.toMatch(/thinking|reasoning|effort/);
  });

  test.each<[ProviderName, string, string]>([
    ["anthropic", "claude-opus-4-6", "xhigh"],
    ["anthropic", "claude-sonnet-4-5", "max"],
    ["openai", "gpt-5", "xhigh"],
    ["google", "gemini-3-pro-preview", "medium"],
  ])("that %s %s does not know is never sent: %s", async (name, model, effort) => {
    expect(JSON.stringify(await bodyOf(name, model, effort))).not.toMatch(new RegExp(`budget|"${effort}"`));
  });

  it("is left out where an answer without thinking is still at work on its calls", async () => {
    const { server, model } = await setUp("anthropic", [{ blocks: [{ say: "hi" }] }], { options: { effort: "high" } });
    const call = { kind: "tool-call", call: "x", tool: "shell", input: {} } as const;
    const result = { kind: "tool-result", call: "x", outcome: { kind: "ok" } } as const;
    await ask(model, { messages: [user("go"), assistant(call), { role: "tool", parts: [result] }] });
    expect(server.requests[0]?.body.thinking).toBeUndefined();
  });
});

describe("Anthropic's cache", () => {
  it("is marked at the system prompt and at the last two of a person's messages, whose place stays", async () => {
    const { server, model } = await setUp("anthropic", [{ blocks: [{ say: "hi" }] }, { blocks: [{ say: "hi" }] }]);
    const before = [user("one"), assistant({ kind: "text", text: "1" }), user("two")];
    await ask(model, { system: "Be brief.", messages: before });
    const after = [...before, assistant({ kind: "text", text: "2" }), user("three")];
    await ask(model, { system: "Be brief.", messages: after });
    const marks = server.requests.map(({ body }) => ({
      system: JSON.stringify(body.system).includes("ephemeral"),
      messages: (body.messages as object[]).map((message) => JSON.stringify(message).includes("ephemeral")),
    }));
    expect(marks).toEqual([
      { system: true, messages: [true, false, true] },
      { system: true, messages: [false, false, true, false, true] },
    ]);
  });
});
