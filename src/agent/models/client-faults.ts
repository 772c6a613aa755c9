// What a client library reports or throws, as a fault of ours. The wire knows best what went wrong with the
// connection; the library is asked only for what the provider said inside the stream.
import { abortedFault, cutFault, eventFault, type FaultContext, malformedFault, redact, wordsOf } from "./faults.ts";
import type { ModelError } from "./model.ts";
import type { Wire } from "./wire.ts";

export interface Asking {
  readonly context: FaultContext;
  readonly wire: Wire;
  readonly signal: AbortSignal;
}

/** An `error` part: an event that did not parse, the server's own error, or an end without a finish reason. */
export function clientPartFault(asked: Asking, error: unknown): ModelError {
  const { context, wire } = asked;
  if (wire.state.fault !== undefined) return wire.state.fault;
  if (!(error instanceof Error)) return eventFault(context, error);
  const reported = reportIn(error);
  if (reported !== undefined) return eventFault(context, reported);
  if (error.name === "AI_InvalidResponseDataError") {
    return cutFault(context, wire.state.ended ? "it came without a finish reason" : "the stream ended early");
  }
  const { value, text } = error as { readonly value?: unknown; readonly text?: unknown };
  if (wordsOf(value) !== "") return eventFault(context, value);
  const event = redact(typeof text === "string" ? text : (JSON.stringify(value) ?? error.message), context.secret);
  return malformedFault(context, `an event of the answer cannot be read: ${event.slice(0, 200)}`, true);
}

export function thrownFault(asked: Asking, error: unknown): ModelError {
  const { context, wire, signal } = asked;
  if (signal.aborted) return abortedFault(context);
  if (wire.state.fault !== undefined) return wire.state.fault;
  const reported = reportIn(error);
  if (reported !== undefined) return eventFault(context, reported);
  return malformedFault(context, error instanceof Error ? error.message : String(error), false);
}

/** Some clients wrap an error that the server put into the stream in one of theirs. */
function reportIn(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "AI_APICallError") return undefined;
  const { data, responseBody } = error as { readonly data?: unknown; readonly responseBody?: unknown };
  if (typeof data === "object" && data !== null) return data;
  if (typeof responseBody !== "string") return undefined;
  try {
    return JSON.parse(responseBody) as unknown;
  } catch {
    return responseBody;
  }
}
