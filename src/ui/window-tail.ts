// The end of a stored conversation, as many rows of it as a person may want to look back at: what is painted at once
// does not grow with how long the last answers are. An answer is read from its start, so that its lines look right, but
// only lines that are shown are laid out. What is cut is counted and said.
import type { AnswerLine } from "./answer-stream.ts";
import { type Block, note, type WindowParts } from "./block.ts";
import { answerLines } from "./markdown-rows.ts";
import { linesOf } from "./output-pace.ts";
import type { Line } from "./styled-line.ts";
import { type Look } from "./tool-lines.ts";
import { blockLines } from "./transcript.ts";

/** What the end of a conversation may take of the screen. */
export interface WindowRoom {
  readonly look: Look;
  readonly rows: number;
}

const leastRows = 200;
const heights = 4;

export function windowRoom({
  size,
  theme,
}: {
  readonly size: { readonly columns: number; readonly rows: number };
  readonly theme: Look["theme"];
}): WindowRoom {
  return { look: { width: size.columns, theme }, rows: Math.max(leastRows, heights * size.rows) };
}

/** `earlier`: messages that were not read. */
export function windowTail({ parts, open }: WindowParts, { look, rows }: WindowRoom, earlier = 0): readonly Block[] {
  const kept: Block[] = [...open];
  let left = rows - kept.reduce((sum, block) => sum + blockLines(block, look).length, 0);
  let lines = 0;
  let at = parts.length;
  while (at > 0 && left > 0) {
    at -= 1;
    const end = endOf(parts[at]?.() ?? [], { look, rows: left });
    kept.unshift(...end.blocks);
    left -= end.rows;
    lines += end.cut;
  }
  return [...earlierBlocks({ lines, messages: earlier + at }, look), ...kept];
}

interface Earlier {
  readonly lines: number;
  readonly messages: number;
}

function earlierBlocks({ lines, messages }: Earlier, { theme: { pageKey = "ctrl+o" } }: Look): readonly Block[] {
  const counts = [...counted(lines, "line"), ...counted(messages, "message")];
  if (counts.length === 0) return [];
  const [first, second] = counts;
  const words = `${first?.count} earlier ${first?.noun}${second ? ` and ${second.count} ${second.noun}` : ""}`;
  return [note(pageKey === "" ? words : `${words} · ${pageKey}, t shows all`)];
}

function counted(count: number, noun: string): readonly { readonly count: number; readonly noun: string }[] {
  return count === 0 ? [] : [{ count, noun: count === 1 ? noun : `${noun}s` }];
}

interface End {
  readonly blocks: readonly Block[];
  readonly rows: number;
  /** Lines that were left out. */
  readonly cut: number;
}

function endOf(blocks: readonly Block[], { look, rows }: WindowRoom): End {
  const kept: Block[] = [];
  let taken = 0;
  let cut = 0;
  for (const block of blocks.toReversed()) {
    if (taken >= rows) {
      cut += linesOf([block]);
      continue;
    }
    const end = endOfBlock(block, { look, rows: rows - taken });
    kept.unshift(...end.blocks);
    taken += end.rows;
    cut += end.cut;
  }
  return { blocks: kept, rows: taken, cut };
}

function endOfBlock(block: Block, room: WindowRoom): End {
  if (block.kind === "answer") {
    const { lines, rows, cut } = endOfAnswer(block.lines, room);
    return { blocks: [{ ...block, lines }], rows, cut };
  }
  if (block.kind === "note") {
    const lines = block.text.split("\n");
    const text = lines.slice(-room.rows).join("\n");
    const shown = { ...block, text };
    return { blocks: [shown], rows: blockLines(shown, room.look).length, cut: Math.max(0, lines.length - room.rows) };
  }
  // The others are never long: what is long of them is folded.
  return { blocks: [block], rows: blockLines(block, room.look).length, cut: 0 };
}

function endOfAnswer(all: readonly AnswerLine[], { look, rows }: WindowRoom) {
  let taken = 0;
  let at = all.length;
  const lines: AnswerLine[] = [];
  let isCut = false;
  while (at > 0 && taken < rows) {
    at -= 1;
    const whole = all[at];
    if (!whole) break;
    const line = endOfLine(whole, { look, rows: rows - taken });
    isCut ||= line !== whole;
    lines.push(line);
    taken += answerLines(line, look).length;
  }
  return { lines: lines.reverse(), rows: taken, cut: at + (isCut ? 1 : 0) };
}

/** The line itself where it cannot take more rows than there are. */
function endOfLine(whole: AnswerLine, { look, rows }: WindowRoom): AnswerLine {
  const { line } = whole;
  if (line.kind === "table") {
    if (line.table.rows.length <= rows) return whole;
    const table = { ...line.table, rows: line.table.rows.slice(-rows), hasHead: false };
    return { line: { ...line, table }, first: false };
  }
  if (line.kind !== "text" && line.kind !== "code") return whole;
  const spans = endOfSpans(line.spans, { room: rows * look.width, mark: look.theme.glyphs.ellipsis });
  return spans === line.spans ? whole : { line: { ...line, spans }, first: false };
}

function endOfSpans(spans: Line, { room, mark }: { room: number; mark: string }): Line {
  let over = spans.reduce((sum, { text }) => sum + text.length, 0) - room;
  if (over <= 0) return spans;
  const kept = spans.flatMap((each) => {
    const text = each.text.slice(Math.max(0, over));
    over -= each.text.length;
    return text === "" ? [] : [{ ...each, text }];
  });
  const [first, ...rest] = kept;
  if (!first) return [];
  // Half of a character in two units is none.
  return [{ ...first, text: mark + first.text.replace(/^[\udc00-\udfff]/, "") }, ...rest];
}
