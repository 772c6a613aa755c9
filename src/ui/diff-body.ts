// A diff as styled lines: numbers in a column, signs and colours by side, and the words that changed marked within the
// lines that replace each other. What cannot be seen in them is spelled out.
import { type DiffLine, readDiff } from "./diff-line.ts";
import { changedWords, type Range } from "./diff-words.ts";
import { revealCode } from "./sanitize.ts";
import { type Line, span } from "./styled-line.ts";
import { cellWidth, truncateStart } from "./text-width.ts";
import type { Role } from "./theme.ts";

export interface DiffRecord {
  /** The number, as wide as the widest. */
  readonly gutter: string;
  readonly spans: Line;
}

/** Of raw lines. One in which something could not be seen stands out as a whole. */
export function revealedRecords(lines: readonly string[]): readonly DiffRecord[] {
  const shown = lines.map(revealCode);
  const records = diffRecords(shown.map((parts) => parts.map(({ text }) => text).join("")));
  return records.map((record, index) => {
    const isDoubtful = shown[index]?.some(({ hidden }) => hidden) === true;
    return isDoubtful ? { ...record, spans: record.spans.map(({ text }) => span(text, "warning")) } : record;
  });
}

/** A row for each line. One that is too long is cut at its end, or before a change that would be cut off. */
export function diffBody(
  lines: readonly string[],
  { width, ellipsis }: { width: number; ellipsis: string },
): readonly Line[] {
  return revealedRecords(lines).map(({ gutter, spans }) => {
    const room = width - gutter.length;
    const [sign, before, ...rest] = spans;
    const isHidden = sign && before && rest.length > 0 && cellWidth(before.text) > room - minShown;
    const kept = isHidden ? { ...before, text: ellipsis + truncateStart(before.text, Math.floor(room / 4)) } : before;
    const line = sign && kept ? [sign, kept, ...rest] : spans;
    return gutter === "" ? line : [span(gutter, "muted"), ...line];
  });
}

/** Cells of a change that have to be seen. */
const minShown = 16;
/** Runs of replaced lines that are longer are not compared. */
const maxRun = 60;

function diffRecords(lines: readonly string[]): readonly DiffRecord[] {
  const read = readDiff(lines);
  const digits = Math.max(0, ...read.map(({ number }) => (number === undefined ? 0 : String(number).length)));
  const marks = wordMarks(read);
  return read.map((line, index) => ({
    gutter: digits === 0 ? "" : `${(line.number === undefined ? "" : String(line.number)).padStart(digits)} `,
    spans: line.sign === undefined ? [span(line.text, "muted")] : sided(line, marks.get(index) ?? []),
  }));
}

function sided({ sign = " ", text }: DiffLine, marks: readonly Range[]): Line {
  const role: Role = sign === "+" ? "added" : sign === "-" ? "removed" : "plain";
  if (role === "plain") return [span(`  ${text}`)];
  const word: Role = role === "added" ? "added-word" : "removed-word";
  let at = 0;
  const spans = marks.flatMap(([start, end]) => {
    const pair = [span(text.slice(at, start), role), span(text.slice(start, end), word)];
    at = end;
    return pair;
  });
  return [span(`${sign} `, role), ...spans, span(text.slice(at), role)].filter((each) => each.text !== "");
}

/** By line: of as many removed lines as added ones follow, each is compared with its own. */
function wordMarks(lines: readonly DiffLine[]): ReadonlyMap<number, readonly Range[]> {
  const marks = new Map<number, readonly Range[]>();
  for (let at = 0; at < lines.length; ) {
    const removed = runLength(lines, at, "-");
    const added = runLength(lines, at + removed, "+");
    if (removed === added && removed <= maxRun) {
      for (let index = at; index < at + removed; index += 1) {
        const words = changedWords(lines[index]?.text ?? "", lines[index + removed]?.text ?? "");
        if (!words) continue;
        marks.set(index, words.before);
        marks.set(index + removed, words.after);
      }
    }
    at += Math.max(1, removed + added);
  }
  return marks;
}

function runLength(lines: readonly DiffLine[], from: number, sign: "+" | "-"): number {
  let at = from;
  while (lines[at]?.sign === sign) at += 1;
  return at - from;
}
