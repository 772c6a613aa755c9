// The one schema of a config file, person's and project's alike. Imports zod, which takes 90 ms to load: only ever
// imported lazily, when there is a file to check. Each message is the "what is allowed" half of a sentence.
import { posix } from "node:path";
import { z } from "zod";
import { parseRule, type Rule } from "../agent/approvals.ts";
import { serverAddress } from "../agent/models/address.ts";
import { isHttpUrl } from "../agent/models/providers.ts";
import { APPROVAL_MODES, type ConfigLayer, MOTIONS, NOTIFIES, THEMES, TITLES } from "./config.ts";
import { parseDuration } from "./durations.ts";

const oneOf = (values: readonly string[]) => values.map((value) => JSON.stringify(value)).join(", ");

const KINDS = ["openai-compatible", "openai", "anthropic", "google", "ollama"] as const;
const APIS = ["responses", "chat"] as const;
const A_TEXT = "a text that is not empty";
const AN_ADDRESS = 'an http or https address without user name and password, like "http://127.0.0.1:8080/v1"';
const A_VARIABLE = 'the name of an environment variable that holds the key, like "LOCAL_KEY"; never the key itself';
const A_RULE = 'a rule: tool, or tool(prefix) such as "shell(npm test)"';
const AN_INTERVAL = 'a time of at least 1s, like "30s" or "1h30m"';
const A_COUNT = "a whole number of at least 1";
const A_PRICE = "a number of at least 0, in US dollars a million tokens";
const A_FILLING = "a whole number from 10 to 95, in percent of the window";
const A_RETRY_COUNT = "a whole number from 0 (never ask again) to 20";
const AN_AMOUNT = "a number above 0, in US dollars";
const A_NAME = "a name without spaces and slashes that begins with a letter or a digit; the name guide is taken";
const KEYS = 'a key like "ctrl+x", a list of keys, or [] for none';
const A_RELATIVE_FILE = 'the name of a file inside the folder, like "AGENTS.md"';

const text = (allowed: string, fits: (value: string) => boolean = (value) => value.trim() !== "") =>
  z.string(allowed).refine(fits, allowed);

const name = text(A_NAME, (value) => /^[\p{L}\p{N}][^\s/]*$/u.test(value) && value !== "guide");

const provider = z
  .strictObject(
    {
      kind: z.enum(KINDS, oneOf(KINDS)),
      baseURL: text(AN_ADDRESS, isAddress).exactOptional(),
      apiKeyEnv: text(A_VARIABLE, (value) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(value)).exactOptional(),
      models: z.array(text(A_TEXT), "a list of model names").exactOptional(),
      api: z.enum(APIS, oneOf(APIS)).exactOptional(),
    },
    "an object with kind, baseURL, apiKeyEnv, models and api",
  )
  .refine((value) => value.kind !== "openai-compatible" || value.baseURL !== undefined, {
    path: ["baseURL"],
    message: AN_ADDRESS,
  });

const model = z.strictObject(
  {
    contextWindow: z.int(A_COUNT).min(1, A_COUNT).exactOptional(),
    maxOutput: z.int(A_COUNT).min(1, A_COUNT).exactOptional(),
    inputPrice: z.number(A_PRICE).min(0, A_PRICE).exactOptional(),
    outputPrice: z.number(A_PRICE).min(0, A_PRICE).exactOptional(),
    cacheReadPrice: z.number(A_PRICE).min(0, A_PRICE).exactOptional(),
    cacheWritePrice: z.number(A_PRICE).min(0, A_PRICE).exactOptional(),
    images: z.boolean("true or false").exactOptional(),
  },
  "an object with contextWindow, maxOutput, inputPrice, outputPrice, cacheReadPrice, cacheWritePrice and images",
);

const rule = z.string(A_RULE).transform((value, context): Rule => {
  const parsed = parseRule(value);
  if (parsed.ok) return parsed.rule;
  context.addIssue({ code: "custom", message: parsed.problem, params: { isSentence: true } });
  return z.NEVER;
});

const interval = z.string(AN_INTERVAL).transform((value, context): number => {
  const ms = parseDuration(value);
  if (ms !== undefined && ms >= 1_000) return ms;
  context.addIssue({ code: "custom", message: AN_INTERVAL });
  return z.NEVER;
});

const count = z.int(A_COUNT).min(1, A_COUNT);
const amount = z.number(AN_AMOUNT).positive(AN_AMOUNT);

const configFile = z.strictObject(
  {
    model: text('"provider/model" or an alias').exactOptional(),
    providers: z.record(name, provider, "an object: a provider under each name").exactOptional(),
    aliases: z.record(name, text('"provider/model"'), "an object: a model under each alias").exactOptional(),
    approval: z
      .strictObject(
        {
          mode: z.enum(APPROVAL_MODES, oneOf(APPROVAL_MODES)).exactOptional(),
          allow: z.array(rule, "a list of rules").exactOptional(),
          deny: z.array(rule, "a list of rules").exactOptional(),
        },
        "an object with mode, allow and deny",
      )
      .exactOptional(),
    loops: z
      .strictObject(
        {
          minInterval: interval.exactOptional(),
          paceFloor: interval.exactOptional(),
          paceCeiling: interval.exactOptional(),
          maxTicks: count.exactOptional(),
        },
        "an object with minInterval, paceFloor, paceCeiling and maxTicks",
      )
      .exactOptional(),
    limits: z
      .strictObject(
        { turnUsd: amount.exactOptional(), dayUsd: amount.exactOptional(), sessionUsd: amount.exactOptional() },
        "an object with turnUsd, dayUsd and sessionUsd",
      )
      .exactOptional(),
    compaction: z
      .strictObject(
        {
          auto: z.boolean("true or false").exactOptional(),
          at: z.int(A_FILLING).min(10, A_FILLING).max(95, A_FILLING).exactOptional(),
          model: text('"provider/model" or an alias').exactOptional(),
        },
        "an object with auto, at and model",
      )
      .exactOptional(),
    fallback: text('"provider/model" or an alias').exactOptional(),
    models: z.record(z.string(), model, 'an object: what is known under each "provider/model"').exactOptional(),
    retries: z.int(A_RETRY_COUNT).min(0, A_RETRY_COUNT).max(20, A_RETRY_COUNT).exactOptional(),
    theme: z.enum(THEMES, oneOf(THEMES)).exactOptional(),
    motion: z.enum(MOTIONS, oneOf(MOTIONS)).exactOptional(),
    title: z.boolean("true or false").exactOptional(),
    titles: z.enum(TITLES, oneOf(TITLES)).exactOptional(),
    notify: z.enum(NOTIFIES, oneOf(NOTIFIES)).exactOptional(),
    // What may be bound to what is the screen's to say: load-config.ts asks it.
    keys: z
      .record(z.string(), z.union([z.string(), z.array(z.string())], KEYS), "an object: keys under each action")
      .exactOptional(),
    contextFiles: z.array(text(A_RELATIVE_FILE, isInsideFolder), "a list of file names").exactOptional(),
  },
  "an object",
);

export type KeyPath = readonly PropertyKey[];

export type ConfigIssue =
  | { readonly kind: "unknown-key"; readonly path: KeyPath; readonly known: readonly string[] }
  | { readonly kind: "bad-name"; readonly path: KeyPath; readonly allowed: string }
  /** `allowed` goes on a sentence. */
  | { readonly kind: "bad-value"; readonly path: KeyPath; readonly allowed: string }
  /** `sentence` already says what was found. */
  | { readonly kind: "refused"; readonly path: KeyPath; readonly sentence: string };

export type CheckedConfig =
  | { readonly ok: true; readonly layer: ConfigLayer }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

export function checkConfig(value: unknown): CheckedConfig {
  const parsed = configFile.safeParse(value);
  if (parsed.success) return { ok: true, layer: parsed.data };
  return { ok: false, issues: parsed.error.issues.flatMap(toConfigIssues) };
}

function toConfigIssues(issue: z.core.$ZodIssue): readonly ConfigIssue[] {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        kind: "unknown-key",
        path: [...issue.path, key],
        known: knownKeys(issue.path),
      }));
    case "invalid_key":
      return [{ kind: "bad-name", path: issue.path, allowed: issue.issues[0]?.message ?? A_NAME }];
    case "custom":
      if (issue.params?.isSentence === true) return [{ kind: "refused", path: issue.path, sentence: issue.message }];
      return [{ kind: "bad-value", path: issue.path, allowed: issue.message }];
    default:
      return [{ kind: "bad-value", path: issue.path, allowed: issue.message }];
  }
}

/** The keys of the object at `at`, a place where the schema has an object with fixed keys. */
function knownKeys(at: KeyPath): readonly string[] {
  const [top, ...below] = at;
  if (top === undefined) return Object.keys(configFile.shape);
  if (top === "providers" && below.length === 1) return Object.keys(provider.shape);
  if (top === "models" && below.length === 1) return Object.keys(model.shape);
  const section = Object.entries(configFile.shape)
    .find(([key]) => key === top)?.[1]
    .unwrap();
  return section instanceof z.ZodObject ? Object.keys(section.shape) : [];
}

/** One without a scheme looks like an address: with a port, a dot, or this machine's name. */
function isAddress(value: string): boolean {
  const isWhole = value.includes("://");
  if (!isWhole && !/^(?:localhost|\[[0-9a-f:]+\]|[^\s/]*\.[^\s/]*|[^\s/:]*:\d+)(?::\d+)?(?:\/|$)/i.test(value.trim()))
    return false;
  return isHttpUrl(serverAddress({ text: value, kind: "openai-compatible" }));
}

/** A project's file must not make the model read something of the person's. */
function isInsideFolder(value: string): boolean {
  const plain = posix.normalize(value.replaceAll("\\", "/"));
  return value.trim() !== "" && !posix.isAbsolute(plain) && !/^[A-Za-z]:/.test(plain) && !/^\.\.?(\/|$)/.test(plain);
}
