// Commands started by a process of their own, which a test can kill: bundled once a test file, ended after each test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, onTestFinished, vi } from "vitest";
import { HANG_UP_PATIENCE, stopSpool } from "../../src/agent/spool/stop-spool.ts";
import type { ChildTask } from "./spool-child.ts";

let bundle: string | undefined;

afterAll(() => {
  if (bundle) rmSync(path.dirname(bundle), { recursive: true, force: true });
  bundle = undefined;
});

/** Esbuild keeps `import.meta.url` as it is; here it names a source, so that the built supervisor is found from there. */
function bundleChild(): string {
  if (bundle) return bundle;
  const folder = mkdtempSync(path.join(tmpdir(), "stele-child-"));
  const source = fileURLToPath(new URL("../../src/agent/spool/start-spool.ts", import.meta.url));
  bundle = path.join(folder, "child.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("./spool-child.ts", import.meta.url))],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    define: { "import.meta.url": JSON.stringify(pathToFileURL(source).href) },
  });
  return bundle;
}

/** A folder for spools; what still runs in them is ended with the test. */
export async function makeSpoolRoot(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), "stele-spools-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

export function endWithTest(folder: string): string {
  onTestFinished(async () => void (await stopSpool(folder, HANG_UP_PATIENCE)));
  return folder;
}

/** Polls as `vi.waitFor` does, with the time that real processes need on a busy machine. */
export function waitFor<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 30_000 });
}

export interface Starter {
  /** Its words so far. */
  said(): string;
  /** The command was told to start. */
  hasGone(): Promise<void>;
  /** SIGKILL, and reaped when it resolves. */
  kill(): Promise<void>;
  ended(): Promise<void>;
}

export function startIn(task: ChildTask): Starter {
  endWithTest(task.folder);
  const child = spawn(process.execPath, [bundleChild(), JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], STELE_HOME: path.dirname(task.folder) },
  });
  const exited = once(child, "close").then(() => undefined);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => void (said += chunk));
  return {
    said: () => said,
    hasGone: () => waitFor(() => stat(path.join(task.folder, "go")).then(() => undefined)),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    ended: () => exited,
  };
}
