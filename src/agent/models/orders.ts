// The guide's little language: a text is a list of orders joined by `then`, or it is none.
// Pure; a text that starts with a verb but lacks what the verb needs is `broken` and says what is missing.
import type { Json } from "../../ledger/types.ts";

export type Step =
  | { readonly kind: "say"; readonly text: string }
  /** `order` is the text as typed, for reports. */
  | { readonly kind: "call"; readonly tool: string; readonly input: Json; readonly order: string };

export type Orders =
  | { readonly kind: "orders"; readonly steps: readonly Step[] }
  | { readonly kind: "broken"; readonly problem: string }
  | { readonly kind: "none" };

export const ORDER_FORMS: readonly string[] = [
  "run <command>",
  "read <path>",
  "write <path>: <text>",
  "edit <path>: <old> => <new>",
  "list <path>",
  "find <words>",
  "say <text>",
];

const VERB = /^(run|read|write|edit|list|find|say)(?=\s|$)/i;

export function parseOrders(text: string): Orders {
  if (!VERB.test(text.trim())) return { kind: "none" };
  const steps: Step[] = [];
  for (const order of splitOrders(text)) {
    const step = parseOrder(order);
    if (typeof step === "string") return { kind: "broken", problem: step };
    steps.push(step);
  }
  return { kind: "orders", steps };
}

/** `then` joins only as a word of its own, outside quotes, and before a verb; anything else is text. */
function splitOrders(text: string): string[] {
  const orders: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const close = quoteEnd(text, at);
    if (close !== undefined) {
      at = close;
      continue;
    }
    const joint = /\s/.test(text[at] ?? "") ? /^\s+then\s+/i.exec(text.slice(at, at + 200)) : null;
    if (joint === null || !VERB.test(text.slice(at + joint[0].length))) continue;
    orders.push(text.slice(start, at).trim());
    start = at + joint[0].length;
    at = start - 1;
  }
  orders.push(text.slice(start).trim());
  return orders;
}

/** Index of the closing quote when a quote opens at `at`. An apostrophe inside a word, or one never closed, is text. */
function quoteEnd(text: string, at: number): number | undefined {
  const quote = text[at];
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
  if (at > 0 && /[\p{L}\p{N}\\]/u.test(text[at - 1] ?? "")) return undefined;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\" && quote !== "'") end++;
    else if (text[end] === quote) return end;
  }
  return undefined;
}

/** A string is what is wrong with the order. */
function parseOrder(order: string): Step | string {
  const verb = (VERB.exec(order)?.[0] ?? "").toLowerCase();
  const rest = order.slice(verb.length).trim();
  const call = (tool: string, input: Json): Step => ({ kind: "call", tool, input, order });
  switch (verb) {
    case "run":
      return rest === "" ? "run needs a command: run <command>" : call("shell", { command: rest });
    case "read":
      return rest === "" ? "read needs a path: read <path>" : call("read_file", { path: pathOf(rest) });
    case "write":
      return parseWrite(rest, call);
    case "edit":
      return parseEdit(rest, call);
    case "list":
      return call("list_dir", { path: rest === "" ? "." : pathOf(rest) });
    case "find":
      return rest === "" ? "find needs words: find <words>" : call("grep", { pattern: literal(unquote(rest)) });
    default:
      return rest === "" ? "say needs a text: say <text>" : { kind: "say", text: unquote(rest) };
  }
}

type MakeCall = (tool: string, input: Json) => Step;

function parseWrite(rest: string, call: MakeCall): Step | string {
  const [path, text] = splitPath(rest);
  if (path === "" || text === undefined) return "write needs a path and a text: write <path>: <text>";
  return call("write_file", { path, content: unquote(text) });
}

function parseEdit(rest: string, call: MakeCall): Step | string {
  const needs = "edit needs a path, the old text and the new one: edit <path>: <old> => <new>";
  const [path, change] = splitPath(rest);
  const arrow = /^([\s\S]+?)\s+=>(?:\s+([\s\S]*))?$/.exec(change ?? "");
  if (path === "" || arrow === null) return needs;
  return call("edit_file", { path, old: unquote(arrow[1] ?? ""), new: unquote(arrow[2] ?? "") });
}

/** The path ends at the first colon with a space behind it, or, where there is none, at the first colon. */
function splitPath(rest: string): [path: string, text: string | undefined] {
  const match = /^([^\n]+?):(?:[ \t]+|(?=\n)|$)([\s\S]*)$/.exec(rest) ?? /^([^\n:]+):([\s\S]*)$/.exec(rest);
  return match === null ? ["", undefined] : [pathOf((match[1] ?? "").trim()), (match[2] ?? "").replace(/^\n/, "")];
}

/** The composer writes a completed path as `@path` or `@"path with blanks"`. A file of such a name is `./@name`. */
function pathOf(text: string): string {
  return unquote(text.replace(/^@(?=.)/, ""));
}

/** Takes off one pair of quotes around the whole. */
function unquote(text: string): string {
  return text.length >= 2 && quoteEnd(text, 0) === text.length - 1 ? text.slice(1, -1) : text;
}

/** The words as a pattern that finds just them. */
function literal(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
