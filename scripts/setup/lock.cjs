// One set-up at a time in one tree. Claims are numbered files `lock-N`; the highest one counts and is never deleted,
// only followed by a higher one (so a slow contender cannot delete a claim it did not read), or marked free.
// A claim is over when its process is proved dead (pid and start time), together with the command it was running:
// a killed set-up cannot stop its npm or compiler, so the next holder does that before it begins.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const POLL_MS = 200;
const HEARTBEAT_MS = 10_000;
/** Without proof (another machine or container shares the folder, or a claim was cut short) silence this long is death. */
const SILENCE_MS = 60_000;

/**
 * Waits until this process holds the folder's lock.
 * `onWait(pid)` is called at each look at a lock that somebody else holds.
 */
async function acquireLock(folder, { onWait = () => {}, pollMs = POLL_MS } = {}) {
  fs.mkdirSync(folder, { recursive: true });
  for (;;) {
    const top = highestClaim(folder);
    const state = top ? stateOf(top) : "free";
    if (state !== "free") {
      if (state === "held") onWait(top.claim?.pid);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      continue;
    }
    const file = claimNumber(folder, (top?.number ?? 0) + 1);
    if (file) return heldLock(file);
  }
}

function heldLock(file) {
  const self = identify(process.pid);
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    /** Notes the process group that works for this holder, so that it is ended with it. */
    setChild: (pid) => replace(file, { ...self, child: pid === undefined ? undefined : identify(pid) }),
    release: () => {
      clearInterval(heartbeat);
      replace(file, { free: true });
    },
  };
}

function claimNumber(folder, number) {
  const file = path.join(folder, `lock-${number}`);
  try {
    fs.writeFileSync(file, JSON.stringify(identify(process.pid)), { flag: "wx" });
  } catch (error) {
    if (error.code === "EEXIST") return undefined;
    throw error;
  }
  const numbers = claimNumbers(folder);
  if (numbers.some((other) => other > number)) {
    fs.rmSync(file, { force: true });
    return undefined;
  }
  for (const other of numbers) if (other < number) fs.rmSync(path.join(folder, `lock-${other}`), { force: true });
  return file;
}

function claimNumbers(folder) {
  return fs.readdirSync(folder).flatMap((name) => (/^lock-\d+$/.test(name) ? [Number(name.slice(5))] : []));
}

function highestClaim(folder) {
  const number = Math.max(0, ...claimNumbers(folder));
  if (number === 0) return undefined;
  const file = path.join(folder, `lock-${number}`);
  try {
    return { number, changedAt: fs.statSync(file).mtimeMs, claim: parseClaim(fs.readFileSync(file, "utf8")) };
  } catch (error) {
    // Overtaken while looking: look again.
    if (error.code === "ENOENT") return highestClaim(folder);
    throw error;
  }
}

function parseClaim(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Killed between creating and writing it, or not written yet: stateOf waits for its silence.
    return undefined;
  }
}

/** `ending`: the holder is dead and what it left running has been killed, but is not gone yet. */
function stateOf({ claim, changedAt }) {
  if (claim?.free) return "free";
  if (!claim || claim.host !== os.hostname()) return Date.now() - changedAt < SILENCE_MS ? "held" : "free";
  if (isAlive(claim)) return "held";
  if (!claim.child || !isAlive(claim.child)) return "free";
  killGroup(claim.child.pid);
  return "ending";
}

function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Gone meanwhile, or another user's: then it is waited for.
    if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
  }
}

function identify(pid) {
  return { pid, start: startOf(pid), host: os.hostname() };
}

function isAlive({ pid, start }) {
  const now = startOf(pid);
  return now !== undefined && now === start;
}

/** What tells a process from a later one with the same pid; undefined when there is none (a zombie is none). */
function startOf(pid) {
  if (!fs.existsSync("/proc/self/stat")) return startFromPs(pid);
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command's name stands in parentheses and may contain anything; state is field 3, start time field 22.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}:${fields[19]}`;
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return undefined;
    throw error;
  }
}

function startFromPs(pid) {
  try {
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return (
      execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env, stdio: "pipe" }).trim() ||
      undefined
    );
  } catch {
    // ps exits 1 for a pid that is not there.
    return undefined;
  }
}

function replace(file, claim) {
  const temporary = path.join(path.dirname(file), `claim-${process.pid}.tmp`);
  fs.writeFileSync(temporary, JSON.stringify(claim));
  fs.renameSync(temporary, file);
}

function touch(file) {
  const now = new Date();
  fs.utimes(file, now, now, () => {
    // A missed beat matters to other machines only, and the next one follows.
  });
}

module.exports = { acquireLock, identify };
