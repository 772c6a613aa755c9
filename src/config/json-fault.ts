// Where a text stops being JSON, and what should stand there. Asked only when JSON.parse has refused it: that one's
// message has no position in many cases, and other words in each version of Node.

export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly problem: string;
}

type Expected = "value" | "first item" | "first key" | "key" | "colon" | "comma" | "end";

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Undefined for a text that is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let expected: Expected = "value";
  for (let at = 0; ; ) {
    at += matchAt(SPACE, text, at).length;
    if (at === text.length) return expected === "end" ? undefined : faultAt(text, at, expected);
    const token = matchAt(TOKEN, text, at);
    const next: Expected | undefined = token === "" ? undefined : accept(token, expected, open);
    if (next === undefined) return faultAt(text, at, expected);
    expected = next;
    at += token.length;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** What may follow; undefined when the token may not stand here. */
function accept(token: string, expected: Expected, open: string[]): Expected | undefined {
  const isString = token.startsWith('"');
  switch (expected) {
    case "value":
      return acceptValue(token, open);
    case "first item":
      return token === "]" ? close(open) : acceptValue(token, open);
    case "first key":
      return token === "}" ? close(open) : isString ? "colon" : undefined;
    case "key":
      return isString ? "colon" : undefined;
    case "colon":
      return token === ":" ? "value" : undefined;
    case "comma":
      if (token === ",") return open.at(-1) === "{" ? "key" : "value";
      return token === (open.at(-1) === "{" ? "}" : "]") ? close(open) : undefined;
    case "end":
      return undefined;
  }
}

function acceptValue(token: string, open: string[]): Expected | undefined {
  if (token === "{" || token === "[") {
    open.push(token);
    return token === "{" ? "first key" : "first item";
  }
  return /^[}\],:]/.test(token) ? undefined : afterValue(open);
}

function close(open: string[]): Expected {
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? "end" : "comma";
}

const WANTED: Readonly<Record<Expected, string>> = {
  value: "a value",
  "first item": "a value or ]",
  "first key": "a key in double quotes or }",
  key: "a key in double quotes",
  colon: "a colon",
  comma: "a comma or the closing bracket",
  end: "the end of the file",
};

function faultAt(text: string, at: number, expected: Expected): JsonFault {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem: describe(text, at, expected) };
}

function describe(text: string, at: number, expected: Expected): string {
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (at === text.length) return `expected ${WANTED[expected]}, found the end of the file`;
  if (found === "/") return "comments are not allowed";
  if (found === "'") return "text stands in double quotes";
  const isTrailing = expected === "key" || expected === "value";
  if (isTrailing && (found === "}" || found === "]") && /,\s*$/.test(text.slice(0, at))) {
    return `a comma before ${found} is not allowed`;
  }
  if (found === '"' && matchAt(TOKEN, text, at) === "") {
    return "this text does not end on its line, or has an escape that is not allowed";
  }
  return `expected ${WANTED[expected]}, found ${JSON.stringify(found)}`;
}
