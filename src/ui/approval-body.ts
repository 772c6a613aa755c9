// What an approval shows of a call, as rows of a width: all of it, a diff as the transcript draws it, and what cannot
// be seen spelled out and marked. Made once a request and width: a key that scrolls does not lay it out again.
import type { ApprovalRequest } from "./approval-state.ts";
import { revealedRecords } from "./diff-body.ts";
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

function diffBodyRows(diff: string, width: number): readonly Line[] {
  return revealedRecords(diff.replace(/\n$/, "").split("\n")).flatMap(({ gutter, spans }) => {
    const first = [span(gutter, "muted")];
    return wrapSpans(spans, width, { first, rest: [span(" ".repeat(gutter.length))] });
  });
}
