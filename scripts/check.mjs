// Everything about the code that is no test: format, lint with types, import cycles and layers, types, unused exports
// and dependencies. All at once; what passes takes a line, what fails shows its whole output.
// `node scripts/check.mjs lint types` runs only those; the exit code is 1 when one fails, 2 when there is no such step.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The program of a package below node_modules, then its arguments. */
const STEPS = {
  format: ["@biomejs/biome/bin/biome", "ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`],
  lint: ["oxlint/bin/oxlint"],
  types: [
    "typescript/bin/tsc",
    "--noEmit",
    "--incremental",
    "--tsBuildInfoFile",
    "node_modules/.cache/check.tsbuildinfo",
  ],
  unused: ["knip/bin/knip.js", "--no-progress"],
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(STEPS, name));
if (unknown.length > 0) {
  console.error(`no such step: ${unknown.join(", ")}; steps: ${Object.keys(STEPS).join(", ")}`);
  process.exit(2);
}

const names = asked.length > 0 ? [...new Set(asked)] : Object.keys(STEPS);
const passed = await Promise.all(names.map(runStep));
process.exitCode = passed.every(Boolean) ? 0 : 1;

async function runStep(name) {
  const start = performance.now();
  const { code, output } = await run(STEPS[name]);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(`${code === 0 ? "ok    " : "failed"}  ${name.padEnd(6)}  ${seconds.padStart(4)} s`);
  if (code !== 0) console.log(output);
  return code === 0;
}

function run([program, ...args]) {
  const file = join(root, "node_modules", program);
  if (!existsSync(file)) return { code: 1, output: `${file} is not installed: npm run setup` };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString("utf8") }));
  });
}
