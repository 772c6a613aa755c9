// A real HTTP server on 127.0.0.1 that speaks chat completions as server-sent events, one scripted reply a
// request, faults included. It records what was asked and whether the client left early.
//   const server = await startModelServer([{ text: ["Hel", "lo"] }, { status: 429, headers: { "retry-after": "2" } }]);
import {
  type AskedOf,
  fragments,
  pieces,
  readAsked,
  type ScriptedFault,
  type StatusReply,
  sendEvents,
  sendPieces,
  sendStatus,
  startServer,
} from "./stream-server.ts";

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  /** An array is sent fragment by fragment; an object is sent as JSON in one. */
  readonly arguments: string | readonly string[] | { readonly [key: string]: unknown };
}

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

export type ModelReply = StreamReply | StatusReply;

export type RecordedRequest = AskedOf<ChatBody>;

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
  const { origin, close } = await startServer(async (request, response) => {
    if (request.method === "GET")
      return sendStatus(response, { status: 200, body: { data: models.map((id) => ({ id })) } });
    const asked = await readAsked<ChatBody>(request, response);
    requests.push(asked);
    const reply = await nextReply(script, asked.body, requests.length - 1);
    if ("status" in reply) return sendStatus(response, reply);
    const { model } = asked.body;
    const events = { content: contentEvents(reply, model), closing: closingEvents(reply, model) };
    if (reply.split === undefined) return sendEvents(response, events, reply.faults);
    return sendPieces(response, reply.split(Buffer.from([...events.content, ...events.closing].join(""))));
  });
  return { url: `${origin}/v1`, requests, close };
}

async function nextReply(script: ModelScript, body: ChatBody, n: number): Promise<ModelReply> {
  if (typeof script === "function") return await script(body, n);
  return script[n] ?? { status: 500, body: { error: { message: `the script has no reply for request ${n + 1}` } } };
}

function contentEvents(reply: StreamReply, model: string): string[] {
  const deltas = [
    ...pieces(reply.reasoning).map((text) => ({ reasoning_content: text })),
    ...pieces(reply.text).map((text) => ({ content: text })),
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
  const sent = calls.map((call) => fragments(call.arguments));
  const heads = calls.map((call, index) => ({
    tool_calls: [
      { index, id: call.id ?? `call_${index + 1}`, type: "function", function: { name: call.name, arguments: "" } },
    ],
  }));
  const rounds = Math.max(0, ...sent.map((one) => one.length));
  const rest: object[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of sent.entries()) {
      const text = one[round];
      if (text !== undefined) rest.push({ tool_calls: [{ index, function: { arguments: text } }] });
    }
  }
  return [...heads, ...rest];
}

export function chunk(model: string, fields: object): string {
  return `data: ${JSON.stringify({ id: "chat-1", object: "chat.completion.chunk", created: 1, model, ...fields })}\n\n`;
}
