// An answer of numbered lines of every kind, and what of each has to be read on the screen at any width: its text without
// white space and without the signs that depend on the layout.
import { cellWidth, graphemes } from "../../../src/ui/text-width.ts";

export interface MixedLines {
  readonly source: string;
  /** What `bare` makes of the screen's rows. */
  readonly shown: string;
  /** `§001`, one a line. */
  readonly markers: readonly string[];
}

const long = "a long line that has to be wrapped at most widths and goes on with 東京 and a word or two "
  .repeat(4)
  .trim();
/** Column titles are signs of the layout too: narrow tables repeat them before each cell. */
const head = "| ¤ | ¤ |\n|---|---|";

/** Each takes its markers in order. */
const kinds: readonly ((mark: () => string) => string)[] = [
  (mark) => `${mark()} plain words, one after the other.\n\n${mark()} another one\n\n`,
  (mark) => `${mark()} 日本語の文章と한국어と中文，全角。\n\n`,
  (mark) => `${mark()} family 👩‍👩‍👧‍👦 flag 🏳️‍🌈 🇯🇵 thumb 👍🏽 e\u0301 end\n\n`,
  (mark) => `${mark()} ${long}\n\n`,
  (mark) => `- ${mark()} an item\n- ${mark()} 項目\n  - ${mark()} one below it\n\n`,
  (mark) => `\`\`\`ts\nconst a = "${mark()}"; // 注\nreturn call(a, "${mark()}");\n\`\`\`\n\n`,
  (mark) => `${head}\n| ${mark()} | 東京 |\n| ${mark()} | ok |\n\n`,
  (mark) => `1. ${mark()} first\n2. ${mark()} second\n\n`,
  (mark) => `> ${mark()} said by **somebody** else\n\n`,
];

/** `count` lines from number `from` on. */
export function mixedLines(from: number, count: number): MixedLines {
  const markers: string[] = [];
  const mark = (): string => {
    const marker = `§${String(from + markers.length).padStart(3, "0")}`;
    markers.push(marker);
    return marker;
  };
  let source = "";
  for (let at = 0; markers.length < count; at += 1) source += kinds[at % kinds.length]?.(mark) ?? "";
  return { source, shown: bare(source.replaceAll(markup, "")), markers };
}

/** Of Markdown, what is not shown. */
const markup = /^\|-.*$|^\s*- |^> |\*\*|[|]/gmu;
/** What a column's title is shown as, bullets, bars. */
const layout = /¤:?|[●•│┼]/gu;

export function bare(text: string): string {
  return text.replaceAll(/\s+/gu, "").replaceAll(layout, "");
}

/** What has no room in a window of one column is shown as a question mark there. */
export function narrowed(text: string): string {
  return graphemes(text)
    .map((each) => (cellWidth(each) > 1 ? "?" : each))
    .join("");
}

/** In small pieces, as a model sends them. */
export function deltas(text: string): readonly string[] {
  const parts = graphemes(text);
  return Array.from({ length: Math.ceil(parts.length / 7) }, (_, at) => parts.slice(at * 7, at * 7 + 7).join(""));
}
