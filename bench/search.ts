// Does a rare word cost more to find in a long history? Each message begins with its own number: the same one is looked
// for among 200 and among 20,000 of about 2 KB, all of them indexed, on a fresh handle whose opening is not counted. And
// how long the index is at it at once, where a turn may wait for it.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { SessionDB } from "../src/ledger/session-db.ts";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";
import { buildConversation } from "./ledgers.ts";

const SHORT = "200 messages";
const LONG = "20,000 messages";
const RARE = "150";

export async function benchSearch(bench: Bench): Promise<Figure[]> {
  const steps = new Map<string, number[]>();
  const sides = [
    { name: SHORT, ...indexed(bench, 200) },
    { name: LONG, ...indexed(bench, bench.isQuick ? 5_000 : 20_000) },
  ].map(({ name, file, took }) => {
    steps.set(name, took);
    return { name, measure: () => search(file) };
  });
  const measured = await interleave(sides, { rounds: bench.isQuick ? 15 : 60, warmUp: 5 });
  return [
    compare(measured, { unit: "ms", side: LONG, base: SHORT, target: 1.5, what: "search a rare word, fresh handle" }),
    compare(steps, { unit: "ms", side: LONG, base: SHORT, what: "one step of the index" }),
  ];
}

function search(file: string): number {
  const db = new SessionDB({ path: file, program: "bench" });
  try {
    const start = performance.now();
    const { hits, rest } = db.searchMessages({ words: RARE, limit: 20 });
    const took = performance.now() - start;
    if (hits.length !== 1 || rest > 0) throw new Error(`the word was found ${hits.length} times`);
    return took;
  } finally {
    db.close();
  }
}

function indexed(bench: Bench, messages: number): { file: string; took: number[] } {
  const file = path.join(bench.folder, "searched", `${messages}.db`);
  mkdirSync(path.dirname(file), { recursive: true });
  buildConversation(file, messages);
  const db = new SessionDB({ path: file, program: "bench" });
  const took: number[] = [];
  for (let isWhole = false; !isWhole; ) {
    const start = performance.now();
    isWhole = db.indexStep();
    took.push(performance.now() - start);
  }
  db.close();
  return { file, took };
}
