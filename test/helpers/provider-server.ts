// A real HTTP server on 127.0.0.1 that speaks one provider's own wire format, one scripted reply a request, faults
// included. Every request is checked as strictly as the provider's documentation allows: a request that breaks a rule
// is answered with 400 in the provider's words and kept in `problems`, which every test expects to be empty.
import {
  type AskedOf,
  pieces,
  readAsked,
  type ScriptedFault,
  type StatusReply,
  type StreamEvents,
  sendEvents,
  sendStatus,
  startServer,
} from "./stream-server.ts";

export type Block =
  | { /** One delta each. */ readonly say: string | readonly string[]; readonly secret?: string }
  | {
      readonly think: string | readonly string[];
      /** Signature or encrypted form; Anthropic's redacted blocks and Google's have only it. */
      readonly secret?: string;
      readonly isRedacted?: boolean;
    }
  | {
      readonly call: string;
      readonly id?: string;
      /** An array is sent fragment by fragment. */
      readonly input: string | readonly string[] | { readonly [key: string]: unknown };
      readonly secret?: string;
    };

export interface ProviderAnswer {
  readonly blocks: readonly Block[];
  /** Default: what the blocks are. `null` leaves the reason out. */
  readonly finish?: "stop" | "calls" | "length" | "refusal" | null;
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly reasoning?: number;
  };
  /** Whether the format's own end is sent; default true. */
  readonly isEnded?: boolean;
  /** `after` counts events; by default they come after the content, before the end. */
  readonly faults?: readonly ScriptedFault[];
}

export type ProviderReply = ProviderAnswer | StatusReply;
export type JsonObject = { readonly [key: string]: unknown };

export type ProviderRequest = AskedOf<JsonObject>;

export interface Issued {
  /** Secrets that this server gave out, with the text they belong to. */
  readonly secrets: Map<string, string>;
}

export interface ProviderFormat {
  /** Below the server's origin. */
  readonly basePath: string;
  /** The rule that the request breaks. */
  readonly check: (request: ProviderRequest, issued: Issued) => string | undefined;
  readonly error: (status: number, message: string) => object;
  readonly events: (answer: ProviderAnswer, model: string) => StreamEvents;
}

export interface ProviderServer {
  /** With the format's base path. */
  readonly url: string;
  readonly requests: readonly ProviderRequest[];
  readonly problems: readonly string[];
  close(): Promise<void>;
}

export type ProviderScript = readonly ProviderReply[] | ((asked: ProviderRequest, n: number) => ProviderReply);

/** A script that has run out answers 500 and says so. */
export async function startProviderServer(format: ProviderFormat, script: ProviderScript): Promise<ProviderServer> {
  const requests: ProviderRequest[] = [];
  const problems: string[] = [];
  const issued: Issued = { secrets: new Map() };
  const { origin, close } = await startServer(async (request, response) => {
    const asked = await readAsked<JsonObject>(request, response);
    const { body } = asked;
    const n = requests.push(asked) - 1;
    const broken = (isWellFormed(body) ? undefined : "a lone surrogate") ?? format.check(asked, issued);
    if (broken !== undefined) {
      problems.push(broken);
      return sendStatus(response, { status: 400, body: format.error(400, `invalid request: ${broken}`) });
    }
    const scripted = typeof script === "function" ? script(asked, n) : script[n];
    const reply = scripted ?? { status: 500, body: format.error(500, `the script has no reply for request ${n + 1}`) };
    if ("status" in reply) return sendStatus(response, reply);
    for (const block of reply.blocks) if (block.secret !== undefined) issued.secrets.set(block.secret, textOf(block));
    const { content, closing } = format.events(reply, typeof body.model === "string" ? body.model : "model");
    return sendEvents(response, { content, closing: reply.isEnded === false ? [] : closing }, reply.faults);
  });
  return { url: `${origin}${format.basePath}`, requests, problems, close };
}

export function textOf(block: Block): string {
  if ("say" in block) return pieces(block.say).join("");
  return "think" in block ? pieces(block.think).join("") : "";
}

export function hasCalls(answer: ProviderAnswer): boolean {
  return answer.blocks.some((block) => "call" in block);
}

/** The first key that is not allowed, as a problem. */
export function strangeKey(value: JsonObject, allowed: readonly string[], where: string): string | undefined {
  const strange = Object.keys(value).find((key) => !allowed.includes(key));
  return strange === undefined ? undefined : `${where}: ${strange}: Extra inputs are not permitted`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function first(...problems: readonly (string | undefined | false)[]): string | undefined {
  return problems.find((problem): problem is string => typeof problem === "string");
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, one]) => key.isWellFormed() && isWellFormed(one));
}
