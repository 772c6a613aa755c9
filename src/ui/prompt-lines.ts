// A prompt as the transcript shows it: whole, or, when it is long, its first rows and how much of it there is. What a
// long one costs does not depend on how long it is, but for counting its lines.
import { pasteLabel } from "./composer-paste.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Indent, type Line, span, wrapSpans } from "./styled-line.ts";
import { type Look, opens } from "./tool-lines.ts";

/** Shown whole up to both. */
const whole = { lines: 12, characters: 1_600 };
const shownRows = 3;
/** Enough for the rows that are shown, at any width. */
const shownCharacters = 4_000;
/** In a pager a prompt stands among others: there it is whole up to here. */
const wholeInPager = 200_000;

/** The transcript shows only the beginning of it. */
export function isLongPrompt(text: string): boolean {
  const trimmed = text.trimEnd();
  if (trimmed.length > whole.characters) return true;
  return trimmed.split("\n", whole.lines + 1).length > whole.lines;
}

export interface ShownPrompt {
  readonly text: string;
  /** It is a command for the shell, and this stands before it. */
  readonly marks?: "!" | "!!";
}

export function promptLines(prompt: ShownPrompt, look: Look, options: { inPager?: boolean } = {}): readonly Line[] {
  const { text } = prompt;
  const isWhole = options.inPager ? text.length <= wholeInPager : !isLongPrompt(text);
  if (isWhole) return promptRows({ ...prompt, text: text.trimEnd() }, look);
  const { width, theme } = look;
  const hint = `${pasteLabel(text)}${opens(look)}`;
  return [
    ...promptRows({ ...prompt, text: text.slice(0, shownCharacters) }, look).slice(0, shownRows),
    fitLine([span("  "), span(hint, "muted")], width, theme.glyphs.ellipsis),
  ];
}

function promptRows({ text, marks }: ShownPrompt, { width, theme }: Look): readonly Line[] {
  const sign = `${marks ?? theme.glyphs.prompt} `;
  const indent: Indent = { first: [span(sign, marks ? "warning" : "accent")], rest: [span(" ".repeat(sign.length))] };
  return sanitize(text, { keepNewlines: true, tabs: 4 })
    .split("\n")
    .flatMap((line, index) =>
      wrapSpans([span(line, "strong")], width, index === 0 ? indent : { ...indent, first: indent.rest }),
    );
}
