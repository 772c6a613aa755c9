// Every fault of a provider as a ModelError: code, the provider's own words, what to do, and whether
// repeating is right. No message made here contains the API key, even where a server echoes it.
import { pathAdvice } from "./address.ts";
import { classify, type HintContext, NO_ROOM } from "./fault-kinds.ts";
import type { ModelError } from "./model.ts";
import { retryDelay } from "./retry-delay.ts";

export interface FaultContext extends HintContext {
  readonly provider: string;
  readonly secret?: string;
}

export interface StatusFault {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** As far as it was read. */
  readonly body: string;
  /** ms since the epoch: what an HTTP date in Retry-After counts from. */
  readonly now: number;
}

const MAX_WORDS = 600;

function makeFault(context: FaultContext, fault: ModelError): ModelError {
  const { hint, message, ...rest } = fault;
  return {
    ...rest,
    message: clip(redact(message, context.secret)),
    ...(hint === undefined ? {} : { hint: redact(hint, context.secret) }),
  };
}

/** Keys of fewer than four characters are placeholders ("x") and would only garble the text. */
export function redact(text: string, secret: string | undefined): string {
  const withoutUserInfo = text.replace(/\/\/[^/\s@]+@/g, "//");
  if (secret === undefined || secret.length < 4) return withoutUserInfo;
  return withoutUserInfo.replaceAll(secret, "[key]").replaceAll(encodeURIComponent(secret), "[key]");
}

export function statusFault(context: FaultContext, fault: StatusFault): ModelError {
  const words = wordsOfBody(fault.body);
  const kind = classify(fault.status, `${signsOf(parseJson(fault.body))} ${words}`);
  const retryAfterMs = kind.retryable ? retryDelay(fault.headers, fault.body, fault.now) : undefined;
  const name = [String(fault.status), fault.statusText].filter((word) => word !== "").join(" ");
  return makeFault(context, {
    code: kind.code,
    message: `${context.provider} answered ${name}${words === "" ? "" : `: ${words}`}`,
    hint: kind.hint(context),
    retryable: kind.retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** An error object that came inside a stream which had begun with 200. */
export function eventFault(context: FaultContext, error: unknown): ModelError {
  const words = wordsOf(error) || "no reason given";
  const code = errorCodeOf(error);
  const said = typeof error === "string" ? error : JSON.stringify(error);
  const kind = classify(/^[45]\d\d$/.test(code) ? Number(code) : 500, `${signsOf(error)} ${words}`);
  const retryAfterMs = kind.retryable ? retryDelay(undefined, said, 0) : undefined;
  return makeFault(context, {
    code: kind.code,
    message: `${context.provider} reported an error while answering${code === "" ? "" : ` (${code})`}: ${words}`,
    hint: kind.hint(context),
    retryable: kind.retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** `error` is what fetch threw before any answer came. */
export function networkFault(context: FaultContext, error: unknown): ModelError {
  // fetch refuses some ports outright, with a message and no code.
  const code = networkCode(error) || (deepestMessage(error) === "bad port" ? "ERR_BAD_PORT" : "");
  const lasting =
    /^(ECONNREFUSED|ENOTFOUND|ERR_INVALID_URL|ERR_BAD_PORT|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_TLS)/.test(code);
  return makeFault(context, {
    code: "model_refused",
    message: `${context.provider}: no connection to ${context.endpoint} (${code || deepestMessage(error)})`,
    hint: networkHint(code),
    retryable: !lasting,
  });
}

export function cutFault(context: FaultContext, why: string): ModelError {
  return makeFault(context, {
    code: "model_cut",
    message: `${context.provider}: the answer is incomplete: ${why}`,
    hint: "Nothing of it is kept as an answer; ask again.",
    retryable: true,
  });
}

/** The connection stands and nothing comes. */
export function stalledFault(context: FaultContext, ms: number): ModelError {
  return makeFault(context, {
    code: "model_stalled",
    message: `${context.provider}: the answer is incomplete: nothing came for ${Math.round(ms / 100) / 10} s`,
    hint: "Nothing of it is kept as an answer; ask again.",
    retryable: true,
  });
}

export function malformedFault(context: FaultContext, why: string, retryable: boolean): ModelError {
  return makeFault(context, {
    code: "model_malformed",
    message: `${context.provider}: ${why}`,
    hint: `Check that ${context.endpoint} speaks the format of this kind of provider.${pathAdvice(context.endpoint)}`,
    retryable,
  });
}

export function emptyFault(context: FaultContext): ModelError {
  return makeFault(context, {
    code: "model_empty",
    message: `${context.provider} ended its answer without a text or a call`,
    hint: "Ask again (/retry), or use another model.",
    retryable: false,
  });
}

/** A limit of the answer's length, before any text of it. */
export function cutCallFault(context: FaultContext): ModelError {
  return makeFault(context, {
    code: "model_empty",
    message: `${context.provider} reached its limit in the middle of a tool call, which was not run`,
    hint: "Ask for less at once, or use another model.",
    retryable: false,
  });
}

/** The window was full before an answer began. */
export function noRoomFault(context: FaultContext): ModelError {
  const { code, retryable, hint } = NO_ROOM;
  const message = `${context.provider} had no room left for an answer: the conversation fills the context window`;
  return makeFault(context, { code, message, hint: hint(context), retryable });
}

export function abortedFault(context: FaultContext): ModelError {
  return makeFault(context, { code: "model_aborted", message: `${context.provider}: stopped`, retryable: false });
}

/** The sentence in whatever shape a server puts it; "" when there is none. */
export function wordsOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join("; ");
  if (typeof value !== "object" || value === null) return "";
  const fields = value as { readonly [key: string]: unknown };
  for (const key of ["error", "message", "detail", "msg", "errors", "response"]) {
    const words = wordsOf(fields[key]);
    if (words !== "") return words;
  }
  return "";
}

function wordsOfBody(body: string): string {
  const parsed = parseJson(body);
  if (parsed !== undefined) return wordsOf(parsed);
  return body
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The machine-readable name of an error: `error.code`, else `error.type`, else its own `code`. */
function errorCodeOf(value: unknown): string {
  const parsed = typeof value === "string" ? parseJson(value) : value;
  if (typeof parsed !== "object" || parsed === null) return "";
  const fields = parsed as { readonly [key: string]: unknown };
  for (const around of [fields.error, fields.response]) {
    if (typeof around === "object" && around !== null) return errorCodeOf(around);
  }
  const code = fields.code ?? fields.type;
  return typeof code === "string" || typeof code === "number" ? String(code) : "";
}

const SIGNS = ["code", "type", "status", "reason", "quotaId"];
const AROUND_SIGNS = ["error", "response", "details", "violations"];

/** All machine-readable names in an error. Nothing else of it: servers echo what they were asked. */
function signsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(signsOf).join(" ");
  if (typeof value !== "object" || value === null) return "";
  const fields = value as { readonly [key: string]: unknown };
  const own = SIGNS.map((key) => fields[key]).filter((sign) => typeof sign === "string" || typeof sign === "number");
  return [...own, ...AROUND_SIGNS.map((key) => signsOf(fields[key]))].filter((sign) => sign !== "").join(" ");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the caller falls back to the plain text
  }
}

function networkCode(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = (current as NodeJS.ErrnoException).code;
    if (typeof code === "string" && code !== "") return code;
  }
  return "";
}

function deepestMessage(error: unknown): string {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  return current instanceof Error ? current.message : String(current);
}

function networkHint(code: string): string {
  if (code === "ECONNREFUSED") return "Nothing listens there: start the server, or correct the base URL.";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return "The host name is not known: check the base URL and the network.";
  if (/CERT|TLS|SIGNED|UNABLE_TO/.test(code))
    return "The server's certificate is not trusted (NODE_EXTRA_CA_CERTS adds one).";
  return "Check the network and the base URL.";
}

function clip(text: string): string {
  return text.length <= MAX_WORDS ? text : `${text.slice(0, MAX_WORDS)}…`;
}
