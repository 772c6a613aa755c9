// Draws the search among earlier prompts: what is searched for, then the prompt that was found, around its first hit,
// with the hits marked. Never higher than its rows, nor wider than the window.

import { shownImages } from "../agent/images/image-text.ts";
import { type HistorySearch, queryWords, shownPrompt } from "./history-search-state.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, type Span, span, wrapSpans } from "./styled-line.ts";
import { truncateStart } from "./text-width.ts";
import type { Look } from "./tool-lines.ts";

/** Rows of the found prompt: enough to know it again. */
const promptRows = 6;
/** Characters around the first hit that are looked at for drawing. */
const around = { before: 200, after: 4_000 };

export function historySearchLines(search: HistorySearch, look: Look, rows: number): readonly Line[] {
  const { width } = look;
  const prompt = shownPrompt(search);
  if (rows < 2) return [fitLine([...queryLine(search, look), ...(prompt === undefined ? [] : oneRow(prompt))], width)];
  const hasKeys = rows >= 4;
  const room = Math.min(promptRows, rows - (hasKeys ? 2 : 1));
  const body = prompt === undefined ? [[span(nothing(search), "warning")]] : promptLines(search, look, room);
  const lines = [queryLine(search, look), ...body, ...(hasKeys ? [keysLine(search, look)] : [])];
  return lines.map((line) => fitLine(line, width, look.theme.glyphs.ellipsis));
}

function oneRow(prompt: string): Line {
  return [span("  "), span(sanitize(shownImages(prompt.slice(0, around.before))))];
}

/** The end of a query is what was typed last: a long one is cut at its start. */
function queryLine({ query, matches, at }: HistorySearch, { width }: Look): Line {
  const title = width < 16 ? "" : width < 40 ? "history: " : "search history: ";
  const count = matches.length === 0 || width < 40 ? "" : `  ${at + 1} of ${matches.length}`;
  const shown = truncateStart(sanitize(query), Math.max(0, width - title.length - count.length - 1));
  return [span(title, "accent"), span(shown), span(" ", "cursor"), span(count, "muted")];
}

function nothing({ query, prompts, isReading }: HistorySearch): string {
  if (isReading) return "looking…";
  if (prompts.length === 0) return "there is no earlier prompt yet";
  return `nothing found for "${sanitize(query)}" in ${prompts.length} prompts`;
}

function keysLine({ atEnd, isReading }: HistorySearch, { width }: Look): Line {
  if (atEnd === "newest") return [span("this is the newest", "warning")];
  if (atEnd === "oldest" && !isReading) return [span("there is no older one", "warning")];
  if (width < 24) return [span("enter take · esc", "muted")];
  if (width < 54) return [span("enter take · ctrl+r older · esc", "muted")];
  return [span("enter take · ctrl+r older · ctrl+s newer · esc back", "muted")];
}

/** From a little before the first hit on, in as many rows as there are. */
function promptLines({ query, prompts, matches, at }: HistorySearch, { width, theme }: Look, rows: number): Line[] {
  const prompt = prompts[matches[at] ?? -1] ?? "";
  const words = queryWords(query);
  const hits = words.map((word) => prompt.search(word)).filter((hit) => hit !== -1);
  const first = hits.length === 0 ? 0 : Math.min(...hits);
  const from = first <= around.before ? 0 : prompt.lastIndexOf("\n", first - around.before / 2) + 1 || first;
  const part = sanitize(shownImages(prompt.slice(from, first + around.after)), { keepNewlines: true });
  const lines = markHits(part, words).flatMap((line) => wrapSpans(line, width));
  const hit = Math.max(
    0,
    lines.findIndex((line) => line.some(({ role }) => role === "selected")),
  );
  const start = Math.max(0, Math.min(hit - 1, lines.length - rows));
  const isCutAbove = start > 0 || from > 0;
  const isCutBelow = start + rows < lines.length || first + around.after < prompt.length;
  return lines.slice(start, start + rows).map((line, index) => {
    if (index === 0 && isCutAbove && hit > start) return [span(theme.glyphs.ellipsis, "muted"), ...line];
    return index === rows - 1 && isCutBelow ? [...line, span(theme.glyphs.ellipsis, "muted")] : line;
  });
}

function markHits(text: string, words: readonly RegExp[]): Line[] {
  const marked = new Uint8Array(text.length);
  for (const word of words) {
    for (const { index, 0: hit } of text.matchAll(word)) marked.fill(1, index, index + hit.length);
  }
  const lines: Span[][] = [[]];
  let from = 0;
  for (let at = 1; at <= text.length; at += 1) {
    if (at < text.length && marked[at] === marked[from] && text[at] !== "\n" && text[from] !== "\n") continue;
    const piece = text.slice(from, at);
    if (piece === "\n") lines.push([]);
    else lines.at(-1)?.push(span(piece, marked[from] === 1 ? "selected" : "plain"));
    from = at;
  }
  return lines;
}
