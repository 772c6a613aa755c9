// Our messages in the prompt form that all clients of the AI SDK take (LanguageModelV3).
// What a model cannot be shown is said in words, never dropped in silence.
import type { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import { shownImages } from "../../ledger/image-token.ts";
import type { FilePart, Part, ToolOutcome } from "../../ledger/types.ts";
import type { ModelMessage, ModelRequest } from "./model.ts";

export type CallOptions = Parameters<OpenAICompatibleChatLanguageModel["doStream"]>[0];
type Prompt = CallOptions["prompt"];
type Message = Prompt[number];
type Content<Role extends string> = Extract<Message, { role: Role; content: readonly unknown[] }>["content"];

type ProviderOptions = NonNullable<Message["providerOptions"]>;
type FunctionTool = Extract<NonNullable<CallOptions["tools"]>[number], { type: "function" }>;

/** What differs between providers in how our messages are put to them. */
export interface PromptForm {
  /** Of files, those that the model can be given as they are. */
  readonly files: RegExp;
  /** The most bytes of one of them; absent: no less than a prompt may have. */
  readonly maxBytes?: number;
  /** An opaque text of this provider as the client wants it back; nothing when it cannot be used any more. */
  readonly replay: (data: string, keeper: "text" | "reasoning" | "tool-call") => ProviderOptions | undefined;
}

export interface PromptRequest extends Pick<ModelRequest, "system" | "messages" | "route" | "loadBlob"> {
  readonly form: PromptForm;
}

function toTools(request: ModelRequest): FunctionTool[] {
  return request.tools.map(({ name, description, input }) => ({
    type: "function",
    name,
    description,
    inputSchema: input as FunctionTool["inputSchema"],
  }));
}

/** What every client takes alike; what a route leaves open is left to the provider. */
export function commonOptions(request: ModelRequest): Omit<CallOptions, "prompt"> {
  const { maxOutputTokens, temperature, topP } = request.route.options ?? {};
  return {
    abortSignal: request.signal,
    ...(request.tools.length === 0 ? {} : { tools: toTools(request) }),
    ...(typeof maxOutputTokens === "number" ? { maxOutputTokens } : {}),
    ...(typeof temperature === "number" ? { temperature } : {}),
    ...(typeof topP === "number" ? { topP } : {}),
  };
}

export async function toPrompt(request: PromptRequest): Promise<Prompt> {
  const prompt: Prompt = request.system === "" ? [] : [{ role: "system", content: request.system }];
  const tools = toolNames(request.messages);
  for (const message of request.messages) {
    const mapped = await toMessage(message, request, tools);
    if (mapped.content.length > 0) prompt.push(mapped);
  }
  return prompt;
}

/** What the model reads as the result of its call. */
function outcomeText(outcome: ToolOutcome): string {
  const output = outcome.output ?? "";
  const said = (sentence: string): string => (output === "" ? sentence : `${sentence}\n${output}`);
  switch (outcome.kind) {
    case "ok":
      if (output.trim() !== "") return output;
      return output === "" ? "(no output)" : "(only white space)";
    case "failed":
      return said(outcome.exitCode === undefined ? "The call failed." : `exit code ${outcome.exitCode}`);
    case "cancelled":
      return said("The user stopped this call before it finished; it may have done part of its work.");
    case "denied":
      return said("The user did not allow this call; it did not run.");
    case "unknown":
      return said(
        "It is unknown whether this call took effect: it was started, and no result was recorded. Check before repeating it.",
      );
  }
}

async function toMessage(
  message: ModelMessage,
  request: PromptRequest,
  tools: ReadonlyMap<string, string>,
): Promise<Message & { content: unknown[] }> {
  switch (message.role) {
    case "user":
      return { role: "user", content: await toUserContent(message.parts, request) };
    case "assistant":
      return { role: "assistant", content: toAssistantContent(message.parts, request) };
    case "tool":
      return { role: "tool", content: toToolContent(message.parts, tools) };
  }
}

async function toUserContent(parts: readonly Part[], request: PromptRequest): Promise<Content<"user">> {
  const content: Content<"user"> = [];
  for (const part of parts) {
    if (part.kind === "text" || part.kind === "summary" || part.kind === "note") {
      const last = content.at(-1);
      const text = shownImages(part.text);
      if (text === "") continue;
      // One text is a plain string on the wire, which every server takes.
      if (last?.type === "text") content[content.length - 1] = { type: "text", text: `${last.text}\n\n${text}` };
      else content.push({ type: "text", text });
    } else if (part.kind === "file") {
      content.push(await toFileContent(part, request));
    }
  }
  return content;
}

async function toFileContent(part: FilePart, request: PromptRequest): Promise<Content<"user">[number]> {
  const { mediaType, name } = part;
  const named = name === undefined ? {} : { filename: name };
  if (isText(mediaType)) {
    const text = new TextDecoder().decode(await request.loadBlob(part.blob));
    return { type: "text", text: `File ${name ?? "without a name"}:\n${text}` };
  }
  const { files, maxBytes = Number.POSITIVE_INFINITY } = request.form;
  if (part.bytes > maxBytes) {
    const most = `${maxBytes / 1024 / 1024} MB`;
    return {
      type: "text",
      text: `[${name ?? "A file"} left out: ${request.route.provider} takes no more than ${most}]`,
    };
  }
  if (files.test(mediaType)) {
    return { type: "file", mediaType, data: await request.loadBlob(part.blob), ...named };
  }
  return {
    type: "text",
    text: `[A file is attached that cannot be shown here: ${name ?? "no name"}, ${mediaType}, ${part.bytes} bytes.]`,
  };
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|toml|javascript|x-sh)\b|\+(xml|json)$/.test(mediaType);
}

function toAssistantContent(parts: readonly Part[], request: PromptRequest): Content<"assistant"> {
  const content: Content<"assistant"> = [];
  for (const part of parts) {
    if (part.kind === "text") {
      if (part.text !== "") content.push({ type: "text", text: part.text, ...replayed(part, "text", request) });
    } else if (part.kind === "reasoning") {
      // Foreign reasoning is not ours to hand on: providers refuse it or take it for their own.
      const own = part.opaque?.provider === request.route.provider;
      const options = replayed(part, "reasoning", request);
      if (own && options !== undefined) content.push({ type: "reasoning", text: part.text, ...options });
    } else if (part.kind === "tool-call") {
      const { call: toolCallId, tool: toolName, input } = part;
      content.push({ type: "tool-call", toolCallId, toolName, input, ...replayed(part, "tool-call", request) });
    }
  }
  return content;
}

function replayed(
  part: Extract<Part, { kind: "text" | "reasoning" | "tool-call" }>,
  keeper: "text" | "reasoning" | "tool-call",
  { route, form }: PromptRequest,
): { providerOptions: ProviderOptions } | undefined {
  if (part.opaque?.provider !== route.provider) return undefined;
  const providerOptions = form.replay(part.opaque.data, keeper);
  return providerOptions === undefined ? undefined : { providerOptions };
}

function toToolContent(parts: readonly Part[], tools: ReadonlyMap<string, string>): Content<"tool"> {
  const content: Content<"tool"> = [];
  for (const part of parts) {
    if (part.kind !== "tool-result") continue;
    content.push({
      type: "tool-result",
      toolCallId: part.call,
      toolName: tools.get(part.call) ?? "tool",
      output: { type: "text", value: outcomeText(part.outcome) },
    });
  }
  return content;
}

/** By call: Google pairs a result with its call by the tool's name. */
function toolNames(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.kind === "tool-call") names.set(part.call, part.tool);
  return names;
}
