// Writes docs/screens: what the built program shows in a terminal, as plain text. `node scripts/record-screens.mjs menu`
// plays only the scenes of these names (test/screens/scenes.ts).
import { join } from "node:path";
import { importBundled, root } from "./import-bundled.mjs";

await importBundled('export { record } from "./test/screens/record.ts";', async ({ record }) => {
  const isWhole = await record({
    target: join(root, "docs", "screens"),
    bin: join(root, "bin", "stele"),
    names: process.argv.slice(2),
    log: (line) => console.log(line),
  });
  process.exitCode = isWhole ? 0 : 1;
});
