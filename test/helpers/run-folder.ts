// One temporary folder for the whole run, as home and as TMPDIR of every test. What is left in it at the end, or
// a process that still works below it, fails the run: each test cleans up after itself.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { bundleLedgerThread } from "../../scripts/build/ledger-thread.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The file of the ledger's thread. */
    ledgerThread: string;
  }
}

// Vitest wants it under this name.
export async function setup(project: TestProject): Promise<() => void> {
  const root = mkdtempSync(path.join(tmpdir(), "stele-run-"));
  const [temporary, home] = [path.join(root, "tmp"), path.join(root, "home")];
  chmodSync(root, 0o755); // a test of missing rights runs as somebody else
  mkdirSync(temporary);
  mkdirSync(home);
  project.provide("ledgerThread", await bundleThread(path.join(root, "thread")));
  process.env["TMPDIR"] = temporary;
  process.env["HOME"] = home;
  return () => {
    const leftovers = [...filesLeft(temporary), ...filesLeft(home), ...processesLeft(root)];
    rmSync(root, { recursive: true, force: true });
    if (leftovers.length === 0) return;
    process.exitCode = 1;
    throw new Error(`left behind by the tests:\n  ${leftovers.join("\n  ")}`);
  };
}

/** Beside a link to the project's packages. */
async function bundleThread(folder: string): Promise<string> {
  const project = fileURLToPath(new URL("../..", import.meta.url));
  mkdirSync(folder);
  symlinkSync(path.join(project, "node_modules"), path.join(folder, "node_modules"));
  await bundleLedgerThread(folder);
  return path.join(folder, "worker.cjs");
}

function filesLeft(folder: string): string[] {
  return readdirSync(folder).map((name) => path.join(folder, name));
}

/** Programs whose home was one of the tests'; this process and its workers have none there. */
function processesLeft(root: string): string[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/environ`).includes(`STELE_HOME=${root}`))
    .map((pid) => `process ${pid}: ${textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // it ended meanwhile, or is somebody else's
  }
}
