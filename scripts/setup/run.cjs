// Runs the steps that are not done. A step is done when its stamp holds its key and its outputs are there; the stamp
// is written last, so a killed step is done again. Stamps are in node_modules and go with it; lock, log and kept
// addons are in .stele-setup and outlive an `npm ci`.
//
// A step: { name, title, key(), outputs, attempts: [{ note, command, args, cwd, limitMs? }], verify?, adopt?, keep?, advice? }
// `verify` is a command that proves the result; `adopt()` says whether what is there already is the result; `keep()`
// names a file to keep and reuse { file, kept }; `advice()` is what to tell a person when every attempt failed.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { stripVTControlCharacters } = require("node:util");

const TAIL_LINES = 20;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Resolves to the exit code: 0 when everything is ready, 1 when a step failed, 128 + n when stopped by a signal. */
async function runSetup({ root, steps, stream = process.stderr, lockOptions = {} }) {
  if (steps.every((step) => isDone(root, step))) return 0;
  const progress = require("./progress.cjs").createProgress(stream);
  const lock = await waitForLock(root, progress, lockOptions);
  const stop = listenForStop(progress);
  const logFile = path.join(workFolder(root), "setup.log");
  const log = fs.openSync(logFile, "w");
  try {
    for (const [index, step] of steps.entries()) {
      if (isDone(root, step)) continue;
      progress.begin(`[${index + 1}/${steps.length}] ${step.title}`);
      const succeeded = await runStep(root, step, { log, lock, progress, stopping: stop.signal });
      if (!succeeded) return reportFailure({ step, progress, logFile, stoppedBy: stop.by() });
      progress.done();
    }
    return 0;
  } finally {
    fs.closeSync(log);
    stop.forget();
    lock.release();
  }
}

function isDone(root, step) {
  return readStamp(stampFile(root, step)) === step.key() && step.outputs.every((file) => fs.existsSync(file));
}

async function runStep(root, step, context) {
  const { progress, stopping } = context;
  fs.rmSync(stampFile(root, step), { force: true });
  const key = step.key();
  if (await isThereAlready(step, context)) return finish(root, step, key);
  for (const attempt of step.attempts) {
    if (stopping.aborted) return false;
    progress.note(attempt.note);
    if ((await run(attempt, context)) === 0 && (await isVerified(step, context))) return finish(root, step, key);
  }
  return false;
}

async function isThereAlready(step, context) {
  if (step.adopt?.()) return true;
  if (!step.verify) return false;
  if (step.outputs.every((file) => fs.existsSync(file)) && (await isVerified(step, context))) return true;
  const keep = step.keep?.();
  if (!keep || !fs.existsSync(keep.kept)) return false;
  copyWhole(keep.kept, keep.file);
  return isVerified(step, context);
}

async function isVerified(step, context) {
  if (context.stopping.aborted) return false;
  return !step.verify || (await run(step.verify, context)) === 0;
}

function run(command, context) {
  return require("./command.cjs").runCommand(command, context);
}

function finish(root, step, key) {
  const keep = step.keep?.();
  if (keep) copyWhole(keep.file, keep.kept);
  const file = stampFile(root, step);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.tmp`, key);
  fs.renameSync(`${file}.tmp`, file);
  return true;
}

/** Not over the old file: a running program may have it mapped. */
function copyWhole(from, to) {
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, `${to}.tmp`);
  fs.renameSync(`${to}.tmp`, to);
}

async function waitForLock(root, progress, options) {
  const { acquireLock } = require("./lock.cjs");
  let waits = false;
  const onWait = (pid) => {
    if (!waits) progress.begin("waiting");
    waits = true;
    progress.note(`another set-up is at work here${pid ? ` (process ${pid})` : ""}`);
    options.onWait?.(pid);
  };
  const lock = await acquireLock(workFolder(root), { ...options, onWait });
  progress.clear();
  return lock;
}

function listenForStop(progress) {
  const controller = new AbortController();
  let by;
  const onSignal = (signal) => {
    by ??= signal;
    progress.note("stopping");
    controller.abort();
  };
  for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    by: () => by,
    forget: () => {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, onSignal);
    },
  };
}

function reportFailure({ step, progress, logFile, stoppedBy }) {
  if (stoppedBy) {
    progress.failed("stopped");
    progress.say("The next start goes on from here.");
    return SIGNALS[stoppedBy];
  }
  progress.failed("failed");
  const advice = step.advice?.();
  progress.say(`\n${lastLines(logFile)}\n\nThe whole output: ${logFile}${advice ? `\n\n${advice}` : ""}`);
  return 1;
}

function lastLines(file) {
  const lines = stripVTControlCharacters(fs.readFileSync(file, "utf8")).trimEnd().split(/\r?\n/);
  return lines
    .slice(-TAIL_LINES)
    .map((line) => `  ${line}`)
    .join("\n");
}

function readStamp(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function stampFile(root, step) {
  return path.join(root, "node_modules", ".stele-setup", step.name);
}

function workFolder(root) {
  return path.join(root, ".stele-setup");
}

module.exports = { runSetup, workFolder };
