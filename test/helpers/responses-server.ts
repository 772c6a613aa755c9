// OpenAI's Responses API for tests: its events, and its rules for a request that stores nothing.
import { openAiError } from "./chat-server.ts";
import {
  type Block,
  first,
  type Issued,
  isObject,
  type JsonObject,
  objects,
  type ProviderAnswer,
  type ProviderFormat,
  type ProviderRequest,
  strangeKey,
  textOf,
} from "./provider-server.ts";
import { fragments, pieces } from "./stream-server.ts";

export const responsesFormat: ProviderFormat = {
  basePath: "/v1",
  check,
  error: openAiError,
  events: (answer, model) => {
    const response = { id: "resp_1", object: "response", created_at: 1, model, service_tier: "default" };
    return {
      content: [
        event("response.created", { response: { ...response, status: "in_progress", output: [] } }),
        ...answer.blocks.flatMap(blockEvents),
      ],
      closing: answer.finish === null ? [] : [closingEvent(answer, response)],
    };
  },
};

let sequence = 0;
function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
}

function closingEvent({ finish, usage }: ProviderAnswer, response: object): string {
  const why = finish === "length" ? "max_output_tokens" : finish === "refusal" ? "content_filter" : undefined;
  const counted = {
    input_tokens: usage?.input ?? 1,
    input_tokens_details: { cached_tokens: usage?.cacheRead ?? 0 },
    output_tokens: usage?.output ?? 1,
    output_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
    total_tokens: (usage?.input ?? 1) + (usage?.output ?? 1),
  };
  const status = why === undefined ? "completed" : "incomplete";
  const incomplete_details = why === undefined ? null : { reason: why };
  return event(`response.${status}`, { response: { ...response, status, incomplete_details, usage: counted } });
}

function blockEvents(block: Block, index: number): string[] {
  const at = { output_index: index };
  if ("say" in block) {
    const item = { type: "message", id: `msg_${index}`, role: "assistant", status: "in_progress", content: [] };
    const part = { item_id: item.id, ...at, content_index: 0 };
    const text = textOf(block);
    const phase = block.secret === undefined ? {} : { phase: block.secret };
    const done = { ...item, ...phase, status: "completed", content: [{ type: "output_text", text, annotations: [] }] };
    return [
      event("response.output_item.added", { ...at, item: { ...item, ...phase } }),
      ...pieces(block.say).map((delta) => event("response.output_text.delta", { ...part, delta, logprobs: [] })),
      event("response.output_text.done", { ...part, text, logprobs: [] }),
      event("response.output_item.done", { ...at, item: done }),
    ];
  }
  if ("call" in block) {
    const id = `fc_${index}`;
    const call = { type: "function_call", id, call_id: block.id ?? `call_${index}`, name: block.call };
    const text = fragments(block.input).join("");
    return [
      event("response.output_item.added", { ...at, item: { ...call, arguments: "", status: "in_progress" } }),
      ...fragments(block.input).map((delta) =>
        event("response.function_call_arguments.delta", { ...at, item_id: id, delta }),
      ),
      event("response.function_call_arguments.done", { ...at, item_id: id, arguments: text }),
      event("response.output_item.done", { ...at, item: { ...call, arguments: text, status: "completed" } }),
    ];
  }
  const id = `rs_${index}`;
  const parts = textOf(block) === "" ? [] : [{ type: "summary_text", text: textOf(block) }];
  const place = { item_id: id, ...at, summary_index: 0 };
  const item = {
    type: "reasoning",
    id,
    summary: [],
    encrypted_content: block.secret === undefined ? null : `${block.secret}-begun`,
  };
  return [
    event("response.output_item.added", { ...at, item }),
    ...(parts.length === 0
      ? []
      : [
          event("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } }),
          ...pieces(block.think).map((delta) => event("response.reasoning_summary_text.delta", { ...place, delta })),
          event("response.reasoning_summary_part.done", { ...place, part: parts[0] }),
        ]),
    event("response.output_item.done", {
      ...at,
      item: { ...item, summary: parts, encrypted_content: block.secret ?? null },
    }),
  ];
}

const TOP = ["model", "input", "tools", "tool_choice", "stream", "store", "include", "reasoning", "max_output_tokens"];
const TOP_OPTIONS = ["temperature", "top_p", "parallel_tool_calls", "instructions", "text", "prompt_cache_key"];

function check({ path, headers, body }: ProviderRequest, issued: Issued): string | undefined {
  const items = objects(body.input);
  return first(
    path !== "/v1/responses" && `no such path: ${path}`,
    !/^Bearer ./.test(headers.authorization ?? "") && "You didn't provide an API key",
    strangeKey(body, [...TOP, ...TOP_OPTIONS], "body"),
    body.stream !== true && "stream",
    body.store !== false && "store: the conversation would be kept",
    checkReasoning(body),
    ...objects(body.tools).map(checkTool),
    items.length === 0 && "input: at least one item",
    checkEnds(items),
    ...items.map((item, at) => checkItem(item, items[at + 1], issued)),
    checkCalls(items),
  );
}

/** It begins with a person's words, and ends in something to be answered. */
function checkEnds(items: readonly JsonObject[]): string | undefined {
  const told = items.filter(({ role }) => role !== "system" && role !== "developer");
  const last = told.at(-1);
  return first(
    told[0]?.role !== "user" && `input: begins with ${String(told[0]?.role ?? told[0]?.type)}`,
    last?.role !== "user" && last?.type !== "function_call_output" && "input: nothing to answer",
  );
}

function checkReasoning({ model, reasoning, temperature, include }: JsonObject): string | undefined {
  const thinks = /^(?:o\d|gpt-[5-9])/.test(String(model));
  if (!thinks) return reasoning === undefined ? undefined : "reasoning is not supported with this model";
  const effort = isObject(reasoning) ? reasoning.effort : undefined;
  return first(
    temperature !== undefined && "temperature is not supported with this model",
    !(Array.isArray(include) && include.includes("reasoning.encrypted_content")) && "include: reasoning would be lost",
    effort !== undefined &&
      !["none", "minimal", "low", "medium", "high", "xhigh", "max"].some((level) => level === effort) &&
      `effort ${JSON.stringify(effort)}`,
  );
}

function checkTool(tool: JsonObject): string | undefined {
  return first(
    strangeKey(tool, ["type", "name", "description", "parameters", "strict"], "tools"),
    tool.type !== "function" && `tools.type ${JSON.stringify(tool.type)}`,
    !/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool.name)) && `tools.name ${JSON.stringify(tool.name)}`,
    !isObject(tool.parameters) && "tools.parameters",
  );
}

function checkItem(item: JsonObject, next: JsonObject | undefined, issued: Issued): string | undefined {
  switch (item.type ?? "message") {
    case "message":
      return checkMessage(item);
    case "reasoning":
      return first(
        strangeKey(item, ["type", "id", "summary", "encrypted_content"], "reasoning"),
        issued.secrets.get(String(item.encrypted_content)) !== summaryOf(item) && "the encrypted content is not ours",
        !(next !== undefined && followsReasoning(next)) &&
          `reasoning ${JSON.stringify(item.id)} without its required following item`,
      );
    case "function_call":
      return first(
        strangeKey(item, ["type", "id", "call_id", "name", "arguments", "status"], "function_call"),
        !/^[a-zA-Z0-9_-]{1,64}$/.test(String(item.call_id)) && `call_id: ${JSON.stringify(item.call_id)}`,
        !isJsonObject(item.arguments) && `arguments: ${JSON.stringify(item.arguments)}`,
      );
    case "function_call_output":
      return strangeKey(item, ["type", "call_id", "output"], "function_call_output");
    default:
      return `input: type ${JSON.stringify(item.type)}`;
  }
}

function followsReasoning(item: JsonObject): boolean {
  return item.type === "reasoning" || item.type === "function_call" || item.role === "assistant";
}

function summaryOf(item: JsonObject): string {
  return objects(item.summary)
    .map(({ text }) => text)
    .join("");
}

function checkMessage(item: JsonObject): string | undefined {
  const kinds = item.role === "assistant" ? ["output_text"] : ["input_text", "input_image", "input_file"];
  const parts = objects(item.content);
  return first(
    strangeKey(item, ["type", "role", "content", "id", "phase"], "message"),
    !["system", "developer", "user", "assistant"].includes(String(item.role)) && `role ${JSON.stringify(item.role)}`,
    typeof item.content === "string" && item.content === "" && "content: empty",
    typeof item.content !== "string" && parts.length === 0 && "content: empty",
    ...parts.map(({ type, text }) =>
      first(!kinds.includes(String(type)) && `content ${JSON.stringify(type)}`, text === "" && "empty"),
    ),
  );
}

function checkCalls(items: readonly JsonObject[]): string | undefined {
  const open = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const { type, call_id: id } of items) {
    if (type === "function_call") {
      if (seen.has(id)) return `Duplicate function call ${JSON.stringify(id)}`;
      seen.add(id);
      open.add(id);
    }
    if (type === "function_call_output" && !open.delete(id))
      return `No tool call found for output with call_id ${JSON.stringify(id)}`;
  }
  return open.size === 0 ? undefined : `No tool output found for function call ${[...open].join()}`;
}

function isJsonObject(text: unknown): boolean {
  try {
    return isObject(JSON.parse(String(text)));
  } catch {
    return false; // which is the answer
  }
}
