// Bundles the program: src/main.ts -> dist/stele.js, src/ledger/worker.ts -> dist/worker.js, shared and lazily
// loaded code in dist/chunks. Everything is written to a folder beside it and swapped in when whole, so a killed
// build leaves the old dist or none, never half of one. Only better-sqlite3 stays in node_modules.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const work = join(root, ".stele-setup");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/**
 * Yoga's loader decodes its WebAssembly through fetch("data:…"), which loads all of undici, and asynchronously.
 * Emscripten's own hook `instantiateWasm` does the same at once, without either; the bytes are taken out of the loader.
 */
const yogaAtOnce = {
  name: "yoga-at-once",
  setup(bundler) {
    const loader = /yoga-wasm-base64-esm\.js$/;
    bundler.onLoad({ filter: /yoga-layout[\\/]dist[\\/]src[\\/]index\.js$/ }, () => ({ contents: YOGA, loader: "js" }));
    bundler.onLoad({ filter: loader, namespace: "file" }, async ({ path }) => {
      const { source } = split(await readFile(path, "utf8"));
      return { contents: source, loader: "js" };
    });
    bundler.onResolve({ filter: /^yoga-wasm-bytes$/ }, async ({ resolveDir }) => ({
      path: join(resolveDir, "../binaries/yoga-wasm-base64-esm.js"),
      namespace: "yoga-bytes",
    }));
    bundler.onLoad({ filter: loader, namespace: "yoga-bytes" }, async ({ path }) => {
      const { base64 } = split(await readFile(path, "utf8"));
      return { contents: `export default Buffer.from("${base64}", "base64");`, loader: "js" };
    });
  },
};

const YOGA = `
import load from "../binaries/yoga-wasm-base64-esm.js";
import bytes from "yoga-wasm-bytes";
import wrapAssembly from "./wrapAssembly.js";
const yoga = {
  instantiateWasm(imports, done) {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
    done(instance);
    return instance.exports;
  },
};
load(yoga);
export default wrapAssembly(yoga);
export * from "./generated/YGEnums.js";
`;

function split(loader) {
  const prefix = "data:application/octet-stream;base64,";
  const found = new RegExp(`${prefix}([A-Za-z0-9+/=]+)`).exec(loader);
  if (!found?.[1])
    throw new Error("yoga-layout no longer carries its WebAssembly as a data URL: look at yogaAtOnce again");
  return { base64: found[1], source: loader.replace(found[0], prefix) };
}

/** With DEV=true in the environment Ink looks for React's devtools and for its own package.json: the bundle has neither. */
const noDevtools = {
  name: "no-devtools",
  setup(bundler) {
    const inInk = (file) => ({ filter: new RegExp(`[\\\\/]ink[\\\\/]build[\\\\/]${file}\\.js$`) });
    bundler.onLoad(inInk("utils"), () => ({ contents: "export const isDev = () => false;", loader: "js" }));
    bundler.onLoad(inInk("devtools"), () => ({ contents: "", loader: "js" }));
  },
};

/** Folders of builds that were killed; one that still runs keeps its own. */
function removeLeftovers() {
  for (const name of readdirSync(work)) {
    const pid = /^(?:build|old)-(\d+)$/.exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(join(work, name), { recursive: true, force: true });
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

function swapIn(made) {
  const dist = join(root, "dist");
  const old = join(work, `old-${process.pid}`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
}

mkdirSync(work, { recursive: true });
removeLeftovers();
const made = join(work, `build-${process.pid}`);
await build({
  absWorkingDir: root,
  entryPoints: { stele: "src/main.ts", worker: "src/ledger/worker.ts" },
  outdir: made,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  external: ["better-sqlite3"],
  define: { "process.env.NODE_ENV": '"production"', __STELE_VERSION__: JSON.stringify(version) },
  // Packages in CommonJS call require() for Node's own modules.
  banner: {
    js: 'import{createRequire as steleCreateRequire}from"node:module";const require=steleCreateRequire(import.meta.url);',
  },
  plugins: [yogaAtOnce, noDevtools],
  logLevel: "warning",
});
// Code that starts the worker may end up in a chunk: "./worker.js" is right from there too.
mkdirSync(join(made, "chunks"), { recursive: true });
writeFileSync(join(made, "chunks", "worker.js"), 'import "../worker.js";\n');
swapIn(made);
