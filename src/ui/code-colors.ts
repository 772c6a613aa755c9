// Colours of code, one line at a time: what a line looks like depends on it and on what the lines before left open,
// a comment, a long string, code within a string, so that a block costs the same per line however long it is. Pure.
// Text is taken as already sanitised. Promise: the spans of a line are its text, to the character.
import { type Enclosed, type Language, languageOf } from "./code-languages.ts";
import { type Line, type Span, span } from "./styled-line.ts";
import type { Role } from "./theme.ts";

export interface CodeState {
  readonly language: Language;
  /** Innermost last. */
  readonly open: readonly Open[];
  /** The word that ends lines of text. */
  readonly heredoc?: string;
}

type Open =
  | { readonly kind: "enclosed"; readonly enclosed: Enclosed; readonly depth: number }
  /** Code within a string, with this many braces of its own open. */
  | { readonly kind: "hole"; readonly braces: number };

/** Nothing for a language that is not known. */
export function openCode(info: string): CodeState | undefined {
  const language = languageOf(info);
  return language && { language, open: [] };
}

/** A longer line is no code that anybody reads. */
const maxLine = 4_000;
const maxDepth = 8;

export function colorLine(state: CodeState, text: string): { readonly state: CodeState; readonly spans: Line } {
  if (text.length > maxLine) return { state, spans: [span(text)] };
  if (state.heredoc !== undefined) {
    const { heredoc, ...after } = state;
    return { state: text.trim() === heredoc ? after : state, spans: [span(text, "code-string")] };
  }
  const reader = new LineReader(state, text);
  reader.read();
  return { state: reader.state(), spans: reader.spans };
}

class LineReader {
  readonly spans: Span[] = [];
  readonly #language: Language;
  readonly #text: string;
  readonly #open: Open[];
  #heredoc: string | undefined;
  #at = 0;

  constructor({ language, open }: CodeState, text: string) {
    this.#language = language;
    this.#text = text;
    this.#open = [...open];
  }

  read(): void {
    while (this.#at < this.#text.length) {
      const inner = this.#open.at(-1);
      if (inner?.kind === "enclosed") this.#readEnclosed(inner.enclosed, inner.depth);
      else this.#readCode();
    }
    // What cannot go on in the next line ends with this one, and so does all within it.
    const short = this.#open.findIndex((each) => each.kind === "enclosed" && each.enclosed.isLong !== true);
    if (short !== -1) this.#open.length = short;
  }

  state(): CodeState {
    const heredoc = this.#open.length === 0 ? this.#heredoc : undefined;
    return { language: this.#language, open: this.#open, ...(heredoc !== undefined && { heredoc }) };
  }

  #readCode(): void {
    const { pattern, kinds } = patternOf(this.#language);
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return this.#push(this.#text.length, "plain");
    const kind = kinds[found.findIndex((group, index) => index > 0 && group !== undefined) - 1];
    this.#push(found.index, "plain");
    this.#readToken(kind, found[0]);
  }

  #readToken(kind: TokenKind | undefined, token: string): void {
    const end = this.#at + token.length;
    switch (kind?.kind) {
      case "enclosed":
        this.#push(end, kind.enclosed.role);
        this.#enter({ kind: "enclosed", enclosed: kind.enclosed, depth: 0 });
        return;
      case "word":
        return this.#push(end, wordRole(this.#language, token));
      case "brace":
        return this.#readBrace(token);
      case "heredoc":
        this.#heredoc = /\w+/.exec(token)?.[0];
        return this.#push(end, "code-string");
      case "role":
        return this.#push(end, kind.role);
      case undefined:
        return this.#push(end, "plain");
    }
  }

  #readBrace(token: string): void {
    const inner = this.#open.at(-1);
    const isEnd = token === "}" && inner?.kind === "hole" && inner.braces === 0;
    this.#push(this.#at + 1, isEnd ? "code-name" : "plain");
    if (inner?.kind !== "hole") return;
    this.#open.pop();
    if (!isEnd) this.#open.push({ kind: "hole", braces: inner.braces + (token === "{" ? 1 : -1) });
  }

  /** Up to its end, to code within it, or to the end of the line. */
  #readEnclosed(enclosed: Enclosed, depth: number): void {
    const { pattern, hasEscapes } = endingOf(enclosed);
    pattern.lastIndex = this.#at;
    for (let found = pattern.exec(this.#text); found; found = pattern.exec(this.#text)) {
      const [token] = found;
      if (hasEscapes && token.startsWith("\\")) continue;
      if (token === enclosed.hole) {
        this.#push(found.index, enclosed.role);
        this.#push(pattern.lastIndex, "code-name");
        return this.#enter({ kind: "hole", braces: 0 });
      }
      this.#push(pattern.lastIndex, enclosed.role);
      this.#open.pop();
      const left = depth + (token === enclosed.close ? -1 : 1);
      if (left >= 0) this.#open.push({ kind: "enclosed", enclosed, depth: left });
      return;
    }
    this.#push(this.#text.length, enclosed.role);
  }

  #enter(open: Open): void {
    if (this.#open.length < maxDepth) this.#open.push(open);
  }

  #push(end: number, role: Role): void {
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    if (text === "") return;
    const last = this.spans.at(-1);
    if (last?.role === role) this.spans[this.spans.length - 1] = span(last.text + text, role);
    else this.spans.push(span(text, role));
  }
}

function wordRole({ keywords, constants, isCaseless }: Language, token: string): Role {
  const word = isCaseless ? token.toLowerCase() : token;
  if (keywords.has(word)) return "code-keyword";
  return constants.has(word) ? "code-number" : "plain";
}

type TokenKind =
  | { readonly kind: "enclosed"; readonly enclosed: Enclosed }
  | { readonly kind: "role"; readonly role: Role }
  | { readonly kind: "word" | "brace" | "heredoc" };

interface Tokens {
  readonly pattern: RegExp;
  /** Of each group. */
  readonly kinds: readonly TokenKind[];
}

const patterns = new WeakMap<Language, Tokens>();

function patternOf(language: Language): Tokens {
  const made = patterns.get(language) ?? createPattern(language);
  patterns.set(language, made);
  return made;
}

function createPattern(language: Language): Tokens {
  const tokens: (readonly [source: string, kind: TokenKind])[] = [
    ...language.patterns.map(([source, role]) => [source, { kind: "role", role }] as const),
    ...(language.hasHeredocs
      ? [["<<(?<!<<<)[-~]?\\s*(?:[A-Z][A-Z_\\d]*\\b|\"\\w+\"|'\\w+')", { kind: "heredoc" }] as const]
      : []),
    ...language.enclosed.map((enclosed) => [literal(enclosed.open), { kind: "enclosed", enclosed }] as const),
    ...language.lineComments.map((open) => [`${literal(open)}.*`, { kind: "role", role: "code-comment" }] as const),
    ["[A-Za-z_$][\\w$]*", { kind: "word" }],
    ["\\d\\w*(?:\\.\\d\\w*)?", { kind: "role", role: "code-number" }],
    ["[{}]", { kind: "brace" }],
  ];
  const source = tokens.map(([each]) => `(${each})`).join("|");
  return { pattern: new RegExp(source, "g"), kinds: tokens.map(([, kind]) => kind) };
}

interface Ending {
  readonly pattern: RegExp;
  readonly hasEscapes: boolean;
}

const endings = new WeakMap<Enclosed, Ending>();

function endingOf(enclosed: Enclosed): Ending {
  const hasEscapes = enclosed.hasEscapes === true;
  const sources = [
    ...(hasEscapes ? ["\\\\."] : []),
    literal(enclosed.close),
    ...(enclosed.nests === true ? [literal(enclosed.open)] : []),
    ...(enclosed.hole === undefined ? [] : [literal(enclosed.hole)]),
  ];
  const made = endings.get(enclosed) ?? { pattern: new RegExp(sources.join("|"), "g"), hasEscapes };
  endings.set(enclosed, made);
  return made;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
