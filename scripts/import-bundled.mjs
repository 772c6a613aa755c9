// Node 20 reads no TypeScript: a module of the tree is bundled into a folder that is removed again when `use` is done.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `source` is an ES module as text, its paths from the root of the tree. */
export async function importBundled(source, use) {
  mkdirSync(join(root, ".stele-setup"), { recursive: true });
  const folder = mkdtempSync(join(root, ".stele-setup", "bundled-"));
  try {
    const outfile = join(folder, "module.mjs");
    await build({
      stdin: { contents: source, resolveDir: root, loader: "ts" },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      packages: "external",
      logLevel: "warning",
    });
    await use(await import(pathToFileURL(outfile).href));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
