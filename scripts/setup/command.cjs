// Runs one command of a step in a process group of its own, its whole output going to the log, and ends the
// group when the set-up is stopped or the command has run out of its time.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

/** Long enough to end in order; what is cut off is done again from its beginning anyway. */
const GRACE_MS = 1_000;

/** Resolves to the exit code; 127 when the program is not there, 124 when it took longer than `limitMs`. */
function runCommand({ command, args, cwd, limitMs }, { log, lock, stopping }) {
  fs.writeSync(log, `\n$ ${[command, ...args].join(" ")}\n  in ${cwd}\n`);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: commandEnv(), stdio: ["ignore", log, log], detached: true });
    if (child.pid !== undefined) lock.setChild(child.pid);
    let ranOut = false;
    const end = () => endGroup(child);
    const limit = limitMs && setTimeout(() => ((ranOut = true), end()), limitMs);
    stopping.addEventListener("abort", end, { once: true });
    const settle = (code) => {
      clearTimeout(limit);
      stopping.removeEventListener("abort", end);
      lock.setChild(undefined);
      fs.writeSync(log, `  exit ${code}\n`);
      resolve(code);
    };
    child.once("error", (error) => {
      fs.writeSync(log, `  ${error.message}\n`);
      settle(127);
    });
    child.once("exit", (code) => settle(ranOut ? 124 : (code ?? 1)));
    if (stopping.aborted) end();
  });
}

/** Scripts that say `node` get the Node that runs the set-up: the addon must fit it. */
function commandEnv() {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return {
    ...process.env,
    [key]: [path.dirname(process.execPath), process.env[key]].filter(Boolean).join(path.delimiter),
  };
}

function endGroup(child) {
  if (child.pid === undefined) return;
  signalGroup(child.pid, "SIGTERM");
  const force = setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
  child.once("exit", () => clearTimeout(force));
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Gone already.
    if (error.code !== "ESRCH") throw error;
  }
}

module.exports = { runCommand };
