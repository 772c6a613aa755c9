// Bundles the ledger's thread: src/ledger/worker.ts with all it loads into one pack, and worker.cjs, which runs it with
// the code that V8 kept of it. Tests make theirs of the sources as they are.
import { join } from "node:path";
import { build } from "esbuild";
import { bundleUrl, common } from "./common.mjs";
import { supported, writePack } from "./packs.mjs";

const CHUNK = "ledger.js";

export async function bundleLedgerThread(folder) {
  const { outputFiles } = await build({
    ...common,
    supported,
    entryPoints: ["src/ledger/worker.ts"],
    define: { "import.meta.url": "__steleUrl" },
    format: "esm",
    write: false,
  });
  const pack = await writePack({ folder, title: "ledger", chunks: [[CHUNK, outputFiles[0].text]] });
  await build({
    ...common,
    entryPoints: ["src/ledger-thread.ts"],
    outfile: join(folder, "worker.cjs"),
    format: "cjs",
    define: {
      "import.meta.url": "__steleUrl",
      __STELE_BUNDLE__: JSON.stringify({ packs: { [pack]: [CHUNK] }, entry: CHUNK }),
    },
    banner: { js: bundleUrl },
  });
}
