// `node test/soak/run.mjs [--break fence|intent|settle] [--seed N] [--act NAME] [--json FILE]
// [--only kills|screens|numbers]`, SOAK_RUNS runs (else 50).
// Builds a private copy of the program from the sources as they are, in a folder of its own, bundles the soak and runs
// it against that copy. The copy differs from the real one in two places: a short lease, so that a stopped process
// can be overtaken while somebody waits, and with --break a rule that is switched off. Removes all it made.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { fullNumbers } from "./numbers.mjs";

const RULES = ["fence", "intent", "settle"];
const USAGE = `usage: SOAK_RUNS=50 npm run soak -- [--break ${RULES.join("|")}] [--seed N] [--act NAME] [--json FILE] [--only kills|screens|numbers]`;

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const work = path.join(root, ".stele-setup");
const folder = path.join(work, `stele-soak-${process.pid}`);
const kept = path.join(work, "soak-kept");

const asked = parse();
if (typeof asked === "string") {
  process.stderr.write(`${asked}\n${USAGE}\n`);
  process.exitCode = 2;
} else {
  const code = asked.only === "numbers" ? 0 : await soak(asked);
  const isWhole = asked.only === undefined && asked.broken === undefined && asked.act === undefined;
  const numbers = isWhole || asked.only === "numbers" ? fullNumbers(root) : 0;
  // Nothing that still waits in it matters any more.
  process.exit(Math.max(code, numbers));
}

function parse() {
  try {
    const text = { type: "string" };
    const { values } = parseArgs({ options: { break: text, seed: text, act: text, json: text, only: text } });
    const runs = Number(process.env.SOAK_RUNS || 50);
    const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
    if (values.break !== undefined && !RULES.includes(values.break)) return `--break takes ${RULES.join(", ")}`;
    if (values.only !== undefined && !["kills", "screens", "numbers"].includes(values.only))
      return "--only takes kills, screens or numbers";
    if (!Number.isInteger(seed) || seed < 0) return "--seed takes a whole number";
    if (!Number.isInteger(runs) || runs < 1) return "SOAK_RUNS takes a whole number above 0";
    return { runs, seed, broken: values.break, act: values.act, json: values.json, only: values.only };
  } catch (error) {
    return error.message;
  }
}

async function soak(wanted) {
  mkdirSync(work, { recursive: true });
  for (const where of [work, tmpdir()]) removeLeftovers(where);
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Homes lie outside of this tree: the program must not find this project around its own folder.
  const place = path.join(tmpdir(), `stele-soak-${process.pid}`);
  mkdirSync(place);
  process.once("exit", () => cleanUp(place));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130));

  process.stderr.write("building a private copy of the program …\n");
  const bin = buildProgram(wanted.broken);
  // Whose lease runs out in a second and a half loses it to a busy machine: screens are looked at in the real one.
  const real = path.join(root, "bin", "stele");
  await build({
    absWorkingDir: root,
    entryPoints: { main: "test/soak/main.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["better-sqlite3", "node-pty", "@xterm/headless"],
    logLevel: "warning",
  });
  const { main } = await import(pathToFileURL(path.join(folder, "main.mjs")).href);
  return await main({ ...wanted, bin, real, place, kept });
}

/** The build script finds its tree from where it lies itself: a copy of it builds the copy. */
function buildProgram(broken) {
  const tree = path.join(folder, "tree");
  for (const name of ["src", "scripts", "bin", "package.json"])
    cpSync(path.join(root, name), path.join(tree, name), { recursive: true });
  edit(path.join(tree, "src/ledger/leases-table.ts"), [
    [/LEASE_TTL_MS = [\d_]+/, "LEASE_TTL_MS = 1_500"],
    [/LEASE_REFRESH_MS = [\d_]+/, "LEASE_REFRESH_MS = 400"],
    [/LEASE_POLL_MS = [\d_]+/, "LEASE_POLL_MS = 100"],
  ]);
  if (broken !== undefined)
    edit(path.join(tree, "src/ledger/broken-rule.ts"), [[/undefined as/, `${JSON.stringify(broken)} as`]]);
  const built = spawnSync(process.execPath, [path.join(tree, "scripts/build.mjs")], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the private copy could not be built:\n${built.stderr}`);
  return path.join(tree, "bin", "stele");
}

function edit(file, edits) {
  let text = readFileSync(file, "utf8");
  for (const [pattern, replacement] of edits) {
    if (!pattern.test(text)) throw new Error(`${file} no longer has ${pattern}`);
    text = text.replace(pattern, replacement);
  }
  writeFileSync(file, text);
}

function cleanUp(place) {
  endAllBelow(place);
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** What still works in one of the homes: a command outlives its stele, as it must. */
function endAllBelow(place) {
  for (const pid of processesBelow(place)) kill(pid);
}

function processesBelow(place) {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => environmentOf(pid).includes(`STELE_HOME=${place}/`));
  } catch {
    return []; // no /proc here
  }
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // it ended meanwhile, or is somebody else's
  }
}

function kill(pid) {
  try {
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // it ended meanwhile
  }
}

/** Of soaks that were killed; the number of a process that lives now is left alone. */
function removeLeftovers(where) {
  for (const name of readdirSync(where)) {
    const pid = /^stele-soak-(\d+)$/.exec(name)?.[1];
    if (!pid || isRunning(Number(pid))) continue;
    endAllBelow(path.join(where, name));
    rmSync(path.join(where, name), { recursive: true, force: true });
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
