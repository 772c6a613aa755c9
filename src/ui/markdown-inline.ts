// What stands within a line of Markdown: emphasis, code, links, escapes. Marks that do not close on the line are not
// known to be marks: they stay visible, and where they clearly open something its look goes on in the next line of the
// paragraph. Pure, and in time about linear; text is taken as already sanitised, and nothing but its characters and a
// few named entities comes out.
import {
  codeMark,
  emphasise,
  isOpening,
  markPieces,
  marksOf,
  type Piece,
  type Run,
  roleOf,
  runLength,
} from "./markdown-emphasis.ts";
import { addressAt, linkOf, type Target } from "./markdown-links.ts";
import { type Line, type Span, span } from "./styled-line.ts";

/** A mark that an earlier line opened. */
export interface OpenMark {
  readonly char: "*" | "~" | "`";
  readonly length: number;
}

export interface Inline {
  readonly spans: Line;
  /** Of it, and of what came before. */
  readonly open: readonly OpenMark[];
}

/** A longer line is shown as it is. */
const maxLine = 4_000;
const maxOpen = 4;

export function readInline(text: string, open: readonly OpenMark[] = []): Inline {
  if (text.length > maxLine) return { spans: [span(text)], open };
  if (open.length === 0 && !/[\\`*_~[<&]|https?:/.test(text)) return { spans: text === "" ? [] : [span(text)], open };
  const reader = new InlineReader(text);
  reader.carry(open);
  reader.read();
  const left = reader.close();
  return { spans: reader.spans(), open: left.slice(0, maxOpen) };
}

/** For what has one line only: a heading, a cell. */
export function inlineSpans(text: string): Line {
  return readInline(text).spans;
}

interface Bracket {
  readonly piece: number;
  readonly runs: number;
}

class InlineReader {
  readonly #text: string;
  readonly #pieces: Piece[] = [];
  readonly #runs: Run[] = [];
  #brackets: Bracket[] = [];
  /** Where runs of back quotes of a length begin, in order, those behind dropped. */
  readonly #ticks = new Map<number, number[]>();
  #openCode: { readonly piece: number; readonly length: number } | undefined;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const places = this.#ticks.get(run.length) ?? [];
      places.push(index);
      this.#ticks.set(run.length, places);
    }
    for (const places of this.#ticks.values()) places.reverse();
  }

  carry(open: readonly OpenMark[]): void {
    for (const { char, length } of open) {
      if (char !== "`") {
        this.#runs.push({ piece: -1, char, length, kept: 0, canOpen: true, canClose: false, isClear: true });
        continue;
      }
      const end = this.#nextTicks(length, 0);
      const stop = end === undefined ? this.#text.length : end + length;
      this.#pieces.push({ text: this.#text.slice(0, stop), marks: 0, role: "code" });
      this.#at = stop;
      if (end === undefined) this.#openCode = { piece: -1, length };
    }
  }

  read(): void {
    while (this.#at < this.#text.length) {
      plainRun.lastIndex = this.#at;
      const plain = plainRun.exec(this.#text)?.[0] ?? "";
      if (plain === "") this.#readSign();
      else this.#say(plain, plain.length);
    }
  }

  /** What the runs mean; what is open is returned. */
  close(): OpenMark[] {
    emphasise(this.#pieces, this.#runs, 0);
    const open: OpenMark[] = [];
    for (const { isClear, char, length, piece } of this.#runs) {
      if (!isClear || length === 0 || (char !== "*" && char !== "~")) continue;
      open.push({ char, length: Math.min(length, 2) });
      markPieces(this.#pieces.slice(piece + 1), marksOf(char, length));
    }
    if (!this.#openCode) return open;
    markPieces(this.#pieces.slice(this.#openCode.piece + 1), codeMark);
    return [...open, { char: "`", length: this.#openCode.length }];
  }

  spans(): Line {
    const spans: Span[] = [];
    for (const { text, marks, role, href } of this.#pieces) {
      if (text === "") continue;
      const own: Span = { text, role: role ?? roleOf(marks), ...(href !== undefined && { href }) };
      const last = spans.at(-1);
      if (last?.role === own.role && last.href === href) spans[spans.length - 1] = { ...last, text: last.text + text };
      else spans.push(own);
    }
    return spans;
  }

  #say(text: string, length: number): void {
    this.#pieces.push({ text, marks: 0 });
    this.#at += length;
  }

  #readSign(): void {
    const char = this.#text[this.#at] ?? "";
    if (char === "`") return this.#readCode();
    if (char === "*" || char === "_" || char === "~") return this.#readRun(char);
    if (char === "[" || char === "]" || char === "!") return this.#readBracket(char);
    if (char === "\\") return this.#readEscape();
    if (char === "&") return this.#readEntity();
    this.#readAddress(char);
  }

  #readEscape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (/[!-/:-@[-`{-~]/.test(next)) this.#say(next, 2);
    else this.#say("\\", 1);
  }

  #readEntity(): void {
    entity.lastIndex = this.#at;
    const found = entity.exec(this.#text);
    this.#say(entities[found?.[1] ?? ""] ?? "&", found?.[0].length ?? 1);
  }

  #readCode(): void {
    const length = runLength(this.#text, this.#at);
    const start = this.#at + length;
    const end = this.#nextTicks(length, start);
    if (end !== undefined) {
      const code = this.#text.slice(start, end);
      const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
      this.#pieces.push({ text: isPadded ? code.slice(1, -1) : code, marks: 0, role: "code" });
      this.#at = end + length;
      return;
    }
    const isClear = length <= 2 && isOpening(this.#text, this.#at, start);
    if (isClear) this.#openCode ??= { piece: this.#pieces.length, length };
    this.#say(this.#text.slice(this.#at, start), length);
  }

  #nextTicks(length: number, from: number): number | undefined {
    const places = this.#ticks.get(length) ?? [];
    while ((places.at(-1) ?? from) < from) places.pop();
    return places.at(-1);
  }

  #readRun(char: string): void {
    const length = runLength(this.#text, this.#at);
    const end = this.#at + length;
    const before = this.#text[this.#at - 1] ?? " ";
    const after = this.#text[end] ?? " ";
    // A star within an emoji is none.
    if (after === "\ufe0f" || after === "\u20e3") return this.#say(this.#text.slice(this.#at, end), length);
    const isLeft = !/\s/.test(after) && (!sign.test(after) || apart.test(before));
    const isRight = !/\s/.test(before) && (!sign.test(before) || apart.test(after));
    const isWithin = char === "_" && isLeft && isRight;
    const fits = char !== "~" || length === 2;
    // Beside a slash stars belong to a path.
    const isPath = char === "*" && (before === "/" || after === "/");
    const canOpen = fits && isLeft && !isPath && (!isWithin || sign.test(before));
    this.#runs.push({
      piece: this.#pieces.length,
      char,
      length,
      kept: 0,
      canOpen,
      canClose: fits && isRight && (!isWithin || sign.test(after)),
      isClear: canOpen && char !== "_" && length <= 2 && isOpening(this.#text, this.#at, end),
    });
    this.#say(this.#text.slice(this.#at, end), length);
  }

  #readBracket(char: string): void {
    if (char === "]") return this.#readLink();
    const isImage = char === "!" && this.#text[this.#at + 1] === "[";
    if (char === "[" || isImage) this.#brackets.push({ piece: this.#pieces.length, runs: this.#runs.length });
    this.#say(isImage ? "![" : char, isImage ? 2 : 1);
  }

  #readLink(): void {
    const bracket = this.#brackets.pop();
    destination.lastIndex = this.#at + 1;
    const found = bracket && destination.exec(this.#text);
    if (!found) return this.#say("]", 1);
    emphasise(this.#pieces, this.#runs, bracket.runs);
    this.#runs.length = bracket.runs;
    const opening = this.#pieces[bracket.piece];
    if (opening) opening.text = "";
    const own = this.#pieces.slice(bracket.piece + 1);
    const target = linkOf(own.map(({ text }) => text).join(""), found[1] ?? found[2] ?? "");
    for (const piece of own) if (target.href !== undefined) Object.assign(piece, { role: "link", href: target.href });
    this.#tell(target);
    this.#brackets = [];
    this.#at += 1 + found[0].length;
  }

  #tell({ text, href, address }: Target): void {
    if (text !== "") this.#pieces.push({ text, marks: 0, ...(href !== undefined && { role: "link", href }) });
    if (address) this.#pieces.push({ text: address.text, marks: 0, role: address.role });
  }

  #readAddress(char: string): void {
    const found = addressAt(this.#text, this.#at);
    if (!found) return this.#say(char, 1);
    this.#tell({ ...linkOf("", found.address), text: found.address });
    this.#at += found.length;
  }
}

const plainRun = /(?:[^\\`*_~[\]!<&h]|h(?!ttps?:))+/y;
const entity = /&(amp|lt|gt|quot|apos|nbsp|#39|mdash|ndash|hellip|rarr|larr|times);/y;
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  "#39": "'",
  mdash: "—",
  ndash: "–",
  hellip: "…",
  rarr: "→",
  larr: "←",
  times: "×",
};
const sign = /[^\p{L}\p{N}\s\p{M}\p{Extended_Pictographic}]/u;
/** Beside these a sign may open or close: blanks, other signs, and scripts that put no blanks between words. */
const apart =
  /[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/u;
const destination =
  /\(\s*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/y;
