// One fetch under every provider: digests the request and waits for `beforeSend`, watches for silence,
// bounds sizes, and reads along to see whether the wire format's own end came. A client library above
// cannot tell a cut stream from a finished one; this can. What went wrong is in `state`, already mapped,
// so nobody has to take a library's exception apart.
import { createHash } from "node:crypto";
import {
  cutFault,
  type FaultContext,
  malformedFault,
  networkFault,
  redact,
  stalledFault,
  statusFault,
  wordsOf,
} from "./faults.ts";
import type { ModelError } from "./model.ts";

export interface WireLimits {
  /** Silence within an answer that counts as cut, in ms. */
  readonly stallMs: number;
  /** Silence before the first byte, in ms; longer, because reading a long prompt and thinking are silent. */
  readonly firstByteMs: number;
  /** Of one whole answer. */
  readonly maxBytes: number;
}

export const WIRE_LIMITS: WireLimits = { stallMs: 60_000, firstByteMs: 300_000, maxBytes: 64 * 1024 * 1024 };

export interface WireOptions {
  readonly context: FaultContext;
  readonly signal: AbortSignal;
  readonly beforeSend: (bodyDigest: string) => Promise<void>;
  /** Whether an event's data is the format's own end, `[DONE]` for chat completions. */
  readonly isEnd: (data: string) => boolean;
  /** More of the answer may follow the end: it is read on until the body ends or a moment of silence. */
  readonly isFollowed?: boolean;
  readonly limits: WireLimits;
}

export interface WireState {
  readonly fault?: ModelError;
  /** What `beforeSend` threw: the caller's own, to be thrown on unchanged. */
  readonly thrown?: { readonly error: unknown };
  /** The format's own end was read. */
  readonly ended: boolean;
}

export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  readonly state: WireState;
  /** Ends the connection if it is still open. */
  close(): void;
}

const MAX_ERROR_BYTES = 64 * 1024;
const MAX_LINE = 8 * 1024 * 1024;
const MAX_SAMPLE = 200;
const DRAIN_MS = 1_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Line {
  readonly options: WireOptions;
  readonly state: Mutable<WireState>;
  isUsed: boolean;
  readonly stop: AbortController;
}

export function openWire(options: WireOptions): Wire {
  const line: Line = { options, state: { ended: false }, isUsed: false, stop: new AbortController() };
  const onAbort = (): void => line.stop.abort(options.signal.reason);
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  return {
    fetch: (input, init) => send(line, input, init),
    state: line.state,
    close: () => {
      options.signal.removeEventListener("abort", onAbort);
      // After the format's own end the connection is drained and goes back to the pool.
      if (!line.state.ended) line.stop.abort();
    },
  };
}

async function send(line: Line, input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
  const { context, limits, beforeSend } = line.options;
  const body = typeof init?.body === "string" ? init.body : "";
  line.stop.signal.throwIfAborted();
  // One announced request is one request: a client that asks again by itself would act behind the ledger's back.
  if (line.isUsed) throw fail(line, malformedFault(context, "the client asked a second time by itself", false));
  line.isUsed = true;
  try {
    await beforeSend(createHash("sha256").update(body).digest("hex"));
  } catch (error) {
    line.state.thrown = { error };
    throw error;
  }
  let response: Response;
  try {
    // Redirects are not followed: the transcript goes to the configured host and nowhere else.
    const asked = fetch(input, { ...init, redirect: "manual", signal: line.stop.signal });
    response = await watched(line, limits.firstByteMs, asked);
  } catch (error) {
    line.state.fault ??= networkFault(context, error);
    throw error;
  }
  if (!response.ok) return refuse(line, response);
  if (response.body === null) throw fail(line, malformedFault(context, "the answer has no body", true));
  return new Response(followBody(line, response), { status: response.status, headers: response.headers });
}

async function refuse(line: Line, response: Response): Promise<never> {
  const { status, statusText, headers } = response;
  const body = await readSome(line, response);
  throw fail(line, statusFault(line.options.context, { status, statusText, headers, body, now: Date.now() }));
}

/** The first part of an error's body; a body that breaks off is as good as a short one. */
async function readSome(line: Line, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  try {
    for (let size = 0; reader !== undefined && size < MAX_ERROR_BYTES; ) {
      const next = await watched(line, line.options.limits.stallMs, reader.read());
      if (next.done) break;
      const chunk = next.value as Uint8Array;
      chunks.push(chunk);
      size += chunk.length;
    }
  } catch {
    delete line.state.fault; // the status says more than the way its body ended
  }
  line.stop.abort();
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES));
}

/** The same bytes, read along. Ends by itself at the format's end; errors on silence, excess and foreign text. */
function followBody(line: Line, response: Response): ReadableStream<Uint8Array> {
  const { context, limits } = line.options;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const follower = followLines(line, response.headers.get("content-type") ?? "no content type");
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await readOn(line, reader, bytes === 0 ? limits.firstByteMs : limits.stallMs);
      bytes += next.value?.length ?? 0;
      if (bytes > limits.maxBytes) {
        throw fail(line, malformedFault(context, `the answer is larger than ${limits.maxBytes} bytes`, false));
      }
      follower.feed(next.value, next.done);
      if (next.value !== undefined) controller.enqueue(next.value);
      if (!next.done && (!line.state.ended || line.options.isFollowed === true)) return;
      controller.close();
      if (!next.done) void drain(reader);
    },
    cancel: (reason) => {
      line.stop.abort();
      return reader.cancel(reason);
    },
  });
}

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

async function readOn(line: Line, reader: ReadableStreamDefaultReader<Uint8Array>, ms: number): Promise<Read> {
  try {
    return await watched(line, line.state.ended ? DRAIN_MS : ms, reader.read());
  } catch (error) {
    if (line.state.ended) {
      delete line.state.fault; // the answer was whole already
      return { done: true, value: undefined };
    }
    line.state.fault ??= cutFault(line.options.context, "the connection broke off");
    throw error;
  }
}

/** Waits for `work`; after `ms` of silence the connection is ended and the fault is noted. */
async function watched<T>(line: Line, ms: number, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    line.state.fault ??= stalledFault(line.options.context, ms);
    line.stop.abort();
  }, ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** Past the end nothing is expected: a moment for the server to close properly, then the connection goes. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), DRAIN_MS).unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // the answer was whole already
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Splits an event stream into lines and looks at each. A line that is neither a field nor a comment is an
 * error: half a proxy's error page must not pass as an answer with a gap.
 */
function followLines(line: Line, contentType: string): { feed(bytes: Uint8Array | undefined, last: boolean): void } {
  const decoder = new TextDecoder();
  let pending = "";
  let hasFields = false;
  const check = (text: string): void => {
    if (text === "" || text.startsWith(":")) return;
    if (!isField(text)) throw fail(line, foreignFault(line, text, { begun: hasFields, contentType }));
    hasFields = true;
    if (text.startsWith("data:") && line.options.isEnd(text.slice(5).trim())) line.state.ended = true;
  };
  return {
    feed: (bytes, last) => {
      const text = decoder.decode(bytes, { stream: !last });
      pending += text;
      if (pending.length > MAX_LINE) {
        throw fail(line, malformedFault(line.options.context, `an event is larger than ${MAX_LINE} characters`, false));
      }
      // A body that begins as something else is taken whole, up to a limit, for the words in it.
      if (!hasFields && /^\s*[{[<]/.test(pending)) {
        if (!last && pending.length < MAX_ERROR_BYTES) return;
        throw fail(line, foreignFault(line, pending, { begun: false, contentType }));
      }
      if (!last && !/[\r\n]/.test(text)) return;
      const lines = pending.split(/\r\n|\n|\r/);
      pending = last ? "" : (lines.pop() ?? "");
      for (const one of lines) if (!line.state.ended) check(one);
    },
  };
}

function isField(text: string): boolean {
  return /^(?:[A-Za-z][\w-]*:|(?:data|event|id|retry)$)/.test(text);
}

function foreignFault(line: Line, text: string, about: { begun: boolean; contentType: string }): ModelError {
  const { context } = line.options;
  // Redacted before it is cut: half a key would not be recognised any more.
  const sample = redact(text.trim(), context.secret).slice(0, MAX_SAMPLE);
  if (about.begun) return malformedFault(context, `a line of the answer is not an event: ${sample}`, true);
  const words = wordsInJson(text) || sample;
  return malformedFault(context, `the answer is not an event stream (${about.contentType}): ${words}`, false);
}

function wordsInJson(text: string): string {
  try {
    return wordsOf(JSON.parse(text));
  } catch {
    return ""; // not JSON: the caller shows the text itself
  }
}

function fail(line: Line, fault: ModelError): Error {
  line.state.fault ??= fault;
  return new Error(fault.message);
}
