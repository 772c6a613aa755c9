// Makes a Tool from a zod schema: the JSON schema the model sees, and a parser whose complaints a model can act on.
import { closest, distance } from "fastest-levenshtein";
import * as z from "zod";
import type { Effect, Json } from "../../ledger/types.ts";
import type { Parsed, Tool, ToolContext, ToolResult } from "./tool.ts";

export interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly spools?: true;
  readonly input: z.ZodType<Input>;
  summarize(input: Input): string;
  subject(input: Input): string;
  withSubject?(input: Input, subject: string): Input;
  obstacle?(input: Input, context: Pick<ToolContext, "cwd" | "files">): Promise<string | undefined>;
  preview?(input: Input, context: Pick<ToolContext, "cwd" | "files">): Promise<string | undefined>;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

/** `input` has to be a strict object: an unknown field is a misunderstanding worth telling, never dropped. */
export function defineTool<Input>({ input, ...tool }: ToolDefinition<Input>): Tool<Input> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return { ...tool, schema: schema as Json, parse: (given) => parseInput(input, schema, given) };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

function parseInput<Input>(type: z.ZodType<Input>, schema: ObjectSchema, given: Json): Parsed<Input> {
  if (given === null || typeof given !== "object" || Array.isArray(given)) {
    return { ok: false, problem: `the input is ${nameOf(given)}; an object is needed` };
  }
  const fields = Object.entries(given);
  const [only] = fields;
  if (only?.[0] === "unparsed" && fields.length === 1) {
    return { ok: false, problem: `the input is not valid JSON: ${quote(only[1])}` };
  }
  // Models that must fill every field say null for "not given".
  const result = type.safeParse(Object.fromEntries(fields.filter(([, value]) => value !== null)));
  if (result.success) return { ok: true, input: result.data };
  const known = Object.keys(schema.properties ?? {});
  return { ok: false, problem: result.error.issues.map((issue) => explain(issue, given, known)).join("; ") };
}

function explain(issue: z.core.$ZodIssue, given: Json, known: readonly string[]): string {
  const field = issue.path.map(String).join(".") || "the input";
  const found = at(given, issue.path);
  switch (issue.code) {
    case "unrecognized_keys":
      return `${issue.keys.map((key) => unknownField(key, issue.path, known)).join("; ")}`;
    case "invalid_type":
      return found === undefined || found === null
        ? `${field} is missing; ${article(issue.expected)} is needed`
        : `${field} is ${nameOf(found)} (${quote(found)}); ${article(issue.expected)} is needed`;
    case "invalid_value":
      return `${field} is ${quote(found)}; allowed: ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `${field} is ${sizeOf(found)}; at least ${issue.minimum} is allowed`;
    case "too_big":
      return `${field} is ${sizeOf(found)}; at most ${issue.maximum} is allowed`;
    default:
      return `${field} is ${quote(found)}; ${issue.message}`;
  }
}

function unknownField(key: string, path: readonly PropertyKey[], known: readonly string[]): string {
  if (path.length > 0) return `${path.map(String).join(".")} has an unknown field ${quote(key)}`;
  const nearest = known.length > 0 ? closest(key, known) : "";
  const meant = nearest !== "" && distance(key, nearest) <= 3 ? ` (did you mean ${nearest}?)` : "";
  return `unknown field ${quote(key)}${meant}; allowed: ${known.join(", ")}`;
}

function at(value: Json, path: readonly PropertyKey[]): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path) {
    if (here === null || typeof here !== "object") return undefined;
    here = Object.entries(here).find(([name]) => name === String(key))?.[1];
  }
  return here;
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  return article(Array.isArray(value) ? "array" : typeof value);
}

function article(noun: string): string {
  const spoken = noun === "int" ? "whole number" : noun;
  return `${/^[aeiou]/.test(spoken) ? "an" : "a"} ${spoken}`;
}

function quote(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function sizeOf(value: Json | undefined): string {
  if (typeof value === "string") return value === "" ? "empty" : `${value.length} characters long`;
  return Array.isArray(value) ? `${value.length} items long` : quote(value);
}
