// What an approval shows of a call, as rows of a width: all of it, a diff as the transcript draws it, and what cannot
// be seen spelled out and marked. Made once a request and width: a key that scrolls does not lay it out again.
import type { ApprovalRequest } from "./approval-state.ts";
import { diffRecords } from "./diff-body.ts";
import { revealParts } from "./sanitize.ts";
import { type Line, span, wrapSpans } from "./styled-line.ts";

const made = new WeakMap<ApprovalRequest, { readonly width: number; readonly rows: readonly Line[] }>();

export function approvalBody(request: ApprovalRequest, width: number): readonly Line[] {
  const known = made.get(request);
  if (known?.width === width) return known.rows;
  const room = Math.max(1, width);
  const rows = request.kind === "diff" ? diffBodyRows(request.body, room) : commandRows(request.body, room);
  made.set(request, { width, rows });
  return rows;
}

/** In a command a tab is worth a look. */
function commandRows(command: string, width: number): readonly Line[] {
  return command.split("\n").flatMap((line) => wrapSpans(revealed(line), width));
}

function revealed(text: string): Line {
  return revealParts(text).map((part) => span(part.text, part.hidden ? "revealed" : "plain"));
}

/** Code may be indented by tabs. A line in which something could not be seen stands out as a whole. */
function diffBodyRows(diff: string, width: number): readonly Line[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const shown = lines.map((line) => revealParts(line.replaceAll("\t", "    ")));
  const records = diffRecords(shown.map((parts) => parts.map(({ text }) => text).join("")));
  return records.flatMap(({ gutter, spans }, index) => {
    const isDoubtful = shown[index]?.some(({ hidden }) => hidden) === true;
    const line = isDoubtful ? spans.map(({ text }) => span(text, "warning")) : spans;
    const first = [span(gutter, "muted")];
    return wrapSpans(line, width, { first, rest: [span(" ".repeat(gutter.length))] });
  });
}
