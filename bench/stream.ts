// CPU and bytes of a streamed token late in an answer beside early in it: reading the delta, printing the lines that
// are complete, and drawing what is not. The answer is Markdown of every kind, and once a single block of code that
// never ends and once a single table.
import { type AnswerStream, openAnswer, pushAnswer, tailLines } from "../src/ui/answer-stream.ts";
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
  return [...figures, printedBytes()];
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

/** What is printed of an answer of 5,000 tokens, without the live part. */
function printedBytes(): Figure {
  const source = mixed.repeat(Math.ceil((5_000 * 4) / mixed.length));
  let stream: AnswerStream = openAnswer;
  let printed = 0;
  for (let at = 0; at < source.length; at += 4) {
    const streamed = pushAnswer(stream, source.slice(at, at + 4), look.width);
    stream = streamed.stream;
    printed += Buffer.byteLength(printBlocks([{ kind: "answer", lines: streamed.lines }], look));
  }
  const [median, own] = [printed / 1_024, Buffer.byteLength(source) / 1_024];
  const base = { name: "the answer's own", median: own };
  return { what: "bytes printed of an answer", unit: "KiB", base, median, ratio: median / own, target: 3 };
}
