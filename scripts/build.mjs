// Bundles the program: src/main.ts -> dist/stele.cjs, src/cli.ts with all it loads -> packs beside it, the ledger's
// thread -> dist/worker.cjs and a pack of its own, the supervisor of shell commands -> dist/supervisor.cjs, and keeps the
// code that one start compiles (src/code-cache.ts). Everything is written to a folder beside it and swapped in when whole,
// so a killed build leaves the old dist or none, never half of one. Only better-sqlite3 stays in node_modules.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleUrl, common, root } from "./build/common.mjs";
import { bundleLedgerThread } from "./build/ledger-thread.mjs";
import { supported, writePacks } from "./build/packs.mjs";
import { plugins } from "./build/plugins.mjs";

const work = join(root, ".stele-setup");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** What a made-up start of the program may take, in ms; without it the first real one keeps the code. */
const WARM_UP_LIMIT_MS = 15_000;

/** Where the bundle begins, and who loads what: the first frame, and a command that shows none. */
const start = "src/cli.ts";
const users = {
  screen: ["src/screen.ts"],
  work: ["src/commands/dispatch.ts", "src/program.ts", "src/headless.ts"],
};

/** The program runs as CommonJS: in Node 20 V8's cache can be given to a script and not to a module. */
const inPacks = {
  ...common,
  entryNames: "[name]", // chunks lie side by side
  supported,
  define: { "process.env.NODE_ENV": '"production"', "import.meta.url": "__steleUrl" },
  plugins,
};

/** One is started for every shell command: it has to be small. */
const supervisor = {
  ...common,
  entryPoints: { supervisor: "src/agent/spool/supervisor.ts" },
  format: "cjs",
  outExtension: { ".js": ".cjs" },
};

/** Folders of builds that were killed; one that still runs keeps its own. */
function removeLeftovers() {
  for (const name of readdirSync(work)) {
    const pid = /^(?:build|old|warm-up)-(\d+)$/.exec(name)?.[1];
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

/** A program that does not start is no reason to fail here: it is whole, and says itself what it lacks. */
function warmUp(folder) {
  const home = join(work, `warm-up-${process.pid}`);
  mkdirSync(home, { recursive: true });
  const script = join(root, "scripts", "build", "warm-up.cjs");
  const { PATH = "" } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [script, join(folder, "stele.cjs"), home], {
    encoding: "utf8",
    env: { PATH },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: WARM_UP_LIMIT_MS,
    killSignal: "SIGKILL",
  });
  rmSync(home, { recursive: true, force: true });
  if (status !== 0) process.stderr.write(`the first start will be slower, nothing was compiled ahead: ${stderr}\n`);
}

function swapIn(made) {
  const dist = join(root, "dist");
  const old = join(work, `old-${process.pid}`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
}

async function bundle(outdir) {
  const [{ metafile, outputFiles }] = await Promise.all([
    build({
      ...inPacks,
      entryPoints: [start, ...Object.values(users).flat()],
      outdir,
      splitting: true,
      format: "esm",
      write: false,
      metafile: true,
    }),
    build({ ...supervisor, outdir }),
  ]);
  await bundleLedgerThread(outdir);
  const files = await writePacks({ folder: outdir, metafile, outputFiles, start, users });
  await build({
    ...common,
    entryPoints: { stele: "src/main.ts" },
    outdir,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    define: {
      "import.meta.url": "__steleUrl",
      __STELE_VERSION__: JSON.stringify(version),
      __STELE_BUNDLE__: JSON.stringify(files),
    },
    banner: { js: bundleUrl },
  });
}

mkdirSync(work, { recursive: true });
removeLeftovers();
const made = join(work, `build-${process.pid}`);
await bundle(made);
warmUp(made);
swapIn(made);
