// Writes docs/screens: what the built program shows in a terminal, as plain text. `node scripts/record-screens.mjs menu`
// plays only the scenes of these names (test/screens/scenes.ts). Node 20 reads no TypeScript, so the recorder is
// bundled into a folder that is removed again.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
mkdirSync(join(root, ".stele-setup"), { recursive: true });
const folder = mkdtempSync(join(root, ".stele-setup", "screens-"));
try {
  const outfile = join(folder, "record.mjs");
  await build({
    entryPoints: [join(root, "test", "screens", "record.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  const { record } = await import(pathToFileURL(outfile).href);
  const isWhole = await record({
    target: join(root, "docs", "screens"),
    bin: join(root, "bin", "stele"),
    names: process.argv.slice(2),
    log: (line) => console.log(line),
  });
  process.exitCode = isWhole ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
