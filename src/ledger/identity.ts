// Who a process is, and whether another one is still there. Only the kernel's word about that very process
// (pid and start time, same boot, same pid namespace, same machine) proves a death; all doubt is `unproven`.
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Liveness, ProcessIdentity } from "./types.ts";

/** What the kernel says about a pid now. */
export type PidProbe =
  | { readonly kind: "gone" }
  | { readonly kind: "there"; readonly start?: string }
  /** Permission refused or nothing readable. */
  | { readonly kind: "unreadable" };

export function currentProcess(program: string): ProcessIdentity {
  const probe = probePid(process.pid);
  const start = probe.kind === "there" ? probe.start : undefined;
  const boot = bootId();
  const pidNamespace = readLink("/proc/self/ns/pid");
  const machine = readText("/etc/machine-id") ?? readText("/var/lib/dbus/machine-id");
  return {
    pid: process.pid,
    host: hostname(),
    program,
    ...(start && { start }),
    ...(boot && { boot }),
    ...(pidNamespace && { pidNamespace }),
    ...(machine && { machine }),
  };
}

/** The verdict table of leases; `probe` is a parameter so that every row of it can be tested. */
export function livenessOf(
  other: ProcessIdentity | undefined,
  self: ProcessIdentity,
  probe: (pid: number) => PidProbe = probePid,
): Liveness {
  if (!other) return "unproven";
  if (other.host !== self.host || other.machine !== self.machine) return "unproven";
  if (!other.boot || !self.boot) return "unproven";
  // Two machines without an id may share a name; only a known machine has been booted again.
  if (other.boot !== self.boot) return self.machine ? "dead" : "unproven";
  if (other.pidNamespace !== self.pidNamespace) return "unproven";
  if (process.platform === "linux" && !self.pidNamespace) return "unproven";
  const now = probe(other.pid);
  if (now.kind === "gone") return "dead";
  if (now.kind === "unreadable" || !now.start || !other.start) return "unproven";
  return now.start === other.start ? "alive" : "dead";
}

/** The very same process, not one that got its pid in another place or time. */
export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  const keys = ["pid", "start", "boot", "pidNamespace", "machine", "host"] as const;
  return keys.every((key) => a[key] === b[key]);
}

export function probePid(pid: number): PidProbe {
  if (process.platform === "linux") return probeProc(pid);
  if (!isSignalable(pid)) return { kind: "gone" };
  const start = runText("ps", ["-o", "lstart=", "-p", String(pid)]);
  return start ? { kind: "there", start } : { kind: "unreadable" };
}

function probeProc(pid: number): PidProbe {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // hidepid makes a living process of another user look absent: only ESRCH of a signal proves it gone.
    return isSignalable(pid) ? { kind: "unreadable" } : { kind: "gone" };
  }
  // The command name stands in parentheses and may hold anything, so fields are counted after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  // A zombie runs nothing any more, whoever forgot to reap it.
  if (state === "Z" || state === "X") return { kind: "gone" };
  const start = fields[19];
  return start ? { kind: "there", start } : { kind: "unreadable" };
}

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

export function bootId(): string | undefined {
  if (process.platform === "linux") return readText("/proc/sys/kernel/random/boot_id");
  return runText("sysctl", ["-n", "kern.boottime"]);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined; // absent on this platform
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no pid namespaces on this platform
  }
}

function runText(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || undefined;
  } catch {
    return undefined; // the tool is missing or says no: then nothing is known
  }
}
