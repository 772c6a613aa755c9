// What a person or a model typed → an expression of FTS5. Any text is a valid query: what would be syntax is taken
// away, and every word is quoted, so that nothing but AND, OR, NOT and a star at a word's end is an operator.

import { hasPicture, PICTURE, partedWords } from "./word-gaps.ts";

/** More of it is not looked at. */
const MOST_CHARACTERS = 2048;

interface Term {
  readonly kind: "term";
  readonly text: string;
  readonly isPrefix: boolean;
}
interface Operator {
  readonly kind: "operator";
  readonly word: "AND" | "OR" | "NOT";
}

/** Undefined: there is no word in it. `isTyping`: its last word may be the beginning of one. */
export function matchExpression(typed: string, { isTyping = false } = {}): string | undefined {
  const text = typed.slice(0, MOST_CHARACTERS).toWellFormed().replaceAll("\0", " ");
  const tokens = withoutDangling(tokensOf(text));
  if (tokens.length === 0) return undefined;
  const isOpen = isTyping && /[\p{L}\p{N}]$/u.test(text);
  return tokens
    .map((token, at) => {
      if (token.kind === "operator") return token.word;
      const isPrefix = token.isPrefix || (isOpen && at === tokens.length - 1);
      return `"${token.text}"${isPrefix ? "*" : ""}`;
    })
    .join(" ");
}

/** Whether there is a word in it. */
export function isQuery(typed: string): boolean {
  return matchExpression(typed) !== undefined;
}

/** Whether a word that was not to be there would be looked for, because its NOT follows no word. */
export function hasLostNot(typed: string): boolean {
  const tokens = tokensOf(typed.slice(0, MOST_CHARACTERS));
  return tokens.some(
    (token, at) =>
      token.kind === "operator" &&
      token.word === "NOT" &&
      tokens[at - 1]?.kind !== "term" &&
      tokens.slice(at).some(({ kind }) => kind === "term"),
  );
}

function tokensOf(text: string): (Term | Operator)[] {
  const tokens: (Term | Operator)[] = [];
  const parts = text.split('"');
  // Without its partner the last quote is no quote.
  const isBalanced = parts.length % 2 === 1;
  for (const [at, part] of parts.entries()) {
    const isPhrase = at % 2 === 1 && (isBalanced || at < parts.length - 1);
    tokens.push(...(isPhrase ? terms([partedWords(part.replaceAll("*", " "))]) : wordsOf(part)));
  }
  return tokens;
}

const words = new RegExp(`${PICTURE}|[\\p{L}\\p{M}\\p{N}\\p{Co}.\\-_*]+`, "gu");

/** All that is no part of a word parts words, a picture is one; a dot, a dash and a low line hold one together. */
function wordsOf(text: string): (Term | Operator)[] {
  return (
    text
      .replace(/\*+/g, "* ")
      .match(words)
      ?.flatMap((word): readonly (Term | Operator)[] => {
        if (word === "AND" || word === "OR" || word === "NOT") return [{ kind: "operator", word }];
        return terms([word]);
      }) ?? []
  );
}

/** FTS5 knows no phrase without a letter or a digit. Of pictures it knows those that it takes for letters. */
function terms(texts: readonly string[]): Term[] {
  return texts
    .filter((text) => /[\p{L}\p{N}\p{Co}]/u.test(text) || hasPicture(text))
    .map((text) => {
      const isPrefix = text.endsWith("*");
      return { kind: "term", text: text.replaceAll("*", ""), isPrefix };
    });
}

/** An operator stands between two words; of several the first. */
function withoutDangling(tokens: readonly (Term | Operator)[]): readonly (Term | Operator)[] {
  const kept: (Term | Operator)[] = [];
  for (const token of tokens) {
    if (token.kind === "operator" && kept.at(-1)?.kind !== "term") continue;
    kept.push(token);
  }
  if (kept.at(-1)?.kind === "operator") kept.pop();
  return kept;
}
