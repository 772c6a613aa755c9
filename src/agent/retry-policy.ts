// When a request that failed is asked again: pure. What repeating cannot mend (a key, an account without credit, a
// conversation that does not fit) is never repeated; a server's own wish is kept, else the wait doubles, with jitter.
import type { ModelError } from "./models/model.ts";

/** Waits of 0.5, 1, 2, 4, 8, 16, 32 and 32 s, each a quarter shorter or longer: one and a half minutes in all. */
export const RETRY_LIMIT = 8;
const FIRST_MS = 500;
const LONGEST_MS = 32_000;
const JITTER = 0.25;
/** A server that wants a longer wait is not waited for: a person would rather know. */
const LONGEST_ASKED_MS = 10 * 60_000;
/** On top of what a server asks for, never below it; keeps windows that were refused together apart. */
const ASKED_JITTER = 0.1;
const ASKED_JITTER_MS = 1_000;
/** Retries of an overloaded model before the fallback is asked instead. */
const OVERLOAD_LIMIT = 2;

export interface Failed {
  readonly error: ModelError;
  /** Requests that failed in a row, this one included. */
  readonly failures: number;
  readonly limit: number;
  readonly hasFallback: boolean;
  /** In [0, 1). */
  readonly random: () => number;
}

export type NextStep =
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "fall-back" }
  /** `askedMs`: the server asks for a wait that is too long. */
  | { readonly kind: "give-up"; readonly askedMs?: number };

export function nextStep({ error, failures, limit, hasFallback, random }: Failed): NextStep {
  if (!error.retryable) return { kind: "give-up" };
  const asked = error.retryAfterMs;
  const isTooLong = asked !== undefined && asked > LONGEST_ASKED_MS;
  const most = hasFallback && isOverload(error) ? Math.min(limit, OVERLOAD_LIMIT) : limit;
  if (failures <= most && !isTooLong) return { kind: "wait", ms: waitMs(asked, failures, random) };
  if (hasFallback) return { kind: "fall-back" };
  return isTooLong && limit > 0 ? { kind: "give-up", askedMs: asked } : { kind: "give-up" };
}

function waitMs(asked: number | undefined, failures: number, random: () => number): number {
  if (asked !== undefined) return Math.ceil(asked + random() * Math.min(asked * ASKED_JITTER, ASKED_JITTER_MS));
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.round(whole * (1 - JITTER + 2 * JITTER * random()));
}

/** Providers say it by status (503, 529) or in words; some under the code of any other fault of theirs. */
function isOverload({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return code === "model_overloaded" || (code === "model_server" && /\b(503|529)\b|overload|capacity/i.test(message));
}
