// What is told at a start where the guide answers: how to connect a model only where none is, for whoever chose the
// guide, or has a model and reads on a conversation with it, lacks nothing.
import type { RouteSource } from "./registry.ts";

/** `source`: where the model of a new conversation would come from. */
export function guideWords(source: RouteSource): readonly string[] {
  const what = "it is no language model, it obeys plain orders (try: help).";
  if (source !== "guide") return [`The embedded guide answers: ${what}`];
  return [
    `No model is connected, so the embedded guide answers: ${what}`,
    "To connect one: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, start Ollama, or name an endpoint: /config",
  ];
}
