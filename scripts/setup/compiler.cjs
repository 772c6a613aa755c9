// What to type where an addon must be compiled and the tools for it are missing.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const LINES = [
  ["Debian, Ubuntu", "sudo apt-get install -y python3 make g++"],
  ["Fedora", "sudo dnf install -y python3 make gcc-c++"],
  ["Alpine", "apk add python3 make g++"],
  ["macOS", "xcode-select --install"],
  ["WSL", "sudo apt-get install -y python3 make g++   (inside WSL)"],
];

/** What node-gyp looks for; any name of a row will do, and the variable in front overrides it. */
const TOOLS = [
  ["PYTHON", "python3", "python"],
  ["MAKE", "make", "gmake"],
  ["CXX", "g++", "c++", "clang++"],
];

/** Undefined where the compiler is there, so the log alone tells what went wrong. */
function compilerAdvice(env = process.env) {
  const missing = TOOLS.filter(([variable, ...names]) => !env[variable] && !names.some((name) => isOnPath(name, env)));
  if (missing.length === 0) return undefined;
  const width = Math.max(...LINES.map(([system]) => system.length));
  return [
    `No prebuilt file for this machine could be had, and to compile it these are missing: ${missing.map(([, name]) => name).join(", ")}.`,
    "Install the compiler with the line for your system, then start again:",
    "",
    ...LINES.map(([system, line]) => `  ${system.padEnd(width)}   ${line}`),
  ].join("\n");
}

function isOnPath(name, env) {
  return (env.PATH ?? "").split(path.delimiter).some((folder) => {
    try {
      fs.accessSync(path.join(folder, name), fs.constants.X_OK);
      return folder !== "";
    } catch {
      // Not in this folder.
      return false;
    }
  });
}

module.exports = { compilerAdvice };
