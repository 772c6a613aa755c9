// How many tokens a conversation has: the provider's own count up to its last answer, and from there an estimate of
// ours, a quarter of the bytes by a factor that earlier counts corrected. Pure; costs what is looked at.
import type { Message, Part } from "../ledger/types.ts";

/** What one message adds to each request: its role and the marks around it. */
const MESSAGE_TOKENS = 4;
const BYTES_A_TOKEN = 4;
/** A picture or a page, for which bytes say nothing. */
const FILE_TOKENS = 1_500;
/** Less than this says nothing about the factor. */
const LEAST_ADDED = 100;
/** A count that differs more says something else, a cache or a summary of the provider's. */
const FACTOR = { least: 0.5, most: 2.5 };

export interface ContextSize {
  /** Up to and with the last answer that was counted. */
  readonly counted: number;
  /** Our estimate of what came after it, as it is. */
  readonly added: number;
  /** What an estimate is multiplied by. */
  readonly factor: number;
}

export function tokensOf({ counted, added, factor }: ContextSize): number {
  return counted + Math.round(added * factor);
}

export function estimateText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

export function estimateMessage({ role, parts }: Pick<Message, "role" | "parts">): number {
  // Notes are for people only.
  if (role === "note") return 0;
  return parts.reduce((sum, part) => sum + estimatePart(part), MESSAGE_TOKENS);
}

export function estimatePart(part: Part): number {
  switch (part.kind) {
    case "text":
    case "summary":
      return estimateText(part.text);
    case "tool-call":
      return estimateText(part.tool) + estimateText(JSON.stringify(part.input));
    case "tool-result":
      return estimateText(part.outcome.output ?? "");
    case "file":
      return FILE_TOKENS;
    case "shell":
      return part.told ? estimateText(part.command) : 0;
    case "reasoning":
    case "note":
      return 0;
  }
}

/** Of the newest part of a path, oldest first; undefined when no answer in it was counted. */
export function contextSize(messages: readonly Message[]): ContextSize | undefined {
  let size: ContextSize | undefined;
  for (const message of messages) size = withMessage(size, message);
  return size;
}

/** One message more. A summary begins anew, with what it says is left: what it stands for is not sent any more. */
export function withMessage(size: ContextSize | undefined, message: Message): ContextSize | undefined {
  if (message.role === "summary") return afterSummary(size, message);
  const { usage } = message;
  if (message.role === "assistant" && usage && usage.inputTokens > 0) {
    const counted = usage.inputTokens + usage.outputTokens - (usage.reasoningTokens ?? 0);
    return { counted, added: 0, factor: correctedFactor(size, usage.inputTokens) };
  }
  return size && { ...size, added: size.added + estimateMessage(message) };
}

function afterSummary(size: ContextSize | undefined, { parts }: Message): ContextSize | undefined {
  const part = parts.find((each) => each.kind === "summary");
  if (part?.kind !== "summary" || part.after === undefined) return undefined;
  return { counted: part.after, added: 0, factor: size?.factor ?? 1 };
}

/** Half way to what the new count says: one odd message does not spoil the next. */
function correctedFactor(size: ContextSize | undefined, input: number): number {
  if (!size) return 1;
  if (size.added < LEAST_ADDED) return size.factor;
  const wanted = (input - size.counted) / size.added;
  return Math.min(FACTOR.most, Math.max(FACTOR.least, (size.factor + wanted) / 2));
}
