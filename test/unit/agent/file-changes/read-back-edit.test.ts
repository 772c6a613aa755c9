import { mkdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readBackEdit } from "../../../../src/agent/file-changes/read-back-edit.ts";
import type { FileChange } from "../../../../src/ledger/types.ts";
import { type Content, type FileWorld, makeWorld } from "./file-world.ts";

type Row = readonly [before: Content, after: Content, disk: Content, verdict: string, evidence: string];

const APPLIED = ["applied", "read back: applied"] as const;
const NOT_APPLIED = ["not-applied", "read back: not applied"] as const;
const NEITHER = ["unknown", "read back: src/x.ts is neither as before nor as after"] as const;

const ROWS: readonly Row[] = [
  ["old", "new", "new", ...APPLIED],
  ["old", "new", "old", ...NOT_APPLIED],
  ["old", "new", "other", ...NEITHER],
  ["old", "new", undefined, ...NEITHER],
  [undefined, "new", "new", ...APPLIED],
  [undefined, "new", undefined, ...NOT_APPLIED],
  [undefined, "new", "", ...NEITHER],
  ["old", undefined, undefined, ...APPLIED],
  ["old", undefined, "old", ...NOT_APPLIED],
  ["same", "same", "same", ...APPLIED],
];

function edit(
  world: FileWorld,
  before: Content,
  after: Content,
): Pick<FileChange, "path" | "cwd" | "before" | "after"> {
  return world.change("src/x.ts", before, after);
}

describe("an edit that was left running", () => {
  test.each(ROWS)("from %j to %j with %j on the disk is %s", async (before, after, disk, verdict, evidence) => {
    const world = await makeWorld();
    await world.put("src/x.ts", disk);
    expect(await readBackEdit(edit(world, before, after), world.files)).toEqual({ verdict, evidence });
  });

  test("is unknown where it cannot be read, and says why", async () => {
    const world = await makeWorld();
    await mkdir(world.path("src/x.ts"), { recursive: true });
    expect(await readBackEdit(edit(world, "old", "new"), world.files)).toEqual({
      verdict: "unknown",
      evidence: `read back: ${world.path("src/x.ts")} is a folder`,
    });
  });
});
