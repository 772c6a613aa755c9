// Bundles the benches with the ledger as the program has it, runs them, and removes everything again.
// Data lies on the disk of this tree, not in the system's temporary folder: that one may be memory, where a
// durable write costs nothing and every ratio would be wrong.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleLedgerThread } from "../scripts/build/ledger-thread.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const work = path.join(root, ".stele-setup");
const folder = path.join(work, `bench-${process.pid}`);

removeLeftovers();
mkdirSync(folder, { recursive: true });
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130));

await build({
  absWorkingDir: root,
  entryPoints: { main: "bench/main.ts", child: "bench/child.ts" },
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  jsx: "automatic",
  external: ["better-sqlite3", "node-pty"],
  // Ink names its optional debugger, which is not installed; any module stands for it.
  alias: { "react-devtools-core": "node:util" },
  define: { "process.env.NODE_ENV": '"production"' },
  banner: { js: 'import { createRequire as req } from "node:module"; const require = req(import.meta.url);' },
  logLevel: "warning",
});
await bundleLedgerThread(folder);
const { main } = await import(pathToFileURL(path.join(folder, "main.mjs")).href);
process.exitCode = await main(process.argv.slice(2), { root, folder });

/** Of runs that were killed; the number of a process that lives now is left alone. */
function removeLeftovers() {
  mkdirSync(work, { recursive: true });
  for (const name of readdirSync(work)) {
    const pid = /^bench-(\d+)$/.exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(path.join(work, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM is somebody else's process: running.
    return error.code === "EPERM";
  }
}
