// Searching a text for words, pure: without case unless a capital is among them, over the places where rows were
// wrapped, and in steps of a bounded number of units, so that a long text never holds a key up.
import { isNeeds, type Needs, type PagerSource } from "./pager-source.ts";
import { type Line, lineText, type Span, span } from "./styled-line.ts";
import type { Role } from "./theme.ts";
import type { Look } from "./tool-lines.ts";

/** One match in the rows of a unit; offsets count UTF-16 units of the row's text. */
export interface Hit {
  readonly row: number;
  readonly start: number;
  readonly endRow: number;
  /** Exclusive. */
  readonly end: number;
}

/** The hit with this index in its unit. */
export interface FoundHit {
  readonly unit: number;
  readonly index: number;
  readonly hit: Hit;
}

export function searchPattern(words: string): RegExp {
  const escaped = words
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("\\s+");
  return new RegExp(escaped, words === words.toLowerCase() ? "giu" : "gu");
}

/** Of one unit; more than anybody looks at are not told. */
function hitsOf(rows: readonly Line[], pattern: RegExp, glue: string): readonly Hit[] {
  const { text, parts } = joined(rows, glue);
  const hits: Hit[] = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    if (found[0] === "" || hits.length === maxHits) break;
    const end = found.index + found[0].length;
    while (parts[at + 1] !== undefined && (parts[at + 1]?.at ?? 0) <= found.index) at += 1;
    let last = at;
    while (parts[last + 1] !== undefined && (parts[last + 1]?.at ?? 0) < end) last += 1;
    hits.push({ row: at, start: offsetIn(parts[at], found.index), endRow: last, end: offsetIn(parts[last], end) });
  }
  return hits;
}

const maxHits = 1_000;

export interface Ranged {
  readonly start: number;
  readonly end: number;
  readonly role: Role;
}

/** The part of a hit that is in this row. */
export function rangeIn(hit: Hit, row: number, role: Role): Ranged | undefined {
  if (row < hit.row || row > hit.endRow) return undefined;
  return {
    start: row === hit.row ? hit.start : 0,
    end: row === hit.endRow ? hit.end : Number.MAX_SAFE_INTEGER,
    role,
  };
}

/** The line with these ranges in another role; they are in order and do not overlap. */
export function markLine(line: Line, ranges: readonly Ranged[]): Line {
  const marked: Span[] = [];
  let at = 0;
  for (const each of line) {
    const end = at + each.text.length;
    let from = at;
    for (const range of ranges) {
      const [first, last] = [Math.max(from, range.start), Math.min(end, range.end)];
      if (first >= last) continue;
      if (first > from) marked.push(span(each.text.slice(from - at, first - at), each.role));
      marked.push(span(each.text.slice(first - at, last - at), range.role));
      from = last;
    }
    if (from < end) marked.push(span(each.text.slice(from - at), each.role));
    at = end;
  }
  return marked;
}

export interface SearchFrom {
  readonly unit: number;
  /** Hits of this unit before it, or from it on when searching up, are passed over. */
  readonly index: number;
  readonly direction: "down" | "up";
  /** Units that are still to be looked at; at most all and the first one again. */
  readonly left: number;
}

export type SearchStep = FoundHit | Needs | { readonly next: SearchFrom } | { readonly none: true };

/** Looks at some units, goes on from the other end of the text at its end, and says how to go on. */
export function searchStep(text: { source: PagerSource; look: Look }, pattern: RegExp, from: SearchFrom): SearchStep {
  const { source } = text;
  let { unit, index, left } = from;
  const isUp = from.direction === "up";
  for (let looked = 0; left > 0; looked += 1) {
    if (looked === unitsAStep) return { next: { ...from, unit, index, left } };
    const hits = unitHits(text, unit, pattern);
    if (isNeeds(hits)) return looked === 0 ? hits : { next: { ...from, unit, index, left } };
    const at = isUp ? Math.min(index, hits.length) - 1 : index;
    const hit = hits[at];
    if (hit) return { unit, index: at, hit };
    unit = (unit + (isUp ? source.units - 1 : 1)) % source.units;
    index = isUp ? Number.MAX_SAFE_INTEGER : 0;
    left -= 1;
  }
  return { none: true };
}

const unitsAStep = 2_000;

export function unitHits(
  { source, look }: { source: PagerSource; look: Look },
  unit: number,
  pattern: RegExp,
): readonly Hit[] | Needs {
  const may = source.mayMatch(unit, pattern);
  if (may === false) return [];
  const rows = may === undefined ? undefined : source.rows(unit, look);
  return rows ? hitsOf(rows, pattern, source.glue) : { needs: unit };
}

interface JoinedRow {
  /** Where its text begins in the joined one. */
  readonly at: number;
  /** What of the row was left out before it. */
  readonly indent: number;
}

/** Wrapped words are read on after the indent of their row. */
function joined(rows: readonly Line[], glue: string): { readonly text: string; readonly parts: readonly JoinedRow[] } {
  const parts: JoinedRow[] = [];
  let text = "";
  for (const row of rows) {
    const own = lineText(row);
    const indent = glue === "" ? 0 : own.length - own.trimStart().length;
    if (parts.length > 0) text += glue;
    parts.push({ at: text.length, indent });
    text += own.slice(indent);
  }
  return { text, parts };
}

function offsetIn(part: JoinedRow | undefined, at: number): number {
  return part ? at - part.at + part.indent : 0;
}
