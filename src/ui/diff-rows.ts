// A diff as rows of a width, for looking at it: wrapped beside its line numbers, by side, with everything invisible
// spelled out.
import { revealedRecords } from "./diff-body.ts";
import { type Line, span, wrapSpans } from "./styled-line.ts";

/** Of a longer one nobody reads the end here. */
const maxLines = 5_000;

export function diffRows(diff: string | undefined, width: number): readonly Line[] {
  const said = (text: string) => wrapSpans([span(text, "muted")], Math.max(1, width));
  if (diff === undefined || diff.trim() === "") return said("no text to show");
  const lines = diff.replace(/\n$/, "").split("\n");
  const rows = revealedRecords(lines.slice(0, maxLines)).flatMap(({ gutter, spans }) => {
    const first = [span(gutter, "muted")];
    return wrapSpans(spans, Math.max(1, width), { first, rest: [span(" ".repeat(gutter.length))] });
  });
  const hidden = lines.length - maxLines;
  return hidden > 0 ? [...rows, ...said(`+${hidden} more lines`)] : rows;
}
