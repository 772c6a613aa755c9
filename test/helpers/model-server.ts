// A real HTTP server on 127.0.0.1 that speaks chat completions as server-sent events, one scripted reply a
// request, faults included. It records what was asked and whether the client left early.
//   const server = await startModelServer([{ text: ["Hel", "lo"] }, { status: 429, headers: { "retry-after": "2" } }]);
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  /** An array is sent fragment by fragment; an object is sent as JSON in one. */
  readonly arguments: string | readonly string[] | { readonly [key: string]: unknown };
}

/** What happens once `after` events were sent (default: all of the content, before the finish reason). */
export type ScriptedFault = { readonly after?: number } & (
  | { /** Destroys the socket. */ readonly kind: "cut" }
  | { /** Resets the connection. */ readonly kind: "reset" }
  | { /** Ends the body properly, with neither finish reason nor [DONE]. */ readonly kind: "end" }
  | { /** Sends nothing more until the client leaves. */ readonly kind: "stall" }
  | {
      /** Goes on when the promise settles; a function is called when it is that far. */
      readonly kind: "hold";
      readonly until: Promise<unknown> | (() => Promise<unknown>);
    }
  | { /** Writes these bytes as they are, then goes on. */ readonly kind: "raw"; readonly text: string }
);

export interface StreamReply {
  readonly reasoning?: string | readonly string[];
  readonly text?: string | readonly string[];
  /** Fragments of several calls are sent alternately. */
  readonly calls?: readonly ScriptedCall[];
  /** Default `stop`, or `tool_calls` when there are calls; null leaves it out. */
  readonly finish?: string | null;
  readonly usage?: { readonly [key: string]: unknown };
  /** Whether `[DONE]` is sent; default true. */
  readonly done?: boolean;
  readonly faults?: readonly ScriptedFault[];
  /** Sends the body in these pieces instead of one write an event. */
  readonly split?: (body: Uint8Array) => readonly Uint8Array[];
}

export interface StatusReply {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  /** An object is sent as JSON. */
  readonly body?: string | object;
}

export type ModelReply = StreamReply | StatusReply;

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The body's exact text. */
  readonly text: string;
  readonly body: ChatBody;
  /** Settles when the answer is over: `early` when the client left before its end. */
  readonly closed: Promise<"early" | "whole">;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown; readonly [key: string]: unknown }[];
  readonly tools?: readonly unknown[];
  readonly [key: string]: unknown;
}

export type ModelScript = readonly ModelReply[] | ((body: ChatBody, n: number) => ModelReply | Promise<ModelReply>);

export interface ModelServer {
  /** The base URL, with /v1. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** `models` is what GET /v1/models lists. A script that has run out answers 500 and says so. */
export async function startModelServer(script: ModelScript, models: readonly string[] = []): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET")
      return sendStatus(response, { status: 200, body: { data: models.map((id) => ({ id })) } });
    const text = await readText(request);
    const body = JSON.parse(text) as ChatBody;
    const closed = new Promise<"early" | "whole">((resolve) => {
      response.once("close", () => resolve(response.writableFinished ? "whole" : "early"));
    });
    requests.push({ path: request.url ?? "", headers: request.headers, text, body, closed });
    const reply = await nextReply(script, body, requests.length - 1);
    if ("status" in reply) sendStatus(response, reply);
    else await sendStream(response, reply, body.model);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

async function nextReply(script: ModelScript, body: ChatBody, n: number): Promise<ModelReply> {
  if (typeof script === "function") return await script(body, n);
  return script[n] ?? { status: 500, body: { error: { message: `the script has no reply for request ${n + 1}` } } };
}

export function sendStatus(response: ServerResponse, reply: StatusReply): void {
  const isText = typeof reply.body === "string";
  response.writeHead(reply.status, { "content-type": isText ? "text/plain" : "application/json", ...reply.headers });
  response.end(isText ? reply.body : reply.body === undefined ? "" : JSON.stringify(reply.body));
}

async function sendStream(response: ServerResponse, reply: StreamReply, model: string): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const content = contentEvents(reply, model);
  const closing = closingEvents(reply, model);
  if (reply.split !== undefined) {
    for (const piece of reply.split(Buffer.from([...content, ...closing].join("")))) await write(response, piece);
    response.end();
    return;
  }
  const faults = reply.faults ?? [];
  const events = [...content, ...closing];
  for (let sent = 0; sent <= events.length; sent++) {
    for (const fault of faults) {
      if ((fault.after ?? content.length) === sent && !(await commit(response, fault))) return;
    }
    if (sent < events.length) await write(response, events[sent] ?? "");
  }
  response.end();
}

/** False when the reply is over with it. */
export async function commit(response: ServerResponse, fault: ScriptedFault): Promise<boolean> {
  switch (fault.kind) {
    case "cut":
      response.destroy();
      return false;
    case "reset":
      response.socket?.resetAndDestroy();
      return false;
    case "end":
      response.end();
      return false;
    case "stall":
      return false;
    case "hold":
      await untilOrLeft(response, typeof fault.until === "function" ? fault.until() : fault.until);
      return !response.destroyed;
    case "raw":
      await write(response, fault.text);
      return true;
  }
}

async function untilOrLeft(response: ServerResponse, until: Promise<unknown>): Promise<void> {
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  response.once("close", leave);
  await Promise.race([until, left]);
  response.off("close", leave);
}

/** Waits for the write to reach the socket, so that pieces are read one by one and a cut comes after them. */
export function write(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  if (response.destroyed || piece.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(piece, () => {
      response.off("close", resolve);
      setImmediate(resolve);
    });
  });
}

function contentEvents(reply: StreamReply, model: string): string[] {
  const deltas = [
    ...list(reply.reasoning).map((text) => ({ reasoning_content: text })),
    ...list(reply.text).map((text) => ({ content: text })),
    ...callDeltas(reply.calls ?? []),
  ];
  return deltas.map((delta) => chunk(model, { choices: [{ index: 0, delta, finish_reason: null }] }));
}

function closingEvents(reply: StreamReply, model: string): string[] {
  const finish = reply.finish === undefined ? (reply.calls === undefined ? "stop" : "tool_calls") : reply.finish;
  return [
    ...(finish === null ? [] : [chunk(model, { choices: [{ index: 0, delta: {}, finish_reason: finish }] })]),
    ...(reply.usage === undefined ? [] : [chunk(model, { choices: [], usage: reply.usage })]),
    ...(reply.done === false ? [] : ["data: [DONE]\n\n"]),
  ];
}

function callDeltas(calls: readonly ScriptedCall[]): object[] {
  const fragments = calls.map((call) => argumentFragments(call));
  const heads = calls.map((call, index) => ({
    tool_calls: [
      { index, id: call.id ?? `call_${index + 1}`, type: "function", function: { name: call.name, arguments: "" } },
    ],
  }));
  const rounds = Math.max(0, ...fragments.map((one) => one.length));
  const rest: object[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of fragments.entries()) {
      const text = one[round];
      if (text !== undefined) rest.push({ tool_calls: [{ index, function: { arguments: text } }] });
    }
  }
  return [...heads, ...rest];
}

function argumentFragments(call: ScriptedCall): readonly string[] {
  if (typeof call.arguments === "string") return [call.arguments];
  return isList(call.arguments) ? call.arguments : [JSON.stringify(call.arguments)];
}

function isList(value: readonly string[] | object): value is readonly string[] {
  return Array.isArray(value);
}

function list(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === "string" ? [text] : text;
}

function chunk(model: string, fields: object): string {
  return `data: ${JSON.stringify({ id: "chat-1", object: "chat.completion.chunk", created: 1, model, ...fields })}\n\n`;
}
