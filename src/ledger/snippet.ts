// A piece of a text around the words that were found in it: where most different ones stand together, cut between words.
// FTS5's own snippets compare every hit with every other, which takes minutes where a text repeats a word; its marks alone
// are cheap in a text that is not long, and in a long one the words are looked for here.

import { PICTURE_UNIT } from "./word-gaps.ts";

export interface SnippetPart {
  readonly text: string;
  readonly isHit: boolean;
}

/** What stands around a hit in a text as it comes from SQLite. */
const HIT_BEGINS = "\u0002";
const HIT_ENDS = "\u0003";

const LONG_CHARACTERS = 20_000;

/** The whole text of a row, its hits marked where it is not long. */
export const markedText = (table: string, text: string) =>
  `case when length(${text}) > ${LONG_CHARACTERS} then ${text}
     else highlight(${table}, 0, char(2), char(3)) end as marked`;

/** Characters before the first hit, of the hits that are looked at together, and in all. */
const LEAD = 60;
const TOGETHER = 160;
const MOST = 280;
/** Hits that are looked at. */
const MOST_HITS = 500;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** `match`: the expression that found it. */
export function snippetParts(marked: string, match: string): readonly SnippetPart[] {
  const { text, hits } = marked.includes(HIT_BEGINS)
    ? unmarked(marked)
    : { text: marked, hits: wordsIn(marked, match) };
  const best = bestHit(text, hits);
  const from = best === undefined ? 0 : wordAfter(text, best.start - LEAD, best.start);
  const to = wordBefore(text, from + MOST, Math.max(best?.end ?? 0, from + 1));
  const parts: SnippetPart[] = [];
  const add = (words: string, isHit: boolean): void => {
    if (words !== "") parts.push({ text: words.toWellFormed(), isHit });
  };
  let at = from;
  for (const hit of hits) {
    if (hit.end <= from || hit.start >= to) continue;
    add(`${at === from && from > 0 ? "…" : ""}${text.slice(at, hit.start)}`, false);
    add(text.slice(hit.start, Math.min(hit.end, to)), true);
    at = Math.min(hit.end, to);
  }
  add(`${text.slice(at, to)}${to < text.length ? "…" : ""}`, false);
  return parts;
}

const noWord = new RegExp(`[^\\p{L}\\p{M}\\p{N}${PICTURE_UNIT}]+`, "u");

/** Its own words in the text, by letters alone: a word with other accents is found, and not marked. */
function wordsIn(text: string, match: string): readonly Range[] {
  const words = [...match.matchAll(/"([^"]*)"(\*?)/g)].flatMap(([, word = "", star]) => {
    const parts = word.split(noWord).filter((part) => part !== "");
    if (parts.length === 0) return [];
    return [`${parts.join("[^\\p{L}\\p{N}]+")}${star ? "[\\p{L}\\p{M}\\p{N}]*" : ""}`];
  });
  if (words.length === 0) return [];
  const hits: Range[] = [];
  for (const { 0: found, index } of text.matchAll(
    new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})(?![\\p{L}\\p{N}])`, "giu"),
  )) {
    if (hits.length === MOST_HITS || found === "") break;
    hits.push({ start: index, end: index + found.length });
  }
  return hits;
}

function unmarked(marked: string): { readonly text: string; readonly hits: readonly Range[] } {
  const [first = "", ...pieces] = marked.split(HIT_BEGINS);
  const texts = [first];
  const hits: Range[] = [];
  let length = first.length;
  for (const piece of pieces) {
    const end = Math.max(0, piece.indexOf(HIT_ENDS));
    if (hits.length < MOST_HITS) hits.push({ start: length, end: length + end });
    texts.push(piece.slice(0, end), piece.slice(end + 1));
    length += piece.length - (piece.includes(HIT_ENDS) ? 1 : 0);
  }
  return { text: texts.join(""), hits };
}

/** The first of those hits that stand together. */
function bestHit(text: string, hits: readonly Range[]): Range | undefined {
  let best: Range | undefined;
  let most = 0;
  for (const [at, hit] of hits.entries()) {
    const words = new Set<string>();
    for (let next = at; next < hits.length; next += 1) {
      const other = hits[next];
      if (!other || other.end > hit.start + TOGETHER) break;
      words.add(text.slice(other.start, other.end).toLowerCase());
    }
    if (words.size <= most && best) continue;
    best = hit;
    most = words.size;
  }
  return best;
}

function wordAfter(text: string, from: number, limit: number): number {
  if (from <= 0) return 0;
  const gap = text.slice(from, limit).search(/\s/);
  return gap === -1 ? from : from + gap + 1;
}

function wordBefore(text: string, to: number, limit: number): number {
  if (to >= text.length) return text.length;
  const gap = /\s\S*$/.exec(text.slice(Math.min(limit, to), to))?.index;
  return gap === undefined ? to : Math.min(limit, to) + gap;
}
