// The screens under docs/screens are what the program shows: some of them are played again and compared.
// `node scripts/record-screens.mjs` writes them anew; look at what changed before it is committed.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fileName, pageOf, playScene } from "../screens/record.ts";
import { scenes } from "../screens/scenes.ts";
import type { Shot } from "../screens/stage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = path.join(root, "bin", "stele");
const compared = scenes.filter(({ name }) => ["start", "help", "markdown", "typing", "approve-edit"].includes(name));

describe("a recorded screen", () => {
  it.each(compared)("is what is shown: $name", async (scene) => {
    const [size] = scene.sizes;
    if (size) await playScene(scene, size, bin, compare);
    expect.hasAssertions();
  });
});

/** It comes sooner or later, or the difference is shown. */
async function compare(shot: Shot): Promise<void> {
  const recorded = readFileSync(path.join(root, "docs", "screens", fileName(shot)), "utf8");
  const isSame = () => pageOf(shot) === recorded;
  await shot.terminal.waitFor(isSame).catch(() => {
    // Not the same: below it says where.
  });
  expect(pageOf(shot), fileName(shot)).toBe(recorded);
}
