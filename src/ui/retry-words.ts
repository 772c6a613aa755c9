// What is said while a request that failed waits to be made again. Pure.
import type { SessionEvent } from "../agent/events.ts";
import type { TurnError } from "../ledger/types.ts";

export type RetryWait = Extract<SessionEvent, { readonly type: "retry-wait" }>;

const words: Readonly<Record<string, string>> = {
  model_rate_limit: "rate limited",
  model_overloaded: "overloaded",
  model_server: "the provider failed",
  model_cut: "the answer broke off",
  model_refused: "connection lost",
  model_malformed: "the answer could not be read",
};

export function faultWords({ code }: Pick<TurnError, "code">): string {
  return words[code] ?? "no answer";
}

/** `rate limited · again in 7 s · esc stops`, and less of it where that is wider than `width` cells. */
export function countdownWords(wait: RetryWait, now: number, width: number): string {
  const left = Math.ceil((wait.at - now) / 1_000);
  const again = left > 0 ? `again in ${duration(left)}` : `asked again, retry ${wait.retry} of ${wait.of}`;
  const all = [faultWords(wait.error), again, "esc stops"];
  const choices = [all, all.slice(0, 2), all.slice(1, 2)].map((parts) => parts.join(" · "));
  return choices.find((words) => words.length <= width) ?? again;
}

/** For those who read it once. */
export function waitWords({ error, retry, of, waitMs }: RetryWait): string {
  return `${faultWords(error)}, asked again in ${duration(Math.ceil(waitMs / 1_000))} (retry ${retry} of ${of})`;
}

function duration(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
