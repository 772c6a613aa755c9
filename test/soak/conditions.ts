// The whole matrix of sizes and conditions, a few cells at a time, and what was found in it: a table by condition,
// every finding that is not known with its picture. A known one is counted, never hidden.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { allCells, type Cell, CONDITIONS, nameOf } from "../pty/conditions/cells.ts";
import type { Kind } from "../pty/conditions/findings.ts";
import { isKnown, knownFaults } from "../pty/conditions/known-faults.ts";
import { type Outcome, runCell } from "../pty/conditions/run-cell.ts";

interface Judged extends Outcome {
  readonly cell: Cell;
}

const LANES = 3;

/** The exit code: 1 when something was found that is not known. */
export async function allConditions({ bin, place }: { bin: string; place: string }): Promise<number> {
  const judged: Judged[] = [];
  let next = 0;
  const lane = async () => {
    for (let cell = allCells[next]; cell !== undefined; cell = allCells[next]) {
      const folder = path.join(place, `cell-${next}`);
      next += 1;
      mkdirSync(folder);
      judged.push({ cell, ...(await runCell(cell, { bin, folder })) });
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      progress(judged.length);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  process.stdout.write(`${table(judged)}\n`);
  const wrong = judged.filter((each) => unknown(each).length > 0);
  for (const each of wrong) process.stdout.write(`\n${report(each)}\n`);
  return wrong.length > 0 ? 1 : 0;
}

function unknown({ cell, findings }: Judged) {
  return findings.filter((each) => !isKnown(cell, each));
}

function table(judged: readonly Judged[]): string {
  const rows = CONDITIONS.map((condition) => {
    const own = judged.filter(({ cell }) => cell.condition === condition);
    const clean = own.filter(({ findings }) => findings.length === 0).length;
    const wrong = own.filter((each) => unknown(each).length > 0).length;
    const counts = `${own.length} cells: ${clean} clean, ${own.length - clean - wrong} with known faults, ${wrong} wrong`;
    return [`${condition.padEnd(10)}${counts}`, ...knownLines(own)].join("\n");
  });
  const reasons = knownFaults.map(({ condition, why }) => `known, ${condition}: ${why}`);
  return ["screens", ...rows, ...reasons].join("\n");
}

/** `known: stray in 24, repeated in 23` */
function knownLines(judged: readonly Judged[]): readonly string[] {
  const counts = new Map<Kind, number>();
  for (const { cell, findings } of judged) {
    const kinds = new Set(findings.filter((each) => isKnown(cell, each)).map(({ kind }) => kind));
    for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  return [`          known: ${[...counts].map(([kind, count]) => `${kind} in ${count}`).join(", ")}`];
}

function report(judged: Judged): string {
  const findings = unknown(judged).map(({ kind, words }) => `  ${kind}: ${words}`);
  return [nameOf(judged.cell), ...findings, ...judged.pictures].join("\n");
}

function progress(done: number): void {
  const end = done === allCells.length ? "\n" : "";
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${allCells.length} screens${end}`);
}
