// Resident memory of the built program in a terminal: after an answer of 5,000 tokens beside before it, in one process.
// What a person sees of an answer is in the terminal and in the ledger; nothing of it may stay in the program. One such
// answer comes before both: somewhere in the first V8 doubles the room for young objects, by 16 MiB, whatever they are,
// and gives it back after a minute of rest. What that first one adds to a short answer is told beside it.
import { execFileSync } from "node:child_process";
import { startModelServer } from "../test/helpers/model-server.ts";
import { type Bench, type Figure, median } from "./harness.ts";
import { Homes, SAVED, Screen } from "./screen.ts";

const TOKENS = 5_000;
const FIRST = 20;
/** Sentences, a list and code, four characters a token or so; each token a delta of its own. */
const WORDS = "the date is read as local time and writ ten as UTC so `parse` never sees **it** ".split(" ");
/** So many tokens a second at most, so that the screen draws as it does for a real answer. */
const PAUSE_MS = 4;

export async function benchStreamedMemory(bench: Bench): Promise<Figure[]> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  const server = await startModelServer(({ messages }) => {
    const text = tokens(JSON.stringify(messages.at(-1)).includes("at length") ? TOKENS : FIRST);
    return { text, faults: text.map((_, after) => ({ kind: "hold", after, until: pause })) };
  });
  try {
    const homes = new Homes(bench, server.url);
    const measured: Measured[] = [];
    for (let round = 0; round < (bench.isQuick ? 3 : 7); round += 1) measured.push(await answersInARow(homes));
    const what = `memory after ${TOKENS.toLocaleString("en")} streamed tokens`;
    return [
      { ...beside(measured, { base: "first", after: "second", name: "before" }), what, target: 1.2 },
      { ...beside(measured, { base: "short", after: "first", name: "a short answer" }), what: `${what}, the first` },
    ];
  } finally {
    await server.close();
  }
}

function tokens(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => {
    const word = WORDS[at % WORDS.length] ?? "";
    return at === count - 1 ? "END" : at % 48 === 47 ? `${word}\n\n- ` : at % 240 === 200 ? `${word}\n\n` : `${word} `;
  });
}

/** In MiB, the moment each answer ended. */
type Measured = { readonly [answer in "short" | "first" | "second"]: number };

interface Pair {
  readonly base: keyof Measured;
  readonly after: keyof Measured;
  readonly name: string;
}

function beside(measured: readonly Measured[], { base, after, name }: Pair): Omit<Figure, "what"> {
  return {
    unit: "MiB",
    base: { name, median: median(measured.map((each) => each[base])) },
    median: median(measured.map((each) => each[after])),
    ratio: median(measured.map((each) => each[after] / each[base])),
  };
}

async function answersInARow(homes: Homes): Promise<Measured> {
  const screen = new Screen(homes.open(homes.of(0)));
  try {
    await screen.until((text) => SAVED.test(text));
    const short = await residentAfter(screen, "go on in short");
    const first = await residentAfter(screen, "go on at length");
    return { short, first, second: await residentAfter(screen, "go on at length") };
  } finally {
    await screen.end();
  }
}

async function residentAfter(screen: Screen, prompt: string): Promise<number> {
  screen.forget();
  screen.pty.write(`${prompt}\r`);
  await screen.until((text) => text.includes("END"));
  await screen.until((text) => SAVED.test(text.slice(text.lastIndexOf("END"))));
  const kib = execFileSync("ps", ["-o", "rss=", "-p", String(screen.pty.pid)], { encoding: "utf8" });
  return Number(kib) / 1_024;
}
