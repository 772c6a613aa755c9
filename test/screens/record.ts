// Plays every scene at every size and writes its screens as text. What is written again is the same, byte for byte.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Scene, scenes } from "./scenes.ts";
import { type Shot, type ShotSize, Stage, shownText } from "./stage.ts";

export interface Recording {
  /** Relative to the root: docs/screens. */
  readonly target: string;
  readonly bin: string;
  /** Of scenes; none: all, and files that no scene writes are removed. */
  readonly names: readonly string[];
  readonly log: (line: string) => void;
}

/** False: a scene did not come to its end. */
export async function record({ target, bin, names, log }: Recording): Promise<boolean> {
  mkdirSync(target, { recursive: true });
  const written = new Set<string>();
  let isWhole = true;
  const jobs = scenes
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .flatMap((scene) => scene.sizes.map((size) => ({ scene, size })));
  for (const { scene, size } of jobs) {
    try {
      await playScene(scene, size, bin, async (shot) => {
        await settled(shot);
        written.add(fileName(shot));
        writeFileSync(path.join(target, fileName(shot)), pageOf(shot));
      });
      log(`${scene.name} ${sizeWords(size)}`);
    } catch (error) {
      isWhole = false;
      log(`${scene.name} ${sizeWords(size)} broke off: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (isWhole && names.length === 0) {
    for (const file of readdirSync(target)) if (!written.has(file)) rmSync(path.join(target, file));
  }
  return isWhole;
}

export async function playScene(
  scene: Scene,
  size: ShotSize,
  bin: string,
  onShot: (shot: Shot) => Promise<void>,
): Promise<void> {
  const stage = new Stage({ bin, size, onShot });
  try {
    await scene.play(stage);
  } finally {
    await stage.close();
  }
}

export function fileName({ name, size }: Pick<Shot, "name" | "size">): string {
  return `${name}.${sizeWords(size)}.txt`;
}

/** The screen between two lines as wide as it is. */
export function pageOf(shot: Shot): string {
  const edge = "=".repeat(shot.size.cols);
  return `${edge}\n${shownText(shot)}\n${edge}\n`;
}

function sizeWords({ cols, rows }: ShotSize): string {
  return `${cols}x${rows}`;
}

/** In ms: so long nothing must be drawn for a screen to be taken as finished. */
const quiet = 400;

async function settled({ terminal, shows }: Shot): Promise<void> {
  await terminal.waitFor((each) => shows.test(each.screen().join("\n")), 30_000);
  for (let before = ""; ; ) {
    await new Promise((resolve) => setTimeout(resolve, quiet));
    const now = shownText({ terminal });
    if (now === before) return;
    before = now;
  }
}
