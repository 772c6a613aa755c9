// Chat completions for tests: its events, and the rules for a request that strict servers of its kind have.
import { chunk } from "./model-server.ts";
import {
  type Block,
  first,
  hasCalls,
  isObject,
  type JsonObject,
  objects,
  type ProviderAnswer,
  type ProviderFormat,
  type ProviderRequest,
  strangeKey,
} from "./provider-server.ts";
import { fragments, pieces } from "./stream-server.ts";

export const chatFormat: ProviderFormat = {
  basePath: "/v1",
  check,
  error: openAiError,
  events: (answer, model) => ({
    content: answer.blocks
      .flatMap((block, index) => deltasOf(block, callIndex(answer.blocks, index)))
      .map((delta) => chunk(model, { choices: [{ index: 0, delta, finish_reason: null }] })),
    closing: closingOf(answer, model),
  }),
};

/** Of both of OpenAI's ways of asking. */
export function openAiError(status: number, message: string): object {
  const type = status === 400 ? "invalid_request_error" : "server_error";
  return { error: { message, type, param: null, code: null } };
}

function callIndex(blocks: readonly Block[], at: number): number {
  return blocks.slice(0, at).filter((block) => "call" in block).length;
}

function deltasOf(block: Block, index: number): object[] {
  if ("say" in block) return pieces(block.say).map((content) => ({ content }));
  if ("think" in block) return pieces(block.think).map((text) => ({ reasoning_content: text }));
  const head = { index, id: block.id ?? `call_${index}`, type: "function" };
  return [
    { tool_calls: [{ ...head, function: { name: block.call, arguments: "" } }] },
    ...fragments(block.input).map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}

function closingOf(answer: ProviderAnswer, model: string): string[] {
  if (answer.finish === null) return ["data: [DONE]\n\n"];
  const asked = answer.finish ?? (hasCalls(answer) ? "calls" : "stop");
  const reason = { stop: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" }[asked];
  const { usage } = answer;
  const counted = usage && { prompt_tokens: usage.input, completion_tokens: usage.output };
  return [
    chunk(model, { choices: [{ index: 0, delta: {}, finish_reason: reason }] }),
    ...(counted ? [chunk(model, { choices: [], usage: counted })] : []),
    "data: [DONE]\n\n",
  ];
}

const TOP = ["model", "messages", "tools", "tool_choice", "stream", "stream_options", "max_tokens", "temperature"];
const TOP_OPTIONS = ["top_p", "reasoning_effort"];

function check({ path, headers, body }: ProviderRequest): string | undefined {
  const messages = objects(body.messages);
  return first(
    path !== "/v1/chat/completions" && `no such path: ${path}`,
    !/^Bearer ./.test(headers.authorization ?? "") && "You didn't provide an API key",
    strangeKey(body, [...TOP, ...TOP_OPTIONS], "body"),
    body.stream !== true && "stream",
    messages.length === 0 && "messages: at least one",
    ...messages.map(checkMessage),
    checkCalls(messages),
  );
}

function checkMessage(message: JsonObject): string | undefined {
  const { role, content, tool_calls: calls } = message;
  return first(
    !["system", "user", "assistant", "tool"].includes(String(role)) && `role ${JSON.stringify(role)}`,
    strangeKey(message, ["role", "content", "tool_calls", "tool_call_id", "reasoning_content"], "messages"),
    role !== "assistant" && (content === "" || content === undefined) && `${String(role)}: content is empty`,
    role === "assistant" && !content && objects(calls).length === 0 && "assistant: neither content nor calls",
    ...objects(calls).map(({ function: named }) =>
      first(
        !(isObject(named) && /^[a-zA-Z0-9_-]{1,64}$/.test(String(named["name"]))) && "tool_calls.function.name",
        !(isObject(named) && typeof named["arguments"] === "string") && "tool_calls.function.arguments",
      ),
    ),
  );
}

function checkCalls(messages: readonly JsonObject[]): string | undefined {
  const open = new Set<unknown>();
  for (const { role, tool_calls: calls, tool_call_id: answered } of messages) {
    if (role === "tool" && !open.delete(answered)) return `no call for the result ${JSON.stringify(answered)}`;
    if (role !== "tool" && open.size > 0) return `no result for the call ${[...open].join()}`;
    for (const { id } of objects(calls)) {
      if (open.has(id)) return `duplicate call ${JSON.stringify(id)}`;
      open.add(id);
    }
  }
  return open.size === 0 ? undefined : `no result for the call ${[...open].join()}`;
}
