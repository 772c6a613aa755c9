// The one gate between untrusted text and a terminal: model output, tool output, file names, titles.
// Promise: the result holds no C0 but newline, no DEL, no C1, no escape sequence or part of one, no bidi control,
// no invisible character outside an emoji sequence and no lone surrogate, however the input was cut into chunks.
// `reveal` is its counterpart for approvals: there nothing vanishes, what cannot be seen is spelled out.
import { createInvisibleFilter, emojiSequence, harmless } from "../agent/invisible.ts";
import { createEscapeStripper } from "./escape-stripper.ts";
import { cellWidth, graphemes } from "./text-width.ts";

export interface SanitizeOptions {
  /** Off: a line break becomes one space, for text that has one line. Default off. */
  readonly keepNewlines?: boolean;
  /** Distance of tab stops in cells, default 8. */
  readonly tabs?: number;
}

export interface Sanitizer {
  /** The clean text of this chunk, but for a tail that what follows has to decide about. */
  push(chunk: string): string;
  end(): string;
}

export function sanitize(text: string, options: SanitizeOptions = {}): string {
  if (harmlessText.test(text) && (options.keepNewlines === true || !text.includes("\n"))) return text;
  const sanitizer = createSanitizer(options);
  return sanitizer.push(text) + sanitizer.end();
}

export function createSanitizer(options: SanitizeOptions = {}): Sanitizer {
  const stripper = createEscapeStripper();
  const layout = createLineLayout(options);
  const invisible = createInvisibleFilter();
  return {
    push: (chunk) => layout(invisible(stripper.push(chunk))),
    end: () => layout(invisible(stripper.end())),
  };
}

/** A part of a text to be approved; `hidden` parts are escapes that stand for what could not be seen. */
export interface RevealedPart {
  readonly text: string;
  readonly hidden: boolean;
}

/** All of the text with what is invisible or acts on a terminal written as `\u202e`; newlines stay. */
export function reveal(text: string): string {
  return revealParts(text)
    .map((part) => part.text)
    .join("");
}

export function revealParts(text: string): readonly RevealedPart[] {
  if (harmlessText.test(text) && !text.includes("\xa0")) return text === "" ? [] : [{ text, hidden: false }];
  const parts: { text: string; hidden: boolean }[] = [];
  for (const grapheme of graphemes(text)) {
    for (const piece of emojiSequence.test(grapheme) ? [grapheme] : Array.from(grapheme)) {
      const hidden = unseen.test(piece);
      const shown = hidden ? escapeOf(piece) : piece;
      const last = parts.at(-1);
      if (last?.hidden === hidden) last.text += shown;
      else parts.push({ text: shown, hidden });
    }
  }
  return parts;
}

/** A line of code, which may be indented by tabs. */
export function revealCode(line: string): readonly RevealedPart[] {
  return revealParts(line.replaceAll("\t", "    "));
}

const harmlessText = new RegExp(`^[${harmless}\\n]*$`);
const unseen =
  /^(?:[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb]|(?! )\p{Zs}|\p{Cs}|\p{Co}|\p{Cn}|\p{Default_Ignorable_Code_Point})$/u;

/** Newlines and tabs: the column since the last line break is remembered across chunks. */
function createLineLayout(options: SanitizeOptions): (text: string) => string {
  const newline = options.keepNewlines === true ? "\n" : " ";
  const tabs = Math.max(1, Math.floor(options.tabs ?? 8));
  let column = 0;
  let sinceStop = "";

  function advance(piece: string): string {
    if (piece === "\t") {
      column += cellWidth(sinceStop);
      const spaces = tabs - (column % tabs);
      [column, sinceStop] = [column + spaces, ""];
      return " ".repeat(spaces);
    }
    if (piece !== "\n") sinceStop += piece;
    else if (newline === "\n") [column, sinceStop] = [0, ""];
    else sinceStop += newline;
    return piece === "\n" ? newline : piece;
  }

  return (text) =>
    text === ""
      ? ""
      : text
          .split(/([\n\t])/)
          .map(advance)
          .join("");
}

function escapeOf(character: string): string {
  const named = { "\t": "\\t", "\r": "\\r", "\x1b": "\\x1b" }[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
