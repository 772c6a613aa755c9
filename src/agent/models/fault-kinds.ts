// What an error of a provider is: its stable code, whether repeating the request is right, and what to do.
// Decided by the status together with the provider's own code and words, since statuses alone do not tell an
// empty account from a rate, an overload from a fault, or a conversation that is too long from a bad request.
import { pathAdvice } from "./address.ts";
import type { ModelError } from "./model.ts";

export interface HintContext {
  /** Origin and path only; never with credentials or a query. */
  readonly endpoint: string;
  /** The environment variable the key came from. */
  readonly keyName?: string;
}

export interface FaultKind {
  readonly code: ModelError["code"];
  readonly retryable: boolean;
  readonly hint: (context: HintContext) => string;
}

const AUTH: FaultKind = {
  code: "model_auth",
  retryable: false,
  hint: (context) => (context.keyName === undefined ? "Set apiKeyEnv of this provider." : `Check ${context.keyName}.`),
};
const NOT_FOUND: FaultKind = {
  code: "model_not_found",
  retryable: false,
  hint: ({ endpoint }) =>
    `Check the model's name (stele models) and the base URL behind ${endpoint}.${pathAdvice(endpoint)}`,
};
const BILLING: FaultKind = {
  code: "model_billing",
  retryable: false,
  hint: () => "The account has no credit left: top it up.",
};
const RATE: FaultKind = {
  code: "model_rate_limit",
  retryable: true,
  hint: () => "Wait, or use another model (/model).",
};
const SPENT: FaultKind = {
  code: "model_rate_limit",
  retryable: false,
  hint: () => "The quota of the day is used up: use another model (/model).",
};
const OVERLOADED: FaultKind = {
  code: "model_overloaded",
  retryable: true,
  hint: () => "The provider has too much to do; try again later, or use another model (/model).",
};
const TOO_LONG: FaultKind = {
  code: "model_context_overflow",
  retryable: false,
  hint: () => "The conversation does not fit the model: /compress it, or choose a model with a larger window.",
};
const BAD: FaultKind = {
  code: "model_bad_request",
  retryable: false,
  hint: () => "The provider does not accept this request; another model or other options may work.",
};
const MOVED: FaultKind = {
  code: "model_bad_request",
  retryable: false,
  hint: () => "The endpoint redirects, which is not followed: set the final base URL in the config.",
};
const SERVER: FaultKind = {
  code: "model_server",
  retryable: true,
  hint: () => "A fault of the provider; try again later.",
};

/** "exceeded your current quota" is OpenAI's word for no credit and Google's for a rate: Google's comes with its status. */
const NO_CREDIT =
  /insufficient_quota|billing_(?:error|hard_limit_reached|not_active)|insufficient (?:credit|balance|funds)|credit balance is too low|account_deactivated|(?:requires?|enable) billing/i;
const OPENAI_NO_CREDIT = /^(?![\s\S]*RESOURCE_EXHAUSTED)[\s\S]*exceeded your current quota/i;
/**
 * Each kind of server has its own words for a conversation that is too long, many without a code of their own; the
 * last ones are of a request that is larger than what is allowed in a minute, which no waiting mends.
 */
const LONG_SIGNS = [
  "context[_ ]length[_ ]exceeded|exceed_context_size|request_too_large|model_context_window_exceeded",
  "maximum context length|context window|context limit|context size has been exceeded|available context size",
  "configured context size|(?:greater|longer) than the (?:model'?s )?context length|exceeds? (?:the )?context length",
  "exceeded (?:max )?context length|context length is only|maximum model length|exceeded model token limit",
  "prompt (?:is )?too long|input is too long|maximum prompt length|maximum allowed input length|range of input length",
  "prompt exceeds the length limit|token count of \\d+ exceeds the limit|too many (?:input )?tokens(?! per)",
  "exceeds the maximum number of (?:input )?tokens|input token count [\\s\\S]*exceeds|reduce the length of",
  "tokens must be reduced in order to run",
];
const LONG = new RegExp(LONG_SIGNS.join("|"), "i");
const NO_ACCESS =
  /invalid_api_key|authentication_error|permission_error|API_KEY_INVALID|api key not valid|UNAUTHENTICATED|PERMISSION_DENIED/i;
const BUSY = /overloaded|server_is_overloaded|at capacity/i;
const DAILY = /per_?day/i;

/** A prompt that left no room for an answer: some say so in place of a reason for its end. */
export const NO_ROOM = TOO_LONG;

/** `signs` is everything the provider said: its codes and its words. */
export function classify(status: number, signs: string): FaultKind {
  if (NO_CREDIT.test(signs) || OPENAI_NO_CREDIT.test(signs) || status === 402) return BILLING;
  if (LONG.test(signs)) return TOO_LONG;
  if (/model_not_found|not_found_error/i.test(signs) || status === 404) return NOT_FOUND;
  if (NO_ACCESS.test(signs) || status === 401 || status === 403) return AUTH;
  if (BUSY.test(signs) || status === 529) return OVERLOADED;
  if (/rate_limit|RESOURCE_EXHAUSTED/i.test(signs) || status === 429) return DAILY.test(signs) ? SPENT : RATE;
  if (status === 413) return TOO_LONG;
  if (status >= 500 || status === 408 || status === 425) return SERVER;
  return status < 400 ? MOVED : BAD;
}
