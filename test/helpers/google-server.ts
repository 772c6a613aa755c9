// Google's Gemini API for tests: its events, and its rules for a request.
import {
  first,
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

export const googleFormat: ProviderFormat = {
  basePath: "/v1beta",
  check,
  error: (code, message) => ({
    error: { code, message, status: code === 400 ? "INVALID_ARGUMENT" : "INTERNAL" },
  }),
  events: (answer) => {
    const chunks = answer.blocks.flatMap((block): object[] => {
      const signed = block.secret === undefined ? {} : { thoughtSignature: block.secret };
      if ("call" in block) return [{ functionCall: callOf(block.call, block.input, block.id), ...signed }];
      const texts = pieces("say" in block ? block.say : block.think);
      const thought = "think" in block ? { thought: true } : {};
      return texts.map((text, at) => ({ text, ...thought, ...(at === texts.length - 1 ? signed : {}) }));
    });
    const events = chunks.map((part) =>
      event({ candidates: [{ content: { role: "model", parts: [part] }, index: 0 }] }),
    );
    return { content: events, closing: answer.finish === null ? [] : [closingEvent(answer)] };
  },
};

function event(fields: object): string {
  return `data: ${JSON.stringify({ ...fields, modelVersion: "m", responseId: "r1" })}\n\n`;
}

/** Calls come whole: there is no half of one. */
function callOf(name: string, input: Parameters<typeof fragments>[0], id: string | undefined): object {
  return { name, args: JSON.parse(fragments(input).join("")) as unknown, ...(id === undefined ? {} : { id }) };
}

function closingEvent({ finish, usage }: ProviderAnswer): string {
  const finishReason = finish === "length" ? "MAX_TOKENS" : finish === "refusal" ? "SAFETY" : "STOP";
  const thoughts = usage?.reasoning ?? 0;
  return event({
    candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason, index: 0 }],
    usageMetadata: {
      promptTokenCount: usage?.input ?? 1,
      candidatesTokenCount: (usage?.output ?? 1) - thoughts,
      thoughtsTokenCount: thoughts,
      cachedContentTokenCount: usage?.cacheRead ?? 0,
      totalTokenCount: (usage?.input ?? 1) + (usage?.output ?? 1),
    },
  });
}

const TOP = ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"];

function check({ path, headers, body }: ProviderRequest, issued: Issued): string | undefined {
  const contents = objects(body.contents);
  const model = /^\/v1beta\/models\/([^:]+):streamGenerateContent\?alt=sse$/.exec(path)?.[1];
  return first(
    model === undefined && `no such path: ${path}`,
    headers["x-goog-api-key"] === undefined && "API key not valid",
    strangeKey(body, TOP, "body"),
    contents.length === 0 && "contents is not specified",
    contents[0]?.role !== "user" && "the first content should be with role 'user'",
    checkThinking(body, model ?? ""),
    ...contents.map((content, at) => checkContent(content, contents[at - 1], contents[at + 1])),
    ...contents.flatMap(({ parts }) => objects(parts).map((part) => checkPart(part, issued))),
    /gemini-3/.test(model ?? "") && checkSignatures(contents),
  );
}

function checkThinking({ generationConfig: config }: JsonObject, model: string): string | undefined {
  const thinking = isObject(config) ? config.thinkingConfig : undefined;
  if (!isObject(thinking)) return undefined;
  const { thinkingBudget: budget, thinkingLevel: level } = thinking;
  return first(
    !/gemini-(?:2\.5|[3-9])/.test(model) && "thinking is not supported by this model",
    budget !== undefined && level !== undefined && "thinking budget and level are exclusive",
    level !== undefined && /gemini-2/.test(model) && "thinking level is not supported by this model",
    level === "medium" && /gemini-3-pro/.test(model) && "thinking level MEDIUM is not supported by this model",
  );
}

function checkContent(
  content: JsonObject,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): string | undefined {
  const names = (of: JsonObject | undefined, key: string): string =>
    objects(of?.parts)
      .flatMap((part) =>
        isObject(part[key]) ? [`${JSON.stringify(part[key].name)} ${JSON.stringify(part[key].id)}`] : [],
      )
      .join();
  const calls = names(content, "functionCall");
  const results = names(content, "functionResponse");
  return first(
    strangeKey(content, ["role", "parts"], "contents"),
    content.role !== "user" && content.role !== "model" && `role ${JSON.stringify(content.role)}`,
    content.role === "model" && before?.role === "model" && "two contents of the model in a row",
    objects(content.parts).length === 0 && "contents.parts must not be empty",
    calls !== "" && before?.role !== "user" && "function call turn comes after a user turn",
    calls !== "" && names(after, "functionResponse") !== calls && "function response parts equal function call parts",
    results !== "" && names(before, "functionCall") !== results && "function response turn comes after a function call",
  );
}

const DATA = ["text", "inlineData", "functionCall", "functionResponse"];

function checkPart(part: JsonObject, { secrets }: Issued): string | undefined {
  const { thoughtSignature: signature, functionCall: call } = part;
  const isKnown =
    signature === undefined ||
    (typeof signature === "string" && (secrets.has(signature) || signature.startsWith("skip_")));
  return first(
    strangeKey(part, [...DATA, "thought", "thoughtSignature"], "parts"),
    DATA.filter((key) => part[key] !== undefined).length !== 1 && "required oneof field 'data' must be initialized",
    part.text === "" && "text must not be empty",
    isObject(call) && !isObject(call.args) && "function_call.args must be a Struct",
    !isKnown && "Corrupted thought signature.",
  );
}

/** The first call of each answer is signed. */
function checkSignatures(contents: readonly JsonObject[]): string | undefined {
  const bare = contents.some(({ parts }) => {
    const call = objects(parts).find((part) => part.functionCall !== undefined);
    return call !== undefined && call.thoughtSignature === undefined;
  });
  return bare ? "Function call is missing a thought_signature in functionCall parts." : undefined;
}
