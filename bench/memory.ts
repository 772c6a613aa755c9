// Resident memory of a process that holds an open session: 20,000 messages beside none at all.
import { conversation, openInChild } from "./conversations.ts";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";

const EMPTY = "empty session";
const LONG = "20,000 messages";

export async function benchMemory(bench: Bench): Promise<Figure[]> {
  const sides = [
    { name: EMPTY, opened: conversation(bench, 0) },
    { name: LONG, opened: conversation(bench, 20_000) },
  ].map(({ name, opened }) => ({ name, measure: async () => (await openInChild(bench, opened)).rssMiB }));
  const measured = await interleave(sides, { rounds: bench.isQuick ? 5 : 15, warmUp: 1 });
  return [
    compare(measured, { what: "memory with a session open", unit: "MiB", side: LONG, base: EMPTY, target: 1.15 }),
  ];
}
