// Asks a model in tests and gathers its parts.
import type { Model, ModelMessage, ModelRequest, ModelStreamPart } from "../../../../src/agent/models/model.ts";
import type { Part } from "../../../../src/ledger/types.ts";

export function user(...texts: readonly string[]): ModelMessage {
  return { role: "user", parts: texts.map((text) => ({ kind: "text", text })) };
}

export function assistant(...parts: readonly Part[]): ModelMessage {
  return { role: "assistant", parts };
}

export function toRequest(model: Model, fields: Partial<ModelRequest>): ModelRequest {
  return {
    system: "",
    messages: [user("hello")],
    tools: [],
    route: model.route,
    signal: new AbortController().signal,
    loadBlob: () => Promise.reject(new Error("no blob expected")),
    beforeSend: () => Promise.resolve(),
    ...fields,
  };
}

export async function ask(model: Model, fields: Partial<ModelRequest> = {}): Promise<ModelStreamPart[]> {
  const parts: ModelStreamPart[] = [];
  for await (const part of model.stream(toRequest(model, fields))) parts.push(part);
  return parts;
}

export function textOf(parts: readonly ModelStreamPart[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("");
}
