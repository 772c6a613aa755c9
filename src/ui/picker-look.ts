// A look at the item that is selected in a list, as rows of a width. Of an exchange the end of the answer is what tells
// most: the prompt gets a third of the rows at most. No more is read than can be in sight, however long the text is.
import type { PickLook } from "../commands/command.ts";
import { diffRows } from "./diff-rows.ts";
import { sanitize } from "./sanitize.ts";
import { fitLine, type Line, span, wrapSpans } from "./styled-line.ts";

const cut: Line = [span("…", "muted")];

export function pickerLook(look: PickLook, width: number, rows: number): readonly Line[] {
  if (!("kind" in look)) return fromTop(look, width, rows);
  if (look.kind === "exchange") return exchangeRows(look, width, rows);
  // Its first line names the file and counts.
  const lines = look.diff.split("\n", rows + 1).map((line) => line.slice(0, width * rows));
  return upTo(diffRows(lines.join("\n"), width), rows);
}

function exchangeRows(
  { prompt, answer }: { readonly prompt: readonly string[]; readonly answer: readonly string[] },
  width: number,
  rows: number,
): readonly Line[] {
  const most = Math.max(1, Math.floor(rows / 3));
  const whole = prompt.slice(0, most + 1).flatMap((line) => wrapped(line.slice(0, width * (most + 1)), width));
  const asked = whole.slice(0, most).map((line, row) => {
    return row === most - 1 && whole.length > most ? fitLine([...line, span(" …", "muted")], width) : line;
  });
  const room = rows - asked.length;
  if (room < 1) return asked;
  const lines = answer.slice(-room - 1).flatMap((line) => wrapped(line.slice(-width * rows), width));
  if (lines.length <= room) return [...asked, ...lines];
  return [...asked, ...(room > 1 ? [cut] : []), ...lines.slice(-Math.max(1, room - 1))];
}

function fromTop(lines: readonly string[], width: number, rows: number): readonly Line[] {
  return upTo(
    lines.slice(0, rows + 1).flatMap((line) => wrapped(line.slice(0, width * rows), width)),
    rows,
  );
}

function upTo(lines: readonly Line[], rows: number): readonly Line[] {
  // One row alone tells more than that there would be others.
  if (rows === 1) return lines.slice(0, 1);
  return lines.length <= rows ? lines : [...lines.slice(0, Math.max(0, rows - 1)), cut];
}

function wrapped(text: string, width: number): readonly Line[] {
  return wrapSpans([span(sanitize(text))], width);
}
