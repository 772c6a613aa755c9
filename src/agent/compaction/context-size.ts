// How full the window is with the next request: what the provider counted last, what came since, less what is now left
// out. Pure.
import type { Message } from "../../ledger/types.ts";
import { stubOldResults } from "../stub-results.ts";
import { contextSize, estimateMessage, tokensOf } from "../tokens.ts";

export interface RequestSize {
  /** Of the whole request, in tokens. */
  readonly tokens: number;
  /** How many tokens there are to one that we estimate of the same request, system prompt and tools included. */
  readonly scale: number;
}

/** `fixed`: our estimate of system prompt and tools. */
export function requestSize(
  path: readonly Message[],
  about: { window: number | undefined; fixed: number },
): RequestSize {
  const { window, fixed } = about;
  const estimated = fixed + estimateAll(stubOldResults(path, window));
  const tokens = countedSize(path, window) ?? estimated;
  return { tokens, scale: tokens / Math.max(1, estimated) };
}

function countedSize(path: readonly Message[], window: number | undefined): number | undefined {
  const size = contextSize(path);
  if (!size) return undefined;
  const counted = path.findLastIndex(isCounted);
  const freed = freedOf(path, window) - freedOf(path.slice(0, counted), window);
  return Math.max(0, tokensOf(size) - Math.round(freed * size.factor));
}

export function estimateAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

function isCounted({ role, usage }: Message): boolean {
  return role === "summary" || (role === "assistant" && usage !== undefined && usage.inputTokens > 0);
}

function freedOf(path: readonly Message[], window: number | undefined): number {
  const sent = stubOldResults(path, window);
  return sent === path ? 0 : estimateAll(path) - estimateAll(sent);
}
