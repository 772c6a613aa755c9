// The command line of the set-up: does what is missing, then becomes the program that was asked for, in this same
// process, so that its terminal, signals and exit code are its own and a ready tree costs no second start of Node.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { planSteps } = require("./plan.cjs");
const { runSetup } = require("./run.cjs");

const root = path.dirname(path.dirname(__dirname));

async function main(argv) {
  const options = parse(argv);
  if (options.problem) {
    process.stderr.write(`${options.problem}\n`);
    process.exitCode = 2;
    return;
  }
  process.exitCode = await runSetup({ root, steps: planSteps(root, { forTest: options.for === "test" }) });
  if (process.exitCode !== 0 || !options.program) return;
  process.exitCode = undefined;
  await become(options.program, options.rest);
}

/** Our own options come first; after `--then NAME` everything is the program's. */
function parse(argv) {
  const options = { rest: [] };
  for (let at = 0; at < argv.length; at += 2) {
    const [name, value] = argv.slice(at, at + 2);
    if (name === "--for" && value === "test") options.for = value;
    else if (name === "--then" && (value === "start" || value === "test")) {
      return { ...options, program: value, rest: argv.slice(at + 2) };
    } else return { problem: "usage: node scripts/setup.cjs [--for test] [--then start|test] [arguments]" };
  }
  return options;
}

async function become(name, args) {
  if (name === "test") {
    const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
    process.argv = [process.execPath, vitest, "run", ...args];
    await import(pathToFileURL(vitest).href);
    return;
  }
  // npm runs its scripts in the package's folder; the person is where INIT_CWD says.
  const from = process.env.npm_lifecycle_event && process.env.INIT_CWD;
  if (from && fs.existsSync(from)) process.chdir(from);
  const program = path.join(root, "bin", "stele");
  process.argv = [process.execPath, program, ...args];
  require(program);
}

module.exports = { main };
