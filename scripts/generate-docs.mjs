// Writes the pages under docs/ that are made from code: docs/commands.md, docs/events.md. Node 20 reads no TypeScript, so the
// generator is bundled into a folder that is removed again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
mkdirSync(join(root, ".stele-setup"), { recursive: true });
const folder = mkdtempSync(join(root, ".stele-setup", "docs-"));
try {
  const outfile = join(folder, "docs.mjs");
  await build({
    stdin: {
      contents: `export { commandsPage } from "./src/commands/docs-page.ts"; export { registry } from "./src/commands/registry.ts";
        export { eventsPage } from "./src/ui/events-page.ts";`,
      resolveDir: root,
      loader: "ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  const { commandsPage, eventsPage, registry } = await import(pathToFileURL(outfile).href);
  mkdirSync(join(root, "docs"), { recursive: true });
  writeFileSync(join(root, "docs", "commands.md"), commandsPage(registry));
  writeFileSync(join(root, "docs", "events.md"), eventsPage());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
