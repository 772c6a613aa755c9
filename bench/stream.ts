// CPU and bytes of a streamed token late in an answer beside early in it: reading the delta, printing the lines that
// are complete, and drawing what is not. The answer is Markdown of every kind, and once a single block of code that
// never ends and once a single table.
import { PassThrough } from "node:stream";
import type { AdmissionId } from "../src/ledger/types.ts";
import { type AnswerStream, openAnswer, pushAnswer, tailLines } from "../src/ui/answer-stream.ts";
import { Screen } from "../src/ui/live-screen.ts";
import { answerLines } from "../src/ui/markdown-rows.ts";
import { paintLine } from "../src/ui/styled-line.ts";
import { createTheme } from "../src/ui/theme.ts";
import { printBlocks } from "../src/ui/transcript.ts";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";

const look = { width: 80, theme: createTheme({ unicode: true }) };
const EARLY = "the first 4,000 tokens";
/** Enough of them that a collection of garbage in between does not decide. */
const TOKENS = 4_000;
/** Far enough in for anything that grows to show. */
const LATE_AT = 40_000;

const mixed = [
  "## Part **two**\n\nSome `code` and **strong** words, a [link](https://example.org/a) and more of them to wrap.\n\n",
  "- one item\n  - nested *item* that is longer\n- [x] done\n\n> quoted words\n\n",
  "```ts\nexport function f(a: string): number { return `x ${a} y`.length + 12; } // note\n```\n\n",
  "| Name | What |\n|---|---:|\n| `a` | one |\n| b | **two** three |\n\n",
].join("");
/** Mostly words, as answers are, each paragraph one line. */
const prose = [
  "## Why the parser drifts\n\nThe date is read as local time and written as UTC, so every entry that is made after four ",
  "in the afternoon lands on the next day. `parse` never sees the zone: it is cut off in **tokenize**, which keeps the ",
  "first ten characters and drops the rest. The test did not notice because the machine that runs it is in London.\n\n",
  "1. Keep the whole text in `tokenize`, and let `parse` decide what it needs of it\n",
  "2. Pass the zone of the file on, with UTC where none is given, so that old files read as they did\n",
  "3. Run the tests under two zones, see [the list](https://example.org/zones)\n\n",
  '```ts\nexport function parse(text: string, { zone = "utc" } = {}): Date {\n  const [date, time] = tokenize(text);\n',
  "  return fromParts({ date, time, zone });\n}\n```\n\n",
  "Everything else stays as it is. The files that were written meanwhile can be told by their entries of the next day, ",
  "and mended with the script above; I would keep a copy of them until the next release is out, because the rule is a ",
  "guess for the entries that were made by hand.\n\n",
].join("");
const code = "  const value = `text ${call({ a: 1, b: 'two' })}`; // why it is so\n";
const row = "| a name | some words in a cell | 1,000 |\n";

export async function benchStream(bench: Bench): Promise<Figure[]> {
  const rounds = { rounds: bench.isQuick ? 7 : 21, warmUp: 2 };
  const figures: Figure[] = [];
  for (const [what, source] of [
    ["mixed Markdown", (tokens: number) => mixed.repeat(Math.ceil((tokens * 4) / mixed.length))],
    ["one block of code", (tokens: number) => `\`\`\`ts\n${code.repeat(Math.ceil((tokens * 4) / code.length))}`],
    ["one table", (tokens: number) => `|a|b|c|\n|-|-|-|\n${row.repeat(Math.ceil((tokens * 4) / row.length))}`],
  ] as const) {
    const text = source(LATE_AT + TOKENS);
    const late = `tokens ${LATE_AT.toLocaleString("en")} on`;
    const sides = [
      { name: EARLY, measure: () => timed(text, 0) },
      { name: late, measure: () => timed(text, LATE_AT) },
    ];
    const measured = await interleave(sides, rounds);
    figures.push(
      compare(measured, { what: `${what}, CPU for 4,000`, unit: "ms", side: late, base: EARLY, target: 1.3 }),
    );
  }
  const bytes = [
    terminalBytes({ name: "words", source: prose, tokensPerPaint: 1, target: 4 }),
    terminalBytes({ name: "words", source: prose, tokensPerPaint: 4, target: 3 }),
    terminalBytes({ name: "dense Markdown", source: mixed, tokensPerPaint: 4, target: 8 }),
  ];
  return [...figures, ...bytes];
}

/**
 * In ms: so many tokens of four characters, `from` the one after those that do not count. Both sides have read a long
 * answer before, so that what is left to collect of it weighs on both.
 */
function timed(source: string, from: number): number {
  const before = pushAnswer(openAnswer, source.slice(0, LATE_AT * 4), look.width).stream;
  let stream: AnswerStream = from > 0 ? before : openAnswer;
  const start = process.cpuUsage();
  for (let token = from; token < from + TOKENS; token += 1) {
    stream = step(stream, source.slice(token * 4, token * 4 + 4));
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function step(stream: AnswerStream, delta: string): AnswerStream {
  const streamed = pushAnswer(stream, delta, look.width);
  if (streamed.lines.length > 0) printBlocks([{ kind: "answer", lines: streamed.lines }], look);
  for (const line of tailLines(streamed.stream).flatMap((each) => answerLines(each, look))) paintLine(line, look.theme);
  return streamed.stream;
}

interface Streamed {
  readonly name: string;
  readonly source: string;
  readonly tokensPerPaint: number;
  readonly target: number;
}

/**
 * All that the screen writes to a terminal of 80 by 24 while an answer of 5,000 tokens comes in. A frame is drawn every
 * 33 ms: four tokens each are an answer at 120 tokens a second, one each the slowest there is.
 */
function terminalBytes({ name, source: part, tokensPerPaint, target }: Streamed): Figure {
  const source = part.repeat(Math.ceil((5_000 * 4) / part.length)).slice(0, 5_000 * 4);
  let written = 0;
  const stdout = { columns: 80, rows: 24, write: (text: string) => (written += Buffer.byteLength(text)) };
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const screen = new Screen({ stdout, stdin, theme: look.theme, reflow: "but-cursor-row" });
  screen.dispatch({ type: "turn-started", admission: 1 as AdmissionId });
  screen.paint();
  written = 0;
  for (let token = 0; token < 5_000; token += 1) {
    screen.dispatch({ type: "text-delta", text: source.slice(token * 4, token * 4 + 4) });
    if (token % tokensPerPaint === tokensPerPaint - 1) screen.paint();
  }
  screen.paint();
  const [median, own] = [written / 1_024, Buffer.byteLength(source) / 1_024];
  screen.close();
  const base = { name: "the answer's own", median: own };
  const what = `bytes of ${name}, a frame every ${tokensPerPaint === 1 ? "token" : `${tokensPerPaint} tokens`}`;
  return { what, unit: "KiB", base, median, ratio: median / own, target };
}
