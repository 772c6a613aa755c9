// How long an answer of a model that speaks Messages may get, in tokens: the interface has no default of its own, and
// takes no more than the model can. By family, as the provider's pages have it; what is known of a model goes before.

/** What speaks it and is none of Anthropic's: all that are known take this much. */
const OTHERS = 32_000;
/** Of a name that says nothing: what all models of Anthropic since 2025 can. */
const USUAL = 64_000;

export function longestAnswer(model: string): number {
  if (!model.includes("claude")) return OTHERS;
  if (/claude-(?:instant|v?2\b|3-(?:opus|sonnet|haiku))/.test(model)) return 4_096;
  if (/claude-3-5/.test(model)) return 8_192;
  // The date of a snapshot is no part of the version.
  const version = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  if (!version) return USUAL;
  const [, family, major = "", minor = "0"] = version;
  const number = Number(major) + Number(minor) / 100;
  if (number >= 4.06) return 128_000;
  return family === "opus" && number < 4.05 ? 32_000 : USUAL;
}
