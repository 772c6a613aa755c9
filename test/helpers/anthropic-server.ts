// Anthropic's Messages API for tests: its events, and its rules for a request.
import {
  type Block,
  first,
  hasCalls,
  type Issued,
  isObject,
  type JsonObject,
  objects,
  type ProviderAnswer,
  type ProviderFormat,
  type ProviderRequest,
  strangeKey,
} from "./provider-server.ts";
import { fragments, pieces } from "./stream-server.ts";

export const anthropicFormat: ProviderFormat = {
  basePath: "/v1",
  check,
  error: (status, message) => ({
    type: "error",
    error: { type: status === 400 ? "invalid_request_error" : "api_error", message },
  }),
  events: (answer, model) => ({
    content: [event("message_start", { message: startOf(answer, model) }), event("ping", {}), ...contentOf(answer)],
    closing: [
      ...(answer.finish === null
        ? []
        : [
            event("message_delta", {
              delta: { stop_reason: reasonOf(answer), stop_sequence: null },
              usage: { output_tokens: answer.usage?.output ?? 1 },
            }),
          ]),
      event("message_stop", {}),
    ],
  }),
};

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function startOf({ usage }: ProviderAnswer, model: string): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage === undefined ? 1 : usage.input - (usage.cacheRead ?? 0) - (usage.cacheWrite ?? 0),
      cache_creation_input_tokens: usage?.cacheWrite ?? 0,
      cache_read_input_tokens: usage?.cacheRead ?? 0,
      output_tokens: 1,
    },
  };
}

function reasonOf(answer: ProviderAnswer): string {
  const reason = answer.finish ?? (hasCalls(answer) ? "calls" : "stop");
  return { stop: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "refusal" }[reason];
}

function contentOf(answer: ProviderAnswer): string[] {
  return answer.blocks.flatMap((block, index) => {
    const { start, deltas } = blockEvents(block, index);
    return [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ];
  });
}

function blockEvents(block: Block, index: number): { start: object; deltas: readonly object[] } {
  if ("say" in block) {
    return {
      start: { type: "text", text: "" },
      deltas: pieces(block.say).map((text) => ({ type: "text_delta", text })),
    };
  }
  if ("call" in block) {
    return {
      start: { type: "tool_use", id: block.id ?? `toolu_${index}`, name: block.call, input: {} },
      deltas: fragments(block.input).map((text) => ({ type: "input_json_delta", partial_json: text })),
    };
  }
  if (block.isRedacted) return { start: { type: "redacted_thinking", data: block.secret }, deltas: [] };
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...pieces(block.think).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block.secret ?? "" },
    ],
  };
}

const TOP = ["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "thinking"];
const TOP_OPTIONS = ["output_config", "temperature", "top_p", "top_k", "stop_sequences", "metadata"];

function check({ path, headers, body }: ProviderRequest, issued: Issued): string | undefined {
  const messages = objects(body.messages);
  return first(
    path !== "/v1/messages" && `no such path: ${path}`,
    headers["x-api-key"] === undefined && "x-api-key header is required",
    headers["anthropic-version"] !== "2023-06-01" && "anthropic-version: header is required",
    strangeKey(body, [...TOP, ...TOP_OPTIONS], "body"),
    body.stream !== true && "stream: expected true",
    checkLimits(body),
    ...objects(body.system).map((block) => checkText(block, "system")),
    ...objects(body.tools).map(checkTool),
    messages.length === 0 && "messages: at least one message is required",
    messages[0]?.role !== "user" && "messages: first message must use the user role",
    messages.at(-1)?.role !== "user" && "the conversation must end with a user message",
    ...messages.map((message, at) => checkMessage(message, messages[at - 1], issued)),
    checkCalls(messages),
    checkThinkingStart(body, messages),
    JSON.stringify(body).split('"cache_control"').length - 1 > 4 && "a maximum of 4 blocks with cache_control",
  );
}

function checkLimits({ max_tokens: max, thinking, temperature }: JsonObject): string | undefined {
  if (typeof max !== "number" || !Number.isInteger(max) || max < 1) return "max_tokens: positive integer required";
  if (!isObject(thinking)) return undefined;
  if (temperature !== undefined) return "temperature may only be set to 1 when thinking is enabled";
  const budget = thinking.budget_tokens;
  if (thinking.type === "adaptive") return budget === undefined ? undefined : "thinking.budget_tokens: not permitted";
  if (typeof budget !== "number" || budget < 1024) return "thinking.budget_tokens: at least 1024";
  return budget < max ? undefined : "max_tokens must be greater than thinking.budget_tokens";
}

function checkTool(tool: JsonObject): string | undefined {
  return first(
    strangeKey(tool, ["name", "description", "input_schema", "cache_control"], "tools"),
    !/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool.name)) && `tools.name: ${JSON.stringify(tool.name)}`,
    !(isObject(tool.input_schema) && tool.input_schema.type === "object") && "tools.input_schema.type: object",
  );
}

function checkText(block: JsonObject, where: string): string | undefined {
  return first(
    strangeKey(block, ["type", "text", "cache_control"], where),
    (typeof block.text !== "string" || block.text.trim() === "") && `${where}: text must contain non-whitespace text`,
  );
}

function checkMessage(message: JsonObject, before: JsonObject | undefined, issued: Issued): string | undefined {
  const blocks = objects(message.content);
  const last = blocks.at(-1)?.type;
  return first(
    strangeKey(message, ["role", "content"], "messages"),
    message.role !== "user" && message.role !== "assistant" && `role ${JSON.stringify(message.role)}`,
    message.role === before?.role && "roles must alternate",
    blocks.length === 0 && "messages: content must not be empty",
    message.role === "assistant" && /thinking/.test(String(last)) && "the final block must not be thinking",
    ...blocks.map((block) => checkBlock(block, String(message.role), issued)),
  );
}

function checkBlock(block: JsonObject, role: string, issued: Issued): string | undefined {
  const where = `${role} ${JSON.stringify(block.type)}`;
  const isUser = role === "user";
  switch (block.type) {
    case "text":
      return checkText(block, where);
    case "image":
    case "document":
      return first(!isUser && where, !isObject(block.source) && `${where}: source`);
    case "tool_use":
      return first(
        isUser && where,
        strangeKey(block, ["type", "id", "name", "input", "cache_control"], where),
        !isObject(block.input) && `${where}: input should be a valid dictionary`,
      );
    case "tool_result":
      return first(
        !isUser && where,
        strangeKey(block, ["type", "tool_use_id", "content", "is_error", "cache_control"], where),
        block.content === "" && `${where}: content`,
      );
    case "thinking":
      return first(
        strangeKey(block, ["type", "thinking", "signature"], where),
        issued.secrets.get(String(block.signature)) !== block.thinking && "Invalid `signature` in `thinking` block",
      );
    case "redacted_thinking":
      return first(
        strangeKey(block, ["type", "data"], where),
        !issued.secrets.has(String(block.data)) && "Invalid `data` in `redacted_thinking` block",
      );
    default:
      return where;
  }
}

/** Each call is answered once, at the beginning of the very next message; no id comes twice. */
function checkCalls(messages: readonly JsonObject[]): string | undefined {
  const seen = new Set<unknown>();
  for (const [at, message] of messages.entries()) {
    const calls = objects(message.content).filter(({ type }) => type === "tool_use");
    for (const { id } of calls) {
      if (!/^[a-zA-Z0-9_-]+$/.test(String(id)))
        return `tool_use.id: String should match pattern: ${JSON.stringify(id)}`;
      if (seen.has(id)) return `tool_use ids must be unique: ${JSON.stringify(id)}`;
      seen.add(id);
    }
    const next = objects(messages[at + 1]?.content);
    const results = next.filter(({ type }) => type === "tool_result").map((result) => result.tool_use_id);
    if (next.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      return "tool_result blocks come first";
    const missing = calls.find(({ id }) => results.filter((result) => result === id).length !== 1);
    if (missing !== undefined)
      return `tool_use ids were found without tool_result blocks: ${JSON.stringify(missing.id)}`;
    const loose = message.role === "assistant" && results.find((id) => calls.every((call) => call.id !== id));
    if (typeof loose === "string") return `unexpected tool_use_id: ${loose}`;
  }
  const stray = messages[0] && objects(messages[0].content).some(({ type }) => type === "tool_result");
  return stray ? "tool_result without a tool_use before it" : undefined;
}

/** With a budget to think, the answer whose calls were just worked off begins with its thinking. */
function checkThinkingStart({ thinking }: JsonObject, messages: readonly JsonObject[]): string | undefined {
  if (!isObject(thinking) || thinking.type !== "enabled") return undefined;
  const isWorking = objects(messages.at(-1)?.content).some(({ type }) => type === "tool_result");
  const begin = objects(messages.at(-2)?.content)[0]?.type;
  return isWorking && !/thinking/.test(String(begin))
    ? `Expected thinking, but found ${JSON.stringify(begin)}`
    : undefined;
}
