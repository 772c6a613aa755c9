// The steps of this project's set-up: which commands, what they depend on, and what proves them.
// Packages come without their install scripts; the two that need a compiled addon have a step each.
"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { compilerAdvice } = require("./compiler.cjs");

/** A host that takes the connection and says nothing must not hold up the compiler. */
const PREBUILT_LIMIT_MS = 60_000;

const THIS_NODE = { abi: process.versions.modules, platform: process.platform, arch: process.arch };

/** `forTest` adds the terminal that only tests need; `machine` is what addons are bound to. */
function planSteps(root, { forTest = false, machine = THIS_NODE } = {}) {
  const lockHash = () => hash(fs.readFileSync(path.join(root, "package-lock.json")));
  const addons = [sqliteStep(root, machine, lockHash), ...(forTest ? [terminalStep(root, machine, lockHash)] : [])];
  return [packagesStep(root, machine, lockHash), ...addons, bundleStep(root, lockHash)];
}

function packagesStep(root, machine, lockHash) {
  return {
    name: "packages",
    title: "packages",
    key: () => [lockHash(), machine.platform, machine.arch].join(" "),
    outputs: [],
    adopt: () => isInstalled(root),
    attempts: [
      {
        note: "npm ci, without install scripts",
        ...npm(root, ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"]),
      },
    ],
  };
}

function sqliteStep(root, machine, lockHash) {
  const folder = path.join(root, "node_modules", "better-sqlite3");
  const file = path.join(folder, "build", "Release", "better_sqlite3.node");
  const fetcher = path.join(root, "node_modules", "prebuild-install", "bin.js");
  const check = `new (require(${JSON.stringify(folder)}))(":memory:").prepare("select 1").get()`;
  return {
    name: "sqlite",
    title: "SQLite's addon",
    key: () => addonKey(machine, lockHash),
    outputs: [file],
    verify: node(root, ["-e", check]),
    keep: () => ({ file, kept: keptAddon(root, folder, machine) }),
    attempts: [
      { note: "looking for a prebuilt file", ...node(folder, [fetcher]), limitMs: PREBUILT_LIMIT_MS },
      { note: "compiling it here, about a minute, once", ...npm(folder, ["run", "build-release"]) },
    ],
    advice: compilerAdvice,
  };
}

function terminalStep(root, machine, lockHash) {
  const folder = path.join(root, "node_modules", "node-pty");
  const check = `require(${JSON.stringify(folder)}).spawn(process.execPath, ["-e", "0"], {}).onExit((e) => process.exit(e.exitCode))`;
  return {
    name: "terminal",
    title: "the tests' terminal",
    key: () => addonKey(machine, lockHash),
    outputs: [path.join(folder, "package.json")],
    verify: node(root, ["-e", check]),
    attempts: [{ note: "compiling node-pty", ...npm(folder, ["run", "install", "--ignore-scripts=false"]) }],
    advice: compilerAdvice,
  };
}

function bundleStep(root, lockHash) {
  const inputs = ["src", "scripts/build.mjs", "scripts/build", "package.json"];
  return {
    name: "bundle",
    title: "bundle",
    key: () => hash([lockHash(), ...inputs.flatMap((name) => listFiles(path.join(root, name)))].join("\n")),
    outputs: ["stele.cjs", "worker.cjs", "supervisor.cjs"].map((name) => path.join(root, "dist", name)),
    attempts: [{ note: "bundling", ...node(root, [path.join(root, "scripts", "build.mjs")]) }],
  };
}

/**
 * Whether an npm run by hand has installed exactly what the lock says. npm writes its own copy of the lock last of
 * all; our own `npm ci` takes that copy away first.
 */
function isInstalled(root) {
  const installed = path.join(root, "node_modules", ".package-lock.json");
  if (!fs.existsSync(installed)) return false;
  const have = JSON.parse(fs.readFileSync(installed, "utf8")).packages;
  const want = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8")).packages;
  const fits = Object.entries(want).every(([name, entry]) => {
    if (name === "") return true;
    if (!have[name]) return entry.optional === true;
    return have[name].version === entry.version && fs.existsSync(path.join(root, name, "package.json"));
  });
  if (!fits) fs.rmSync(installed);
  return fits;
}

function addonKey(machine, lockHash) {
  return [lockHash(), machine.abi, machine.platform, machine.arch].join(" ");
}

/** Compiling takes a minute: an addon that was proved once is tried again after `npm ci` or a change of Node and back. */
function keptAddon(root, folder, machine) {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = [name, version, machine.abi, machine.platform, machine.arch].join("-");
  return path.join(root, ".stele-setup", "kept", `${file}.node`);
}

/** Name, size and time of every file: cheap enough for every start, and a changed source changes it. */
function listFiles(file) {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return [`${file} missing`];
  if (!stat.isDirectory()) return [`${file} ${stat.size} ${stat.mtimeMs}`];
  return fs
    .readdirSync(file)
    .sort()
    .flatMap((name) => listFiles(path.join(file, name)));
}

function hash(content) {
  return createHash("sha256").update(content).digest("hex");
}

function node(cwd, args) {
  return { command: process.execPath, args, cwd };
}

/** npm as a script of this Node where it is found, since what `npm` names on the PATH may belong to another. */
function npm(cwd, args) {
  const folder = path.dirname(process.execPath);
  const places = [
    process.env.npm_execpath,
    path.join(folder, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    path.join(folder, "node_modules", "npm", "bin", "npm-cli.js"),
  ];
  const cli = places.find((file) => file && path.basename(file) === "npm-cli.js" && fs.existsSync(file));
  return cli ? node(cwd, [cli, ...args]) : { command: "npm", args, cwd };
}

module.exports = { planSteps };
