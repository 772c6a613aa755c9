// What all bundles have in common.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  external: ["better-sqlite3"],
  logLevel: "warning",
};

/** CommonJS has no `import.meta`. */
export const bundleUrl = 'const __steleUrl=require("node:url").pathToFileURL(__filename).href;';
