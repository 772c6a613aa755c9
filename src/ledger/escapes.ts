// Takes terminal control out of a name before it is stored: whole sequences as ECMA-48 has them, not only their first
// character, so that nothing of one is left to be read. One that has no end ends with its line. Pure.

const STRING =
  "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\n\\r\\x07\\x18\\x1a\\x1b\\x9c\\u2028\\u2029]*(?:[\\x07\\x18\\x1a\\x9c]|\\x1b\\\\)?";
const CONTROL = "(?:\\x1b\\[|\\x9b)[\\x20-\\x3f]*[\\x40-\\x7e]?";
const ESCAPE = "\\x1b[\\x20-\\x2f]*[\\x30-\\x7e]?";
const sequences = new RegExp(`${STRING}|${CONTROL}|${ESCAPE}`, "g");

export function withoutEscapes(text: string): string {
  return text.replace(sequences, "");
}
