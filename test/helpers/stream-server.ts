// A real HTTP server on 127.0.0.1 for the endpoints of tests: it reads what is asked, answers with a status or a stream of
// events, faults included, and knows whether the client left early.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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

export interface StatusReply {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  /** An object is sent as JSON. */
  readonly body?: string | object;
}

export interface AskedOf<Body> {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The body's exact text. */
  readonly text: string;
  readonly body: Body;
  /** Settles when the answer is over: `early` when the client left before its end. */
  readonly closed: Promise<"early" | "whole">;
}

export interface StreamServer {
  readonly origin: string;
  close(): Promise<void>;
}

export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<StreamServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function readAsked<Body>(request: IncomingMessage, response: ServerResponse): Promise<AskedOf<Body>> {
  const text = await readText(request);
  const closed = new Promise<"early" | "whole">((resolve) => {
    response.once("close", () => resolve(response.writableFinished ? "whole" : "early"));
  });
  return { path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) as Body, closed };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

export function sendStatus(response: ServerResponse, reply: StatusReply): void {
  const isText = typeof reply.body === "string";
  response.writeHead(reply.status, { "content-type": isText ? "text/plain" : "application/json", ...reply.headers });
  response.end(isText ? reply.body : reply.body === undefined ? "" : JSON.stringify(reply.body));
}

export interface StreamEvents {
  readonly content: readonly string[];
  /** What ends it. */
  readonly closing: readonly string[];
}

export async function sendEvents(
  response: ServerResponse,
  { content, closing }: StreamEvents,
  faults: readonly ScriptedFault[] = [],
): Promise<void> {
  openStream(response);
  const events = [...content, ...closing];
  for (let sent = 0; sent <= events.length; sent++) {
    for (const fault of faults) {
      if ((fault.after ?? content.length) === sent && !(await commit(response, fault))) return;
    }
    if (sent < events.length) await write(response, events[sent] ?? "");
  }
  response.end();
}

export async function sendPieces(response: ServerResponse, pieces: readonly Uint8Array[]): Promise<void> {
  openStream(response);
  for (const piece of pieces) await write(response, piece);
  response.end();
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

/** False when the reply is over with it. */
async function commit(response: ServerResponse, fault: ScriptedFault): Promise<boolean> {
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
function write(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  if (response.destroyed || piece.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(piece, () => {
      response.off("close", resolve);
      setImmediate(resolve);
    });
  });
}

export function pieces(text: string | readonly string[] | undefined): readonly string[] {
  return typeof text === "string" ? [text] : (text ?? []);
}

/** Of the input of a call: an array is sent fragment by fragment, an object as JSON in one. */
export function fragments(input: string | readonly string[] | { readonly [key: string]: unknown }): readonly string[] {
  if (typeof input === "string") return [input];
  return isList(input) ? input : [JSON.stringify(input)];
}

function isList(value: readonly string[] | object): value is readonly string[] {
  return Array.isArray(value);
}
