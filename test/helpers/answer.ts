// Answers a prompt as a person does, who reads it first: keys that the terminal held while it was drawn are no answer
// (src/ui/prompt-gate.ts), and neither are those that follow others without a pause (src/ui/typed-ahead.ts). The keys are
// pressed once, as soon as the program sleeps until somebody types and the last ones are half a second old: a prompt that
// does not take them then would not take a person's either, and the test fails.
import { readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import type { Terminal } from "./pty.ts";

/** In ms. */
const patience = { most: 30_000, between: 5, reading: 600 };

/** For a prompt that is on the screen. */
export async function answer(terminal: Terminal, keys: string): Promise<void> {
  const until = performance.now() + patience.most;
  for (let sleeps = isAsleep(terminal.pid); sleeps !== true; sleeps = isAsleep(terminal.pid)) {
    if (performance.now() > until) throw new Error(`never came to rest:\n${terminal.screen().join("\n")}`);
    await after(sleeps === undefined ? patience.reading : patience.between);
    // Where no system tells, nobody reads faster than that.
    if (sleeps === undefined) break;
  }
  await after(Math.max(0, terminal.writtenAt() + patience.reading - performance.now()));
  terminal.write(keys);
}

/**
 * Whether its main thread waits in the kernel for something to read, or for time: it does so only once all that
 * follows from the last frame is done. Undefined: this system does not tell.
 */
function isAsleep(pid: number): boolean | undefined {
  try {
    const where = readFileSync(`/proc/${pid}/wchan`, "utf8");
    if (where.includes("epoll") || where.includes("ep_poll")) return true;
    return where === "" || (where === "0" && isStopped(pid)) ? undefined : false;
  } catch {
    return undefined; // no /proc here, or it ended: the test will see that
  }
}

/** Asleep, and the kernel hides where. */
function isStopped(pid: number): boolean {
  return /^\d+ \(.*\) S /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
