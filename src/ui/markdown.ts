// Markdown a line at a time, so that an answer can be shown while it streams: what a line looks like depends on
// that line and on whether a code block is open, never on what follows. Pure; text is sanitised here.
import { sanitize } from "./sanitize.ts";
import { type Line, type Span, span } from "./styled-line.ts";

/** What a line has to know of the ones before it. */
export interface MarkdownState {
  /** The fence that is open: what closes it. */
  readonly fence?: string;
}

export interface MarkdownLine {
  readonly kind: "text" | "code" | "blank";
  readonly spans: Line;
  /** Cells that wrapped rows are indented by: the text of a list item stands under itself. */
  readonly hang: number;
}

export const openMarkdown: MarkdownState = {};

export function readMarkdown(
  state: MarkdownState,
  source: string,
): { readonly state: MarkdownState; readonly line: MarkdownLine } {
  const text = sanitize(source).trimEnd();
  const fence = /^\s{0,3}(`{3,}|~{3,})\s*([^`]*)$/.exec(text);
  if (state.fence !== undefined) {
    const closes = fence?.[1]?.startsWith(state.fence) && fence[2] === "";
    return closes ? { state: {}, line: fenceLine(text) } : { state, line: codeLine(text) };
  }
  if (fence?.[1] !== undefined) return { state: { fence: fence[1] }, line: fenceLine(text) };
  return { state, line: proseLine(text) };
}

function codeLine(text: string): MarkdownLine {
  return { kind: "code", spans: [span(text)], hang: 0 };
}

function fenceLine(text: string): MarkdownLine {
  return { kind: "code", spans: [span(text.trim(), "muted")], hang: 0 };
}

function proseLine(text: string): MarkdownLine {
  if (text === "") return { kind: "blank", spans: [], hang: 0 };
  const heading = /^#{1,6}\s+(.*)$/.exec(text);
  if (heading?.[1] !== undefined) return { kind: "text", spans: [span(plainWords(heading[1]), "strong")], hang: 0 };
  const quote = /^\s{0,3}>\s?(.*)$/.exec(text);
  if (quote?.[1] !== undefined) return { kind: "text", spans: [span("> ", "muted"), ...inline(quote[1])], hang: 2 };
  const item = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(.*)$/.exec(text);
  if (!item) return { kind: "text", spans: inline(text), hang: 0 };
  const [, before = "", mark = "", gap = "", rest = ""] = item;
  const sign = /^[*+]$/.test(mark) ? "-" : mark;
  const hang = Math.min(before.length, 12) + sign.length + 1;
  return {
    kind: "text",
    spans: [span(before.slice(0, 12)), span(sign + gap.slice(0, 1), "accent"), ...inline(rest)],
    hang,
  };
}

/** Looking for pairs costs more than the line is long: beyond this a line is shown as it is. */
const maxInline = 4_000;

/** `code` and **strong**; what does not close on the line is text. */
function inline(text: string): Line {
  if (text.length > maxInline) return [span(text)];
  const spans: Span[] = [];
  let at = 0;
  for (const found of text.matchAll(/(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*/g)) {
    const [whole, , code, strong] = found;
    if (found.index > at) spans.push(span(text.slice(at, found.index)));
    spans.push(code === undefined ? span(strong ?? "", "strong") : span(code, "accent"));
    at = found.index + whole.length;
  }
  if (at < text.length || spans.length === 0) spans.push(span(text.slice(at)));
  return spans;
}

function plainWords(text: string): string {
  return text.replace(/\s+#+$/, "").replace(/\*\*|`/g, "");
}
