// Draws a preview of files: what it is about, a window of the list with a tick box each, what is to be known about
// the selected one, and the keys; or the diff of one file. Never more than `rows` lines, none wider than the window.
import type { PreviewFile } from "../commands/command.ts";
import { canTick, type OpenDiff, type PreviewState } from "./preview-state.ts";
import { type RowWindow, rowWindow } from "./row-window.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, lineWidth, type Span, span } from "./styled-line.ts";
import { cellWidth, truncate, truncateStart } from "./text-width.ts";
import type { Look } from "./tool-lines.ts";

/** Rows of the list or the diff: the reducer's `page`. */
export function previewPage(rows: number, width: number): number {
  const frame = [hasTitle(rows), hasDetail(rows, width), hasHint(rows)].filter(Boolean).length;
  return Math.max(1, rows - frame);
}

function hasHint(rows: number): boolean {
  return rows >= 3;
}
function hasTitle(rows: number): boolean {
  return rows >= 4;
}
/** Where the rows of the list are too narrow for words. */
function hasDetail(rows: number, width: number): boolean {
  return rows >= 7 && width < 60;
}

export function previewLines(state: PreviewState, look: Look, rows: number): readonly Line[] {
  const lines = state.diff ? diffLines({ ...state, diff: state.diff }, look, rows) : listLines(state, look, rows);
  return lines.map((line) => fitLine(line, look.width, look.theme.glyphs.ellipsis));
}

function listLines(state: PreviewState, look: Look, rows: number): readonly Line[] {
  const { files, selected } = state;
  const { start, end } = rowWindow(files.length, selected, previewPage(rows, look.width));
  const list = files.slice(start, end).map((_, index) => fileLine(state, start + index, look));
  const file = files[selected];
  return [
    ...(hasTitle(rows) ? [titleLine(state, { start, end }, look)] : []),
    ...(files.length === 0 ? [[span("no files", "muted")]] : list),
    ...(hasDetail(rows, look.width) && file ? [detailLine(file, look)] : []),
    ...(hasHint(rows) ? [hintLine(state, look)] : []),
  ];
}

/** With the place in a list that is longer than its window. */
function titleLine({ title, files }: PreviewState, { start, end }: RowWindow, { width, theme }: Look): Line {
  const place = end - start < files.length && width >= 30 ? ` (${start + 1}-${end} of ${files.length})` : "";
  return [span(truncate(sanitize(title), width - place.length, theme.glyphs.ellipsis), "strong"), span(place, "muted")];
}

function fileLine({ files, ticked, selected }: PreviewState, index: number, { width, theme }: Look): Line {
  const file = files[index];
  if (file === undefined) return [];
  const isSelected = index === selected;
  const pointer = width < 10 ? "" : isSelected ? `${theme.glyphs.pointer} ` : "  ";
  const box = canTick(file) ? (ticked.has(index) ? "[x] " : "[ ] ") : " -  ";
  const room = width - cellWidth(pointer) - cellWidth(box);
  const end = fileEnd(file, room);
  const path = truncateStart(sanitize(file.path) || " ", Math.max(1, room - lineWidth(end)));
  const gap = " ".repeat(Math.max(0, room - cellWidth(path) - lineWidth(end)));
  const role = isSelected ? "selected" : canTick(file) ? "plain" : "muted";
  return [span(`${pointer}${box}${path}`, role), span(end.length === 0 ? "" : gap), ...end];
}

/** What stands right of the path: the counts, and what is special about it where there is room. */
function fileEnd(file: PreviewFile, room: number): Line {
  const counts = [span(`  +${file.added}`, "added"), span(` -${file.removed}`, "removed")];
  const words = fileWords(file);
  const mark = words === undefined ? [] : [span(`  ${words.text}`, words.role)];
  const least = 16;
  if (room - lineWidth([...counts, ...mark]) >= least) return [...mark, ...counts];
  return room - lineWidth(counts) >= least / 2 ? counts : [];
}

function fileWords(file: PreviewFile): Span | undefined {
  if (file.obstacle !== undefined) return span(sanitize(file.obstacle), "warning");
  const words = [
    ...(file.action === "remove" ? ["is removed"] : []),
    ...(file.action === "create" ? ["comes back"] : []),
    ...(file.isSuspected ? ["changed by a command"] : []),
    ...(file.isImported ? ["came with an import"] : []),
    ...(file.isMerged ? ["merged with your change"] : []),
  ];
  if (words.length === 0) return undefined;
  return span(words.join(", "), file.isSuspected || file.isImported || file.isMerged ? "warning" : "muted");
}

function detailLine(file: PreviewFile, { width, theme }: Look): Line {
  const words = fileWords(file);
  const text = words?.text ?? `+${file.added} -${file.removed}`;
  return [span(truncate(`  ${text}`, width, theme.glyphs.ellipsis), words?.role ?? "muted")];
}

function hintLine({ files, ticked, stray }: PreviewState, { width }: Look): Line {
  if (stray)
    return longest(
      ["press an arrow or space first · esc changes nothing", "press an arrow first · esc"],
      width,
      "warning",
    );
  const count = `${ticked.size} of ${files.length}`;
  const all = [
    `enter: change ${count} files · space ticks · a all · d diff · esc changes nothing`,
    `enter: change ${count} · space · a all · d diff · esc`,
    `enter: ${count} · space · a · d · esc`,
    `enter: ${count} · esc`,
  ];
  return longest(all, width, "muted");
}

function longest(words: readonly string[], width: number, role: Span["role"]): Line {
  return [span(words.find((each) => cellWidth(each) <= width) ?? words.at(-1) ?? "", role)];
}

function diffLines(state: PreviewState & { diff: OpenDiff }, look: Look, rows: number): readonly Line[] {
  const { diff } = state;
  const page = previewPage(rows, look.width);
  const start = Math.max(0, Math.min(diff.scroll, diff.rows.length - page));
  const shown = diff.rows.slice(start, start + page);
  const place = `lines ${start + 1}-${start + shown.length} of ${diff.rows.length}`;
  const path = truncateStart(sanitize(state.files[state.selected]?.path ?? ""), look.width);
  const file = state.files[state.selected];
  return [
    ...(hasTitle(rows) ? [[span(path, "strong")]] : []),
    ...shown,
    ...(hasDetail(rows, look.width) && file ? [detailLine(file, look)] : []),
    ...(hasHint(rows)
      ? [longest([`${place} · arrows and pgdn scroll · esc goes back`, `${place} · esc`, "esc"], look.width, "muted")]
      : []),
  ];
}
