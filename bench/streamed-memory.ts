// Resident memory of the built program in a terminal: after an answer of 5,000 tokens beside before it, in one process.
// What a person sees of an answer is in the terminal and in the ledger; nothing of it may stay in the program.
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
    const measured: (readonly [number, number])[] = [];
    for (let round = 0; round < (bench.isQuick ? 3 : 7); round += 1) measured.push(await beforeAndAfter(homes));
    const before = median(measured.map(([first]) => first));
    const after = median(measured.map(([, second]) => second));
    const ratio = median(measured.map(([first, second]) => second / first));
    const what = `memory after ${TOKENS.toLocaleString("en")} streamed tokens`;
    return [{ what, unit: "MiB", base: { name: "before", median: before }, median: after, ratio, target: 1.2 }];
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

/** In MiB. A first short answer comes before both: what a turn loads is no part of an answer. */
async function beforeAndAfter(homes: Homes): Promise<readonly [number, number]> {
  const screen = new Screen(homes.open(homes.of(0)));
  try {
    await screen.until((text) => SAVED.test(text));
    const before = await residentAfter(screen, "go on in short");
    return [before, await residentAfter(screen, "go on at length")];
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
