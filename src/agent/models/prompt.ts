// Our messages in the prompt form that all clients of the AI SDK take (LanguageModelV3).
// What a model cannot be shown is said in words, never dropped in silence.
import type { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { FilePart, Part, ToolOutcome } from "../../ledger/types.ts";
import type { ModelMessage, ModelRequest } from "./model.ts";

export type CallOptions = Parameters<OpenAICompatibleChatLanguageModel["doStream"]>[0];
type Prompt = CallOptions["prompt"];
type Message = Prompt[number];
type Content<Role extends string> = Extract<Message, { role: Role; content: readonly unknown[] }>["content"];

export type PromptRequest = Pick<ModelRequest, "system" | "messages" | "route" | "loadBlob">;

export async function toPrompt(request: PromptRequest): Promise<Prompt> {
  const prompt: Prompt = request.system === "" ? [] : [{ role: "system", content: request.system }];
  for (const message of request.messages) {
    const mapped = await toMessage(message, request);
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
      return output === "" ? "(no output)" : output;
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

async function toMessage(message: ModelMessage, request: PromptRequest): Promise<Message & { content: unknown[] }> {
  switch (message.role) {
    case "user":
      return { role: "user", content: await toUserContent(message.parts, request) };
    case "assistant":
      return { role: "assistant", content: toAssistantContent(message.parts, request.route.provider) };
    case "tool":
      return { role: "tool", content: toToolContent(message.parts) };
  }
}

async function toUserContent(parts: readonly Part[], request: PromptRequest): Promise<Content<"user">> {
  const content: Content<"user"> = [];
  for (const part of parts) {
    if (part.kind === "text" || part.kind === "summary" || part.kind === "note") {
      const last = content.at(-1);
      if (part.text === "") continue;
      // One text is a plain string on the wire, which every server takes.
      if (last?.type === "text") content[content.length - 1] = { type: "text", text: `${last.text}\n\n${part.text}` };
      else content.push({ type: "text", text: part.text });
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
  if (/^image\/|^application\/pdf$|^audio\/(wav|mp3|mpeg)$/.test(mediaType)) {
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

function toAssistantContent(parts: readonly Part[], provider: string): Content<"assistant"> {
  const content: Content<"assistant"> = [];
  for (const part of parts) {
    if (part.kind === "text") {
      if (part.text !== "") content.push({ type: "text", text: part.text });
    } else if (part.kind === "reasoning") {
      // Foreign reasoning is not ours to hand on: providers refuse it or take it for their own.
      if (part.text !== "" && part.opaque?.provider === provider) content.push({ type: "reasoning", text: part.text });
    } else if (part.kind === "tool-call") {
      const signature = part.opaque?.provider === provider ? part.opaque.data : undefined;
      content.push({
        type: "tool-call",
        toolCallId: part.call,
        toolName: part.tool,
        input: part.input,
        ...(signature === undefined ? {} : { providerOptions: { google: { thoughtSignature: signature } } }),
      });
    }
  }
  return content;
}

function toToolContent(parts: readonly Part[]): Content<"tool"> {
  const content: Content<"tool"> = [];
  for (const part of parts) {
    if (part.kind !== "tool-result") continue;
    // Chat completions ignore the name of a result; the id is what pairs it.
    content.push({
      type: "tool-result",
      toolCallId: part.call,
      toolName: "tool",
      output: { type: "text", value: outcomeText(part.outcome) },
    });
  }
  return content;
}
