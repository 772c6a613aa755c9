// What a value read from a file has to be, field by field. Every check answers with what is wrong in words, and the first
// one found is told; a field that nobody knows is wrong too, because leaving it out would lose something.
import { beginning, isObject } from "./read-lines.ts";

/** Undefined: it is right. `at` names the field. */
export type Check = (value: unknown, at: string) => string | undefined;

const wrong = (value: unknown, at: string, wanted: string) =>
  `${at} is ${value === undefined ? "missing" : beginning(JSON.stringify(value) ?? "nothing")}, not ${wanted}`;

export const text: Check = (value, at) => (typeof value === "string" ? undefined : wrong(value, at, "a text"));
export const anything: Check = (value, at) => (value === undefined ? `${at} is missing` : undefined);
export const flag: Check = (value, at) => (typeof value === "boolean" ? undefined : wrong(value, at, "true or false"));

/** Whatever the ledger may have taken from a model, a folder or a program: data, and sanitised where it is shown. */
export const word: Check = (value, at) =>
  typeof value === "string" && value !== "" ? undefined : wrong(value, at, "a name");

/** What the ledger keeps clean itself. */
export const name: Check = (value, at) => {
  if (typeof value !== "string" || value === "") return wrong(value, at, "a name");
  if (value.length > 4_096) return `${at} has ${value.length} characters, more than 4096`;
  if (!value.isWellFormed()) return `${at} has half a character`;
  return value.includes("\0") ? `${at} has a NUL character` : undefined;
};

export const count: Check = (value, at) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? undefined
    : wrong(value, at, "a whole number");

export const integer: Check = (value, at) =>
  typeof value === "number" && Number.isSafeInteger(value) ? undefined : wrong(value, at, "a whole number");

/** ms since the epoch, as far as dates go. */
export const time: Check = (value, at) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= 8.64e15
    ? undefined
    : wrong(value, at, "a time since 1970");

export const hash: Check = (value, at) =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? undefined : wrong(value, at, "a hash");

export const sessionId: Check = (value, at) =>
  typeof value === "string" && /^\d{8}-\d{6}-[0-9a-f]{6}$/.test(value) ? undefined : wrong(value, at, "a session id");

export const oneOf =
  (...words: readonly string[]): Check =>
  (value, at) =>
    words.some((word) => word === value) ? undefined : wrong(value, at, words.join(", "));

export const list =
  (of: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return wrong(value, at, "a list");
    for (const [index, each] of (value as readonly unknown[]).entries()) {
      const problem = of(each, `${at}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

export const optional =
  (check: Check): Check =>
  (value, at) =>
    value === undefined ? undefined : check(value, at);

export function shape(fields: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    if (!isObject(value)) return wrong(value, at, "an object");
    const prefix = at === "" ? "" : `${at}.`;
    for (const key of Object.keys(value))
      if (!Object.hasOwn(fields, key)) return `${prefix}${beginning(key)} is nothing this stele knows`;
    for (const [key, check] of Object.entries(fields)) {
      const problem = check(Object.hasOwn(value, key) ? value[key] : undefined, `${prefix}${key}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** Of several shapes, the one that `key` names. */
export function shapeBy(key: string, shapes: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    const word = isObject(value) ? value[key] : undefined;
    const check = typeof word === "string" && Object.hasOwn(shapes, word) ? shapes[word] : undefined;
    return check
      ? check(value, at)
      : wrong(word, at === "" ? key : `${at}.${key}`, `one of ${Object.keys(shapes).join(", ")}`);
  };
}
