// The few cells of the matrix that every run of the tests looks at; all of them are in the soak.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allCells, type Cell, CONDITIONS, fewCells, HEIGHTS, nameOf, WIDTHS } from "./cells.ts";
import { isKnown } from "./known-faults.ts";
import { type Outcome, runCell } from "./run-cell.ts";

const bin = fileURLToPath(new URL("../../../bin/stele", import.meta.url));

/** Cells run beside each other: each clears up for itself. */
async function outcome(cell: Cell): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), "stele-cell-"));
  try {
    return await runCell(cell, { bin, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function expectClean({ cell }: { readonly cell: Cell }): Promise<void> {
  const { findings, pictures } = await outcome(cell);
  expect(
    findings.filter((each) => !isKnown(cell, each)),
    pictures.join("\n\n"),
  ).toEqual([]);
}

const named = fewCells.map((cell) => ({ name: nameOf(cell), cell }));

describe.concurrent("a screen holds every finished line once and nothing else", () => {
  it.each(named.filter(({ cell }) => cell.condition !== "resize"))("at $name", expectClean);
  // On a busy machine a window can have two new sizes at once, and then nobody can tell (terminal-reflow.ts).
  it.each(named.filter(({ cell }) => cell.condition === "resize"))("at $name", { retry: 2 }, expectClean);
});

describe("the cells that each run looks at", () => {
  it("have each width, each height and each condition", () => {
    expect(allCells).toHaveLength(WIDTHS.length * HEIGHTS.length * CONDITIONS.length);
    expect(new Set(fewCells.map(({ cols }) => cols))).toEqual(new Set(WIDTHS));
    expect(new Set(fewCells.map(({ rows }) => rows))).toEqual(new Set(HEIGHTS));
    expect(new Set(fewCells.map(({ condition }) => condition))).toEqual(new Set(CONDITIONS));
  });
});
