// Part ⇄ stored JSON: the one writer and the one parser of stored bytes. Lone surrogates and NUL survive,
// because JSON escapes them; the searchable text beside it is made well-formed.
import { ledgerError } from "./errors.ts";
import { canonicalJson } from "./ids.ts";
import { shownImages } from "./image-token.ts";
import type { Hash, Json, MessageId, Opaque, Part, ProcessIdentity, ToolOutcome, ToolOutcomeKind } from "./types.ts";

type Fields = { readonly [key: string]: unknown };

const OUTCOME_KINDS: readonly ToolOutcomeKind[] = ["ok", "failed", "cancelled", "denied", "unknown"];

export function encodeParts(parts: readonly Part[]): string {
  return canonicalJson(parts);
}

/** Throws `ledger_corrupt`: what is stored was written by `encodeParts`, so anything else is damage. */
export function decodeParts(json: string): Part[] {
  const value = parse(json);
  if (!Array.isArray(value)) throw damaged("parts are no list");
  return value.map(decodePart);
}

/** What search sees of a message. Tool output is indexed by its first 8,192 characters (C 14.1). */
export function searchableText(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case "text":
          return shownImages(part.text);
        case "note":
        case "summary":
          return part.text;
        case "reasoning":
          return "";
        case "tool-call":
          return `${part.tool} ${inputText(part.input)}`;
        case "tool-result":
          return (part.outcome.output ?? "").slice(0, 8192);
        case "file":
          return part.name ?? "";
        case "shell":
          return "";
      }
    })
    .filter((text) => text !== "")
    .join("\n")
    .replaceAll("\0", " ")
    .toWellFormed();
}

/** Undefined for what names no process: then nothing is proven about it, and a lease's term decides. */
export function decodeProcess(json: string | null): ProcessIdentity | undefined {
  if (json === null) return undefined;
  const value = parse(json);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  const { pid, host, program } = value as Fields;
  if (!Number.isSafeInteger(pid) || typeof host !== "string" || typeof program !== "string") return undefined;
  return value as ProcessIdentity;
}

export function decodeJson(json: string): Json {
  return parse(json) as Json;
}

function decodePart(value: unknown): Part {
  const part = fields(value);
  const opaque = part["opaque"] === undefined ? {} : { opaque: decodeOpaque(part["opaque"]) };
  switch (part["kind"]) {
    case "text":
      return { kind: "text", text: text(part, "text"), ...opaque };
    case "reasoning":
      return { kind: "reasoning", text: text(part, "text"), ...opaque };
    case "tool-call": {
      const input = (part["input"] ?? null) as Json;
      return { kind: "tool-call", call: text(part, "call"), tool: text(part, "tool"), input, ...opaque };
    }
    case "tool-result":
      return { kind: "tool-result", call: text(part, "call"), outcome: decodeOutcome(part["outcome"]) };
    case "file": {
      const name = part["name"] === undefined ? {} : { name: text(part, "name") };
      const blob = text(part, "blob") as Hash;
      return { kind: "file", blob, mediaType: text(part, "mediaType"), bytes: integer(part, "bytes"), ...name };
    }
    case "summary":
      return {
        kind: "summary",
        text: text(part, "text"),
        ...(part["keptFrom"] !== undefined && { keptFrom: integer(part, "keptFrom") as MessageId }),
        ...(part["folded"] !== undefined && { folded: integer(part, "folded") }),
        ...(part["before"] !== undefined && { before: integer(part, "before") }),
        ...(part["after"] !== undefined && { after: integer(part, "after") }),
      };
    case "note":
      return { kind: "note", text: text(part, "text") };
    case "shell": {
      const told = part["told"] === true;
      return { kind: "shell", command: text(part, "command"), timeout: integer(part, "timeout"), told };
    }
    default:
      throw damaged(`unknown part ${JSON.stringify(part["kind"])}`);
  }
}

function decodeOutcome(value: unknown): ToolOutcome {
  const outcome = fields(value);
  const kind = OUTCOME_KINDS.find((known) => known === outcome["kind"]);
  if (!kind) throw damaged("unknown tool outcome");
  return {
    kind,
    ...(outcome["output"] !== undefined && { output: text(outcome, "output") }),
    ...(outcome["exitCode"] !== undefined && { exitCode: integer(outcome, "exitCode") }),
    ...(outcome["truncated"] !== undefined && { truncated: outcome["truncated"] === true }),
    ...(outcome["blob"] !== undefined && { blob: text(outcome, "blob") as Hash }),
  };
}

function decodeOpaque(value: unknown): Opaque {
  const opaque = fields(value);
  return { provider: text(opaque, "provider"), data: text(opaque, "data") };
}

function inputText(input: Json): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw damaged("not JSON", cause);
  }
}

function fields(value: unknown): Fields {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw damaged("not an object");
  return value as Fields;
}

function text(from: Fields, key: string): string {
  const value = from[key];
  if (typeof value !== "string") throw damaged(`${key} is no text`);
  return value;
}

function integer(from: Fields, key: string): number {
  const value = from[key];
  if (typeof value !== "number" || !Number.isInteger(value)) throw damaged(`${key} is no integer`);
  return value;
}

function damaged(what: string, cause?: unknown) {
  return ledgerError("ledger_corrupt", `A stored value cannot be read: ${what}.`, { cause });
}
