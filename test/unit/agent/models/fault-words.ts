// What each provider says when it refuses, in its own form: statuses, codes and words as they were seen.
import type { StatusReply } from "../../../helpers/stream-server.ts";

export interface ProviderWords {
  readonly rate: StatusReply;
  readonly overloaded: StatusReply;
  readonly broken: StatusReply;
  readonly tooLong: readonly StatusReply[];
  readonly badKey: StatusReply;
  readonly noCredit: readonly StatusReply[];
  /** One event of a stream that had begun: the conversation is too long after all. */
  readonly tooLongEvent: string;
}

const anthropic = (status: number, type: string, message: string): StatusReply => ({
  status,
  body: { type: "error", error: { type, message }, request_id: "req_1" },
});
const openai = (status: number, code: string | null, message: string, type = "invalid_request_error"): StatusReply => ({
  status,
  body: { error: { message, type, param: null, code } },
});
const google = (code: number, status: string, message: string, details: readonly object[] = []): StatusReply => ({
  status: code,
  body: { error: { code, message, status, details } },
});

const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

export const WORDS = {
  anthropic: {
    rate: anthropic(429, "rate_limit_error", "This request would exceed your organization's rate limit"),
    overloaded: anthropic(529, "overloaded_error", "Overloaded"),
    broken: anthropic(500, "api_error", "Internal server error"),
    tooLong: [
      anthropic(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      anthropic(
        400,
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
      ),
      anthropic(413, "request_too_large", "Request exceeds the maximum size"),
    ],
    badKey: anthropic(401, "authentication_error", "invalid x-api-key"),
    noCredit: [
      anthropic(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
      anthropic(402, "billing_error", "Payment required"),
    ],
    tooLongEvent: event(
      { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } },
      "error",
    ),
  },
  openai: {
    rate: openai(429, "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-1", "requests"),
    overloaded: openai(503, "server_is_overloaded", "Our servers are currently overloaded.", "server_error"),
    broken: openai(500, null, "The server had an error while processing your request", "server_error"),
    tooLong: [
      openai(400, "context_length_exceeded", "Your input exceeds the context window of this model."),
      openai(
        429,
        "rate_limit_exceeded",
        "Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 60000. The input or output tokens must be reduced in order to run successfully.",
        "tokens",
      ),
    ],
    badKey: openai(401, "invalid_api_key", "Incorrect API key provided"),
    noCredit: [openai(429, "insufficient_quota", "You exceeded your current quota", "insufficient_quota")],
    tooLongEvent: event(
      {
        type: "error",
        sequence_number: 9,
        code: "context_length_exceeded",
        message: "Your input exceeds the context window of this model.",
        param: "input",
      },
      "error",
    ),
  },
  google: {
    rate: google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    overloaded: google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    broken: google(500, "INTERNAL", "An internal error has occurred."),
    tooLong: [
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      ),
      google(400, "INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens allowed 1048576."),
    ],
    badKey: google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      { reason: "API_KEY_INVALID", domain: "googleapis.com" },
    ]),
    noCredit: [google(403, "PERMISSION_DENIED", "This API method requires billing to be enabled.")],
    tooLongEvent: event({
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "The input token count exceeds the maximum number of tokens",
      },
    }),
  },
  chat: {
    rate: openai(429, null, "Rate limit reached for model", "rate_limit_error"),
    overloaded: openai(503, null, "The model is overloaded, at capacity", "server_error"),
    broken: openai(502, null, "Provider returned error", "server_error"),
    tooLong: [
      // OpenRouter, vLLM
      openai(400, null, "This endpoint's maximum context length is 131072 tokens. However, you requested 150000"),
      // llama.cpp, of old and of late
      openai(400, null, "the request exceeds the available context size, try increasing it"),
      openai(
        400,
        "exceed_context_size_error",
        "request (9000 tokens) exceeds the available context size (8192 tokens)",
      ),
      openai(500, null, "Context size has been exceeded.", "server_error"),
      // LM Studio
      { status: 400, body: { error: "The number of tokens to keep is greater than the context length (n_ctx: 8192)" } },
      // Groq
      openai(400, "context_length_exceeded", "Please reduce the length of the messages or completion."),
      // Mistral
      {
        status: 400,
        body: {
          object: "error",
          message: "Prompt contains 66385 tokens, too large for model with 32768 maximum context length",
        },
      },
      // xAI
      {
        status: 400,
        body: { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
      },
      // DeepSeek, Kimi, Qwen, MiniMax, Together
      openai(400, "invalid_request_error", "This model's maximum context length is 65536 tokens."),
      openai(400, null, "Your request exceeded model token limit: 262144 (requested: 300000)"),
      openai(400, null, "Range of input length should be [1, 129024]"),
      openai(400, null, "invalid params, context window exceeds limit"),
      openai(422, null, "The input (140000 tokens) is longer than the model's context length (131072 tokens)."),
      { status: 413, body: "Request Entity Too Large" },
    ],
    badKey: openai(401, "invalid_api_key", "No auth credentials found"),
    noCredit: [openai(402, null, "Insufficient credits"), openai(402, null, "Insufficient Balance", "unknown_error")],
    tooLongEvent: event(
      { error: { message: "The number of tokens to keep is greater than the context length." }, message: "overflow" },
      "error",
    ),
  },
  ollama: {
    rate: { status: 429, body: { error: { message: "too many concurrent requests", type: "api_error" } } },
    overloaded: { status: 503, body: { error: { message: "server busy, please try again. overloaded" } } },
    broken: { status: 500, body: { error: { message: "llama runner process has terminated", type: "api_error" } } },
    tooLong: [
      { status: 400, body: { error: { message: "prompt too long; exceeded max context length by 5000 tokens" } } },
      { status: 400, body: { error: { message: "the input length exceeds the context length", type: "api_error" } } },
    ],
    badKey: { status: 401, body: { error: { message: "unauthorized" } } },
    noCredit: [{ status: 402, body: { error: { message: "payment required" } } }],
    tooLongEvent: event({ error: { message: "prompt too long; exceeded max context length", type: "api_error" } }),
  },
} satisfies Record<string, ProviderWords>;

export type Talker = keyof typeof WORDS;
