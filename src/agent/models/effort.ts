// How much a model thinks before it answers: which levels each one knows, by the kind of its provider and its name, as
// the providers' pages have it. A model that is not known is offered the three levels that all of them began with, one
// that does not think none. A level that a model does not know never goes out.
import type { ModelRoute } from "../../ledger/types.ts";
import type { ProviderKind } from "./providers.ts";

const USUAL = ["low", "medium", "high"] as const;
const UP_TO_XHIGH = [...USUAL, "xhigh"] as const;
const UP_TO_MAX = [...UP_TO_XHIGH, "max"] as const;

type Family = readonly [name: RegExp, levels: readonly string[]];

const ANTHROPIC: readonly Family[] = [
  [/claude-[a-z]+-(?:4-[7-9]|[5-9])(?!\d)/, UP_TO_MAX],
  [/claude-[a-z]+-4-6/, [...USUAL, "max"]],
  // Levels of our own for these: a number of tokens to think with.
  [/claude-3-7|claude-[a-z]+-4/, USUAL],
  [/claude-[23]|claude-instant/, []],
];

const OPENAI: readonly Family[] = [
  [/^(?:gpt-[34]|chatgpt|gpt-\S+-chat)/, []],
  [/^gpt-6\.\d+-(?:sol|astra)/, UP_TO_MAX],
  [/^gpt-6-astra/, UP_TO_XHIGH],
  [/^gpt-(?:5\.6|6)/, ["none", ...UP_TO_MAX]],
  [/^gpt-5\.[2-5]\S*-codex/, UP_TO_XHIGH],
  [/^gpt-5\.[2-5]/, ["none", ...UP_TO_XHIGH]],
  [/^gpt-5\.1(?!\S*-codex)/, ["none", ...USUAL]],
  [/^gpt-5-pro/, ["high"]],
  [/^gpt-5(?:-|$)(?!codex|chat)/, ["minimal", ...USUAL]],
];

const GOOGLE: readonly Family[] = [
  [/image|tts|audio|live|banana|gemini-(?:1|2\.0)/, []],
  [/gemini-3-pro/, ["low", "high"]],
  [/gemini-3(?:\.[56])?-flash/, ["minimal", ...USUAL]],
];

const OPENROUTER = ["none", "minimal", ...UP_TO_XHIGH];

export interface Asked {
  readonly kind: ProviderKind;
  readonly model: string;
  readonly baseURL?: string;
}

/** From the least to the most; empty for a model that does not think. */
export function effortLevels({ kind, model, baseURL = "" }: Asked): readonly string[] {
  switch (kind) {
    case "anthropic":
      return levelsIn(ANTHROPIC, model);
    case "openai":
      return levelsIn(OPENAI, model);
    case "google":
      return levelsIn(GOOGLE, model);
    case "ollama":
      return USUAL;
    case "openai-compatible":
      return /\/\/openrouter\.ai\//.test(baseURL) ? OPENROUTER : USUAL;
  }
}

function levelsIn(families: readonly Family[], model: string): readonly string[] {
  return families.find(([name]) => name.test(model))?.[1] ?? USUAL;
}

/** Undefined: as the provider has it. */
export function effortOf({ options }: Pick<ModelRoute, "options">): string | undefined {
  return typeof options?.effort === "string" ? options.effort : undefined;
}

/** Undefined takes it away. */
export function withEffort({ options, ...route }: ModelRoute, effort: string | undefined): ModelRoute {
  const { effort: _, ...rest } = options ?? {};
  const wanted = effort === undefined ? rest : { ...rest, effort };
  return Object.keys(wanted).length === 0 ? route : { ...route, options: wanted };
}
